internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// Generates one text with a session of its own, connecting the model and a `TokenWriter`. Runs on one thread and keeps no
/// state beyond its own generation.
package struct GenerationLoop {
    /// How a run ended.
    package enum End {
        /// Ended; `rest` is the text held back until then.
        case finished(StopReason, rest: AnswerText.Piece)
        /// Stopped by the caller; `progress` can be resumed.
        case interrupted
        /// The vocabulary's file was changed; `progress` can be resumed with a newly loaded model.
        case vocabularyLost
    }

    private var writer: TokenWriter
    private let session: GemmaSession
    private let pace: GenerationPace?
    private let keepsPrefix: ((GemmaSession) -> Void)?

    /// The text so far; resume from it after an interruption.
    package var progress: TextProgress { writer.progress }
    /// Number of draft tokens, and of those accepted by the model.
    package var drafted: (tokens: Int, right: Int) { writer.drafted }

    /// - Parameters:
    ///   - drafts: the draft table; it does not change the text.
    ///   - keepsPrefix: called when the session holds exactly the shared prefix.
    package init(
        session: GemmaSession, model: TextModel, progress: TextProgress, pace: GenerationPace?,
        drafts: DraftTable? = nil, keepsPrefix: ((GemmaSession) -> Void)? = nil
    ) throws {
        writer = try TokenWriter(
            model: model, adapters: session.adapters?.identity, context: session.context, progress: progress,
            drafts: drafts)
        self.session = session
        self.pace = pace
        self.keepsPrefix = keepsPrefix
    }

    /// Generates up to the end of the text.
    /// - Parameters:
    ///   - mustStop: polled between steps; to abort a step, cancel the session's computation.
    ///   - onPiece: called for each token with its text, and with its likelihood if the options request it.
    /// - Throws: `FileError.changed` if the model's file was changed; no token that depends on it was delivered.
    package mutating func run(
        mustStop: () -> Bool, onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> End {
        while true {
            do {
                return try write(mustStop, onPiece)
            } catch is GemmaSession.RowsLost {
                // The prefix cache's file was changed. The session has unmapped it and recomputes the text.
                Trace.shared.event("prefix: lost")
            }
        }
    }

    private mutating func write(
        _ mustStop: () -> Bool, _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> End {
        var lastMS = 0.0
        var next = session.keep(of: writer.seen)  // first token that the session has not seen
        writer.begin(known: next, knownMS: session.heldMS)
        do {
            if try writer.appendForced(mustStop, onPiece) || writer.end == .end {
                return .finished(.end, rest: writer.rest())
            }
            try prefill(&next, &lastMS, mustStop)
            while true {
                if let end = writer.end {
                    let rest = writer.rest()
                    return .finished(end == .end ? .end : writer.finalReason, rest: rest)
                }
                if writer.makeRoom() { next = session.keep(of: writer.seen) }
                if let pace, writer.seen.count - next > session.maximumStep {
                    // With a pace, a long prompt is processed in steps with pauses; the steps are the same as without.
                    try session.prefill(writer.seen[next..<next + session.maximumStep])
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

    /// Computes the tokens not processed yet, and accepts new tokens.
    /// - Returns: whether the text has ended.
    private mutating func step(
        _ next: inout Int, _ mustStop: () -> Bool, _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        let first = writer.seen.count
        let guesses = next == first - 1 ? writer.writeDraft(most: session.mostChecked) : 0
        var right = 0
        // Rejected draft tokens are removed from the session, however this step ends.
        defer { if guesses > 0 { session.takeBack(to: first + right) } }
        let logits =
            if guesses > 0 {
                try session.logits(checking: writer.draftStep)
            } else {
                next == first ? session.lastLogits : try session.logits(after: writer.seen[next...])
            }
        let ended = try writer.take(
            logits, row: 0, guesses: guesses, right: &right, mustStop: mustStop, onPiece)
        next = first + right
        return ended
    }

    /// Processes the shared prefix and has it stored; with a pace, in steps with pauses.
    private func prefill(_ next: inout Int, _ lastMS: inout Double, _ mustStop: () -> Bool) throws {
        let tokens = writer.seen, prefix = writer.progress.prefixTokens
        guard let keepsPrefix, writer.progress.forgotten == nil, next < prefix, prefix < tokens.count else { return }
        while next < prefix {
            let end = pace == nil ? prefix : min(next + session.maximumStep, prefix)
            try session.prefill(tokens[next..<end])
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

    /// The text held back, for a caller that does not continue.
    mutating func rest() -> AnswerText.Piece { writer.rest() }

    /// Generates up to the end of the text, reporting only tokens and the answer's text.
    package mutating func run(mustStop: () -> Bool, onToken: (TokenID, String) -> Void) throws -> End {
        try run(mustStop: mustStop, onPiece: { token, piece, _ in onToken(token, piece.answer) })
    }
}
