/// The author of a message.
public enum ChatRole: String, Codable, Sendable {
    /// Instructions for the whole conversation.
    case system
    /// The person.
    case user
    /// The model.
    case assistant
    /// The result of a function that the model called.
    case tool

    /// The role for one of its usual names (`developer` is system, `model` is assistant); nil for others.
    public init?(name: String) {
        switch name {
        case "system", "developer": self = .system
        case "user": self = .user
        case "assistant", "model": self = .assistant
        case "tool": self = .tool
        default: return nil
        }
    }
}

/// One message of a conversation.
public struct ChatMessage: Codable, Equatable, Sendable {
    /// The author.
    public var role: ChatRole
    /// Plain text; control markers in it have no effect.
    public var content: String
    /// The functions that the model called; nil if none.
    package var calls: [ToolCall]?
    /// The function that returned `content`; nil for other messages.
    package var toolName: String?

    /// Creates a message.
    public init(role: ChatRole, content: String) {
        self.role = role
        self.content = content
    }

    /// Creates an assistant message that calls functions, with any accompanying text.
    package init(calls: [ToolCall], content: String = "") {
        self.init(role: .assistant, content: content)
        self.calls = calls
    }

    /// Creates a message with the result of a function.
    package init(result: String, of tool: String) {
        self.init(role: .tool, content: result)
        toolName = tool
    }
}
