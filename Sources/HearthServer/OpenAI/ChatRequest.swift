package import HearthText

/// `POST /v1/chat/completions`.
package struct ChatRequest: Decodable, Sendable {
    package var options: TextOptions
    package var messages: [ChatMessage]

    /// Maximum number of messages in a conversation.
    package static let mostMessages = 1024

    private enum Keys: String, CodingKey { case messages }

    package init(from decoder: any Decoder) throws {
        options = try TextOptions(from: decoder)
        try options.take(ToolFields.rules(decoder))
        try RequestFields.check(try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refusedInChats)
        let fields = try decoder.container(keyedBy: Keys.self)
        let sent = try fields.decode([Message].self, forKey: .messages)
        guard (1...Self.mostMessages).contains(sent.count) else {
            throw HTTPFailure.field("messages", "must contain from 1 to \(Self.mostMessages) messages.")
        }
        messages = try ToolFields.named(sent.map(\.message), sent.map(\.callID))
    }

    private struct Message: Decodable {
        var message: ChatMessage
        /// ID of the tool call that the message is the result of.
        var callID: String?

        private enum Keys: String, CodingKey {
            case role, content, name
            case calls = "tool_calls"
            case callID = "tool_call_id"
        }

        init(from decoder: any Decoder) throws {
            let place = decoder.codingPath.last?.intValue.map { "messages[\($0)]" } ?? "messages"
            let fields = try decoder.container(keyedBy: Keys.self)
            guard let role = ChatRole(name: try fields.decode(String.self, forKey: .role)) else {
                throw HTTPFailure.field(place + ".role", "must be system, developer, user, assistant or tool.")
            }
            try RequestFields.check(
                try decoder.container(keyedBy: JSONValue.Name.self), RequestFields.refusedInMessages, in: place + ".")
            let calls = try ToolFields.calls(fields.value(.calls), place + ".tool_calls")
            if calls != nil, role != .assistant {
                throw HTTPFailure.field(place + ".tool_calls", "belongs to messages of the assistant.")
            }
            let content = try fields.value(.content)
            // An assistant's message may have null content, and none at all if it calls tools.
            let isSilent = content == .null && role == .assistant && (calls != nil || fields.contains(.content))
            guard fields.contains(.content) || isSilent else {
                throw HTTPFailure.field(place + ".content", "is missing.")
            }
            message = ChatMessage(role: role, content: isSilent ? "" : try Self.text(content, place + ".content"))
            message.calls = calls
            guard role == .tool else { return }
            switch try fields.value(.callID) {
            case .null: break
            case .string(let id): callID = id
            case let other:
                throw HTTPFailure.field(place + ".tool_call_id", "must be a string, but is \(other.kind).")
            }
            if case .string(let name) = try fields.value(.name), ToolDefinition.isName(name) { message.toolName = name }
        }

        private static func text(_ content: JSONValue, _ place: String) throws -> String {
            switch content {
            case .string(let text): return text
            case .array(let parts):
                return try parts.enumerated().map { index, part in try partText(part, "\(place)[\(index)]") }.joined()
            default:
                throw HTTPFailure.field(
                    place, "must be a string or an array of text parts, but is \(content.kind).")
            }
        }

        private static func partText(_ part: JSONValue, _ place: String) throws -> String {
            guard case .object(let fields) = part else {
                throw HTTPFailure.field(
                    place, #"must be a part such as {"type":"text","text":"Hello"}, but is \#(part.kind)."#)
            }
            guard fields["type"] == .string("text") else {
                let sent = fields["type"].map { ", but is \($0.text.prefix(64))" } ?? ", but is missing"
                throw HTTPFailure.field(
                    place + ".type", #"must be "text": this server reads no images, sound or files"# + sent + ".")
            }
            guard case .string(let text) = fields["text"] else {
                throw HTTPFailure.field(
                    place + ".text", "must be a string, but is \(fields["text"]?.kind ?? "missing").")
            }
            return text
        }
    }
}
