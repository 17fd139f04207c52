package import HearthText

/// Converts a session's transcript to chat messages. A plain value: entries in, messages out.
///
/// | entry | message |
/// |---|---|
/// | instructions | system; several are joined |
/// | prompt | user; consecutive ones are joined |
/// | response | assistant |
/// | reasoning | none: a model does not read its earlier reasoning |
/// | tool calls and tool output | refused: the model does not list tools in its capabilities |
package enum SessionTranscript {
    /// An entry, independent of the framework's types.
    package enum Entry: Sendable, Equatable {
        case instructions(String)
        case prompt(String)
        case response(String)
        case reasoning
        /// Any other kind, by name.
        case other(String)
    }

    /// Converts entries to messages.
    /// - Throws: `SystemModelError` for unsupported entries, and if the last message is not a prompt.
    package static func messages(_ entries: [Entry]) throws(SystemModelError) -> [ChatMessage] {
        var instructions: [String] = []
        var messages: [ChatMessage] = []
        for entry in entries {
            switch entry {
            case .instructions(let text): if !text.isEmpty { instructions.append(text) }
            case .prompt(let text): append(text, .user)
            case .response(let text): append(text, .assistant)
            case .reasoning: break
            case .other(let kind): throw .unsupportedEntry(kind: kind)
            }
        }
        guard messages.last?.role == .user else { throw .noPrompt }
        guard !instructions.isEmpty else { return messages }
        return [ChatMessage(role: .system, content: instructions.joined(separator: "\n\n"))] + messages

        func append(_ text: String, _ role: ChatRole) {
            guard messages.last?.role == role else { return messages.append(ChatMessage(role: role, content: text)) }
            messages[messages.count - 1].content += "\n\n" + text
        }
    }

    /// The sampling options of a session; nil for the model's default.
    package struct Options: Sendable, Equatable {
        package var temperature: Double?
        package var maximumTokens: Int?
        package var isGreedy: Bool

        package init(temperature: Double? = nil, maximumTokens: Int? = nil, isGreedy: Bool = false) {
            (self.temperature, self.maximumTokens, self.isGreedy) = (temperature, maximumTokens, isGreedy)
        }

        /// The default limit of an answer, in tokens.
        private static let maximumTokens = 1024

        /// Converts them to Hearth's options.
        /// - Parameter defaults: the model's default options.
        package func options(_ defaults: SamplingOptions) -> TextGenerator.Options {
            var sampling = defaults
            if let temperature, temperature >= 0, temperature.isFinite { sampling.temperature = Float(temperature) }
            if isGreedy { sampling.temperature = 0 }
            return TextGenerator.Options(
                maximumTokens: max(1, maximumTokens ?? Self.maximumTokens), sampling: sampling)
        }
    }
}
