internal import HearthText

/// Responses of both kinds of completion, whole and streamed, in OpenAI's format.
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
        /// Prompt tokens that were taken from the cache.
        var cachedTokens = 0

        /// Adds an answer. A prompt counts once: later answers to it find what the first one cached.
        mutating func add(_ other: Usage, isSamePrompt: Bool) {
            if !isSamePrompt {
                promptTokens += other.promptTokens
                cachedTokens += other.cachedTokens
            }
            completionTokens += other.completionTokens
        }

        private struct Details: Encodable { var cached_tokens: Int }
        private enum Keys: String, CodingKey {
            case prompt = "prompt_tokens"
            case completion = "completion_tokens"
            case total = "total_tokens"
            case details = "prompt_tokens_details"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(promptTokens, forKey: .prompt)
            try container.encode(completionTokens, forKey: .completion)
            try container.encode(promptTokens + completionTokens, forKey: .total)
            try container.encode(Details(cached_tokens: cachedTokens), forKey: .details)
        }
    }

    private struct Message: Encodable {
        var role: String?
        var content: String?
        /// The model's thinking, under the name that llama.cpp and vLLM use.
        var reasoning: String?
        var calls: [ToolCallField]?
        /// Whether an absent `content` is written as null.
        var isWhole = false

        private enum CodingKeys: String, CodingKey {
            case role, content
            case reasoning = "reasoning_content"
            case calls = "tool_calls"
        }

        func encode(to encoder: any Encoder) throws {
            var fields = encoder.container(keyedBy: CodingKeys.self)
            try fields.encodeIfPresent(role, forKey: .role)
            if isWhole || content != nil { try fields.encode(content, forKey: .content) }
            try fields.encodeIfPresent(reasoning, forKey: .reasoning)
            try fields.encodeIfPresent(calls, forKey: .calls)
        }
    }
    private struct Choice: Encodable {
        var index = 0
        var text: String?
        var message: Message?
        var delta: Message?
        var logprobs: LogprobsField?
        var finishReason: String?

        private enum Keys: String, CodingKey {
            case index, text, message, delta, logprobs
            case finishReason = "finish_reason"
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(index, forKey: .index)
            try container.encodeIfPresent(text, forKey: .text)
            try container.encodeIfPresent(message, forKey: .message)
            try container.encodeIfPresent(delta, forKey: .delta)
            try container.encode(logprobs, forKey: .logprobs)
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

    /// One complete answer of a response.
    struct Whole: Sendable {
        var text = ""
        var thought = ""
        var calls: [ToolCallField] = []
        /// nil unless requested.
        var logprobs: [TokenLogprob]?
        var finish = ""

        mutating func add(_ piece: TextWriting.Piece) {
            text += piece.text
            thought += piece.thought
            logprobs?.append(contentsOf: piece.logprobs ?? [])
            for event in piece.calls {
                switch event {
                case .began(_, let name): calls.append(ToolCallField(beginning: name, index: nil))
                case .arguments(let call, let text): calls[call].function.arguments += text
                case .text, .ended: break
                }
            }
        }
    }

    /// The complete response.
    func whole(_ answers: [Whole], usage: Usage) -> some Encodable {
        let choices = answers.enumerated().map { index, answer in
            let logprobs = answer.logprobs.map { LogprobsField(tokens: $0, isChat: kind == .chat) }
            let thought = answer.thought.isEmpty ? nil : answer.thought
            return kind == .chat
                ? Choice(
                    index: index,
                    message: Message(
                        role: "assistant", content: answer.calls.isEmpty || !answer.text.isEmpty ? answer.text : nil,
                        reasoning: thought, calls: answer.calls.isEmpty ? nil : answer.calls, isWhole: true),
                    logprobs: logprobs, finishReason: answer.finish)
                : Choice(index: index, text: answer.text, logprobs: logprobs, finishReason: answer.finish)
        }
        return object(choices, isPiece: false, usage: usage)
    }

    /// The first event of a chat answer, with the role.
    /// - Parameter mayCall: whether the answer may consist of tool calls alone.
    func opening(_ index: Int, mayCall: Bool) -> [UInt8] {
        let message = Message(role: "assistant", content: mayCall ? nil : "", isWhole: mayCall)
        let choice = Choice(index: index, delta: message)
        return ServerEvent.data(object([choice], isPiece: true, usage: nil))
    }

    /// A piece of an answer, as an event.
    /// - Parameter offset: number of characters before its first token in the answer.
    func piece(_ piece: TextWriting.Piece, _ index: Int, offset: Int) -> [UInt8] {
        let logprobs = piece.logprobs.map { LogprobsField(tokens: $0, isChat: kind == .chat, offset: offset) }
        let thought = piece.thought.isEmpty ? nil : piece.thought
        let choice =
            kind == .chat
            ? Choice(
                index: index,
                delta: Message(content: piece.text.isEmpty ? nil : piece.text, reasoning: thought), logprobs: logprobs)
            : Choice(index: index, text: piece.text, logprobs: logprobs)
        return ServerEvent.data(object([choice], isPiece: true, usage: nil))
    }

    /// A piece of a tool call, as an event; nil if there is nothing to send.
    func call(_ event: ToolCallReader.Event, _ index: Int) -> [UInt8]? {
        let call: ToolCallField
        switch event {
        case .text, .ended: return nil
        case .began(let number, let name): call = ToolCallField(beginning: name, index: number)
        case .arguments(let number, let text): call = ToolCallField(continuing: text, index: number)
        }
        return ServerEvent.data(
            object([Choice(index: index, delta: Message(calls: [call]))], isPiece: true, usage: nil))
    }

    /// The event with the finish reason.
    func end(_ finish: String, _ index: Int) -> [UInt8] {
        let choice =
            kind == .chat
            ? Choice(index: index, delta: Message(), finishReason: finish)
            : Choice(index: index, text: "", finishReason: finish)
        return ServerEvent.data(object([choice], isPiece: true, usage: nil))
    }

    /// The event with the usage and no choices.
    func figures(_ usage: Usage) -> [UInt8] { ServerEvent.data(object([], isPiece: true, usage: usage)) }
}

/// Server-sent events (HTML Living Standard, section 9.2), as bytes.
enum ServerEvent {
    static let type = "text/event-stream"
    static let headers = [(name: "Cache-Control", value: "no-store"), (name: "X-Accel-Buffering", value: "no")]
    static let done = Array("data: [DONE]\n\n".utf8)

    /// An event without a name; JSON is a single line and needs no escaping.
    static func data(_ value: some Encodable) -> [UInt8] {
        Array("data: ".utf8) + JSONText.bytes(value) + Array("\n\n".utf8)
    }

    /// The same with a name.
    static func named(_ name: String, _ value: some Encodable) -> [UInt8] {
        Array("event: \(name)\n".utf8) + data(value)
    }

    /// A comment that keeps the connection alive.
    static let comment = Array(": \n\n".utf8)
    /// The same, for a text that is not written yet.
    static let waiting = Array(": waiting\n\n".utf8)

    /// The head of a streamed response.
    static var head: ServerResponse { ServerResponse(type: type, headers: headers, body: []) }
}
