// swift-format-ignore-file
// IOKit.ps: power sources of a Mac. Declarations only: nothing runs. (Its names are visible by `import IOKit` too.)
// Apple's documentation: "IOPSCopyPowerSourcesInfo", "IOPSCopyPowerSourcesList", "IOPSGetPowerSourceDescription", "IOPSKeys.h"
@_exported import IOKit
import CoreFoundation
public func IOPSCopyPowerSourcesInfo() -> Unmanaged<CFTypeRef>! { fatalError() }
public func IOPSCopyPowerSourcesList(_ blob: CFTypeRef!) -> Unmanaged<CFArray>! { fatalError() }
public func IOPSGetPowerSourceDescription(_ blob: CFTypeRef!, _ ps: CFTypeRef!) -> Unmanaged<CFDictionary>! { fatalError() }
public func IOPSGetProvidingPowerSourceType(_ snapshot: CFTypeRef!) -> Unmanaged<CFString>! { fatalError() }
public func IOPSGetTimeRemainingEstimate() -> CFTimeInterval { fatalError() }
public var kIOPSTypeKey: String { fatalError() }
public var kIOPSInternalBatteryType: String { fatalError() }
public var kIOPSUPSType: String { fatalError() }
public var kIOPSCurrentCapacityKey: String { fatalError() }
public var kIOPSMaxCapacityKey: String { fatalError() }
public var kIOPSPowerSourceStateKey: String { fatalError() }
public var kIOPSACPowerValue: String { fatalError() }
public var kIOPSBatteryPowerValue: String { fatalError() }
public var kIOPSOffLineValue: String { fatalError() }
public var kIOPSIsChargingKey: String { fatalError() }
public var kIOPSIsPresentKey: String { fatalError() }
public var kIOPSNameKey: String { fatalError() }
public typealias IOPowerSourceCallbackType = @convention(c) (UnsafeMutableRawPointer?) -> Void
public func IOPSNotificationCreateRunLoopSource(_ callback: IOPowerSourceCallbackType!, _ context: UnsafeMutableRawPointer!) -> Unmanaged<CFRunLoopSource>! { fatalError() }
