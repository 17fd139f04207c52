package import HearthGGUF
public import HearthTokenizer

/// How the next token is sampled. The defaults are those that Google publishes for Gemma 3 and 4.
public struct SamplingOptions: Equatable, Sendable, Codable {
    /// Flattens (above 1) or sharpens (below 1) the distribution; 0 always takes the most likely token.
    public var temperature: Float
    /// Top-k: the number of most likely tokens to consider; 0 for all.
    public var topK: Int
    /// Top-p: considers the most likely tokens that together reach this probability; 1 for all.
    public var topP: Float
    /// Min-p: drops tokens below this fraction of the probability of the most likely one; 0 drops none.
    public var minP: Float
    /// Repetition penalty: divides positive logits of recent tokens by this, and multiplies negative ones; 1 = off.
    public var repeatPenalty: Float
    /// The number of recent tokens that the repetition penalty applies to.
    public var repeatWindow: Int
    /// Equal seeds give equal texts; nil chooses a seed at random.
    public var seed: UInt64?

    // Off by default.

    /// Presence penalty, as defined by OpenAI: subtracted once from the logit of each token already generated in this answer.
    public var presencePenalty: Float = 0
    /// Frequency penalty: subtracted for each time that the token was generated in this answer.
    public var frequencyPenalty: Float = 0
    /// Added to the logits of tokens before all stages.
    public var logitBias: [TokenID: Float] = [:]
    /// DRY: penalty of a token that continues a repeated sequence of `dryAllowedLength` tokens; 0 = off.
    package var dryMultiplier: Float = 0
    /// DRY: factor by which the penalty grows with each further token of the sequence.
    package var dryBase: Float = 1.75
    /// DRY: the longest sequence that may be repeated without a penalty.
    package var dryAllowedLength = 2
    /// DRY: a sequence does not extend across a token that contains one of these.
    package var dryBreakers = ["\n", ":", "\"", "*"]
    /// DRY: number of previous tokens that are searched, in prompt and answer.
    package var dryWindow = 4096
    /// Top-nσ: keeps logits within this many standard deviations of the largest; 0 = off.
    package var topNSigma: Float = 0
    /// Keeps the locally typical tokens that together reach this probability; 1 = off.
    package var typicalP: Float = 1
    /// XTC: probability of excluding the most likely tokens; 0 = off.
    package var xtcProbability: Float = 0
    /// XTC: excludes all but the least likely of the tokens with at least this probability.
    package var xtcThreshold: Float = 0.1
    /// Mirostat 2: target surprise in bits; replaces all stages that exclude tokens; 0 = off.
    package var mirostatTau: Float = 0
    /// Mirostat 2: learning rate.
    package var mirostatEta: Float = 0.1
    /// The stages to run, in order; stages not listed do not run. `logitBias` comes before all of them.
    public var stages = SamplingStage.defaultOrder

    /// Creates options; each has a default. Values are checked when a generation begins.
    public init(
        temperature: Float = 1, topK: Int = 64, topP: Float = 0.95, minP: Float = 0, repeatPenalty: Float = 1,
        repeatWindow: Int = 64, seed: UInt64? = nil
    ) {
        self.temperature = temperature
        self.topK = topK
        self.topP = topP
        self.minP = minP
        self.repeatPenalty = repeatPenalty
        self.repeatWindow = repeatWindow
        self.seed = seed
    }

