public import HearthRuntime
internal import HearthSystem
public import HearthTokenizer
internal import Synchronization

/// A conversation with one model, turn by turn. What was computed of earlier turns is used again.
///
///     let chat = ChatSession(runner: runner, instructions: "Answer briefly.")
///     for try await event in chat.respond(to: "Why is the sky blue?") {
///         if case .text(let text) = event { print(text, terminator: "") }
///     }
///
/// Each prompt is the conversation's text in the model's chat template, so that an answer is the one that a fresh model gives
/// to the same messages. Of its tokens, those that the model holds already are not computed again: all earlier turns as a rule, and
/// after ``undo()`` or ``regenerate(options:pace:)`` the longest common beginning. Models with sliding windows keep local layers for
/// their window only; where a conversation goes back further than that, it is computed anew.
///
/// One answer at a time. An answer that is broken off, by ``cancel()`` or because nobody listens, stays as far as it came; one that
/// failed, or of which nothing came, leaves the conversation as it was.
public actor ChatSession {
    /// What an answer's stream delivers.
    public enum Event: Sendable, Equatable {
        /// What the person should know: that the conversation has outgrown the context, or was begun with another model.
        case notice(String)
        /// Of the token that comes next; only where `TextGenerator.Options.likelihoods` asks for it.
        case likelihood(TokenLikelihood)
        /// A token was generated.
        case token(TokenID)
        /// What the model thinks before it answers; no part of the answer, and not kept.
        case thought(String)
        /// A piece of the answer; all together are the answer.
        case text(String)
        /// The model calls a tool; `arguments` is an object of JSON.
        case calling(tool: String, arguments: String)
        /// What the model is told of a call: what the tool gave back, or `{"error":"…"}`.
        case result(tool: String, String)
        /// The model had to go; the answer waits for it.
        case paused
        /// Always the last event of a stream that did not throw.
        case finished(GenerationSummary)
    }

    private let runner: ModelRunner<TextEngine>
    private var conversation: Conversation
    /// Of the model that answered last, `TextModel.identity`.
    private var model: String?
    /// A file of keys and values that was not looked at yet.
    private var restores: KVCacheSnapshot?
    private var current: Answering?
    private var thinks = false
    private let tools: ChatTools

    /// A conversation that begins, or goes on from messages that were kept elsewhere.
    /// - Parameters:
    ///   - instructions: what the model is told before the conversation.
    ///   - messages: user and assistant in turn, ending with an answer.
    ///   - tools: what the model may call while it answers.
    ///   - toolRounds: most answers to a message that call tools; then the model has to say something. All of them have to fit into
    ///     the context.
    ///   - review: sees every text that goes to a tool or comes from one, before the other side does, where a child listens:
    ///     gives it back, changed or not, or nil to withhold it. An `OutputFilter` serves for it.
    public init(
        runner: ModelRunner<TextEngine>, instructions: String? = nil, messages: [ChatMessage] = [],
        tools: [any ChatTool] = [], toolRounds: Int = 8, review: (@Sendable (String) -> String?)? = nil
    ) {
        self.runner = runner
        self.tools = ChatTools(tools, rounds: toolRounds, review: review)
        conversation = Conversation(instructions: instructions, messages: messages)
    }

    /// A conversation that ``save(to:)`` wrote. With the same model, what was computed of it is read and not computed again;
    /// with another one the text goes on alone, and the first answer's stream says so.
    /// - Throws: `TextError` for a file that is missing, damaged or none of a conversation.
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

    /// All that was said, user and assistant in turn.
    public var messages: [ChatMessage] { conversation.messages }
    /// What the model is told before the conversation.
    public var instructions: String? { conversation.instructions }
    /// Counts from the next answer on.
    package func setInstructions(_ text: String?) { conversation.instructions = text }
    /// Whether a model that can thinks before it answers.
    package func setThinks(_ thinks: Bool) { self.thinks = thinks }

    // MARK: - Answers

    /// The model's answer to a message. Ending the iteration, or cancelling the task around it, stops the model.
    /// - Parameters:
    ///   - options: the seed counts for each answer anew.
    ///   - pace: how fast; may be changed while it runs.
    /// - Returns: a stream that throws `RunnerError` where the model cannot be had, `FileError` for a file that is damaged or
    ///   changed, `TextError` for a model that does not answer in turns, a message that is too long, or a session that is
    ///   answering already.
    public nonisolated func respond(
        to message: String, options: TextGenerator.Options = .init(), pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        stream { try await $0.answer(ChatMessage(role: .user, content: message), options, pace, $1) }
    }

    /// Another answer to the last message, in the place of the one that there is.
    /// - Returns: as ``respond(to:options:pace:)``; `TextError.invalidConversation` where nothing was said yet.
    public nonisolated func regenerate(
        options: TextGenerator.Options = .init(), pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        stream { try await $0.answer(nil, options, pace, $1) }
    }

    /// Stops the answer in progress, if any: its stream ends with a summary that says `.cancelled`.
    public func cancel() { current?.cancel() }

    /// Takes back the last message and its answer.
    /// - Returns: the message; nil where nothing was said, or an answer is in progress.
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

    /// - Parameter message: nil answers the last one again.
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
            // An answer of a given form calls nothing.
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
                    draft.messages.append(ChatMessage(calls: said.calls, content: said.text ?? ""))
                    draft.messages += results
                    model = answering.model
                    continue
                } catch is CancellationError {
                    // As if nothing had been said: calls without results are no conversation.
                    return yield(.finished(said.summary.cancelled))
                }
            }
            if let text = said.text {
                // What was changed meanwhile stays changed.
                let instructions = conversation.instructions
                conversation = draft
                conversation.instructions = instructions
                conversation.messages.append(ChatMessage(role: .assistant, content: text))
                model = answering.model
            }
            // Last, so that who hears of it finds the conversation as it is now.
            return yield(.finished(said.summary))
        }
    }

    /// An answer that is a value of a type: the model can write nothing else, and calls no tools. Say in the message what you want.
    /// - Parameter options: its constraint is that of the type (``TextSchema``).
    /// - Returns: the value; what the conversation keeps is its JSON.
    /// - Throws: as ``respond(to:options:pace:)``; `TextError.indescribableType`; `.undecodableAnswer`, where the answer was cut by
    ///   its length; `CancellationError`.
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

    /// The same while it is written: a value each time that there is more of one, and the whole value last.
    ///
    /// Each is decoded from what has come so far. So the first comes when all members that are not optional are there; then arrays
    /// grow, optional members appear, and a string may still become longer. Numbers come when they are whole.
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

    /// Writes the conversation, and beside it (`PATH.kv`) what the model has computed of it, where the model is loaded. After a
    /// crash there is the old file or the new one.
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

    /// The conversation alone: quick enough to follow every turn.
    package func saveText(to path: String) throws(TextError) {
        try ConversationFile(path: path).write(.init(conversation: conversation, model: model))
    }

    /// Reads keys and values of an earlier process, once. Whatever is wrong with them costs computing them again.
    private func restoreKeys() async {
        guard let snapshot = restores else { return }
        restores = nil
        _ = try? await runner.withModel { generator in
            try await generator.onSession { session in
                _ = try snapshot.restore(nil, into: session, of: generator.model, mustStop: { false })
            }
        }
    }
}
