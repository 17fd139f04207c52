import HearthText
import HearthTokenizer

/// Sampling options. Defaults come from the model's file.
struct SamplingFlags: ParsableArguments {
    @Option(valueName: "X", help: "0 always takes the most likely token; higher is more random.")
    var temperature: Float?
    @Option(valueName: "K", help: "Only the K most likely tokens; 0 for all.")
    var topK: Int?
    @Option(valueName: "P", help: "Only the most likely tokens that together have this probability; 1 for all.")
    var topP: Float?
    @Option(valueName: "P", help: "Only tokens at least this likely relative to the most likely one; 0 for all.")
    var minP: Float?
    @Option(valueName: "R", help: "Makes recent tokens less likely; 1 for no change.")
    var repeatPenalty: Float?
    @Option(valueName: "X", help: "Subtracted from the logit of each token already in the answer; 0 for no change.")
    var presencePenalty: Float?
    @Option(valueName: "X", help: "The same, once for each occurrence of the token in the answer; 0 for no change.")
    var frequencyPenalty: Float?
    @Option(valueName: "ID=X", help: "Added to the logit of a token; several are allowed.")
    var logitBias: [LogitBias] = []
    @Option(valueName: "X", help: "DRY: how strongly repeated sequences are avoided; 0 for off.")
    var dryMultiplier: Float?
    @Option(valueName: "X", help: "DRY: factor for each further token of a repeated sequence; default: 1.75.")
    var dryBase: Float?
    @Option(valueName: "N", help: "DRY: longest sequence that may be repeated; default: 2.")
    var dryAllowedLength: Int?
    @Option(
        valueName: "S",
        help: "DRY: text that ends sequences; several are allowed; default: a line break : \" *")
    var dryBreaker: [String] = []
    @Option(valueName: "N", help: "Only logits within N standard deviations of the largest; 0 for all.")
    var topNSigma: Float?
    @Option(valueName: "P", help: "Only tokens of typical surprise that together have this probability; 1 for all.")
    var typical: Float?
    @Option(valueName: "P", help: "XTC: how often the most likely tokens are left out; 0 for never.")
    var xtcProbability: Float?
    @Option(valueName: "P", help: "XTC: of the tokens at least this likely, only the least likely stays; default: 0.1.")
    var xtcThreshold: Float?
    @Option(valueName: "BITS", help: "Mirostat 2: target surprise in bits, replacing all filters; 0 for off.")
    var mirostatTau: Float?
    @Option(valueName: "X", help: "Mirostat 2: how quickly it adapts; default: 0.1.")
    var mirostatEta: Float?
    @Option(
        valueName: "NAMES",
        help: """
            Sampling steps, in order; default: \
            \(SamplingStage.allCases.map(\.rawValue).joined(separator: ",")).
            """)
    var samplers: SamplerOrder?
    @Option(valueName: "N", help: "Seed; the same seed gives the same text; default: random.")
    var seed: UInt64?
    @Flag(help: "Always takes the most likely token; the same as --temperature 0.")
    var greedy = false

    func validate() throws {
        func check(_ name: String, _ value: Float?, _ range: ClosedRange<Float>) throws {
            guard let value, !range.contains(value) else { return }
            throw UsageError(
                "'--\(name) \(value)' is out of range: expected \(range.lowerBound) to \(range.upperBound)")
        }
        try check("temperature", temperature, 0...100)
        try check("top-p", topP, 0...1)
        try check("min-p", minP, 0...1)
        try check("repeat-penalty", repeatPenalty, 0.01...100)
        try check("presence-penalty", presencePenalty, -100...100)
        try check("frequency-penalty", frequencyPenalty, -100...100)
        try check("dry-multiplier", dryMultiplier, 0...100)
        try check("dry-base", dryBase, 1...10)
        try check("top-n-sigma", topNSigma, 0...100)
        try check("typical", typical, 0.001...1)
        try check("xtc-probability", xtcProbability, 0...1)
        try check("xtc-threshold", xtcThreshold, 0...1)
        try check("mirostat-tau", mirostatTau, 0...100)
        try check("mirostat-eta", mirostatEta, 0...1)
        if let topK, topK < 0 { throw UsageError("'--top-k \(topK)' is out of range: expected 0 or more") }
        if let dryAllowedLength, !(1...1000).contains(dryAllowedLength) {
            throw UsageError("'--dry-allowed-length \(dryAllowedLength)' is out of range: expected 1 to 1000")
        }
    }

