internal import HearthSafety
package import HearthText

/// What both kinds of completion have in common: how much to write and how to choose.
package struct TextOptions: Decodable, Sendable {
    var model: String?
    package var stream: Bool
    package var includesUsage: Bool
    package var maximumTokens: Int?
    package var temperature: Float?
    package var topP: Float?
    var topK: Int?
    var minP: Float?
    var repeatPenalty: Float?
    var repeatWindow: Int?
    package var seed: UInt64?
    package var stop: [String]
    /// Whether the answer is to pass the filter of stories; nil leaves it to the server.
    var filters: Bool?
    /// For the filter; nil where the request does not say.
    var language: FilterLanguage?

    /// Most strings that end a text, as with OpenAI.
    package static let mostStops = 4

    private enum Keys: String, CodingKey {
        case model, stream, temperature, seed, stop
        case streamOptions = "stream_options"
        case maxTokens = "max_tokens"
        case maxCompletionTokens = "max_completion_tokens"
        case topP = "top_p"
        case topK = "top_k"
        case minP = "min_p"
        case repeatPenalty = "repeat_penalty"
        case repeatWindow = "repeat_last_n"
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
        temperature = try fields.number(.temperature, in: 0.0...2.0).map { Float($0) }
        topP = try fields.number(.topP, in: 0.0...1.0).map { Float($0) }
        // Anything below nothing means all, as with llama.cpp and vLLM.
        topK = try fields.number(.topK, in: -1...1_000_000).map { max(0, $0) }
        minP = try fields.number(.minP, in: 0.0...1.0).map { Float($0) }
        repeatPenalty = try fields.number(.repeatPenalty, in: 0.01...10.0).map { Float($0) }
        repeatWindow = try fields.number(.repeatWindow, in: 0...TextLimits.penaltyWindow)
        seed = try fields.number(.seed, in: Int64.min...Int64.max).map { UInt64(bitPattern: $0) }
        stop = try Self.stops(fields)
        guard stop.count <= Self.mostStops else {
            throw HTTPFailure.field("stop", "has too many strings. Send at most \(Self.mostStops).")
        }
        filters = try fields.decodeIfPresent(Bool.self, forKey: .filter)
        if let tag = try fields.decodeIfPresent(String.self, forKey: .language) {
            guard let language = FilterLanguage(tag: tag) else { throw FilterLanguage.unknown("hearth_language") }
            self.language = language
        }
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refused)
    }

    private static func stops(_ fields: KeyedDecodingContainer<Keys>) throws -> [String] {
        let expected = "has to be a string or an array of strings, and "
        switch try fields.value(.stop) {
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
    package func sampling(_ defaults: SamplingOptions) -> SamplingOptions {
        var options = defaults
        if let temperature { options.temperature = temperature }
        // Nothing reaches 0: the likeliest token alone.
        if let topP, topP > 0 { options.topP = topP }
        if topP == 0 { options.temperature = 0 }
        if let topK { options.topK = topK }
        if let minP { options.minP = minP }
        if let repeatPenalty { options.repeatPenalty = repeatPenalty }
        if let repeatWindow { options.repeatWindow = repeatWindow }
        options.seed = seed
        return options
    }
}

/// `POST /v1/chat/completions`.
package struct ChatRequest: Decodable, Sendable {
    package var options: TextOptions
    package var messages: [ChatMessage]

    /// Most messages of a conversation.
    package static let mostMessages = 1024

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

        init(from decoder: any Decoder) throws {
            let place = decoder.codingPath.last?.intValue.map { "messages[\($0)]" } ?? "messages"
            let fields = try decoder.container(keyedBy: Keys.self)
            guard let role = ChatRole(name: try fields.decode(String.self, forKey: .role)) else {
                throw HTTPFailure.field(place + ".role", "has to be system, developer, user or assistant.")
            }
            self.role = role
            try RequestFields.check(
                try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refusedInMessages, in: place + ".")
            guard fields.contains(.content) else { throw HTTPFailure.field(place + ".content", "is missing.") }
            content = try Self.text(try fields.value(.content), place + ".content")
        }

        private static func text(_ content: JSONValue, _ place: String) throws -> String {
            switch content {
            case .string(let text): return text
            case .array(let parts):
                return try parts.enumerated().map { index, part in try partText(part, "\(place)[\(index)]") }.joined()
            default:
                throw HTTPFailure.field(
                    place, "has to be a string or an array of text parts, and is \(content.kind).")
            }
        }

        private static func partText(_ part: JSONValue, _ place: String) throws -> String {
            guard case .object(let fields) = part else {
                throw HTTPFailure.field(
                    place, #"has to be a part such as {"type":"text","text":"Hello"}, and is \#(part.kind)."#)
            }
            guard fields["type"] == .string("text") else {
                let sent = fields["type"].map { ", and is \($0.text.prefix(64))" } ?? ", and is missing"
                throw HTTPFailure.field(
                    place + ".type", #"has to be "text": this server reads no pictures, sound or files"# + sent + ".")
            }
            guard case .string(let text) = fields["text"] else {
                throw HTTPFailure.field(
                    place + ".text", "has to be a string, and is \(fields["text"]?.kind ?? "missing").")
            }
            return text
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
    package var options: TextOptions
    var prompt: Prompt

    /// As with OpenAI, where the request does not say.
    static let defaultTokens = 16

    private enum Keys: String, CodingKey { case prompt }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(from: decoder)
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
