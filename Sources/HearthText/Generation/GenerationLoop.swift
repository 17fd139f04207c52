internal import Dispatch
internal import HearthCompute

/// Prompt in, tokens out: the one place where a model, a sampler and a detokenizer meet. Runs on one thread and holds
/// no state beyond its own generation.
struct GenerationLoop {
    private let session: GemmaSession
    private let model: LanguageModel
    private let options: GenerationOptions
    private let stopTokens: [TokenID]
    private let promptCount: Int
    private var tokens: [TokenID]
    private var sampler: Sampler
    private var detokenizer: StreamingDetokenizer

    init(session: GemmaSession, model: LanguageModel, prompt: [TokenID], options: GenerationOptions) throws {
        try model.check(prompt, contextLength: session.context)
        self.session = session
        self.model = model
        self.options = options
        stopTokens = model.tokenizer.vocabulary.stopIDs
        promptCount = prompt.count
        tokens = prompt
        tokens.reserveCapacity(min(session.context, prompt.count + options.maximumTokens) + 1)
        sampler = try Sampler(options.sampling, vocabularyCount: model.tokenizer.vocabulary.count)
        for token in prompt.suffix(options.sampling.repeatWindow) { sampler.accept(token) }
        detokenizer = StreamingDetokenizer(model.tokenizer)
    }

    /// - Returns: the summary, and text that was held back until the end.
    mutating func run(
        isCancelled: () -> Bool, onToken: (TokenID, String) -> Void
    ) throws -> (GenerationSummary, String) {
        let clock = Stopwatch()
        var summary = GenerationSummary(
            promptTokens: promptCount, generatedTokens: 0, stop: .length, prefillMS: 0, decodeMS: 0)
        session.reset()
        do {
            var next = 0  // first token that the session has not seen
            // The context bounds the answer: a token generated at its end has no place to be read back from.
            while summary.generatedTokens < options.maximumTokens {
                let logits = try session.logits(after: tokens[next...])
                if isCancelled() { throw CancellationError() }
                next = tokens.count
                let token = try logits.withRow(0) { try sampler.sample($0) }
                if summary.generatedTokens == 0 { summary.prefillMS = clock.milliseconds }
                if stopTokens.contains(token) {
                    summary.stop = .end
                    break
                }
                tokens.append(token)
                summary.generatedTokens += 1
                summary.decodeMS = clock.milliseconds - summary.prefillMS
                onToken(token, try detokenizer.append(token))
                if tokens.count > session.context { break }
            }
        } catch is CancellationError {
            summary.stop = .cancelled
            if summary.generatedTokens == 0 { summary.prefillMS = clock.milliseconds }
        }
        return (summary, detokenizer.finish())
    }
}

/// Milliseconds since it was made, on the clock that does not jump.
struct Stopwatch {
    private let start = DispatchTime.now().uptimeNanoseconds
    var milliseconds: Double { Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6 }
}
