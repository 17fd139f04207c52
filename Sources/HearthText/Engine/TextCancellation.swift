internal import Synchronization

/// Cancels a generation when its reader has gone.
///
/// ``leave()`` may be called from any thread and does not block. The flag is checked before each token, so at most the token in
/// progress is finished. Use one instance per generation.
package final class TextCancellation: Sendable {
    private let left = Atomic<Bool>(false)
    private let onLateToken: (@Sendable () -> Void)?

    /// - Parameter onLateToken: called on the generating thread for a token finished after the reader had gone.
    package init(onLateToken: (@Sendable () -> Void)? = nil) { self.onLateToken = onLateToken }

    /// Whether the reader has gone.
    package var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Cancels the generation.
    package func leave() { left.store(true, ordering: .releasing) }

    /// Called by the model for each finished token.
    package func noteToken() { if hasLeft { onLateToken?() } }
}
