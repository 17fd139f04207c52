package import HearthRuntime
package import HearthText
internal import HearthTokenizer
internal import Synchronization

/// A session's request: the conversation, and what the answer may be. A plain value, independent of the framework's types.
package struct SessionRequest: Sendable, Equatable {
    /// Whether the model may call tools.
    package enum ToolMode: Sendable, Equatable {
        case allowed
        /// At least one call.
        case required
        case disallowed
    }

    package var entries: [SessionTranscript.Entry]
    package var options: SessionTranscript.Options
    /// The tools that may be called; their parameters as `SessionSchema.ordered` returns them.
    package var tools: [ToolDefinition]
    package var toolMode: ToolMode
    /// The schema of the answer, as the framework encodes it; nil for text.
    package var schema: String?
    /// Whether the prompt contains the schema. It constrains the answer in either case.
    package var showsSchema: Bool

    package init(
        _ entries: [SessionTranscript.Entry], options: SessionTranscript.Options = .init(),
        tools: [ToolDefinition] = [], toolMode: ToolMode = .allowed, schema: String? = nil, showsSchema: Bool = true
    ) {
        (self.entries, self.options, self.tools) = (entries, options, tools)
        (self.toolMode, self.schema, self.showsSchema) = (toolMode, schema, showsSchema)
    }

    /// How many times in a row the model may call tools where calls are allowed; then it has to answer. As in `ChatSession`.
    package static let mostRounds = 8

    /// What the model reads, and what it may write.
    package struct Plan: Sendable, Equatable {
        package var messages: [ChatMessage]
        /// The tools declared in the prompt.
        package var declared: ToolRules?
        /// The constraint on calls and text; nil if nothing can be called.
        package var rules: ToolRules?
        /// The constraint on an answer that can call nothing.
        package var constraint: TextConstraint?
    }

    /// Decides what the model reads, and what it may write.
    /// - Throws: `SystemModelError` for a transcript that is not supported; `TextError` for a schema that is not JSON, and for
    ///   the name of a tool that is not allowed or not unique.
    package func plan() throws -> Plan {
        var plan = Plan(messages: try SessionTranscript.messages(entries))
        let rounds = plan.messages.reversed().prefix { $0.role != .user }.count { $0.calls != nil }
        let answer = try schema.map { json throws(TextError) in try SessionSchema.answer(json) }
        plan.constraint = answer.map(TextConstraint.jsonSchema)
        if let answer, showsSchema, let prompt = plan.messages.lastIndex(where: { $0.role == .user }) {
            plan.messages[prompt].content += "\n\nAnswer in JSON that follows this JSON Schema:\n" + answer
        }
        guard !tools.isEmpty, toolMode != .disallowed else { return plan }
        try checkNames()
        plan.declared = ToolRules(tools, choice: toolMode == .required ? .required : .auto)
        if toolMode == .allowed, rounds >= Self.mostRounds {
            // The tools stay declared, so that the prompt begins as before.
            if answer == nil { plan.rules = ToolRules(tools, choice: .none) }
            return plan
        }
        plan.rules = plan.declared
        if toolMode == .allowed { plan.rules?.answer = plan.constraint }
        plan.constraint = nil
        return plan
    }

    private func checkNames() throws(TextError) {
        var names: Set<String> = []
        for tool in tools {
            guard ToolDefinition.isName(tool.name) else {
                throw .invalidOption(
                    name: "a tool's name", value: tool.name, allowed: "letters, digits, '_' and '-', at most 64")
            }
            guard names.insert(tool.name).inserted else {
                throw .invalidOption(name: "a tool's name", value: tool.name, allowed: "different from others'")
            }
        }
    }

    /// Encodes the prompt in the model's chat format.
    /// - Throws: as `plan`; `TextError` if the model has no chat format or cannot express the conversation.
    package func progress(_ model: TextModel) throws -> TextProgress {
        guard let template = model.chatTemplate else {
            throw TextError.noChatTemplate(
                file: model.path, architecture: model.configuration.architecture.rawValue)
        }
        let format = ToolFormat(template, model.tokenizer.vocabulary)
        var plan = try self.plan()
        plan.declared?.format = format
        plan.rules?.format = format
        var options = self.options.options(model.samplingDefaults)
        options.tools = plan.rules
        options.constraint = plan.constraint
        return TextProgress(
            prompt: try template.encode(plan.messages, model.tokenizer, tools: plan.declared), options: options)
    }

    /// Generates the answer. Cancelling the task stops the model.
    /// - Parameters:
    ///   - id: the beginning of the calls' identifiers; unique for each request.
    ///   - send: receives the events in order; `.usage` is the last one.
    /// - Throws: as `progress`, and as `TextSession.events`; `CancellationError`.
    package nonisolated(nonsending) func answer(
        by runner: ModelRunner<TextEngine>, id: String,
        _ send: nonisolated(nonsending) (SessionAnswer.Event) async -> Void
    ) async throws {
        let rules = Mutex<ToolRules?>(nil)
        let session = TextSession(runner: runner) { model in
            let progress = try self.progress(model)
            rules.withLock { $0 = progress.options.tools }
            return progress
        }
        var answer: SessionAnswer?
        for try await event in session.events() {
            // A call that was begun must not be run: not even one that was written before the model heard of the cancellation.
            try Task.checkCancellation()
            var reading = answer ?? SessionAnswer(rules.withLock { $0 }, id: id)
            switch event {
            case .token(_, let text):
                for event in reading.token(text) { await send(event) }
            case .finished(let summary, let text):
                for event in reading.finish(text, summary) { await send(event) }
                return
            default: continue
            }
            answer = reading
        }
        // The stream ends without a summary if the task was cancelled.
        throw CancellationError()
    }
}
