// swift-format-ignore-file
// Dispatch: queues, groups, semaphores, work items, sources, times, as Apple's overlay declares them. Declarations only: nothing runs.
// Apple's documentation: "Dispatch". Objects are Sendable there; the protocols of sources (DispatchSourceProtocol and its heirs) are not.
// In Objective-C all of these are NSObjects; here they are plain classes, and the protocols are bound to classes.
@_exported import Darwin

open class DispatchObject: @unchecked Sendable {
    init() {}
    public func setTarget(queue: DispatchQueue?) {}
    public func activate() {}
    public func suspend() {}
    public func resume() {}
}

public enum DispatchPredicate: Sendable {
    case onQueue(DispatchQueue), onQueueAsBarrier(DispatchQueue), notOnQueue(DispatchQueue)
}
public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}

public struct DispatchQoS: Equatable, Sendable {
    public enum QoSClass: Sendable { case background, utility, `default`, userInitiated, userInteractive, unspecified }
    public let qosClass: QoSClass
    public let relativePriority: Int
    public init(qosClass: QoSClass, relativePriority: Int) { self.qosClass = qosClass; self.relativePriority = relativePriority }
    public static let background = DispatchQoS(qosClass: .background, relativePriority: 0)
    public static let utility = DispatchQoS(qosClass: .utility, relativePriority: 0)
    public static let `default` = DispatchQoS(qosClass: .default, relativePriority: 0)
    public static let userInitiated = DispatchQoS(qosClass: .userInitiated, relativePriority: 0)
    public static let userInteractive = DispatchQoS(qosClass: .userInteractive, relativePriority: 0)
    public static let unspecified = DispatchQoS(qosClass: .unspecified, relativePriority: 0)
}

public struct DispatchWorkItemFlags: OptionSet, RawRepresentable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let barrier = DispatchWorkItemFlags(rawValue: 1)
    public static let detached = DispatchWorkItemFlags(rawValue: 2)
    public static let assignCurrentContext = DispatchWorkItemFlags(rawValue: 4)
    public static let noQoS = DispatchWorkItemFlags(rawValue: 8)
    public static let inheritQoS = DispatchWorkItemFlags(rawValue: 16)
    public static let enforceQoS = DispatchWorkItemFlags(rawValue: 32)
}

open class DispatchWorkItem: @unchecked Sendable {
    public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping @convention(block) () -> Void) {}
    public func perform() {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { fatalError() }
    public func notify(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue, execute: @escaping @Sendable @convention(block) () -> Void) {}
    public func notify(queue: DispatchQueue, execute: DispatchWorkItem) {}
    public func cancel() {}
    public var isCancelled: Bool { fatalError() }
}

public enum DispatchTimeoutResult: Sendable { case success, timedOut }

public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int), never
}
public struct DispatchTime: Comparable, Sendable {
    public let rawValue: UInt64
    public static func now() -> DispatchTime { fatalError() }
    public static let distantFuture = DispatchTime(uptimeNanoseconds: 0)
    public init(uptimeNanoseconds: UInt64) { rawValue = uptimeNanoseconds }
    public var uptimeNanoseconds: UInt64 { fatalError() }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { fatalError() }
    public func distance(to other: DispatchTime) -> DispatchTimeInterval { fatalError() }
    public func advanced(by n: DispatchTimeInterval) -> DispatchTime { fatalError() }
}
public struct DispatchWallTime: Comparable, Sendable {
    public let rawValue: UInt64
    public static func now() -> DispatchWallTime { fatalError() }
    public static let distantFuture = DispatchWallTime(timespec: timespec())
    public init(timespec: timespec) { rawValue = 0 }
    public static func < (a: DispatchWallTime, b: DispatchWallTime) -> Bool { fatalError() }
}
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { fatalError() }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { fatalError() }
public func - (time: DispatchTime, seconds: Double) -> DispatchTime { fatalError() }
public func + (time: DispatchWallTime, interval: DispatchTimeInterval) -> DispatchWallTime { fatalError() }
public func + (time: DispatchWallTime, seconds: Double) -> DispatchWallTime { fatalError() }

public final class DispatchSpecificKey<T>: @unchecked Sendable { public init() {} }

open class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 1)
        public static let initiallyInactive = Attributes(rawValue: 2)
    }
    public enum GlobalQueuePriority: Sendable { case high, `default`, low, background }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public typealias SchedulerTimeType = DispatchTime

    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) { self.init() }
    public var label: String { fatalError() }
    public var qos: DispatchQoS { fatalError() }
    public func sync(execute block: () -> Void) {}
    public func sync(execute workItem: DispatchWorkItem) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { fatalError() }
    public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T { fatalError() }
    public func asyncAndWait(execute workItem: DispatchWorkItem) {}
    public func async(execute workItem: DispatchWorkItem) {}
    public func async(group: DispatchGroup, execute workItem: DispatchWorkItem) {}
    @preconcurrency public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    @preconcurrency public func asyncAfter(
        wallDeadline: DispatchWallTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    public func asyncAfter(deadline: DispatchTime, execute: DispatchWorkItem) {}
    public func asyncAfter(wallDeadline: DispatchWallTime, execute: DispatchWorkItem) {}
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
}
public final class DispatchSerialQueue: DispatchQueue, SerialExecutor, @unchecked Sendable {
    public convenience init(label: String, qos: DispatchQoS = .unspecified) { self.init() }
    public func enqueue(_ job: consuming ExecutorJob) {}
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { fatalError() }
}