    /// Decodes options; missing fields, as in files of older versions, get their defaults.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        func read<Value: Decodable>(_ key: CodingKeys, _ field: WritableKeyPath<Self, Value>, _ value: inout Self)
            throws
        {
            if let found = try fields.decodeIfPresent(Value.self, forKey: key) { value[keyPath: field] = found }
        }
        try read(.temperature, \.temperature, &self)
        try read(.topK, \.topK, &self)
        try read(.topP, \.topP, &self)
        try read(.minP, \.minP, &self)
        try read(.repeatPenalty, \.repeatPenalty, &self)
        try read(.repeatWindow, \.repeatWindow, &self)
        seed = try fields.decodeIfPresent(UInt64.self, forKey: .seed)
        try read(.presencePenalty, \.presencePenalty, &self)
        try read(.frequencyPenalty, \.frequencyPenalty, &self)
        try read(.logitBias, \.logitBias, &self)
        try read(.dryMultiplier, \.dryMultiplier, &self)
        try read(.dryBase, \.dryBase, &self)
        try read(.dryAllowedLength, \.dryAllowedLength, &self)
        try read(.dryBreakers, \.dryBreakers, &self)
        try read(.dryWindow, \.dryWindow, &self)
        try read(.topNSigma, \.topNSigma, &self)
        try read(.typicalP, \.typicalP, &self)
        try read(.xtcProbability, \.xtcProbability, &self)
        try read(.xtcThreshold, \.xtcThreshold, &self)
        try read(.mirostatTau, \.mirostatTau, &self)
        try read(.mirostatEta, \.mirostatEta, &self)
        try read(.stages, \.stages, &self)
    }

    /// Number of a prompt's last tokens that penalties can use.
    var mostHistory: Int { dryMultiplier > 0 ? max(repeatWindow, dryWindow) : repeatWindow }

    /// Whether mirostat replaces the stages that exclude tokens.
    var usesMirostat: Bool { mirostatTau > 0 }

    /// Whether a stage is listed and its option has an effect.
    func asksFor(_ stage: SamplingStage) -> Bool {
        guard stages.contains(stage) else { return false }
        return switch stage {
        case .penalties: repeatPenalty != 1 && repeatWindow > 0 || presencePenalty != 0 || frequencyPenalty != 0
        case .dry: dryMultiplier > 0
        case .topNSigma: topNSigma > 0
        case .topK: topK > 0
        case .typical: typicalP < 1
        case .topP: topP < 1
        case .minP: minP > 0
        case .xtc: xtcProbability > 0
        case .temperature: temperature != 1
        }
    }

    /// Always takes the most likely token.
    public static var greedy: SamplingOptions { SamplingOptions(temperature: 0) }

    /// The defaults stored in a model file (`general.sampling.temp`, `.top_k`, `.top_p`), if any.
    ///
    /// - Throws: `FileError` if a value has the wrong type, ``TextError/badValue(file:key:index:value:)`` if it is out of range.
    package init(gguf: GGUFFile) throws {
        self.init()
        func number(_ name: String, _ allowed: (Double) -> Bool) throws -> Double? {
            let key = "general.sampling.\(name)"
            guard let value = try gguf.metadata.number(key) else { return nil }
            guard allowed(value) else {
                throw TextError.badValue(file: gguf.path, key: key, index: 0, value: "\(value)")
            }
            return value
        }
        if let value = try number("temp", { (0...100).contains($0) }) { temperature = Float(value) }
        if let value = try number("top_k", { (0...Double(Int32.max)).contains($0) }) { topK = Int(value) }
        if let value = try number("top_p", { $0 > 0 && $0 <= 1 }) { topP = Float(value) }
    }

    /// Checks that every option is within its range.
    ///
    /// - Throws: ``TextError/invalidOption(name:value:allowed:)``.
    package func validate() throws(TextError) {
        func require(_ holds: Bool, _ name: String, _ value: Any, _ allowed: String) throws(TextError) {
            guard holds else { throw .invalidOption(name: name, value: "\(value)", allowed: allowed) }
        }
        try require(temperature >= 0 && temperature.isFinite, "temperature", temperature, "0 or more")
        try require(topK >= 0, "top-k", topK, "0 (all) or more")
        try require(topP > 0 && topP <= 1, "top-p", topP, "above 0 and at most 1")
        try require(minP >= 0 && minP <= 1, "min-p", minP, "from 0 to 1")
        try require(repeatPenalty > 0 && repeatPenalty.isFinite, "repeat-penalty", repeatPenalty, "above 0")
        try require(
            (0...TextLimits.penaltyWindow).contains(repeatWindow), "repeat window", repeatWindow,
            "from 0 to \(TextLimits.penaltyWindow)")
        try require(abs(presencePenalty) <= 100, "presence-penalty", presencePenalty, "from -100 to 100")
        try require(abs(frequencyPenalty) <= 100, "frequency-penalty", frequencyPenalty, "from -100 to 100")
        for (id, bias) in logitBias { try require(bias.isFinite, "logit-bias of \(id)", bias, "a finite number") }
        try require((0...100).contains(dryMultiplier), "dry-multiplier", dryMultiplier, "from 0 to 100")
        try require((1...10).contains(dryBase), "dry-base", dryBase, "from 1 to 10")
        try require((1...1000).contains(dryAllowedLength), "dry-allowed-length", dryAllowedLength, "from 1 to 1000")
        try require(
            (1...TextLimits.penaltyWindow).contains(dryWindow), "dry-window", dryWindow,
            "from 1 to \(TextLimits.penaltyWindow)")
        try require((0...100).contains(topNSigma), "top-n-sigma", topNSigma, "from 0 to 100")
        try require(typicalP > 0 && typicalP <= 1, "typical-p", typicalP, "above 0 and at most 1")
        try require((0...1).contains(xtcProbability), "xtc-probability", xtcProbability, "from 0 to 1")
        try require((0...1).contains(xtcThreshold), "xtc-threshold", xtcThreshold, "from 0 to 1")
        try require((0...100).contains(mirostatTau), "mirostat-tau", mirostatTau, "from 0 to 100")
        try require((0...1).contains(mirostatEta), "mirostat-eta", mirostatEta, "from 0 to 1")
        try require(Set(stages).count == stages.count, "samplers", stages.map(\.rawValue), "each named once")
    }
}
