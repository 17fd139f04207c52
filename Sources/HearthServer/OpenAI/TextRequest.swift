internal import HearthSafety
package import HearthText

/// What both kinds of completion have in common: how much to write and how to choose.
package struct TextOptions: Decodable, Sendable {
    var model: String?
    package var stream: Bool
    package var includesUsage: Bool
    package var maximumTokens: Int?
    package var temperature: Float?
    var topP: Float?
    package var seed: UInt64?
    package var stop: [String]
    /// Whether the answer is to pass the filter of stories; nil leaves it to the server.
    var filters: Bool?
    /// For the filter; nil where the request does not say.
    var language: FilterLanguage?

    /// Most strings that end a text, as with OpenAI.
    static let mostStops = 4

    private enum Keys: String, CodingKey {
        case model, stream, temperature, seed, stop, n, tools, functions, logprobs, suffix, echo
        case streamOptions = "stream_options"
        case maxTokens = "max_tokens"
        case maxCompletionTokens = "max_completion_tokens"
        case topP = "top_p"
        case topLogprobs = "top_logprobs"
        case bestOf = "best_of"
        case frequencyPenalty = "frequency_penalty"
        case presencePenalty = "presence_penalty"
        case logitBias = "logit_bias"
        case responseFormat = "response_format"
        case filter = "hearth_filter"
        case language = "hearth_language"
    }
    private struct StreamOptions: Decodable {
        var include_usage: Bool?
    }
    private struct ResponseFormat: Decodable, Equatable {
        var type: String
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
        temperature = try fields.number(.temperature, in: 0.0...2.0).map { Float($0) }
        topP = try fields.number(.topP, in: 0.0...1.0).map { Float($0) }
        seed = try fields.number(.seed, in: Int64.min...Int64.max).map { UInt64(bitPattern: $0) }
        stop = try Self.strings(fields, .stop)
        guard stop.count <= Self.mostStops else {
            throw HTTPFailure.field("stop", "has too many strings. Send at most \(Self.mostStops).")
        }
        filters = try fields.decodeIfPresent(Bool.self, forKey: .filter)
        if let tag = try fields.decodeIfPresent(String.self, forKey: .language) {
            guard let language = FilterLanguage(tag: tag) else { throw FilterLanguage.unknown("hearth_language") }
            self.language = language
        }
        try Self.refuseOthers(fields)
    }

    /// Refused, not ignored: a client that asks for them would take the answer for another one.
    private static func refuseOthers(_ fields: KeyedDecodingContainer<Keys>) throws {
        for key in [Keys.n, .bestOf] { try fields.refuse(key, unless: 1) }
        for key in [Keys.frequencyPenalty, .presencePenalty] { try fields.refuse(key, unless: 0.0) }
        for key in [Keys.logprobs, .echo] { try fields.refuse(key, unless: false) }
        for key in [Keys.tools, .functions] { try fields.refuse(key, unless: [String]()) }
        try fields.refuse(.topLogprobs, unless: 0)
        try fields.refuse(.logitBias, unless: [String: Int]())
        try fields.refuse(.suffix, unless: "")
        try fields.refuse(.responseFormat, unless: ResponseFormat(type: "text"))
    }

    private static func strings(_ fields: KeyedDecodingContainer<Keys>, _ key: Keys) throws -> [String] {
        guard fields.contains(key), try !fields.decodeNil(forKey: key) else { return [] }
        if let one = try? fields.decode(String.self, forKey: key) { return [one] }
        return try fields.decode([String].self, forKey: key)
    }

    /// The model's own settings with the given ones in their place.
    func sampling(_ defaults: SamplingOptions) -> SamplingOptions {
        var options = defaults
        if let temperature { options.temperature = temperature }
        // Nothing reaches 0: the likeliest token alone.
        if let topP, topP > 0 { options.topP = topP }
        if topP == 0 { options.temperature = 0 }
        options.seed = seed
        return options
    }
}

/// `POST /v1/chat/completions`.
package struct ChatRequest: Decodable, Sendable {
    package var options: TextOptions
    package var messages: [ChatMessage]

    /// Most messages of a conversation.
    static let mostMessages = 1024

    private enum Keys: String, CodingKey { case messages }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(from: decoder)
        let fields = try decoder.container(keyedBy: Keys.self)
        let sent = try fields.decode([Message].self, forKey: .messages)
        guard (1...Self.mostMessages).contains(sent.count) else {
            throw HTTPFailure.field("messages", "has to hold from 1 to \(Self.mostMessages) messages.")
        }
        messages = sent.map { ChatMessage(role: $0.role, content: $0.content) }
    }

    private struct Message: Decodable {
        var role: ChatRole
        var content: String

        private enum Keys: String, CodingKey { case role, content }
        private struct Part: Decodable {
            var type: String
            var text: String?
        }

        init(from decoder: any Decoder) throws {
            let place = decoder.codingPath.last?.intValue.map { "messages[\($0)]" } ?? "messages"
            let fields = try decoder.container(keyedBy: Keys.self)
            guard let role = ChatRole(name: try fields.decode(String.self, forKey: .role)) else {
                throw HTTPFailure.field(place + ".role", "has to be system, developer, user or assistant.")
            }
            self.role = role
            if let text = try? fields.decode(String.self, forKey: .content) {
                content = text
                return
            }
            let parts = try fields.decode([Part].self, forKey: .content)
            content = try parts.map { part in
                guard part.type == "text", let text = part.text else {
                    throw HTTPFailure.field(place + ".content", "may hold text only.")
                }
                return text
            }.joined()
        }
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
    var options: TextOptions
    var prompt: Prompt

    /// As with OpenAI, where the request does not say.
    static let defaultTokens = 16

    private enum Keys: String, CodingKey { case prompt }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(from: decoder)
        let fields = try decoder.container(keyedBy: Keys.self)
        if let text = try? fields.decode(String.self, forKey: .prompt) {
            prompt = .text(text)
        } else if let texts = try? fields.decode([String].self, forKey: .prompt) {
            guard texts.count == 1, let text = texts.first else {
                throw HTTPFailure.field("prompt", "has to be one text. Send others in requests of their own.")
            }
            prompt = .text(text)
        } else if let tokens = try? fields.decode([TokenID].self, forKey: .prompt) {
            prompt = .tokens(tokens)
        } else if fields.contains(.prompt) {
            throw HTTPFailure.field("prompt", "has to be a string, or an array of token ids.")
        } else {
            throw HTTPFailure.field("prompt", "is missing.")
        }
    }
}