open class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() { super.init() }
    public func enter() {}
    public func leave() {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { fatalError() }
    public func notify(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], queue: DispatchQueue, execute work: @escaping @Sendable @convention(block) () -> Void) {}
    public func notify(queue: DispatchQueue, work: DispatchWorkItem) {}
}
open class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) { super.init() }
    @discardableResult public func signal() -> Int { fatalError() }
    @available(*, noasync) public func wait() {}
    @available(*, noasync) public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { fatalError() }
    @available(*, noasync) public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult { fatalError() }
}

public protocol DispatchSourceProtocol: AnyObject {
    func activate()
    func resume()
    func suspend()
    func cancel()
    func setEventHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable @convention(block) () -> Void)?)
    func setEventHandler(handler: DispatchWorkItem)
    func setCancelHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable @convention(block) () -> Void)?)
    func setRegistrationHandler(qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@Sendable @convention(block) () -> Void)?)
    var handle: UInt { get }
    var isCancelled: Bool { get }
}
extension DispatchSourceProtocol {
    public typealias DispatchSourceHandler = @Sendable @convention(block) () -> Void
    public func setEventHandler(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable @convention(block) () -> Void)?) {}
    public func setEventHandler(handler: DispatchWorkItem) {}
    public func setCancelHandler(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable @convention(block) () -> Void)?) {}
    public func setRegistrationHandler(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], handler: (@Sendable @convention(block) () -> Void)?) {}
}
public protocol DispatchSourceUserDataAdd: DispatchSourceProtocol { func add(data: UInt); var data: UInt { get } }
public protocol DispatchSourceUserDataOr: DispatchSourceProtocol { func or(data: UInt); var data: UInt { get } }
public protocol DispatchSourceRead: DispatchSourceProtocol { var data: UInt { get } }
public protocol DispatchSourceWrite: DispatchSourceProtocol { var data: UInt { get } }
public protocol DispatchSourceSignal: DispatchSourceProtocol { var data: UInt { get } }
public protocol DispatchSourceProcess: DispatchSourceProtocol {
    var data: DispatchSource.ProcessEvent { get }
    var mask: DispatchSource.ProcessEvent { get }
}
public protocol DispatchSourceFileSystemObject: DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
    var mask: DispatchSource.FileSystemEvent { get }
}
public protocol DispatchSourceMemoryPressure: DispatchSourceProtocol {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}
public protocol DispatchSourceTimer: DispatchSourceProtocol {}
extension DispatchSourceTimer {
    public func schedule(deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
    public func schedule(deadline: DispatchTime, repeating interval: Double, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
    public func schedule(wallDeadline: DispatchWallTime, repeating interval: DispatchTimeInterval = .never, leeway: DispatchTimeInterval = .nanoseconds(0)) {}
}
open class DispatchSource: DispatchObject, @unchecked Sendable {
    public struct MemoryPressureEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let normal = MemoryPressureEvent(rawValue: 1)
        public static let warning = MemoryPressureEvent(rawValue: 2)
        public static let critical = MemoryPressureEvent(rawValue: 4)
        public static let all: MemoryPressureEvent = [.normal, .warning, .critical]
    }
    public struct ProcessEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let exit = ProcessEvent(rawValue: 1), fork = ProcessEvent(rawValue: 2), exec = ProcessEvent(rawValue: 4)
        public static let signal = ProcessEvent(rawValue: 8), all: ProcessEvent = [.exit, .fork, .exec, .signal]
    }
    public struct FileSystemEvent: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let delete = FileSystemEvent(rawValue: 1), write = FileSystemEvent(rawValue: 2), extend = FileSystemEvent(rawValue: 4)
        public static let attrib = FileSystemEvent(rawValue: 8), link = FileSystemEvent(rawValue: 16), rename = FileSystemEvent(rawValue: 32)
        public static let revoke = FileSystemEvent(rawValue: 64), funlock = FileSystemEvent(rawValue: 256), all = FileSystemEvent(rawValue: 383)
    }
    public struct TimerFlags: OptionSet, RawRepresentable, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let strict = TimerFlags(rawValue: 1)
    }
    public class func makeMemoryPressureSource(eventMask: MemoryPressureEvent, queue: DispatchQueue? = nil) -> any DispatchSourceMemoryPressure { fatalError() }
    public class func makeProcessSource(identifier: pid_t, eventMask: ProcessEvent, queue: DispatchQueue? = nil) -> any DispatchSourceProcess { fatalError() }
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceRead { fatalError() }
    public class func makeWriteSource(fileDescriptor: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceWrite { fatalError() }
    public class func makeSignalSource(signal: Int32, queue: DispatchQueue? = nil) -> any DispatchSourceSignal { fatalError() }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil) -> any DispatchSourceTimer { fatalError() }
    public class func makeUserDataAddSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataAdd { fatalError() }
    public class func makeUserDataOrSource(queue: DispatchQueue? = nil) -> any DispatchSourceUserDataOr { fatalError() }
    public class func makeFileSystemObjectSource(fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil) -> any DispatchSourceFileSystemObject { fatalError() }
}
public struct DispatchData: RandomAccessCollection, Sendable {
    public static let empty = DispatchData(bytes: UnsafeRawBufferPointer(start: nil, count: 0))
    public enum Deallocator { case free, unmap, custom(DispatchQueue?, @convention(block) () -> Void) }
    public init(bytes buffer: UnsafeRawBufferPointer) {}
    public init(bytesNoCopy bytes: UnsafeRawBufferPointer, deallocator: Deallocator = .free) {}
    public var count: Int { fatalError() }
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public subscript(index: Int) -> UInt8 { fatalError() }
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {}
    public mutating func append(_ other: DispatchData) {}
    public func withUnsafeBytes<R, C>(body: (UnsafePointer<C>) throws -> R) rethrows -> R { fatalError() }
}
public func dispatchMain() -> Never { fatalError() }
