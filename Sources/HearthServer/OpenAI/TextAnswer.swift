/// Answers of both kinds of completion, whole and in pieces, as OpenAI's clients read them.
struct TextAnswer: Sendable {
    enum Kind: Sendable { case chat, completion }

    var kind: Kind
    var id: String
    /// Seconds since 1970.
    var created: Int
    var model: String

    struct Usage: Encodable, Sendable, Equatable {
        var promptTokens: Int
        var completionTokens: Int

        private enum Keys: String, CodingKey {
            case prompt = "prompt_tokens"
            case completion = "completion_tokens"
            case total = "total_tokens"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(promptTokens, forKey: .prompt)
            try container.encode(completionTokens, forKey: .completion)
            try container.encode(promptTokens + completionTokens, forKey: .total)
        }
    }

    private struct Message: Encodable {
        var role: String?
        var content: String?
    }
    private struct Choice: Encodable {
        var text: String?
        var message: Message?
        var delta: Message?
        var finishReason: String?

        private enum Keys: String, CodingKey {
            case index, text, message, delta, logprobs
            case finishReason = "finish_reason"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(0, forKey: .index)
            try container.encodeIfPresent(text, forKey: .text)
            try container.encodeIfPresent(message, forKey: .message)
            try container.encodeIfPresent(delta, forKey: .delta)
            try container.encodeNil(forKey: .logprobs)
            try container.encode(finishReason, forKey: .finishReason)
        }
    }
    private struct Object: Encodable {
        var id: String
        var object: String
        var created: Int
        var model: String
        var choices: [Choice]
        var usage: Usage?
    }

    private func object(_ choices: [Choice], isPiece: Bool, usage: Usage?) -> Object {
        let name = kind == .completion ? "text_completion" : isPiece ? "chat.completion.chunk" : "chat.completion"
        return Object(id: id, object: name, created: created, model: model, choices: choices, usage: usage)
    }

    /// The whole answer.
    func whole(_ text: String, finish: String, usage: Usage) -> some Encodable {
        let choice =
            kind == .chat
            ? Choice(message: Message(role: "assistant", content: text), finishReason: finish)
            : Choice(text: text, finishReason: finish)
        return object([choice], isPiece: false, usage: usage)
    }

    /// A piece of it, as an event; the first one of a chat says who speaks.
    func piece(_ text: String, isFirst: Bool = false) -> [UInt8] {
        let choice =
            kind == .chat
            ? Choice(delta: Message(role: isFirst ? "assistant" : nil, content: text)) : Choice(text: text)
        return ServerEvent.data(object([choice], isPiece: true, usage: nil))
    }

    /// The piece that says how it ended.
    func end(_ finish: String) -> [UInt8] {
        let choice =
            kind == .chat
            ? Choice(delta: Message(), finishReason: finish) : Choice(text: "", finishReason: finish)
        return ServerEvent.data(object([choice], isPiece: true, usage: nil))
    }

    /// The piece that has the figures and no choice.
    func figures(_ usage: Usage) -> [UInt8] { ServerEvent.data(object([], isPiece: true, usage: usage)) }
}

/// Server-sent events (HTML Living Standard, section 9.2), as bytes.
enum ServerEvent {
    static let type = "text/event-stream"
    static let headers = [(name: "Cache-Control", value: "no-store"), (name: "X-Accel-Buffering", value: "no")]
    static let done = Array("data: [DONE]\n\n".utf8)

    /// JSON is one line, so that it needs no further care.
    static func data(_ value: some Encodable) -> [UInt8] {
        Array("data: ".utf8) + JSONText.bytes(value) + Array("\n\n".utf8)
    }

    /// The same with a name.
    static func named(_ name: String, _ value: some Encodable) -> [UInt8] {
        Array("event: \(name)\n".utf8) + data(value)
    }

    /// Says nothing, and keeps the connection awake.
    static let comment = Array(": \n\n".utf8)
    /// The same, of a text that is waited for.
    static let waiting = Array(": waiting\n\n".utf8)

    /// A whole answer made of events begins with this.
    static var head: ServerResponse { ServerResponse(type: type, headers: headers, body: []) }
}
