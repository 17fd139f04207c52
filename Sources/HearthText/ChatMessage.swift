/// Who speaks.
public enum ChatRole: String, Codable, Sendable {
    /// Instructions for the whole conversation.
    case system
    /// The person.
    case user
    /// The model.
    case assistant

    /// Reads a role by any of its usual names (`developer` is system, `model` is assistant); nil for others.
    public init?(name: String) {
        switch name {
        case "system", "developer": self = .system
        case "user": self = .user
        case "assistant", "model": self = .assistant
        default: return nil
        }
    }
}

/// One turn of a conversation.
public struct ChatMessage: Codable, Equatable, Sendable {
    /// Who speaks.
    public var role: ChatRole
    /// What is said: plain text, in which markers have no power.
    public var content: String

    /// A turn.
    public init(role: ChatRole, content: String) {
        self.role = role
        self.content = content
    }
}
