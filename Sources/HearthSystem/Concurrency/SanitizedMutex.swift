#if THREAD_SANITIZER
internal import Foundation

/// Replaces `Synchronization.Mutex` under the thread sanitizer, which sees the locks of the C library but not the one in
/// Swift's runtime, and would report every value that a `Mutex` guards. `scripts/check threads` sets the flag. Each module
/// that has mutexes declares `Mutex` as this type, because an import cannot shadow the one of `Synchronization`.
package final class SanitizedMutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) { self.value = value }

    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}

typealias Mutex<Value> = SanitizedMutex<Value>
#endif
