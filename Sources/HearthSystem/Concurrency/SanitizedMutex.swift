#if THREAD_SANITIZER
internal import Foundation

/// Stands in for `Synchronization.Mutex` in this module where the thread sanitizer looks on: it sees the locks of the C library and
/// not the one inside of Swift's runtime, and would report every value that a `Mutex` guards. `make sanitize` sets the flag.
final class Mutex<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
#endif
