// swift-format-ignore-file
// AppKit: NSApplication's and NSWorkspace's notifications, NSImage. Declarations only: nothing runs.
// Apple's documentation: "AppKit", "NSApplication", "NSWorkspace"
@_exported import CoreGraphics
@_exported import Foundation
@MainActor open class NSResponder: NSObject {}
public protocol NSApplicationDelegate: NSObjectProtocol {}
@MainActor open class NSApplication: NSResponder {
    public class var shared: NSApplication { fatalError() }
    open var isActive: Bool { fatalError() }
    nonisolated public class var didBecomeActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willResignActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var didResignActiveNotification: NSNotification.Name { fatalError() }
    nonisolated public class var didHideNotification: NSNotification.Name { fatalError() }
    nonisolated public class var didUnhideNotification: NSNotification.Name { fatalError() }
    nonisolated public class var willTerminateNotification: NSNotification.Name { fatalError() }
}
open class NSWorkspace: NSObject {
    public class var shared: NSWorkspace { fatalError() }
    open var notificationCenter: NotificationCenter { fatalError() }
    public class var willSleepNotification: NSNotification.Name { fatalError() }
    public class var didWakeNotification: NSNotification.Name { fatalError() }
}
open class NSImage: NSObject, @unchecked Sendable {
    public convenience init?(data: Data) { fatalError() }
    public convenience init?(contentsOf url: URL) { fatalError() }
    public convenience init(cgImage: CGImage, size: CGSize) { fatalError() }
    open var size: CGSize { fatalError() }
}
