public import HearthRuntime
internal import HearthSystem
public import HearthTokenizer
internal import Synchronization

/// A conversation with one model, turn by turn. The KV cache of earlier turns is reused.
///
///     let chat = ChatSession(runner: runner, instructions: "Answer briefly.")
///     for try await event in chat.respond(to: "Why is the sky blue?") {
///         if case .text(let text) = event { print(text, terminator: "") }
///     }
///
/// Each prompt is the whole conversation in the model's chat template, so an answer is the one that a newly loaded model would
/// give to the same messages. Prompt tokens that are already in the KV cache are not computed again: usually all earlier turns,
/// and after ``undo()`` or ``regenerate(options:pace:)`` the longest common prefix. Models with sliding-window attention keep
/// local layers for their window only; if a conversation goes back further than that, it is recomputed.
///
/// Only one answer can be in progress. An answer that is interrupted, by ``cancel()`` or by ending the iteration, is kept as
/// far as it came; one that failed or produced nothing leaves the conversation unchanged.
public actor ChatSession {
    /// An event of an answer's stream.
    public enum Event: Sendable, Equatable {
        /// A message for the user: the conversation outgrew the context, or was begun with another model.
        case notice(String)
        /// Likelihood of the next token; only if requested by `TextGenerator.Options.likelihoods`.
        case likelihood(TokenLikelihood)
        /// A token was generated.
        case token(TokenID)
        /// Reasoning text from before the answer; not part of the answer, and not kept.
        case thought(String)
        /// A piece of the answer; the concatenated pieces are the answer.
        case text(String)
        /// The model calls a tool; `arguments` is a JSON object.
        case calling(tool: String, arguments: String)
        /// What the model receives for a call: the tool's result, or `{"error":"…"}`.
        case result(tool: String, String)
        /// The model was unloaded; the answer resumes when it is loaded again.
        case paused
        /// Always the last event of a stream that did not throw.
        case finished(GenerationSummary)
    }

    private let runner: ModelRunner<TextEngine>
    private var conversation: Conversation
    /// `TextModel.identity` of the model that answered last.
    private var model: String?
    /// A KV cache file that has not been read yet.
    private var restores: KVCacheSnapshot?
    private var current: Answering?
    private var thinks = false
    private let tools: ChatTools

    /// Creates a conversation, empty or with earlier messages.
    /// - Parameters:
    ///   - instructions: the system prompt.
    ///   - messages: user and assistant messages in turn, ending with an answer.
    ///   - tools: functions that the model may call while it answers.
    ///   - toolRounds: maximum number of tool-calling answers per message; after that the model must answer in text. All of
    ///     them have to fit into the context.
    ///   - review: checks every text sent to a tool or received from one, for conversations with children. Returns the text (a
    ///     result may be changed), or nil to withhold it. An `OutputFilter` can be used.
    public init(
        runner: ModelRunner<TextEngine>, instructions: String? = nil, messages: [ChatMessage] = [],
        tools: [any ChatTool] = [], toolRounds: Int = 8, review: (@Sendable (String) -> String?)? = nil
    ) {
        self.runner = runner
        self.tools = ChatTools(tools, rounds: toolRounds, review: review)
        conversation = Conversation(instructions: instructions, messages: messages)
    }

    /// Restores a conversation written by ``save(to:)``. With the same model its saved KV cache is loaded instead of
    /// recomputed; with another model only the text is restored, and the first answer's stream says so.
    /// - Throws: `TextError` if the file is missing, damaged or not a conversation.
    public init(
        restoring path: String, runner: ModelRunner<TextEngine>, tools: [any ChatTool] = [], toolRounds: Int = 8,
        review: (@Sendable (String) -> String?)? = nil
    ) throws {
        self.tools = ChatTools(tools, rounds: toolRounds, review: review)
        let file = ConversationFile(path: path)
        guard let content = try file.read() else {
            throw TextError.unreadableConversation(file: path, reason: "there is no such file")
        }
        self.runner = runner
        conversation = content.conversation
        model = content.model
        restores = KVCacheSnapshot(path: file.keys)
    }

    /// All messages so far, user and assistant in turn.
    public var messages: [ChatMessage] { conversation.messages }
    /// The system prompt.
    public var instructions: String? { conversation.instructions }
    /// Changes the system prompt, from the next answer on.
    package func setInstructions(_ text: String?) { conversation.instructions = text }
    /// Sets whether a reasoning model thinks before it answers.
    package func setThinks(_ thinks: Bool) { self.thinks = thinks }

    // MARK: - Answers

    /// Streams the model's answer to a message. Ending the iteration, or cancelling the surrounding task, stops the model.
    /// - Parameters:
    ///   - options: generation options; the seed applies to each answer separately.
    ///   - pace: generation speed; may be changed while the answer is running.
    /// - Returns: a stream that throws `RunnerError` if the model cannot be loaded, `FileError` if a file is damaged or has
    ///   changed, and `TextError` if the model has no chat template, the message is too long, an option, a constraint or a
    ///   tool cannot be used, or an answer is already in progress.
    public nonisolated func respond(
        to message: String, options: TextGenerator.Options = .init(), pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        stream { try await $0.answer(ChatMessage(role: .user, content: message), options, pace, $1) }
    }

    /// Replaces the answer to the last message with a new one.
    /// - Returns: as ``respond(to:options:pace:)``; also throws `TextError.invalidConversation` if there is no message yet.
    public nonisolated func regenerate(
        options: TextGenerator.Options = .init(), pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        stream { try await $0.answer(nil, options, pace, $1) }
    }

    /// Stops the answer in progress, if any; its stream ends with a summary that says `.cancelled`.
    public func cancel() { current?.cancel() }

    /// Removes the last message and its answer.
    /// - Returns: the message; nil if there is none, or an answer is in progress.
    @discardableResult public func undo() -> String? {
        guard current == nil, let index = conversation.messages.lastIndex(where: { $0.role == .user }) else {
            return nil
        }
        let message = conversation.messages[index].content
        conversation.rewind(to: index)
        return message
    }

    private nonisolated func stream(
        _ write: @escaping @Sendable (ChatSession, @escaping @Sendable (Event) -> Void) async throws -> Void
    ) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await write(self) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// - Parameter message: nil to answer the last message again.
    private func answer(
        _ message: ChatMessage?, _ options: TextGenerator.Options, _ pace: GenerationPace?,
        _ yield: @escaping @Sendable (Event) -> Void
    ) async throws {
        guard current == nil else { throw TextError.conversationBusy }
        var draft = conversation
        if let message {
            draft.attempt = 0
            draft.messages.append(message)
        } else {
            guard let question = draft.messages.lastIndex(where: { $0.role == .user }) else {
                throw TextError.invalidConversation(.noUserMessage)
            }
            draft.messages.removeSubrange((question + 1)...)
            draft.attempt += 1
        }
        defer { current = nil }
        for round in 0... {
            // A constrained answer calls no tools.
            let rules = options.constraint == nil ? try tools.rules(round: round) : nil
            let answering = Answering(draft, options, rules, model: model, thinks: thinks, yield)
            current = answering
            if round == 0 { await restoreKeys() }
            let text = TextSession(fitting: runner) { try answering.begin($0) }
            let said = try await answering.follow(text.events(pace: pace, listener: answering.listener))
            draft = answering.conversation.withLock { $0 }
            if said.summary.stop == .end, !said.calls.isEmpty {
                do {
                    let results = try await answering.results(of: said.calls, tools)
                    // Cancelled just when the results were there: the next round would not know.
                    if answering.isCancelled { throw CancellationError() }
                    draft.messages.append(ChatMessage(calls: said.calls, content: said.text ?? ""))
                    draft.messages += results
                    model = answering.model
                    continue
                } catch is CancellationError {
                    // Drop the whole turn: calls without results are not a valid conversation.
                    return yield(.finished(said.summary.cancelled))
                }
            }
            if let text = said.text {
                // Keep instructions that were changed while the answer was running.
                let instructions = conversation.instructions
                conversation = draft
                conversation.instructions = instructions
                conversation.messages.append(ChatMessage(role: .assistant, content: text))
                model = answering.model
            }
            // Sent last, so that its receiver sees the updated conversation.
            return yield(.finished(said.summary))
        }
    }

    /// Returns an answer decoded into a type. The output is constrained to the type's schema, and no tools are called. State in
    /// the message what you want.
    /// - Parameter options: generation options; the constraint is replaced by that of the type (``TextSchema``).
    /// - Returns: the value; the conversation keeps its JSON.
    /// - Throws: as ``respond(to:options:pace:)``; `TextError.indescribableType`; `.undecodableAnswer` if the answer was cut
    ///   off by its length limit; `CancellationError`.
    public nonisolated func respond<Answer: Decodable & Sendable>(
        to message: String, generating type: Answer.Type, options: TextGenerator.Options = .init()
    ) async throws -> Answer {
        var options = options
        options.constraint = .jsonSchema(try TextSchema(of: type).json)
        var text = ""
        for try await event in respond(to: message, options: options) {
            switch event {
            case .text(let piece): text += piece
            case .finished(let summary) where summary.stop == .cancelled: throw CancellationError()
            default: break
            }
        }
        return try TextSchema.decode(type, text)
    }

    /// Streams partial values of an answer decoded into a type, and the complete value last.
    ///
    /// Each value is decoded from the text so far. The first one arrives when all members that are not optional are present;
    /// then arrays grow, optional members appear, and strings may become longer. Numbers appear when they are complete.
    /// - Returns: a stream that throws as `respond(to:generating:options:)`.
    public nonisolated func respond<Answer: Decodable & Sendable>(
        to message: String, streaming type: Answer.Type, options: TextGenerator.Options = .init()
    ) -> AsyncThrowingStream<Answer, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    var options = options
                    options.constraint = .jsonSchema(try TextSchema(of: type).json)
                    var (text, last) = ("", "")
                    for try await event in self.respond(to: message, options: options) {
                        switch event {
                        case .text(let piece):
                            text += piece
                            for json in PartialJSON(text).values {
                                guard json != last else { break }
                                guard let value = try? TextSchema.decode(type, json) else { continue }
                                last = json
                                continuation.yield(value)
                                break
                            }
                        case .finished(let summary) where summary.stop == .cancelled: throw CancellationError()
                        default: break
                        }
                    }
                    let whole = try TextSchema.decode(type, text)
                    if text != last { continuation.yield(whole) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    // MARK: - Files

    /// Saves the conversation, and its KV cache in `PATH.kv` if the model is loaded. Writes are atomic: after a crash there is
    /// either the old file or the new one.
    /// - Throws: `TextError.unwritableConversation`.
    public func save(to path: String) async throws {
        try saveText(to: path)
        guard current == nil else { return }
        let snapshot = KVCacheSnapshot(path: ConversationFile(path: path).keys)
        _ = try? await runner.withModel(waitingAtMost: .zero) { [conversation, thinks, tools] generator in
            guard var template = generator.model.chatTemplate else { return }
            template.thinking = thinks
            var rules = try tools.rules(round: 0)
            rules?.format = ToolFormat(template, generator.model.tokenizer.vocabulary)
            let shared = try conversation.sharedTokens(template, generator.model.tokenizer, tools: rules)
            try await generator.onSession { session in
                guard session.keep(of: shared) > 0 else { return snapshot.remove() }
                snapshot.keep(session, beyond: 0, of: generator.model, mustStop: { false })
            }
        }
    }

    /// Saves the conversation's text only, which is fast enough to do after every turn.
    package func saveText(to path: String) throws(TextError) {
        try ConversationFile(path: path).write(.init(conversation: conversation, model: model))
    }

    /// Loads the KV cache saved by an earlier process, once. If it is unusable for any reason, it is recomputed.
    private func restoreKeys() async {
        guard let snapshot = restores else { return }
        restores = nil
        _ = try? await runner.withModel { generator in
            try await generator.onSession { session in
                try session.use(generator.usualAdapters())
                _ = try snapshot.restore(nil, into: session, of: generator.model, mustStop: { false })
            }
        }
    }
}