    /// The model's defaults, overridden by the given options.
    func choice(seed: UInt64) -> @Sendable (SamplingOptions) -> SamplingOptions {
        var changes: [@Sendable (inout SamplingOptions) -> Void] = []
        func set<Value: Sendable>(_ field: any WritableKeyPath<SamplingOptions, Value> & Sendable, _ value: Value?) {
            if let value { changes.append { $0[keyPath: field] = value } }
        }
        set(\.temperature, temperature)
        set(\.topK, topK)
        // 0 takes the most likely token only, as a temperature of 0 does.
        set(\.topP, topP == 0 ? nil : topP)
        set(\.minP, minP)
        set(\.repeatPenalty, repeatPenalty)
        set(\.presencePenalty, presencePenalty)
        set(\.frequencyPenalty, frequencyPenalty)
        set(\.logitBias, Dictionary(logitBias.map { ($0.id, $0.bias) }, uniquingKeysWith: { $1 }))
        set(\.dryMultiplier, dryMultiplier)
        set(\.dryBase, dryBase)
        set(\.dryAllowedLength, dryAllowedLength)
        set(\.dryBreakers, dryBreaker.isEmpty ? nil : dryBreaker)
        set(\.topNSigma, topNSigma)
        set(\.typicalP, typical)
        set(\.xtcProbability, xtcProbability)
        set(\.xtcThreshold, xtcThreshold)
        set(\.mirostatTau, mirostatTau)
        set(\.mirostatEta, mirostatEta)
        set(\.stages, samplers?.stages)
        set(\.temperature, greedy || topP == 0 ? 0 : nil)
        return { [changes] defaults in
            var options = defaults
            for change in changes { change(&options) }
            options.seed = seed
            return options
        }
    }
}

/// `ID=X`: a bias added to a token's logit.
struct LogitBias: ExpressibleByArgument {
    var id: TokenID
    var bias: Float

    init?(argument: String) {
        let parts = argument.split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = TokenID(parts[0]), id >= 0, let bias = Float(argument: String(parts[1])) else {
            return nil
        }
        (self.id, self.bias) = (id, bias)
    }

    static var expectation: String { "a token's id and a number, such as 236743=-5" }
    var argument: String { "\(id)=\(bias)" }
}

/// Names of sampling stages, separated by commas or semicolons.
struct SamplerOrder: ExpressibleByArgument {
    var stages: [SamplingStage]

    init?(argument: String) {
        stages = []
        for name in argument.split(whereSeparator: { ",;".contains($0) }) {
            guard let stage = SamplingStage(name: String(name)), !stages.contains(stage) else { return nil }
            stages.append(stage)
        }
        if stages.isEmpty { return nil }
    }

    static var expectation: String {
        "some of \(SamplingStage.allCases.map(\.rawValue).joined(separator: ",")), each once"
    }
    var argument: String { stages.map(\.rawValue).joined(separator: ",") }
}

/// Options of an answer besides sampling: its end, and the reported details.
struct AnswerOptions: ParsableArguments {
    @Option(valueName: "N", help: "Maximum number of tokens in an answer.")
    var maxTokens: Int = 256
    @Option(valueName: "S", help: "Text that ends an answer and is not part of it; several are allowed.")
    var stop: [String] = []
    @Option(
        valueName: "N",
        help: """
            With --json: the log probability of each token, before any of the options above, and of the N most likely \
            ones; 0 to 100.
            """)
    var logprobs: Int?

    func validate() throws {
        try checkPositive("max-tokens", maxTokens)
        if stop.contains("") { throw UsageError("'--stop' needs some text") }
        if let logprobs, !(0...100).contains(logprobs) {
            throw UsageError("'--logprobs \(logprobs)' is out of range: expected 0 to 100")
        }
    }

    func options(_ sampling: SamplingOptions) -> TextGenerator.Options {
        var options = TextGenerator.Options(maximumTokens: maxTokens, sampling: sampling)
        (options.stop, options.likelihoods) = (stop, logprobs)
        return options
    }
}
