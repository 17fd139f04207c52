internal import HearthGrammar
package import HearthText

/// `POST /api/chat`.
package struct OllamaChatRequest: Decodable, Sendable {
    package var options: TextOptions
    /// Empty if the model is only to be loaded or unloaded.
    package var messages: [ChatMessage]
    var keeping: OllamaKeeping

    private enum Keys: String, CodingKey { case messages }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(ollama: decoder)
        try options.take(ToolFields.rules(decoder))
        keeping = try OllamaKeeping(from: decoder)
        let fields = try decoder.container(keyedBy: Keys.self)
        switch try fields.value(.messages) {
        case .null: messages = []
        case .array(let sent):
            guard sent.count <= ChatRequest.mostMessages else {
                throw HTTPFailure.field("messages", "holds too many. Send at most \(ChatRequest.mostMessages).")
            }
            let ordered = sent.isEmpty ? .array([]) : try OrderedBody.of(decoder).value(["messages"])
            var reader = OllamaMessages()
            messages = []
            if case .array(let documents) = ordered {
                for (index, (value, document)) in zip(sent, documents).enumerated() {
                    messages.append(try reader.message(value, document, "messages[\(index)]"))
                }
            }
        case let value: throw HTTPFailure.field("messages", "must be an array, but is \(value.kind).")
        }
    }
}

/// `POST /api/generate`.
package struct OllamaGenerateRequest: Decodable, Sendable {
    package var options: TextOptions
    /// Empty if the model is only to be loaded or unloaded.
    package var prompt: String
    package var system: String?
    /// Whether the prompt is continued as it is, without a chat template.
    package var isRaw: Bool
    var keeping: OllamaKeeping

    private enum Keys: String, CodingKey { case prompt, system, raw }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(ollama: decoder)
        keeping = try OllamaKeeping(from: decoder)
        let fields = try decoder.container(keyedBy: Keys.self)
        prompt = try fields.decodeIfPresent(String.self, forKey: .prompt) ?? ""
        let system = try fields.decodeIfPresent(String.self, forKey: .system) ?? ""
        self.system = system.isEmpty ? nil : system
        isRaw = try fields.decodeIfPresent(Bool.self, forKey: .raw) ?? false
        if isRaw, self.system != nil {
            throw HTTPFailure.field("system", "cannot be combined with \"raw\": true. Leave one of them out.")
        }
        if isRaw, options.thinks {
            throw HTTPFailure.field("think", "cannot be combined with \"raw\": true. Leave one of them out.")
        }
        // Tools and messages belong to chats; here they would be ignored.
        try RequestFields.check(
            try decoder.container(keyedBy: JSONValue.Name.self), ["tools": [[]], "messages": [[]]])
    }

    /// The equivalent conversation.
    var messages: [ChatMessage] {
        (system.map { [ChatMessage(role: .system, content: $0)] } ?? []) + [ChatMessage(role: .user, content: prompt)]
    }
}

/// `keep_alive`: models stay loaded until their memory is needed; only a duration of zero unloads one.
struct OllamaKeeping: Decodable, Sendable {
    /// Whether the model is to be unloaded.
    var ends: Bool

    private enum Keys: String, CodingKey { case time = "keep_alive" }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Keys.self)
        switch try fields.value(.time) {
        case .null: ends = false
        case .number(let seconds): ends = seconds == 0
        case .string(let text):
            guard text.wholeMatch(of: /-?(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+|-?[0-9]+/) != nil else {
                throw HTTPFailure.field("keep_alive", "must be a number of seconds, or a duration such as \"5m\".")
            }
            ends = !text.contains { "123456789".contains($0) }
        case let value: throw HTTPFailure.field("keep_alive", "must be a number or a string, but is \(value.kind).")
        }
    }
}

/// Reads messages in order: a tool result that names neither its function nor a call belongs to the oldest call without
/// a result.
private struct OllamaMessages {
    private var waiting: [ToolCall] = []

    /// - Parameter document: the same value, with its fields in the order sent.
    mutating func message(
        _ value: JSONValue, _ document: JSONDocument, _ place: String
    ) throws(HTTPFailure) -> ChatMessage {
        guard case .object(let fields) = value else {
            throw .field(place, "must be an object, but is \(value.kind).")
        }
        guard case .string(let name)? = fields["role"], let role = ChatRole(name: name) else {
            throw .field(place + ".role", "must be system, user, assistant or tool.")
        }
        if let images = fields["images"], images != .null, images != .array([]) {
            throw .field(place + ".images", "asks for something that this server does not support: it reads no images.")
        }
        let calls = try calls(fields["tool_calls"] ?? .null, document["tool_calls"], place + ".tool_calls")
        if calls != nil, role != .assistant {
            throw .field(place + ".tool_calls", "belongs to messages of the assistant.")
        }
        var message = ChatMessage(role: role, content: "")
        switch fields["content"] ?? .null {
        case .string(let text): message.content = text
        case .null where role == .assistant: break
        case let other: throw .field(place + ".content", "must be a string, but is \(other.kind).")
        }
        message.calls = calls
        if let calls { waiting = calls }
        if role == .tool { message.toolName = try function(fields, place) }
        return message
    }

    /// The name of the function that a message is the result of.
    private mutating func function(_ fields: [String: JSONValue], _ place: String) throws(HTTPFailure) -> String {
        for field in ["tool_name", "name"] {
            guard let sent = fields[field], sent != .null, sent != "" else { continue }
            guard case .string(let name) = sent, ToolDefinition.isName(name) else {
                throw .field("\(place).\(field)", "must be the name of a function.")
            }
            waiting.firstIndex { $0.name == name }.map { _ = waiting.remove(at: $0) }
            return name
        }
        if case .string(let id)? = fields["tool_call_id"], let index = waiting.firstIndex(where: { $0.id == id }) {
            return waiting.remove(at: index).name
        }
        guard !waiting.isEmpty else {
            throw .field(place + ".tool_name", "is missing, and no call waits for a result.")
        }
        return waiting.removeFirst().name
    }

    private func calls(
        _ value: JSONValue, _ document: JSONDocument?, _ place: String
    ) throws(HTTPFailure) -> [ToolCall]? {
        if value == .null || value == .array([]) { return nil }
        guard case .array(let values) = value, case .array(let documents)? = document else {
            throw .field(place, "must be an array, but is \(value.kind).")
        }
        var calls: [ToolCall] = []
        for (index, (value, document)) in zip(values, documents).enumerated() {
            let place = "\(place)[\(index)].function"
            guard case .object(let fields) = value, case .object(let function)? = fields["function"] else {
                throw .field(place, #"must look like {"name":"f","arguments":{}}."#)
            }
            guard case .string(let name)? = function["name"], ToolDefinition.isName(name) else {
                throw .field(place + ".name", "must be the name of a function.")
            }
            let arguments = document["function"]?["arguments"] ?? .object([])
            guard case .object = arguments else { throw .field(place + ".arguments", "must be an object.") }
            var id = ""
            if case .string(let text)? = fields["id"] { id = text }
            calls.append(ToolCall(id: id, name: name, arguments: arguments.text))
        }
        return calls
    }
}
