internal import Synchronization

/// Hands a value from one task to another, once. A task keeps what it holds in variables until its next turn on a thread, which
/// may be long after whoever got a copy let go of his; what was handed over is gone from the giver at once.
final class OneShot<Value: Sendable>: Sendable {
    private let value: Mutex<Value?>

    init(_ value: Value) { self.value = Mutex(value) }

    /// nil from the second time on.
    func take() -> Value? {
        value.withLock { value in
            defer { value = nil }
            return value
        }
    }
}
