package import HearthText

/// Converts a model's answer to the events that a session expects, incrementally. A plain value.
package struct SessionAnswer: Sendable {
    package enum Event: Sendable, Equatable {
        /// A piece of the answer: text, or JSON if the request has a schema.
        case text(String, tokens: Int)
        /// A piece of a call's arguments, which are a JSON object; the first one begins the call.
        case arguments(call: String, tool: String, String, tokens: Int)
        /// A call that was begun and is not to be run: the answer ended within it.
        case retracted(call: String)
        /// The number of tokens; the last event.
        case usage(Usage)
    }

    package struct Usage: Sendable, Equatable {
        package var promptTokens: Int
        package var cachedTokens: Int
        package var generatedTokens: Int
        /// Whether the answer consists of calls, without text.
        package var isOfCalls: Bool

        package init(promptTokens: Int, cachedTokens: Int, generatedTokens: Int, isOfCalls: Bool) {
            (self.promptTokens, self.cachedTokens) = (promptTokens, cachedTokens)
            (self.generatedTokens, self.isOfCalls) = (generatedTokens, isOfCalls)
        }
    }

    private struct Call {
        var id: String
        var tool: String
        var isSent = false
        var hasEnded = false
    }

    private let id: String
    private var reader: ToolCallReader
    private var calls: [Call] = []
    private var hasText = false
    /// Tokens whose text is still held back; they are counted with the next piece.
    private var held = 0

    /// - Parameters:
    ///   - rules: the tools that may be called, in the model's format; nil if none.
    ///   - id: the beginning of the calls' identifiers.
    package init(_ rules: ToolRules?, id: String) {
        reader = ToolCallReader(rules)
        self.id = id
    }

    /// Converts the text that a token completes, which may be empty.
    package mutating func token(_ text: String) -> [Event] {
        held += 1
        return events(reader.feed(text))
    }

    /// Ends the answer.
    /// - Parameter text: what was held back until the end.
    package mutating func finish(_ text: String, _ summary: GenerationSummary) -> [Event] {
        var result = events(reader.feed(text) + reader.finish())
        for call in calls where call.isSent && !call.hasEnded { result.append(.retracted(call: call.id)) }
        let isOfCalls = !hasText && calls.contains { $0.hasEnded }
        result.append(
            .usage(
                Usage(
                    promptTokens: summary.promptTokens, cachedTokens: summary.cachedTokens,
                    generatedTokens: summary.generatedTokens, isOfCalls: isOfCalls)))
        return result
    }

    private mutating func events(_ read: [ToolCallReader.Event]) -> [Event] {
        var result: [Event] = []
        for event in read {
            switch event {
            case .text(let text):
                guard !text.isEmpty else { continue }
                hasText = true
                result.append(.text(text, tokens: takeHeld()))
            case .began(let call, let name): calls.append(Call(id: "\(id)-\(call)", tool: name))
            case .arguments(let call, let text):
                calls[call].isSent = true
                result.append(
                    .arguments(call: calls[call].id, tool: calls[call].tool, text, tokens: takeHeld()))
            case .ended(let call): calls[call].hasEnded = true
            }
        }
        return result
    }

    private mutating func takeHeld() -> Int {
        defer { held = 0 }
        return held
    }
}
