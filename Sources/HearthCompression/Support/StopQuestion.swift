/// A question that C loops can ask: whether the work is still wanted.
final class StopQuestion {
    private let isCancelled: () -> Bool

    init(_ isCancelled: @escaping () -> Bool) { self.isCancelled = isCancelled }

    /// Calls `body` with a function and its context.
    func withC<R>(
        _ body: (@convention(c) (UnsafeRawPointer?) -> Bool, UnsafeRawPointer) -> R
    ) -> R {
        withExtendedLifetime(self) {
            body(
                { context in
                    guard let context else { return false }
                    return Unmanaged<StopQuestion>.fromOpaque(context).takeUnretainedValue().isCancelled()
                }, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
        }
    }
}
