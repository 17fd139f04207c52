// swift-format-ignore-file
// CoreFoundation: the names of the types, each as the Foundation class that it is bridged to. Declarations only: nothing runs.
// Apple's documentation: "Core Foundation". There these are classes of their own, toll-free bridged; here they are aliases.
@_exported import Darwin
import ObjectiveC

public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFMutableString = NSMutableString
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFNumber = NSNumber
public typealias CFBoolean = NSNumber
public typealias CFURL = NSURL
public typealias CFDate = NSDate
public typealias CFError = NSError
public typealias CFTypeID = UInt
public typealias CFIndex = Int
public typealias CFTimeInterval = Double
public typealias CFAbsoluteTime = Double
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { 0 }
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }
public nonisolated(unsafe) let kCFBooleanTrue: CFBoolean! = nil
public nonisolated(unsafe) let kCFBooleanFalse: CFBoolean! = nil
open class CFRunLoop {}
open class CFRunLoopSource {}
public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let defaultMode = CFRunLoopMode(rawValue: ""), commonModes = CFRunLoopMode(rawValue: "")
}
public func CFRunLoopGetMain() -> CFRunLoop! { fatalError() }
public func CFRunLoopAddSource(_ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!) {}
public func CFRunLoopRemoveSource(_ rl: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!) {}
public func CFRunLoopRun() {}
