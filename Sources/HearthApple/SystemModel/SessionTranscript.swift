package import HearthText

/// A session's transcript as messages for Hearth's model. A plain value: entries in, messages out.
///
/// | entry | message |
/// |---|---|
/// | instructions | the system's; several are joined |
/// | prompt | the user's; several in a row are joined |
/// | response | the model's |
/// | reasoning | none: a model does not read its earlier thoughts |
/// | calls of tools and what they gave back | refused: the model does not say that it can call any |
package enum SessionTranscript {
    /// An entry, without the framework's types.
    package enum Entry: Sendable, Equatable {
        case instructions(String)
        case prompt(String)
        case response(String)
        case reasoning
        /// Anything else, by its name.
        case other(String)
    }

    /// - Throws: `SystemModelError` for entries that are not passed on, and where the last message is not a prompt.
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

    /// What a session asks of sampling; nil leaves it to the model.
    package struct Options: Sendable, Equatable {
        package var temperature: Double?
        package var maximumTokens: Int?
        package var isGreedy: Bool

        package init(temperature: Double? = nil, maximumTokens: Int? = nil, isGreedy: Bool = false) {
            (self.temperature, self.maximumTokens, self.isGreedy) = (temperature, maximumTokens, isGreedy)
        }

        /// The default limit of an answer, in tokens.
        private static let maximumTokens = 1024

        /// As Hearth's model takes them.
        /// - Parameter defaults: of the model.
        package func options(_ defaults: SamplingOptions) -> TextGenerator.Options {
            var sampling = defaults
            if let temperature, temperature >= 0, temperature.isFinite { sampling.temperature = Float(temperature) }
            if isGreedy { sampling.temperature = 0 }
            return TextGenerator.Options(
                maximumTokens: max(1, maximumTokens ?? Self.maximumTokens), sampling: sampling)
        }
    }
}
