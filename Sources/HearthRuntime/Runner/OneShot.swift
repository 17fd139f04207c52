internal import Synchronization

/// Hands a value from one task to another, once. A task keeps the values of its variables alive until its next turn on a
/// thread, which may be long after the receiver has dropped its copy; a value that was handed over is gone from the giver at once.
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
