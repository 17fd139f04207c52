internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// One text of a batch: its request, its progress, and the session it uses while it runs.
///
/// Accessed only on its generator's queue, by one thread at a time.
final class BatchedText: @unchecked Sendable {
    let id: Int
    let run: GenerationRun
    let pace: GenerationPace?
    let snapshot: KVCacheSnapshot?
    private let start: TextProgress
    private let yield: (GenerationEvent) -> Void
    private let finish: ((any Error)?) -> Void
    /// nil until it begins.
    private var writer: TokenWriter?
    /// nil while it is queued.
    private(set) var session: GemmaSession?
    /// The text's adapters, once it has begun; nil for none.
    private(set) var adapters: ActiveAdapters?
    private var hasAdapters = false
    /// Tokens that the snapshot held when the text began.
    private var stored = 0
    private var lookedForSnapshot = false
    /// Number of draft tokens in the step in progress.
    private var guesses = 0
    /// The error that ends the text; reported after the step.
    private(set) var failure: (any Error)?
    /// Why the text ended; reported after the step.
    private(set) var end: StopReason?

    /// - Parameters:
    ///   - yield: receives events.
    ///   - finish: called at the end, with the error if there was one.
    init(
        _ id: Int, _ progress: TextProgress, _ run: GenerationRun, _ pace: GenerationPace?,
        _ snapshot: KVCacheSnapshot?, yield: @escaping (GenerationEvent) -> Void,
        finish: @escaping ((any Error)?) -> Void
    ) {
        (self.id, self.run, self.pace, self.snapshot) = (id, run, pace, snapshot)
        (start, self.yield, self.finish) = (progress, yield, finish)
    }

    private var progress: TextProgress { writer?.progress ?? start }
    /// Number of tokens so far, prompt included.
    var count: Int { writer?.seen.count ?? start.seen.count }
    /// The tokens that the model sees.
    var tokens: [TokenID] { writer?.seen ?? start.seen }

    // MARK: - Beginning

    /// Loads the text's adapters, once: it is generated with the same ones to its end.
    func load(_ adapters: (TextProgress) throws -> ActiveAdapters?) throws {
        guard !hasAdapters else { return }
        self.adapters = try adapters(start)
        hasAdapters = true
    }

    /// Starts the text, or resumes it after preemption.
    /// - Parameter bringPrefix: maps the cached prefix of the text.
    /// - Throws: `TextError`, `FileError.changed`.
    func begin(
        _ session: GemmaSession, of model: TextModel, drafts: DraftTable?,
        bringPrefix: (TextProgress, GemmaSession, () -> Bool) -> Void
    ) throws {
        try model.checkIntact()
        session.use(adapters)
        var writer =
            try self.writer
            ?? TokenWriter(
                model: model, adapters: adapters?.identity, context: session.context, progress: start, drafts: drafts)
        let isNew = self.writer == nil
        if !lookedForSnapshot {
            lookedForSnapshot = true
            stored = snapshot?.bringBack(tokens, into: session, of: model) { self.run.isStopped } ?? 0
        }
        bringPrefix(progress, session) { self.run.isStopped }
        // The last token is always recomputed: its logits are not kept when other texts run in between.
        let known = session.keep(of: tokens)
        session.takeBack(to: tokens.count - 1)
        if isNew { writer.begin(known: min(known, tokens.count - 1), knownMS: session.heldMS) }
        // Kept first: what is told must be part of the progress, also if the next token fails.
        self.writer = writer
        self.session = session
        do {
            let isOver = try self.writer?.appendForced({ self.run.isStopped }) { run.tell($0, $1, $2, yield) }
            if isOver == true || self.writer?.end == .end { end = .end }
        } catch is CancellationError {
            // Stopped: it leaves before the next step.
        }
    }

    /// Preempts the text and discards its KV cache.
    func stepBack() {
        session?.discard()
        session = nil
    }

    /// Releases the session, which keeps its KV cache for later texts.
    func letGo() { session = nil }

    // MARK: - A step

    /// Number of tokens to compute next: up to the end of the shared prefix if that is to be stored, otherwise all.
    func need(keepingPrefix: Bool) -> Int {
        guard let session else { return 0 }
        if writer?.makeRoom() == true { _ = session.keep(of: tokens) }
        // Logits of an earlier step are never used to choose a token.
        session.takeBack(to: count - 1)
        let prefix = progress.prefixTokens
        let goal = keepingPrefix && session.position < prefix && prefix < count ? prefix : count
        return goal - session.position
    }

    /// Whether the last step reached exactly the end of the shared prefix.
    var isAtPrefix: Bool { session?.position == progress.prefixTokens && count > progress.prefixTokens }

    /// The text's part of the next step.
    /// - Parameter mayDraft: whether speculative decoding is allowed, that is, no other text is running.
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

    /// Chooses the next tokens from the step's logits.
    func take(_ logits: Rows, row: Int) {
        // If the session lost its mapped cache rows, the text is computed again.
        guard let session, session.position == count + guesses else { return }
        let first = count
        var right = 0
        do {
            let ended = try writer?.take(
                logits, row: row, guesses: guesses, right: &right, mustStop: { run.isStopped }
            ) { run.tell($0, $1, $2, yield) }
            if ended == true { end = .end }
        } catch is CancellationError {
            // Stopped: it leaves before the next step.
        } catch {
            failure = error
        }
        if guesses > 0 { session.takeBack(to: first + right) }
    }

    /// Checks whether the text has reached its end.
    func looksForEnd() {
        if end == nil { end = writer?.end.map { $0 == .end ? .end : .length } }
    }

    // MARK: - Ending

    /// Reports that the text ended.
    func tellEnd() {
        guard var writer, let end else { return }
        let rest = writer.rest()
        tell(end == .length ? writer.finalReason : end, rest, writer.progress)
    }

    /// Reports that the text was stopped; a suspended text can be resumed.
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

    /// Reports that the text failed.
    func fail(_ error: any Error) {
        // It can be resumed once the vocabulary is loaded again.
        if error is TokenWriter.VocabularyLost { suspend() } else { finish(error) }
    }
}
