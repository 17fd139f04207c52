package import HearthText

/// Converts a session's transcript to chat messages. A plain value: entries in, messages out.
///
/// | entry | message |
/// |---|---|
/// | instructions | system; several are joined |
/// | prompt | user; consecutive ones are joined |
/// | response | assistant |
/// | reasoning | none: a model does not read its earlier reasoning |
/// | tool calls | assistant, together with the response before them; calls without output are left out |
/// | tool output | tool; in the order of the calls |
package enum SessionTranscript {
    /// An entry, independent of the framework's types.
    package enum Entry: Sendable, Equatable {
        case instructions(String)
        case prompt(String)
        case response(String)
        case reasoning
        case toolCalls([ToolCall])
        /// - Parameters:
        ///   - id: the call's; any other is matched by the tool's name, in the order of the calls.
        ///   - tool: the tool's name.
        case toolOutput(id: String, tool: String, String)
        /// Any other kind, by name.
        case other(String)
    }

    /// Converts entries to messages.
    /// - Throws: `SystemModelError` for unsupported entries, for output without its call, and if the last message is neither a
    ///   prompt nor the output of a tool.
    package static func messages(_ entries: [Entry]) throws(SystemModelError) -> [ChatMessage] {
        var writing = Writing()
        for entry in entries { try writing.add(entry) }
        writing.finishCalls()
        guard let role = writing.messages.last?.role, role == .user || role == .tool else { throw .noPrompt }
        guard !writing.instructions.isEmpty else { return writing.messages }
        return [ChatMessage(role: .system, content: writing.instructions.joined(separator: "\n\n"))] + writing.messages
    }

    private struct Writing {
        var instructions: [String] = []
        var messages: [ChatMessage] = []
        /// Calls of the current round, with the outputs that have been read.
        private var calls: [(call: ToolCall, output: String?)] = []

        mutating func add(_ entry: Entry) throws(SystemModelError) {
            switch entry {
            case .instructions(let text): if !text.isEmpty { instructions.append(text) }
            case .prompt(let text): append(text, .user)
            case .response(let text): append(text, .assistant)
            case .reasoning: break
            case .toolCalls(let made):
                // Without outputs in between, these calls belong to the same round.
                if calls.contains(where: { $0.output != nil }) { finishCalls() }
                calls += made.map { ($0, nil) }
            case .toolOutput(let id, let tool, let text):
                let waiting = calls.indices.filter { calls[$0].output == nil }
                guard
                    let index = waiting.first(where: { calls[$0].call.id == id })
                        ?? waiting.first(where: { calls[$0].call.name == tool })
                else { throw .unsupportedEntry(kind: "output of the tool \(tool), without its call") }
                calls[index].output = text
            case .other(let kind): throw .unsupportedEntry(kind: kind)
            }
        }

        /// Ends a round of calls. A chat needs the output of each call, so those that failed or were cancelled are left out.
        mutating func finishCalls() {
            let answered = calls.filter { $0.output != nil }
            calls = []
            guard !answered.isEmpty else { return }
            let made = answered.map(\.call)
            if let last = messages.last, last.role == .assistant {
                messages[messages.count - 1].calls = made
            } else {
                messages.append(ChatMessage(calls: made))
            }
            messages += answered.map { ChatMessage(result: $0.output ?? "", of: $0.call.name) }
        }

        private mutating func append(_ text: String, _ role: ChatRole) {
            finishCalls()
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
