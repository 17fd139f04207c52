// swift-format-ignore-file
// Foundation: what Apple's has beyond swift-corelibs-foundation, whose own declarations come from the toolchain. Declarations only: nothing runs.
// Apple's documentation: "Foundation"; the name of each entry is its page.
@_exported import CoreFoundation
@_exported import Dispatch
@_exported import ObjectiveC
@_exported import _FoundationNetworking
@_exported import _FoundationXML

extension ProcessInfo {
    public enum ThermalState: Int, Sendable { case nominal = 0, fair, serious, critical }
    public var thermalState: ThermalState { fatalError() }
    public static var thermalStateDidChangeNotification: NSNotification.Name { fatalError() }
    public var isLowPowerModeEnabled: Bool { fatalError() }
    public var isiOSAppOnMac: Bool { fatalError() }
    public var isMacCatalystApp: Bool { fatalError() }
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
extension NSNotification.Name {
    public static var NSProcessInfoPowerStateDidChange: NSNotification.Name { fatalError() }
}
extension NSObjectProtocol where Self: NSObject {
    public func observe<Value>(_ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [], changeHandler: @escaping @Sendable (Self, NSKeyValueObservedChange<Value>) -> Void) -> NSKeyValueObservation { fatalError() }
}
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let new = NSKeyValueObservingOptions(rawValue: 1), old = NSKeyValueObservingOptions(rawValue: 2), initial = NSKeyValueObservingOptions(rawValue: 4)
}
public struct NSKeyValueObservedChange<Value> { public let newValue: Value?; public let oldValue: Value? }
public class NSKeyValueObservation { public func invalidate() {} }

open class NSBundleResourceRequest: NSObject, @unchecked Sendable {
    public convenience init(tags: Set<String>) { self.init() }
    public convenience init(tags: Set<String>, bundle: Bundle) { self.init() }
    open var loadingPriority: Double { get { fatalError() } set {} }
    open var tags: Set<String> { fatalError() }
    open var bundle: Bundle { fatalError() }
    open var progress: Progress { fatalError() }
    open func beginAccessingResources(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {}
    open func beginAccessingResources() async throws {}
    open func conditionallyBeginAccessingResources() async -> Bool { fatalError() }
    open func conditionallyBeginAccessingResources(completionHandler: @escaping @Sendable (Bool) -> Void) {}
    open func endAccessingResources() {}
}
public let NSBundleResourceRequestLoadingPriorityUrgent: Double = 1

open class NSFileCoordinator: NSObject {
    public struct ReadingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    public struct WritingOptions: OptionSet, Sendable { public let rawValue: UInt; public init(rawValue: UInt) { self.rawValue = rawValue } }
    open func coordinate(readingItemAt url: URL, options: ReadingOptions = [], error: NSErrorPointer, byAccessor reader: (URL) -> Void) {}
}
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration { fatalError() }
    public var isDiscretionary: Bool { get { fatalError() } set {} }
    public var sessionSendsLaunchEvents: Bool { get { fatalError() } set {} }
    public var waitsForConnectivity: Bool { get { fatalError() } set {} }
    public var allowsExpensiveNetworkAccess: Bool { get { fatalError() } set {} }
    public var allowsConstrainedNetworkAccess: Bool { get { fatalError() } set {} }
}
extension URLRequest {
    public var allowsExpensiveNetworkAccess: Bool { get { fatalError() } set {} }
    public var allowsConstrainedNetworkAccess: Bool { get { fatalError() } set {} }
}

/// "autoreleasepool(invoking:)"
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
extension URLSession {
    public var allTasks: [URLSessionTask] { get async { fatalError() } }
}
