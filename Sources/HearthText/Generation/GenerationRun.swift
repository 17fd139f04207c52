internal import HearthTokenizer
internal import Synchronization

/// The identity of one generation, and whether it has been asked to stop.
final class GenerationRun: Sendable {
    enum Wish: UInt8, AtomicRepresentable { case goOn, suspended, cancelled }
    private let state = Atomic<Wish>(.goOn)
    var wish: Wish { state.load(ordering: .relaxed) }
    /// Whether to stop, at the request of the model's owner or because the reader has gone.
    var isStopped: Bool { wish != .goOn || listener?.hasLeft == true }
    let listener: TextCancellation?
    private let left = Atomic<Bool>(false)
    /// Whether nobody is waiting for the result.
    var isLeft: Bool { left.load(ordering: .relaxed) || listener?.hasLeft == true }

    private let onToken: (@Sendable () -> Void)?

    /// - Parameter onToken: called on the generating thread for each token.
    init(_ listener: TextCancellation?, onToken: (@Sendable () -> Void)? = nil) {
        (self.listener, self.onToken) = (listener, onToken)
    }

    /// Requests a stop; only the first request counts.
    func stop(_ wish: Wish) {
        if wish == .cancelled { left.store(true, ordering: .relaxed) }
        _ = state.compareExchange(expected: .goOn, desired: wish, ordering: .relaxed)
    }

    /// Reports a token with the text that it completes.
    func tell(
        _ token: TokenID, _ piece: AnswerText.Piece, _ likelihood: TokenLikelihood?, _ yield: (GenerationEvent) -> Void
    ) {
        listener?.noteToken()
        onToken?()
        if let likelihood { yield(.likelihood(likelihood)) }
        if !piece.thought.isEmpty { yield(.thought(piece.thought)) }
        yield(.token(id: token, text: piece.answer))
    }
}
