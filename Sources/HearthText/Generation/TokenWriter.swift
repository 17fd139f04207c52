internal import Dispatch
internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// The state of one text, independent of how its logits are computed: takes logits, chooses tokens and converts them to text.
/// Each text has its own sampler, constraint, stop strings and statistics.
struct TokenWriter {
    /// The text so far; resume from it after an interruption.
    private(set) var progress: TextProgress
    /// The tokens that the model sees: the text, without what it forgot because the context was full.
    private(set) var seen: [TokenID]
    /// Number of draft tokens, and of those accepted by the model.
    private(set) var drafted = (tokens: 0, right: 0)
    private let model: TextModel
    /// Maximum number of positions.
    private let context: Int
    private let adapters: String?
    private let stopTokens: [TokenID]
    private var sampler: Sampler
    private var text: AnswerText
    private var draft: Draft?
    private var constrained: ConstrainedText?
    /// The next tokens that the constraint leaves no choice about, last one first; used if their likelihoods are wanted.
    private var forced: [TokenID] = []
    /// Milliseconds spent on the text before this run, and a clock for this run.
    private var before = 0.0
    private var clock = Stopwatch()

    /// The vocabulary's file was changed, so its content cannot be used.
    struct VocabularyLost: Error {}

    /// - Parameters:
    ///   - adapters: identity of the adapters that the text is generated with.
    ///   - drafts: the draft table; it does not change the text.
    /// - Throws: `TextError`.
    init(model: TextModel, adapters: String?, context: Int, progress: TextProgress, drafts: DraftTable?) throws {
        let options = progress.options
        // A progress may come from a file and is not trusted.
        guard progress.promptTokens > 0, progress.promptTokens <= progress.tokens.count else {
            throw TextError.emptyPrompt
        }
        try model.check(progress.tokens, contextLength: .max)
        var progress = progress
        var seen = progress.seen
        if !progress.generated.isEmpty { progress.makeRoom(in: context, seen: &seen) }
        let room = context + (progress.generated.isEmpty ? 0 : 1)
        guard seen.count <= room else { throw TextError.contextOverflow(tokens: seen.count, limit: room) }
        if let writer = progress.model, writer != model.identity { throw TextError.otherModel(file: model.path) }
        if progress.model != nil, progress.adapters != adapters {
            throw TextError.invalidAdapter(
                file: progress.options.adapters?.first?.path ?? model.path, field: "adapters",
                problem: "the text was started with other adapters")
        }
        self.adapters = adapters
        self.progress = progress
        self.seen = seen
        self.context = context
        self.model = model
        stopTokens = model.tokenizer.vocabulary.stopIDs
        let (most, overflow) = progress.promptTokens.addingReportingOverflow(max(0, options.maximumTokens))
        self.progress.tokens.reserveCapacity((overflow ? context : min(context, most)) + 1)
        self.seen.reserveCapacity(self.progress.tokens.capacity)
        sampler = try Sampler(
            options.sampling, vocabularyCount: model.tokenizer.vocabulary.count,
            breaks: { [tokenizer = model.tokenizer, breakers = options.sampling.dryBreakers] token in
                guard let text = try? tokenizer.text(of: [token]) else { return false }
                return breakers.contains { !$0.isEmpty && text.contains($0) }
            })
        // Replay in the original order: ids without a token are ignored, so the last tokens of the whole text could differ.
        for token in progress.tokens[..<progress.promptTokens].suffix(options.sampling.mostHistory) {
            sampler.accept(token)
        }
        for token in progress.generated { sampler.acceptGenerated(token) }
        sampler.generator = progress.random
        if let surprise = progress.mostSurprise { sampler.mostSurprise = surprise }
        let showsCalls = options.tools.map { $0.format != .json } ?? false
        text = AnswerText(
            model.tokenizer, stop: options.stop, calls: showsCalls ? model.tokenizer.vocabulary.toolMarkers : nil)
        let begun = model.tokenizer.vocabulary.thoughtBegun(in: progress.tokens[..<progress.promptTokens])
        for token in begun { _ = try text.append(token) }
        // This text was delivered before; appending restores what is held back.
        for token in progress.generated { _ = try text.append(token) }
        draft = drafts.map(Draft.init)
        if let grammar = try options.tools?.compiled() ?? options.constraint?.compiled() {
            var text = ConstrainedText(grammar, model.tokenizer, thinks: options.thinks)
            for token in (options.thinks ? begun : []) + progress.generated where try !text.advance(token).all {
                throw TextError.invalidConstraint(
                    place: "the text so far", problem: "what was generated does not satisfy the constraint")
            }
            constrained = text
        }
    }

    // MARK: - Before a step

    /// Notes that work on the text begins or resumes.
    /// - Parameters:
    ///   - known: number of tokens that need not be computed.
    ///   - knownMS: the time it took to compute them, in milliseconds.
    mutating func begin(known: Int, knownMS: Double) {
        if progress.cachedTokens == nil { progress.cachedTokens = min(known, progress.promptTokens) }
        // Includes time spent earlier: on an earlier part of the text, or during warm-up.
        before = max(progress.prefillMS + progress.decodeMS, known > 0 ? knownMS : 0)
        clock = Stopwatch()
    }

