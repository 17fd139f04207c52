internal import Synchronization

/// Cancels one generation when its reader has left.
///
/// ``leave()`` may be called from any thread and does not wait. The model checks before each token, so at most the token in
/// progress is finished. Use one instance per generation.
package final class TextCancellation: Sendable {
    private let left = Atomic<Bool>(false)
    private let onLateToken: (@Sendable () -> Void)?

    /// - Parameter onLateToken: called when a token was finished after the reader had left, on the thread that made it.
    package init(onLateToken: (@Sendable () -> Void)? = nil) { self.onLateToken = onLateToken }

    /// Whether the reader has left.
    package var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// The text is no longer wanted.
    package func leave() { left.store(true, ordering: .releasing) }

    /// The model has finished a token.
    package func noteToken() { if hasLeft { onLateToken?() } }
}
