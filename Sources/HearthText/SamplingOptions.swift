package import HearthFormats

/// How the next token is chosen. The defaults are those that Google publishes for Gemma 3 and 4.
public struct SamplingOptions: Equatable, Sendable, Codable {
    /// Flattens (above 1) or sharpens (below 1) the choice; 0 always takes the likeliest token.
    public var temperature: Float
    /// How many of the likeliest tokens stay in the choice; 0 = all.
    public var topK: Int
    /// The likeliest tokens that together reach this probability stay; 1 = all.
    public var topP: Float
    /// Tokens below this fraction of the likeliest one's probability are dropped; 0 = none.
    public var minP: Float
    /// Divides positive logits and multiplies negative ones of recent tokens; 1 = off.
    public var repeatPenalty: Float
    /// How many recent tokens the penalty looks at.
    public var repeatWindow: Int
    /// Equal seeds choose equally; nil takes a seed at random.
    public var seed: UInt64?

    /// All options, each with its default. Nothing is checked before ``validate()``.
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

    /// Always the likeliest token.
    public static var greedy: SamplingOptions { SamplingOptions(temperature: 0) }

    /// The defaults of a model file (`general.sampling.temp`, `.top_k`, `.top_p`), where it has any.
    ///
    /// - Throws: `GGUFError` for values of a wrong type, ``TextError/badValue(file:key:index:value:)`` for values out
    ///   of range.
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

    /// Checks every range.
    ///
    /// - Throws: ``TextError/invalidOption(name:value:allowed:)``.
    public func validate() throws(TextError) {
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
    }
}