    /// Milliseconds since this run began.
    var milliseconds: Double { clock.milliseconds }

    /// Why no further token may be generated; nil if one may.
    var end: StopReason? {
        // The text may exceed the context by one token: the last one is never fed back.
        guard progress.generated.count < progress.options.maximumTokens, seen.count <= context || shifts else {
            return .length
        }
        return constrained?.mustEnd == true ? .end : nil
    }

    private var shifts: Bool { progress.options.onFull == .shift }

    /// Makes the model forget the middle of a text that fills the context, if its options say so.
    /// - Returns: whether it did; the session then has to begin again behind what both texts have in common.
    @discardableResult mutating func makeRoom() -> Bool {
        progress.makeRoom(in: context, seen: &seen)
    }

    /// Drafts the next tokens.
    /// - Parameter most: maximum number of tokens whose logits one step can compute.
    /// - Returns: the number of draft tokens, limited by what the text may still grow.
    mutating func writeDraft(most: Int) -> Int {
        let room = min(
            most, context - seen.count + 1, progress.options.maximumTokens - progress.generated.count)
        draft?.write(after: seen, most: room - 1, stops: stopTokens)
        return draft?.count ?? 0
    }

    /// The text's last token and the draft: the tokens to run in one step.
    var draftStep: ArraySlice<TokenID> { draft?.step ?? [] }

    // MARK: - After a step

    /// Chooses the next token, and further ones as long as the draft matches: the sampler sees the same logits as in
    /// single-token steps, so it chooses the same tokens.
    ///
    /// - Parameters:
    ///   - logits: from row `row` on, the logits after the text and after each draft token.
    ///   - guesses: number of draft tokens in the step.
    ///   - right: counts the accepted draft tokens, also if an error is thrown.
    ///   - mustStop: polled before each token; stops with `CancellationError`.
    ///   - onPiece: called for each token.
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
            let isRight = right < guesses && draft?[right] == token
            if isRight {
                right += 1
                drafted.right += 1
            }
            let count = progress.tokens.count
            if try appendForced(mustStop, onPiece) { return true }
            // After forced tokens the remaining logits belong to another text.
            guard isRight, progress.tokens.count == count else { return false }
        }
    }

    /// Appends the tokens that the constraint leaves no choice about, all at once: the model is not asked, and computes them
    /// together with the next token. If likelihoods are wanted, it is asked, and the tokens are the same.
    /// - Returns: whether the text has ended.
    /// - Throws: `VocabularyLost`; `TextError`; `CancellationError`.
    mutating func appendForced(
        _ mustStop: () -> Bool, _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        guard progress.options.likelihoods == nil else { return false }
        while let tokens = try constrained?.forcedTokens(), !tokens.isEmpty {
            for token in tokens {
                guard end == nil else { return false }
                if mustStop() { throw CancellationError() }
                sampler.acceptGenerated(token)
                guard try accept(token, nil, isChosen: false, onPiece) else { return true }
            }
        }
        return false
    }

    /// - Returns: false if the token ends the text.
    private mutating func accept(
        _ token: TokenID, _ likelihood: TokenLikelihood?, isChosen: Bool = true,
        _ onPiece: (TokenID, AnswerText.Piece, TokenLikelihood?) -> Void
    ) throws -> Bool {
        if isChosen, progress.generated.isEmpty || progress.prefillMS == 0 {
            progress.prefillMS = before + clock.milliseconds
        }
        if stopTokens.contains(token) { return false }
        _ = try constrained?.advance(token)
        let piece = try text.append(token)
        guard model.hasVocabulary else { throw VocabularyLost() }
        progress.tokens.append(token)
        seen.append(token)
        if progress.prefillMS > 0 { progress.decodeMS = before + clock.milliseconds - progress.prefillMS }
        onPiece(token, piece, likelihood)
        return !text.isStopped
    }

    private mutating func choose(_ logits: Span<Float>) throws -> TokenID {
        try logits.requireFinite(model.tokenizer.vocabulary.count, file: model.path)
        guard var text = constrained.take() else { return try sampler.sample(logits) }
        defer { constrained = text }
        if progress.options.likelihoods != nil {
            if forced.isEmpty { forced = try text.forcedTokens().reversed() }
            if let token = forced.popLast() {
                sampler.acceptGenerated(token)
                return token
            }
        }
        return try sampler.sample(logits, of: &text)
    }

    // MARK: - At the end

    /// The text held back, for a caller that does not continue.
    mutating func rest() -> AnswerText.Piece { text.finish() }

    /// Prepares `progress` for resuming later.
    mutating func interrupt() {
        if progress.generated.isEmpty { progress.prefillMS = before + clock.milliseconds }
        progress.model = model.identity
        progress.adapters = adapters
    }

    /// Why a text that takes no more tokens has ended.
    var finalReason: StopReason { text.isStopped ? .end : .length }
}

/// Measures milliseconds since its creation, on a monotonic clock.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds
    var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
