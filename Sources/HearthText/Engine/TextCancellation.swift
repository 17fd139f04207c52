internal import Synchronization

/// Cancels a generation when its reader has gone.
///
/// ``leave()`` may be called from any thread and does not block. The flag is checked before each token, so at most the token in
/// progress is finished. Use one instance per generation.
package final class TextCancellation: Sendable {
    private let left = Atomic<Bool>(false)
    private let onLateToken: (@Sendable () -> Void)?
    private let parent: TextCancellation?
    private let aborting = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter onLateToken: called on the generating thread for a token finished after the reader had gone.
    package init(onLateToken: (@Sendable () -> Void)? = nil) { (self.onLateToken, parent) = (onLateToken, nil) }

    /// Creates the cancellation of one of several generations for the same reader.
    package init(partOf parent: TextCancellation) {
        self.parent = parent
        onLateToken = { [weak parent] in parent?.noteToken() }
    }

    /// Whether the reader has gone.
    package var hasLeft: Bool { left.load(ordering: .acquiring) || parent?.hasLeft == true }

    /// Cancels the generation.
    package func leave() { left.store(true, ordering: .releasing) }

    /// Cancels the generation, and aborts its computation in progress instead of finishing the token.
    package func abort() {
        leave()
        aborting.withLock { $0 }?()
    }

    /// Sets what aborts the computation of this generation; nil for none.
    func onAbort(_ action: (@Sendable () -> Void)?) { aborting.withLock { $0 = action } }

    /// Called by the model for each finished token.
    package func noteToken() { if hasLeft { onLateToken?() } }
}
