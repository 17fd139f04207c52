package import HearthText
import HearthTokenizer

/// The sampling fields of a completion, by the names of OpenAI and llama.cpp.
package struct SamplingFields: Decodable, Sendable {
    private var changes: [@Sendable (inout SamplingOptions) -> Void] = []
    /// Whether to take the most likely token, as a `top_p` of 0 does.
    private var isGreedy = false

    private enum Keys: String, CodingKey {
        case temperature, seed
        case topP = "top_p"
        case topK = "top_k"
        case minP = "min_p"
        case repeatPenalty = "repeat_penalty"
        case repeatWindow = "repeat_last_n"
        case presencePenalty = "presence_penalty"
        case frequencyPenalty = "frequency_penalty"
        case logitBias = "logit_bias"
        case typicalP = "typical_p"
        case topNSigma = "top_n_sigma"
        case xtcProbability = "xtc_probability"
        case xtcThreshold = "xtc_threshold"
        case dryMultiplier = "dry_multiplier"
        case dryBase = "dry_base"
        case dryAllowedLength = "dry_allowed_length"
    }

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        func number(
            _ key: Keys, in range: ClosedRange<Double>, _ field: any WritableKeyPath<SamplingOptions, Float> & Sendable
        ) throws {
            guard let value = try fields.number(key, in: range) else { return }
            changes.append { $0[keyPath: field] = Float(value) }
        }
        func whole(
            _ key: Keys, in range: ClosedRange<Int>, _ field: any WritableKeyPath<SamplingOptions, Int> & Sendable
        ) throws {
            guard let value = try fields.number(key, in: range) else { return }
            // Negative values turn the limit off, as in llama.cpp and vLLM.
            changes.append { $0[keyPath: field] = max(0, value) }
        }
        try number(.temperature, in: 0...2, \.temperature)
        if let topP = try fields.number(.topP, in: 0.0...1.0) {
            // So does a value that single precision cannot tell from 0.
            if Float(topP) == 0 { isGreedy = true } else { changes.append { $0.topP = Float(topP) } }
        }
        try whole(.topK, in: -1...1_000_000, \.topK)
        try number(.minP, in: 0...1, \.minP)
        try number(.repeatPenalty, in: 0.01...10, \.repeatPenalty)
        if let window = try fields.number(.repeatWindow, in: -1...TextLimits.penaltyWindow) {
            // Negative values mean the longest window, as in llama.cpp and Ollama.
            changes.append { $0.repeatWindow = window < 0 ? TextLimits.penaltyWindow : window }
        }
        try number(.presencePenalty, in: -2...2, \.presencePenalty)
        try number(.frequencyPenalty, in: -2...2, \.frequencyPenalty)
        try number(.topNSigma, in: -1...100, \.topNSigma)
        try number(.xtcProbability, in: 0...1, \.xtcProbability)
        try number(.xtcThreshold, in: 0...1, \.xtcThreshold)
        try number(.dryMultiplier, in: 0...100, \.dryMultiplier)
        try number(.dryBase, in: 1...10, \.dryBase)
        try whole(.dryAllowedLength, in: 1...1000, \.dryAllowedLength)
        try number(.typicalP, in: 0.001...1, \.typicalP)
        changes.append { $0.topNSigma = max(0, $0.topNSigma) }
        let bias = try Self.bias(fields.value(.logitBias))
        if !bias.isEmpty { changes.append { $0.logitBias = bias } }
        let seed = try fields.number(.seed, in: Int64.min...Int64.max).map { UInt64(bitPattern: $0) }
        changes.append { $0.seed = seed }
    }

    /// Reads OpenAI's object from token ids to biases.
    private static func bias(_ value: JSONValue) throws -> [TokenID: Float] {
        switch value {
        // Some clients send an empty array for none.
        case .null, .array([]): return [:]
        case .object(let entries):
            var bias: [TokenID: Float] = [:]
            for (name, value) in entries {
                // Another spelling, such as "01", could name a token twice.
                guard let id = TokenID(name), id >= 0, String(id) == name else {
                    throw HTTPFailure.field(
                        "logit_bias", "has the key \(name.debugDescription), which is not a token id.")
                }
                guard case .number(let number) = value, (-100...100).contains(number) else {
                    throw HTTPFailure.field("logit_bias.\(id)", "must be a number from -100 to 100.")
                }
                bias[id] = Float(number)
            }
            return bias
        default:
            throw HTTPFailure.field(
                "logit_bias", "must be an object from token ids to numbers, but is \(value.kind).")
        }
    }

    /// The model's defaults, overridden by the given fields.
    package func options(_ defaults: SamplingOptions) -> SamplingOptions {
        var options = defaults
        for change in changes { change(&options) }
        if isGreedy { options.temperature = 0 }
        return options
    }
}
