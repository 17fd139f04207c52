internal import Dispatch
internal import HearthCompute
internal import HearthSystem
package import HearthTokenizer

/// Prompt in, tokens out: the one place where a model, a sampler and a detokenizer meet. Runs on one thread and holds
/// no state beyond its own generation.
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

    /// The text; to be kept where it is interrupted.
    package private(set) var progress: TextProgress
    private let session: GemmaSession
    private let model: TextModel
    private let pace: GenerationPace?
    private let keepsPrefix: ((GemmaSession) -> Void)?
    private let stopTokens: [TokenID]
    private var sampler: Sampler
    private var text: AnswerText
    private var draft: Draft?
    private var constrained: ConstrainedText?
    /// Tokens that were drafted, and those of them that the model chose as well.
    package private(set) var drafted = (tokens: 0, right: 0)

    /// - Parameters:
    ///   - drafts: what is likely to follow; the text is the same without.
    ///   - keepsPrefix: called when what other texts begin with as well is in the session, and nothing else.
    package init(
        session: GemmaSession, model: TextModel, progress: TextProgress, pace: GenerationPace?,
        drafts: DraftTable? = nil, keepsPrefix: ((GemmaSession) -> Void)? = nil
    ) throws {
        let options = progress.options
        // A progress may come from a file: nothing in it is taken on trust.
        guard progress.promptTokens > 0, progress.promptTokens <= progress.tokens.count else {
            throw TextError.emptyPrompt
        }
        try model.check(progress.tokens, contextLength: session.context + (progress.generated.isEmpty ? 0 : 1))
        if let writer = progress.model, writer != model.identity { throw TextError.otherModel(file: model.path) }
        self.progress = progress
        self.session = session
        self.model = model
        self.pace = pace
        self.keepsPrefix = keepsPrefix
        stopTokens = model.tokenizer.vocabulary.stopIDs
        let (most, overflow) = progress.promptTokens.addingReportingOverflow(max(0, options.maximumTokens))
        self.progress.tokens.reserveCapacity((overflow ? session.context : min(session.context, most)) + 1)
        sampler = try Sampler(
            options.sampling, vocabularyCount: model.tokenizer.vocabulary.count,
            breaks: { [tokenizer = model.tokenizer, breakers = options.sampling.dryBreakers] token in
                guard let text = try? tokenizer.text(of: [token]) else { return false }
                return breakers.contains { !$0.isEmpty && text.contains($0) }
            })
        // As they came: ids without a token count for nothing, so that the last of all would be other ones.
        for token in progress.tokens[..<progress.promptTokens].suffix(options.sampling.mostHistory) {
            sampler.accept(token)
        }
        for token in progress.generated { sampler.acceptGenerated(token) }
        sampler.generator = progress.random
        if let surprise = progress.mostSurprise { sampler.mostSurprise = surprise }
        let showsCalls = options.tools.map { $0.format != .json } ?? false
        text = AnswerText(
            model.tokenizer, stop: options.stop, calls: showsCalls ? model.tokenizer.vocabulary.toolMarkers : nil)
        // Its text came out before; what it holds back has not.
        for token in progress.generated { _ = try text.append(token) }
        draft = drafts.map(Draft.init)
        if let grammar = try options.tools?.compiled() ?? options.constraint?.compiled() {
            var text = ConstrainedText(grammar, model.tokenizer)
            for token in progress.generated where try !text.advance(token).all {
                throw TextError.invalidConstraint(
                    place: "the text so far", problem: "what was generated does not satisfy the constraint")
            }
            constrained = text
        }
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
        let clock = Stopwatch()
        var lastMS = 0.0
        var next = session.keep(of: progress.tokens)  // first token that the session has not seen
        if progress.cachedTokens == nil { progress.cachedTokens = min(next, progress.promptTokens) }
        // What was computed before this run counts as well: by an earlier part of it, or when the model was tried out.
        let before = max(progress.prefillMS + progress.decodeMS, next > 0 ? session.heldMS : 0)
        do {
            // The context bounds the answer: a token generated at its end has no place to be read back from.
            try prefill(&next, &lastMS, clock, mustStop)
            while progress.generated.count < progress.options.maximumTokens, progress.tokens.count <= session.context {
                if constrained?.mustEnd == true { return .finished(.end, rest: rest()) }
                if let pace, progress.tokens.count - next > session.maximumStep {
                    // A long prompt is work as well. The steps are the same ones.
                    try session.prefill(progress.tokens[next..<next + session.maximumStep])
                    next += session.maximumStep
                    try rest(pace, &lastMS, clock, mustStop)
                    continue
                }
                let ended = try step(&next, mustStop) { token, likelihood, loop in
                    if loop.progress.generated.isEmpty { loop.progress.prefillMS = before + clock.milliseconds }
                    if loop.stopTokens.contains(token) { return false }
                    _ = try loop.constrained?.advance(token)
                    let piece = try loop.text.append(token)
                    guard loop.model.hasVocabulary else { throw VocabularyLost() }
                    loop.progress.tokens.append(token)
                    loop.progress.decodeMS = before + clock.milliseconds - loop.progress.prefillMS
                    onPiece(token, piece, likelihood)
                    return !loop.text.isStopped
                }
                if ended { return .finished(.end, rest: rest()) }
                if let pace { try rest(pace, &lastMS, clock, mustStop) }
            }
            let rest = rest()
            return .finished(text.isStopped ? .end : .length, rest: rest)
        } catch is CancellationError {
            if progress.generated.isEmpty { progress.prefillMS = before + clock.milliseconds }
            progress.model = model.identity
            return .interrupted
        } catch is VocabularyLost {
            progress.model = model.identity
            return .vocabularyLost
        }
    }

    private struct VocabularyLost: Error {}

    /// Computes what was not seen yet, chooses the next token, and the ones after it as long as they were drafted rightly: the
    /// sampler draws from the same logits as one token at a time would give it, so it draws the same.
    ///
    /// - Parameter take: takes a token; false where it ends the text.
    /// - Returns: whether the text has ended.
    private mutating func step(
        _ next: inout Int, _ mustStop: () -> Bool,
        _ take: (TokenID, TokenLikelihood?, inout GenerationLoop) throws -> Bool
    ) throws -> Bool {
        let guesses = next == progress.tokens.count - 1 ? writeDraft() : 0
        var right = 0
        // What was drafted wrongly is no part of the text, however this step ends.
        let first = progress.tokens.count
        defer { if guesses > 0 { session.takeBack(to: first + right) } }

        let isKnown = next == progress.tokens.count
        let logits =
            if guesses > 0, let draft {
                try session.logits(checking: draft.step)
            } else {
                isKnown ? session.lastLogits : try session.logits(after: progress.tokens[next...])
            }
        drafted.tokens += guesses
        while true {
            if mustStop() { throw CancellationError() }
            next = progress.tokens.count
            let token = try logits.withRow(right) { try choose($0) }
            let likelihood = progress.options.likelihoods.map { top in
                logits.withRow(right) {
                    TokenLikelihood(of: token, top: top, logits: $0, count: model.tokenizer.vocabulary.count)
                }
            }
            let goesOn = try take(token, likelihood, &self)
            progress.random = sampler.generator
            if progress.options.sampling.usesMirostat { progress.mostSurprise = sampler.mostSurprise }
            guard goesOn else { return true }
            guard right < guesses, draft?[right] == token else { return false }
            right += 1
            drafted.right += 1
        }
    }

    private mutating func choose(_ logits: Span<Float>) throws -> TokenID {
        guard var text = constrained.take() else { return try sampler.sample(logits) }
        defer { constrained = text }
        return try sampler.sample(logits, of: &text)
    }

    /// - Returns: how many tokens it drafts: no more than the text has room for.
    private mutating func writeDraft() -> Int {
        let room = min(
            session.mostChecked, session.context - progress.tokens.count + 1,
            progress.options.maximumTokens - progress.generated.count)
        draft?.write(after: progress.tokens, most: room - 1, stops: stopTokens)
        return draft?.count ?? 0
    }

    /// Computes what other texts begin with as well, in the steps of its own that a slow pace wants.
    private func prefill(
        _ next: inout Int, _ lastMS: inout Double, _ clock: Stopwatch, _ mustStop: () -> Bool
    ) throws {
        let prefix = progress.prefixTokens
        guard let keepsPrefix, next < prefix, prefix < progress.tokens.count else { return }
        while next < prefix {
            let end = pace == nil ? prefix : min(next + session.maximumStep, prefix)
            try session.prefill(progress.tokens[next..<end])
            if mustStop() { throw CancellationError() }
            next = end
            if let pace { try rest(pace, &lastMS, clock, mustStop) }
        }
        keepsPrefix(session)
    }

    private func rest(
        _ pace: GenerationPace, _ lastMS: inout Double, _ clock: Stopwatch, _ mustStop: () -> Bool
    ) throws {
        let work = clock.milliseconds - lastMS
        guard pace.rest(afterMilliseconds: work, until: mustStop) else { throw CancellationError() }
        lastMS = clock.milliseconds
    }

    /// Text that was held back, for who does not go on.
    mutating func rest() -> AnswerText.Piece { text.finish() }

    /// The same for who wants no more than tokens and their text.
    package mutating func run(mustStop: () -> Bool, onToken: (TokenID, String) -> Void) throws -> End {
        try run(mustStop: mustStop, onPiece: { token, piece, _ in onToken(token, piece.answer) })
    }
}

/// Milliseconds since it was made, on the clock that does not jump.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds
    var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
