internal import HearthSafety
package import HearthText
import HearthTokenizer

/// What both kinds of completion have in common: how much to write and how to choose.
package struct TextOptions: Decodable, Sendable {
    var model: String?
    package var stream: Bool
    package var includesUsage: Bool
    package var maximumTokens: Int?
    package var choice: SamplingFields
    package var stop: [String]
    /// How many likely tokens are told with each token; nil for none, and nothing of the token itself.
    package var likelihoods: Int?
    /// How many answers are wanted.
    package var answers: Int
    /// Whether the model is asked to think first.
    package var thinks: Bool
    /// Whether the answer is to pass the filter of stories; nil leaves it to the server.
    var filters: Bool?
    /// For the filter; nil where the request does not say.
    var language: FilterLanguage?
    /// What the text has to be; nil for any text.
    var constraint: ConstraintFields.Wish?
    /// Functions that the model may call; nil for none.
    var tools: ToolRules?

    /// Most strings that end a text, as with OpenAI.
    package static let mostStops = 4
    /// Most answers to one request.
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

    package init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        model = try fields.decodeIfPresent(String.self, forKey: .model)
        stream = try fields.decodeIfPresent(Bool.self, forKey: .stream) ?? false
        includesUsage =
            try fields.decodeIfPresent(StreamOptions.self, forKey: .streamOptions)?.include_usage ?? false
        let newer = try fields.number(.maxCompletionTokens, in: 1...1_000_000)
        let older = try fields.number(.maxTokens, in: 1...1_000_000)
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

    /// The functions that a chat offers. An answer of a given form is one that calls nothing.
    mutating func take(_ rules: ToolRules?) throws(HTTPFailure) {
        tools = rules
        guard let rules, let constraint else { return }
        if case .grammar = constraint.constraint {
            throw .field(
                constraint.field, #"cannot go together with 'tools'. Send one of them, or "tool_choice":"none"."#)
        }
        // Where calls have to come, there is no other answer.
        if rules.choice == .auto { tools?.answer = constraint.constraint }
    }

    /// A chat has `logprobs` true or false and `top_logprobs` beside it, a completion `logprobs` as a number: both forms are
    /// taken, since clients mix them up.
    private static func likelihoods(_ fields: KeyedDecodingContainer<Keys>) throws -> Int? {
        let top = try fields.number(.topLogprobs, in: 0...20)
        let wanted: Int?
        switch try fields.value(.logprobs) {
        case .null, .bool(false): wanted = nil
        case .bool(true): wanted = top ?? 0
        case .number: wanted = try fields.number(.logprobs, in: 0...20)
        case let value:
            throw HTTPFailure.field("logprobs", "has to be true, false or a number, and is \(value.kind).")
        }
        if wanted == nil, let top, top > 0 {
            throw HTTPFailure.field("top_logprobs", "needs \"logprobs\": true beside it.")
        }
        return wanted
    }

    /// vLLM's and llama.cpp's `{"enable_thinking": true}`.
    private static func thinks(_ value: JSONValue) throws -> Bool {
        guard case .object(let options) = value else {
            if value == .null { return false }
            throw HTTPFailure.field("chat_template_kwargs", "has to be an object, and is \(value.kind).")
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
                "chat_template_kwargs.enable_thinking", "has to be true or false, and is \(value.kind).")
        }
    }

    static func stops(_ value: JSONValue) throws -> [String] {
        let expected = "has to be a string or an array of strings, and "
        switch value {
        case .null: return []
        case .string(let text): return [text]
        case .array(let values):
            return try values.enumerated().map { index, value in
                if case .string(let text) = value { return text }
                throw HTTPFailure.field("stop[\(index)]", "has to be a string, and is \(value.kind).")
            }
        case let value: throw HTTPFailure.field("stop", expected + "is \(value.kind).")
        }
    }

    /// The model's own settings with the given ones in their place.
    package func sampling(_ defaults: SamplingOptions) -> SamplingOptions { choice.options(defaults) }

    /// What the model is to do.
    /// - Parameters:
    ///   - tokens: most tokens of an answer where the request does not say.
    ///   - answer: which one of several; each has a seed of its own.
    /// - Throws: `HTTPFailure` for a bias of what is no token of the model.
    func generation(_ model: TextModel, defaultTokens tokens: Int, answer: Int) throws -> TextGenerator.Options {
        var options = TextGenerator.Options(
            maximumTokens: maximumTokens ?? tokens, sampling: sampling(model.samplingDefaults))
        (options.stop, options.likelihoods) = (stop, likelihoods)
        options.constraint = constraint?.constraint
        options.thinks = thinks
        let count = model.tokenizer.vocabulary.count
        if let bad = options.sampling.logitBias.keys.filter({ Int($0) >= count }).min() {
            throw HTTPFailure.field(
                "logit_bias", "has the key \(bad), which is no token: they go from 0 to \(count - 1).")
        }
        options.sampling.seed = options.sampling.seed.map { $0 &+ UInt64(answer) }
        return options
    }
}

/// `POST /v1/completions`.
package struct CompletionRequest: Decodable, Sendable {
    /// What is to be continued.
    enum Prompt: Sendable, Equatable {
        case text(String)
        case tokens([TokenID])

        /// nil for tokens.
        var text: String? { if case .text(let text) = self { text } else { nil } }
    }
    package var options: TextOptions
    var prompt: Prompt

    /// As with OpenAI, where the request does not say.
    static let defaultTokens = 16

    private enum Keys: String, CodingKey { case prompt }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(from: decoder)
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refusedInCompletions)
        let fields = try decoder.container(keyedBy: Keys.self)
        switch try fields.value(.prompt) {
        case .null: throw HTTPFailure.field("prompt", "is missing.")
        case .string(let text): prompt = .text(text)
        case .array(let values): prompt = try Self.prompt(values)
        case let value:
            throw HTTPFailure.field("prompt", "has to be a string, or an array of token ids, and is \(value.kind).")
        }
    }

    private static func prompt(_ values: [JSONValue]) throws -> Prompt {
        if case .string(let text) = values.first {
            guard values.count == 1 else {
                throw HTTPFailure.field("prompt", "has to be one text. Send others in requests of their own.")
            }
            return .text(text)
        }
        return .tokens(
            try values.enumerated().map { index, value in
                if case .number(let number) = value, let token = TokenID(exactly: number) { return token }
                throw HTTPFailure.field("prompt[\(index)]", "has to be a token's id, and is \(value.text.prefix(64)).")
            })
    }
}
