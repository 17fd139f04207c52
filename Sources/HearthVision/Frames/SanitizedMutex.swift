#if THREAD_SANITIZER
internal import Foundation

/// Replaces `Synchronization.Mutex` in this module under the thread sanitizer, which recognizes the C library's locks but not
/// the one in Swift's runtime, and would report every value that a `Mutex` protects. `scripts/check` sets the flag.
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
