internal import Synchronization

/// Who a text is written for, and whether they are still there.
///
/// Leaving may be told from any thread and waits for nobody: the model asks before each token, so that at most the one in the
/// making is finished, whatever the tasks between the model and its listener are busy with. One listener hears one text.
public final class TextCancellation: Sendable {
    private let left = Atomic<Bool>(false)
    private let onLateToken: (@Sendable () -> Void)?

    /// - Parameter onLateToken: called where a token was finished that nobody was there for, on the thread that made it.
    public init(onLateToken: (@Sendable () -> Void)? = nil) { self.onLateToken = onLateToken }

    /// Whether nobody wants the text any more.
    public var hasLeft: Bool { left.load(ordering: .acquiring) }

    /// Nobody wants the text any more.
    public func leave() { left.store(true, ordering: .releasing) }

    /// The model has finished a token.
    package func noteToken() { if hasLeft { onLateToken?() } }
}
