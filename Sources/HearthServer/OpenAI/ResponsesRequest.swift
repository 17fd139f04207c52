internal import HearthGrammar
package import HearthText

/// `POST /v1/responses`, without stored conversations: each request contains its whole conversation.
package struct ResponsesRequest: Decodable, Sendable {
    package var options: TextOptions
    package var messages: [ChatMessage]
    var instructions: String?

    /// Refused fields, with the values that have no effect and are accepted.
    package static let refused: [String: [JSONValue]] = [
        "previous_response_id": [], "conversation": [], "prompt": [], "background": [false],
        "include": [[]], "truncation": ["disabled"], "max_tool_calls": [], "response_format": [], "messages": [],
        "logprobs": [false], "top_logprobs": [0], "echo": [false], "context_management": [[]],
    ]

    /// The same for the fields of `reasoning`.
    private static let refusedInReasoning: [String: [JSONValue]] = [
        "effort": ["none"], "summary": [], "generate_summary": [],
    ]

    private enum Keys: String, CodingKey {
        case input, instructions, text, reasoning
        case maxTokens = "max_output_tokens"
    }

    package init(from decoder: any Decoder) throws {
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), Self.refused)
        try Self.check(reasoning: decoder)
        options = try TextOptions(from: decoder)
        let fields = try decoder.container(keyedBy: Keys.self)
        if let most = try fields.number(.maxTokens, in: 1...1_000_000) { options.maximumTokens = most }
        options.constraint = try Self.form(fields.value(.text), OrderedBody.of(decoder)) ?? options.constraint
        try options.take(ToolFields.rules(decoder, isFlat: true))
        guard options.answers == 1 else { throw HTTPFailure.field("n", "must be 1: a response is one answer.") }
        switch try fields.value(.instructions) {
        case .null: break
        case .string(let text): instructions = text
        case let value: throw HTTPFailure.field("instructions", "must be a string, but is \(value.kind).")
        }
        messages = try Self.messages(fields.value(.input))
        if let instructions { messages.insert(ChatMessage(role: .system, content: instructions), at: 0) }
    }

    /// Refuses `reasoning` unless nothing in it has an effect.
    private static func check(reasoning decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        guard try fields.value(.reasoning) != .null else { return }
        try RequestFields.check(
            try fields.nestedContainer(keyedBy: JSONValue.Name.self, forKey: .reasoning), refusedInReasoning,
            in: "reasoning.")
    }

    private static func form(_ value: JSONValue, _ body: OrderedBody) throws(HTTPFailure) -> ConstraintFields.Wish? {
        switch value {
        case .null: return nil
        case .object(let fields):
            if let other = fields.keys.filter({ $0 != "format" && $0 != "verbosity" }).min() {
                throw .field("text.\(other)", "asks for something that this server does not support. Leave it out.")
            }
            guard [.null, "medium"].contains(fields["verbosity"] ?? .null) else {
                throw .field(
                    "text.verbosity", #"asks for what this server does not have. Leave it out, or send "medium"."#)
            }
            guard let format = fields["format"], format != .null else { return nil }
            return try ConstraintFields.format(format, body, at: ["text", "format"])
        default: throw .field("text", "must be an object, but is \(value.kind).")
        }
    }

    // MARK: - Input

    private static func messages(_ input: JSONValue) throws(HTTPFailure) -> [ChatMessage] {
        switch input {
        case .string(let text): return [ChatMessage(role: .user, content: text)]
        case .array(let items):
            guard (1...ChatRequest.mostMessages).contains(items.count) else {
                throw .field("input", "must contain from 1 to \(ChatRequest.mostMessages) items.")
            }
            var messages: [ChatMessage] = []
            var ids: [String?] = []
            for (index, item) in items.enumerated() {
                guard let (message, id) = try message(item, "input[\(index)]") else { continue }
                // The tool calls of one answer are separate items.
                if let calls = message.calls, messages.last?.calls != nil {
                    messages[messages.count - 1].calls? += calls
                } else {
                    messages.append(message)
                    ids.append(id)
                }
            }
            return try ToolFields.named(messages, ids, "input", "call_id")
        default:
            throw .field("input", "must be a string or an array, but is \(input == .null ? "missing" : input.kind).")
        }
    }

    /// nil for an item that is not passed to the model.
    private static func message(_ item: JSONValue, _ place: String) throws(HTTPFailure) -> (ChatMessage, String?)? {
        guard case .object(let fields) = item else {
            throw .field(place, "must be an object, but is \(item.kind).")
        }
        func string(_ name: String) throws(HTTPFailure) -> String {
            guard case .string(let text)? = fields[name] else {
                throw .field("\(place).\(name)", "must be a string, but is \(fields[name]?.kind ?? "missing").")
            }
            return text
        }
        switch fields["type"] ?? "message" {
        case "reasoning": return nil
        case "message":
            guard let role = ChatRole(name: try string("role")), role != .tool else {
                throw .field(place + ".role", "must be system, developer, user or assistant.")
            }
            let content = try text(fields["content"] ?? .null, place + ".content")
            return (ChatMessage(role: role, content: content), nil)
        case "function_call":
            for name in ["name", "arguments"] { _ = try string(name) }
            return (ChatMessage(calls: [try ToolFields.call(try string("call_id"), fields, place)]), nil)
        case "function_call_output":
            let output = try text(fields["output"] ?? .null, place + ".output")
            return (ChatMessage(role: .tool, content: output), try string("call_id"))
        case let type:
            throw .field(
                place + ".type",
                "must be message, function_call or function_call_output, but is \(type.text.prefix(64)).")
        }
    }

    private static func text(_ content: JSONValue, _ place: String) throws(HTTPFailure) -> String {
        switch content {
        case .string(let text): return text
        case .array(let parts):
            var result = ""
            for (index, part) in parts.enumerated() {
                guard case .object(let fields) = part, case .string(let text)? = fields["text"],
                    ["input_text", "output_text", "text"].contains(fields["type"] ?? .null)
                else {
                    throw .field(
                        "\(place)[\(index)]",
                        #"must look like {"type":"input_text","text":"Hello"}: text alone is read."#)
                }
                result += text
            }
            return result
        default:
            throw .field(place, "must be a string or an array of text parts, but is \(content.kind).")
        }
    }
}
