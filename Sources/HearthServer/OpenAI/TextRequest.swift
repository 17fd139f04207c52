internal import HearthSafety
package import HearthText
import HearthTokenizer

/// The options that both kinds of completion share.
package struct TextOptions: Decodable, Sendable {
    var model: String?
    package var stream: Bool
    package var includesUsage: Bool
    package var maximumTokens: Int?
    package var choice: SamplingFields
    package var stop: [String]
    /// Number of alternatives listed with each token; nil for no log probabilities at all.
    package var likelihoods: Int?
    /// Number of answers.
    package var answers: Int
    /// Whether the model thinks before it answers.
    package var thinks: Bool
    /// Whether the answer passes the story filter; nil for the server's setting.
    var filters: Bool?
    /// Language for the filter; nil if the request names none.
    var language: FilterLanguage?
    /// Constraint on the text; nil for none.
    var constraint: ConstraintFields.Wish?
    /// Functions that the model may call; nil for none.
    var tools: ToolRules?

    /// Maximum number of stop strings, as in OpenAI's API.
    package static let mostStops = 4
    /// Maximum number of answers to one request.
    package static let mostAnswers = 16

    private enum Keys: String, CodingKey {
        case model, stream, stop, n, logprobs
        case topLogprobs = "top_logprobs"
        case templateOptions = "chat_template_kwargs"
        case streamOptions = "stream_options"
        case maxTokens = "max_tokens"
        case maxCompletionTokens = "max_completion_tokens"
        case filter = "hearth_filter"
        case language = "hearth_language"
    }
    private struct StreamOptions: Decodable {
        var include_usage: Bool?
    }

    package init(from decoder: any Decoder) throws { try self.init(from: decoder, leastTokens: 1) }

    /// - Parameter leastTokens: smallest value of `max_tokens`.
    init(from decoder: any Decoder, leastTokens: Int) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        model = try fields.decodeIfPresent(String.self, forKey: .model)
        stream = try fields.decodeIfPresent(Bool.self, forKey: .stream) ?? false
        includesUsage =
            try fields.decodeIfPresent(StreamOptions.self, forKey: .streamOptions)?.include_usage ?? false
        let newer = try fields.number(.maxCompletionTokens, in: leastTokens...1_000_000)
        let older = try fields.number(.maxTokens, in: leastTokens...1_000_000)
        maximumTokens = newer ?? older
        choice = try SamplingFields(from: decoder)
        likelihoods = try Self.likelihoods(fields)
        answers = try fields.number(.n, in: 1...Self.mostAnswers) ?? 1
        thinks = try Self.thinks(fields.value(.templateOptions))
        stop = try Self.stops(fields.value(.stop))
        guard stop.count <= Self.mostStops else {
            throw HTTPFailure.field("stop", "has too many strings. Send at most \(Self.mostStops).")
        }
        filters = try fields.decodeIfPresent(Bool.self, forKey: .filter)
        if let tag = try fields.decodeIfPresent(String.self, forKey: .language) {
            guard let language = FilterLanguage(tag: tag) else { throw FilterLanguage.unknown("hearth_language") }
            self.language = language
        }
        constraint = try ConstraintFields.wish(decoder)
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refused)
    }

    /// Sets the tools of a chat. A constraint then applies to answers that call none.
    mutating func take(_ rules: ToolRules?) throws(HTTPFailure) {
        tools = rules
        guard let rules, let constraint else { return }
        if case .grammar = constraint.constraint {
            throw .field(
                constraint.field, #"cannot be combined with 'tools'. Send one of them, or "tool_choice":"none"."#)
        }
        // If a call is required, there is no other answer to constrain.
        if rules.choice == .auto { tools?.answer = constraint.constraint }
    }

    /// Chats send `logprobs` as a Boolean with `top_logprobs`, completions as a number; both forms are accepted, since
    /// clients mix them up.
    private static func likelihoods(_ fields: KeyedDecodingContainer<Keys>) throws -> Int? {
        let top = try fields.number(.topLogprobs, in: 0...20)
        let wanted: Int?
        switch try fields.value(.logprobs) {
        case .null, .bool(false): wanted = nil
        case .bool(true): wanted = top ?? 0
        case .number: wanted = try fields.number(.logprobs, in: 0...20)
        case let value:
            throw HTTPFailure.field("logprobs", "must be true, false or a number, but is \(value.kind).")
        }
        if wanted == nil, let top, top > 0 {
            throw HTTPFailure.field("top_logprobs", "requires \"logprobs\": true.")
        }
        return wanted
    }

    /// Reads vLLM's and llama.cpp's `{"enable_thinking": true}`.
    private static func thinks(_ value: JSONValue) throws -> Bool {
        guard case .object(let options) = value else {
            if value == .null { return false }
            throw HTTPFailure.field("chat_template_kwargs", "must be an object, but is \(value.kind).")
        }
        if let other = options.keys.filter({ $0 != "enable_thinking" }).min() {
            throw HTTPFailure.field(
                "chat_template_kwargs", "has \(other.debugDescription), which this server does not have.")
        }
        switch options["enable_thinking"] {
        case nil, .null, .bool(false): return false
        case .bool(true): return true
        case .some(let value):
            throw HTTPFailure.field(
                "chat_template_kwargs.enable_thinking", "must be true or false, but is \(value.kind).")
        }
    }

    static func stops(_ value: JSONValue) throws -> [String] {
        let expected = "must be a string or an array of strings, but "
        switch value {
        case .null: return []
        case .string(let text): return [text]
        case .array(let values):
            return try values.enumerated().map { index, value in
                if case .string(let text) = value { return text }
                throw HTTPFailure.field("stop[\(index)]", "must be a string, but is \(value.kind).")
            }
        case let value: throw HTTPFailure.field("stop", expected + "is \(value.kind).")
        }
    }

    /// The model's defaults, overridden by the request.
    package func sampling(_ defaults: SamplingOptions) -> SamplingOptions { choice.options(defaults) }

    /// The options for the generator.
    /// - Parameters:
    ///   - tokens: maximum number of tokens if the request names none.
    ///   - answer: index of the answer; each one has its own seed.
    /// - Throws: `HTTPFailure` for a bias on a token id that the model does not have.
    func generation(_ model: TextModel, defaultTokens tokens: Int, answer: Int) throws -> TextGenerator.Options {
        var options = TextGenerator.Options(
            maximumTokens: maximumTokens ?? tokens, sampling: sampling(model.samplingDefaults))
        (options.stop, options.likelihoods) = (stop, likelihoods)
        options.constraint = constraint?.constraint
        options.thinks = thinks
        let count = model.tokenizer.vocabulary.count
        if let bad = options.sampling.logitBias.keys.filter({ Int($0) >= count }).min() {
            throw HTTPFailure.field(
                "logit_bias", "has the key \(bad), which is not a token id: ids go from 0 to \(count - 1).")
        }
        options.sampling.seed = options.sampling.seed.map { $0 &+ UInt64(answer) }
        return options
    }
}
