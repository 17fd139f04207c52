internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// One text of a batch: what was asked for, how far it is, and the session that it computes in while it runs.
///
/// Only ever touched on the queue of its generator, and there by one thread at a time.
final class BatchedText: @unchecked Sendable {
    let id: Int
    let run: GenerationRun
    let pace: GenerationPace?
    let snapshot: KVCacheSnapshot?
    private let start: TextProgress
    private let yield: (GenerationEvent) -> Void
    private let finish: ((any Error)?) -> Void
    /// nil before it begins.
    private var writer: TokenWriter?
    /// nil while it waits.
    private(set) var session: GemmaSession?
    /// Tokens that a snapshot held when the text began.
    private var stored = 0
    private var lookedForSnapshot = false
    /// Drafted tokens of the step in progress.
    private var guesses = 0
    /// Why it cannot go on; told after the step.
    private(set) var failure: (any Error)?
    /// How it ended; told after the step.
    private(set) var end: StopReason?

    /// - Parameters:
    ///   - yield: takes events; `finish` the end, perhaps with an error.
    init(
        _ id: Int, _ progress: TextProgress, _ run: GenerationRun, _ pace: GenerationPace?,
        _ snapshot: KVCacheSnapshot?, yield: @escaping (GenerationEvent) -> Void,
        finish: @escaping ((any Error)?) -> Void
    ) {
        (self.id, self.run, self.pace, self.snapshot) = (id, run, pace, snapshot)
        (start, self.yield, self.finish) = (progress, yield, finish)
    }

    private var progress: TextProgress { writer?.progress ?? start }
    /// Tokens so far.
    var count: Int { writer?.progress.tokens.count ?? start.tokens.count }
    var tokens: [TokenID] { writer?.progress.tokens ?? start.tokens }

    // MARK: - Beginning

    /// Begins, or goes on after it had to step back.
    /// - Parameter bringPrefix: maps what was once computed of the text's beginning.
    /// - Throws: `TextError`, `FileError.changed`.
    func begin(
        _ session: GemmaSession, of model: TextModel, drafts: DraftTable?,
        bringPrefix: (TextProgress, GemmaSession, () -> Bool) -> Void
    ) throws {
        try model.checkIntact()
        var writer =
            try self.writer
            ?? TokenWriter(model: model, context: session.context, progress: start, drafts: drafts)
        let isNew = self.writer == nil
        if !lookedForSnapshot {
            lookedForSnapshot = true
            stored = snapshot?.bringBack(tokens, into: session, of: model) { self.run.isStopped } ?? 0
        }
        bringPrefix(progress, session) { self.run.isStopped }
        // The last token is always computed: its logits are not kept where others compute in between.
        let known = session.keep(of: tokens)
        session.takeBack(to: tokens.count - 1)
        if isNew { writer.begin(known: min(known, tokens.count - 1), knownMS: session.heldMS) }
        self.writer = writer
        self.session = session
    }

    /// Steps back: its keys and values go.
    func stepBack() {
        session?.discard()
        session = nil
    }

    /// Lets go of its session, which holds what was computed for who comes next.
    func letGo() { session = nil }

    // MARK: - A step

    /// Tokens that it needs computed next: up to what other texts begin with as well, where that is to be kept.
    func need(keepingPrefix: Bool) -> Int {
        guard let session else { return 0 }
        // Nothing is chosen by logits that were computed for another step.
        session.takeBack(to: count - 1)
        let prefix = progress.prefixTokens
        let goal = keepingPrefix && session.position < prefix && prefix < count ? prefix : count
        return goal - session.position
    }

    /// Whether the step that is over has brought it to the end of what other texts begin with as well.
    var isAtPrefix: Bool { session?.position == progress.prefixTokens && count > progress.prefixTokens }

    /// What it has computed in the next step.
    /// - Parameter mayDraft: whether it is the only text.
    func part(_ share: Int, mayDraft: Bool) -> GemmaSession.Part? {
        guard let session else { return nil }
        let first = session.position
        guesses = mayDraft && first == count - 1 ? writer?.writeDraft(most: session.mostChecked) ?? 0 : 0
        if guesses > 0, let writer {
            return GemmaSession.Part(session, writer.draftStep, wanted: guesses + 1)
        }
        return GemmaSession.Part(
            session, tokens[first..<first + share], wanted: first + share == count ? 1 : 0)
    }

    /// Chooses its next tokens by the logits of the step.
    func take(_ logits: Rows, row: Int) {
        // Whose mapped rows were lost computes its text again.
        guard let session, session.position == count + guesses else { return }
        let first = count
        var right = 0
        do {
            let listener = run.listener
            let ended = try writer?.take(
                logits, row: row, guesses: guesses, right: &right, mustStop: { run.isStopped }
            ) { id, piece, likelihood in
                listener?.noteToken()
                if let likelihood { yield(.likelihood(likelihood)) }
                if !piece.thought.isEmpty { yield(.thought(piece.thought)) }
                yield(.token(id: id, text: piece.answer))
            }
            if ended == true { end = .end }
        } catch is CancellationError {
            // It is to stop, and leaves before the next step.
        } catch {
            failure = error
        }
        if guesses > 0 { session.takeBack(to: first + right) }
    }

    /// Whether it takes no more tokens.
    func looksForEnd() {
        if end == nil { end = writer?.end.map { $0 == .end ? .end : .length } }
    }

    // MARK: - Ending

    /// Tells its end.
    func tellEnd() {
        guard var writer, let end else { return }
        let rest = writer.rest()
        tell(end == .length ? writer.finalReason : end, rest, writer.progress)
    }

    /// Tells that it was stopped: suspended texts can go on.
    func tellStop(of model: TextModel) {
        if run.wish == .suspended {
            if let session, lookedForSnapshot {
                snapshot?.keep(session, beyond: stored, of: model) { self.run.isLeft }
            }
            suspend()
        } else if var writer {
            writer.interrupt()
            let rest = writer.rest()
            tell(.cancelled, rest, writer.progress)
        } else {
            tell(.cancelled, AnswerText.Piece(), start)
        }
    }

    private func suspend() {
        writer?.interrupt()
        yield(.suspended(progress))
        finish(nil)
    }

    private func tell(_ reason: StopReason, _ rest: AnswerText.Piece, _ progress: TextProgress) {
        if !rest.thought.isEmpty { yield(.thought(rest.thought)) }
        yield(.finished(progress.summary(reason), text: rest.answer))
        finish(nil)
    }

    /// Tells that it cannot go on.
    func fail(_ error: any Error) {
        // With the vocabulary that is loaded anew it can.
        if error is TokenWriter.VocabularyLost { suspend() } else { finish(error) }
    }
}
