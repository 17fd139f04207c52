// swift-format-ignore-file
// os: Logger, OSLog, signposts, unfair locks, memory left to the process. Declarations only: nothing runs.
// Apple's documentation: "os", "OSLog", "OSSignposter", "OSAllocatedUnfairLock", "os_proc_available_memory()"
@_exported import os
@_exported import Darwin

public struct OSLogType: RawRepresentable, Equatable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(rawValue: 0), info = OSLogType(rawValue: 1), debug = OSLogType(rawValue: 2)
    public static let error = OSLogType(rawValue: 16), fault = OSLogType(rawValue: 17)
}
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { fatalError() }
    public static var `private`: OSLogPrivacy { fatalError() }
    public static var sensitive: OSLogPrivacy { fatalError() }
    public static var auto: OSLogPrivacy { fatalError() }
}
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) {}
    public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation<T: CustomStringConvertible>(_ value: @autoclosure @escaping () -> T, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation<T: FixedWidthInteger>(_ value: @autoclosure @escaping () -> T, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> Double, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> Float, privacy: OSLogPrivacy = .auto) {}
    public mutating func appendInterpolation(_ value: @autoclosure @escaping () -> Bool, privacy: OSLogPrivacy = .auto) {}
}
public struct OSLogMessage: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) {}
    public init(stringInterpolation: OSLogInterpolation) {}
}
open class OSLog: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public struct Category: Sendable { public static let pointsOfInterest = Category(), dynamicTracing = Category(), dynamicStackTracing = Category() }
    public init(subsystem: String, category: Category) {}
    public static let `default` = OSLog(subsystem: "", category: ""), disabled = OSLog(subsystem: "", category: "")
    open var signpostsEnabled: Bool { fatalError() }
    open func isEnabled(type: OSLogType) -> Bool { fatalError() }
}
public struct Logger: @unchecked Sendable {
    public init() {}
    public init(subsystem: String, category: String) {}
    public init(_ log: OSLog) {}
    public func log(_ message: OSLogMessage) {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
    public func trace(_ message: OSLogMessage) {}
    public func debug(_ message: OSLogMessage) {}
    public func info(_ message: OSLogMessage) {}
    public func notice(_ message: OSLogMessage) {}
    public func warning(_ message: OSLogMessage) {}
    public func error(_ message: OSLogMessage) {}
    public func critical(_ message: OSLogMessage) {}
    public func fault(_ message: OSLogMessage) {}
}
public typealias SignpostMetadata = OSLogMessage
public struct OSSignpostID: Equatable, Comparable, Sendable {
    public let rawValue: UInt64
    public init(_ value: UInt64) { rawValue = value }
    public init(log: OSLog) { rawValue = 0 }
    public init(log: OSLog, object: AnyObject) { rawValue = 0 }
    public static let exclusive = OSSignpostID(0), invalid = OSSignpostID(0), null = OSSignpostID(0)
    public static func < (a: OSSignpostID, b: OSSignpostID) -> Bool { fatalError() }
}
public final class OSSignpostIntervalState: @unchecked Sendable {
    init() {}
    public static func beginState(id: OSSignpostID) -> OSSignpostIntervalState { fatalError() }
}
public struct OSSignposter: @unchecked Sendable {
    public init() {}
    public init(logHandle: OSLog) {}
    public init(logger: Logger) {}
    public init(subsystem: String, category: String) {}
    public init(subsystem: String, category: OSLog.Category) {}
    public static let disabled = OSSignposter()
    public var isEnabled: Bool { fatalError() }
    public func makeSignpostID() -> OSSignpostID { fatalError() }
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID { fatalError() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive) -> OSSignpostIntervalState { fatalError() }
    public func beginInterval(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) -> OSSignpostIntervalState { fatalError() }
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState) {}
    public func endInterval(_ name: StaticString, _ state: OSSignpostIntervalState, _ message: SignpostMetadata) {}
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive) {}
    public func emitEvent(_ name: StaticString, id: OSSignpostID = .exclusive, _ message: SignpostMetadata) {}
    public func withIntervalSignpost<T>(_ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> T) rethrows -> T { try task() }
}
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    public init(uncheckedState initialState: State) {}
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R { fatalError() }
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R { fatalError() }
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? { fatalError() }
}
extension OSAllocatedUnfairLock where State: Sendable { public init(initialState: State) {} }
extension OSAllocatedUnfairLock where State == Void {
    public init() {}
    @available(*, noasync) public func lock() {}
    @available(*, noasync) public func unlock() {}
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R { fatalError() }
}
@available(macOS, unavailable)
public func os_proc_available_memory() -> Int { fatalError() }
