internal import Dispatch
internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// One text in the making, without the model that computes it: takes logits, chooses tokens, tells what they say. Sampler,
/// constraint, stop strings and figures are each text's own.
struct TokenWriter {
    /// The text; to be kept where it is interrupted.
    private(set) var progress: TextProgress
    /// Tokens that were drafted, and those of them that the model chose as well.
    private(set) var drafted = (tokens: 0, right: 0)
    private let model: TextModel
    /// Most positions of the text.
    private let context: Int
    private let stopTokens: [TokenID]
    private var sampler: Sampler
    private var text: AnswerText
    private var draft: Draft?
    private var constrained: ConstrainedText?
    /// Milliseconds that were spent on the text before, and since.
    private var before = 0.0
    private var clock = Stopwatch()

    /// The vocabulary's file was changed: what it says counts for nothing.
    struct VocabularyLost: Error {}

    /// - Parameter drafts: what is likely to follow; the text is the same without.
    /// - Throws: `TextError`.
    init(model: TextModel, context: Int, progress: TextProgress, drafts: DraftTable?) throws {
        let options = progress.options
        // A progress may come from a file: nothing in it is taken on trust.
        guard progress.promptTokens > 0, progress.promptTokens <= progress.tokens.count else {
            throw TextError.emptyPrompt
        }
        try model.check(progress.tokens, contextLength: context + (progress.generated.isEmpty ? 0 : 1))
        if let writer = progress.model, writer != model.identity { throw TextError.otherModel(file: model.path) }
        self.progress = progress
        self.model = model
        self.context = context
        stopTokens = model.tokenizer.vocabulary.stopIDs
        let (most, overflow) = progress.promptTokens.addingReportingOverflow(max(0, options.maximumTokens))
        self.progress.tokens.reserveCapacity((overflow ? context : min(context, most)) + 1)
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
            var text = ConstrainedText(grammar, model.tokenizer, thinks: options.thinks)
            for token in progress.generated where try !text.advance(token).all {
                throw TextError.invalidConstraint(
                    place: "the text so far", problem: "what was generated does not satisfy the constraint")
            }
            constrained = text
        }
    }

    // MARK: - Before a step

    /// Work on the text begins, or goes on.
    /// - Parameters:
    ///   - known: tokens that need not be computed.
    ///   - knownMS: what computing them took.
    mutating func begin(known: Int, knownMS: Double) {
        if progress.cachedTokens == nil { progress.cachedTokens = min(known, progress.promptTokens) }
        // What was computed before this run counts as well: by an earlier part of it, or when the model was tried out.
        before = max(progress.prefillMS + progress.decodeMS, known > 0 ? knownMS : 0)
        clock = Stopwatch()
    }

    /// Milliseconds since work began.
    var milliseconds: Double { clock.milliseconds }

    /// Why no further token may be chosen; nil where one may.
    var end: StopReason? {
        // The context bounds the answer: a token generated at its end has no place to be read back from.
        guard progress.generated.count < progress.options.maximumTokens, progress.tokens.count <= context else {
            return .length
        }
        return constrained?.mustEnd == true ? .end : nil
    }

    /// Drafts what may follow.
    /// - Parameter most: tokens whose logits can be had of one step.
    /// - Returns: how many tokens it drafts: no more than the text has room for.
    mutating func writeDraft(most: Int) -> Int {
        let room = min(
            most, context - progress.tokens.count + 1, progress.options.maximumTokens - progress.generated.count)
        draft?.write(after: progress.tokens, most: room - 1, stops: stopTokens)
        return draft?.count ?? 0
    }

    /// The text's last token and the draft: what one step computes.
    var draftStep: ArraySlice<TokenID> { draft?.step ?? [] }

    // MARK: - After a step

    /// Chooses the next token, and the ones after it as long as they were drafted rightly: the sampler draws from the same
    /// logits as one token at a time would give it, so it draws the same.
    ///
    /// - Parameters:
    ///   - logits: in the rows from `row` on, those after the text and after each drafted token.
    ///   - guesses: drafted tokens of the step.
    ///   - right: counts those of them that were drafted rightly, also where an error is thrown.
    ///   - mustStop: asked before each token; ends it with `CancellationError`.
    ///   - onPiece: told of each token.
    /// - Returns: whether the text has ended.
    /// - Throws: `VocabularyLost`; `TextError`; `CancellationError`.
    mutating func take(
        _ logits: Rows, row: Int, guesses: Int, right: inout Int, mustStop: () -> Bool,
        _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        drafted.tokens += guesses
        while true {
            if mustStop() { throw CancellationError() }
            let token = try logits.withRow(row + right) { try choose($0) }
            let likelihood = progress.options.likelihoods.map { top in
                logits.withRow(row + right) {
                    TokenLikelihood(of: token, top: top, logits: $0, count: model.tokenizer.vocabulary.count)
                }
            }
            let goesOn = try accept(token, likelihood, onPiece)
            progress.random = sampler.generator
            if progress.options.sampling.usesMirostat { progress.mostSurprise = sampler.mostSurprise }
            guard goesOn else { return true }
            guard right < guesses, draft?[right] == token else { return false }
            right += 1
            drafted.right += 1
        }
    }

    /// - Returns: false where the token ends the text.
    private mutating func accept(
        _ token: TokenID, _ likelihood: TokenLikelihood?,
        _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        if progress.generated.isEmpty { progress.prefillMS = before + clock.milliseconds }
        if stopTokens.contains(token) { return false }
        _ = try constrained?.advance(token)
        let piece = try text.append(token)
        guard model.hasVocabulary else { throw VocabularyLost() }
        progress.tokens.append(token)
        progress.decodeMS = before + clock.milliseconds - progress.prefillMS
        onPiece(token, piece, likelihood)
        return !text.isStopped
    }

    private mutating func choose(_ logits: Span<Float>) throws -> TokenID {
        guard var text = constrained.take() else { return try sampler.sample(logits) }
        defer { constrained = text }
        return try sampler.sample(logits, of: &text)
    }

    // MARK: - At the end

    /// Text that was held back, for who does not go on.
    mutating func rest() -> AnswerText.Piece { text.finish() }

    /// It stops in the middle: `progress` goes on from here.
    mutating func interrupt() {
        if progress.generated.isEmpty { progress.prefillMS = before + clock.milliseconds }
        progress.model = model.identity
    }

    /// How a text that takes no more tokens has ended.
    var finalReason: StopReason { text.isStopped ? .end : .length }
}

/// Milliseconds since it was made, on the clock that does not jump.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds
    var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
