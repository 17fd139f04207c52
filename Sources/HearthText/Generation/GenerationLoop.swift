internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// Prompt in, tokens out, of one text by a session of its own: the one place where a model and a `TokenWriter` meet. Runs on one
/// thread and holds no state beyond its own generation.
package struct GenerationLoop {
    /// How a run ended.
    package enum End {
        /// With text that was held back until the end.
        case finished(StopReason, rest: AnswerText.Piece)
        /// In the middle, at the caller's wish; `progress` goes on from there.
        case interrupted
        /// The vocabulary's file was changed; `progress` goes on with a model that is loaded anew.
        case vocabularyLost
    }

    private var writer: TokenWriter
    private let session: GemmaSession
    private let pace: GenerationPace?
    private let keepsPrefix: ((GemmaSession) -> Void)?

    /// The text; to be kept where it is interrupted.
    package var progress: TextProgress { writer.progress }
    /// Tokens that were drafted, and those of them that the model chose as well.
    package var drafted: (tokens: Int, right: Int) { writer.drafted }

    /// - Parameters:
    ///   - drafts: what is likely to follow; the text is the same without.
    ///   - keepsPrefix: called when what other texts begin with as well is in the session, and nothing else.
    package init(
        session: GemmaSession, model: TextModel, progress: TextProgress, pace: GenerationPace?,
        drafts: DraftTable? = nil, keepsPrefix: ((GemmaSession) -> Void)? = nil
    ) throws {
        writer = try TokenWriter(model: model, context: session.context, progress: progress, drafts: drafts)
        self.session = session
        self.pace = pace
        self.keepsPrefix = keepsPrefix
    }

    /// - Parameters:
    ///   - mustStop: asked between steps; a step is broken off by cancelling the session's computing.
    ///   - onPiece: told of each token with what it says, and before it how likely it was, where the options ask for that.
    /// - Throws: `FileError.changed` where the model's file is not what it was: no token of it was handed out then.
    package mutating func run(
        mustStop: () -> Bool, onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> End {
        while true {
            do {
                return try write(mustStop, onPiece)
            } catch is GemmaSession.RowsLost {
                // A file of kept rows was changed. The session has let go of it, and computes the text so far itself.
                Trace.shared.event("prefix: lost")
            }
        }
    }

    private mutating func write(
        _ mustStop: () -> Bool, _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> End {
        var lastMS = 0.0
        var next = session.keep(of: progress.tokens)  // first token that the session has not seen
        writer.begin(known: next, knownMS: session.heldMS)
        do {
            try prefill(&next, &lastMS, mustStop)
            while true {
                if let end = writer.end {
                    let rest = writer.rest()
                    return .finished(end == .end ? .end : writer.finalReason, rest: rest)
                }
                if let pace, writer.progress.tokens.count - next > session.maximumStep {
                    // A long prompt is work as well. The steps are the same ones.
                    try session.prefill(writer.progress.tokens[next..<next + session.maximumStep])
                    next += session.maximumStep
                    try rest(pace, &lastMS, mustStop)
                    continue
                }
                if try step(&next, mustStop, onPiece) { return .finished(.end, rest: writer.rest()) }
                if let pace { try rest(pace, &lastMS, mustStop) }
            }
        } catch is CancellationError {
            writer.interrupt()
            return .interrupted
        } catch is TokenWriter.VocabularyLost {
            writer.interrupt()
            return .vocabularyLost
        }
    }

    /// Computes what was not seen yet, and takes tokens.
    /// - Returns: whether the text has ended.
    private mutating func step(
        _ next: inout Int, _ mustStop: () -> Bool, _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        let first = writer.progress.tokens.count
        let guesses = next == first - 1 ? writer.writeDraft(most: session.mostChecked) : 0
        var right = 0
        // What was drafted wrongly is no part of the text, however this step ends.
        defer { if guesses > 0 { session.takeBack(to: first + right) } }
        let logits =
            if guesses > 0 {
                try session.logits(checking: writer.draftStep)
            } else {
                next == first ? session.lastLogits : try session.logits(after: writer.progress.tokens[next...])
            }
        let ended = try writer.take(
            logits, row: 0, guesses: guesses, right: &right, mustStop: mustStop, onPiece)
        next = first + right
        return ended
    }

    /// Computes what other texts begin with as well, in the steps of its own that a slow pace wants.
    private func prefill(_ next: inout Int, _ lastMS: inout Double, _ mustStop: () -> Bool) throws {
        let progress = writer.progress, prefix = progress.prefixTokens
        guard let keepsPrefix, next < prefix, prefix < progress.tokens.count else { return }
        while next < prefix {
            let end = pace == nil ? prefix : min(next + session.maximumStep, prefix)
            try session.prefill(progress.tokens[next..<end])
            if mustStop() { throw CancellationError() }
            next = end
            if let pace { try rest(pace, &lastMS, mustStop) }
        }
        keepsPrefix(session)
    }

    private func rest(_ pace: GenerationPace, _ lastMS: inout Double, _ mustStop: () -> Bool) throws {
        let work = writer.milliseconds - lastMS
        guard pace.rest(afterMilliseconds: work, until: mustStop) else { throw CancellationError() }
        lastMS = writer.milliseconds
    }

    /// Text that was held back, for who does not go on.
    mutating func rest() -> AnswerText.Piece { writer.rest() }

    /// The same for who wants no more than tokens and their text.
    package mutating func run(mustStop: () -> Bool, onToken: (TokenID, String) -> Void) throws -> End {
        try run(mustStop: mustStop, onPiece: { token, piece, _ in onToken(token, piece.answer) })
    }
}
