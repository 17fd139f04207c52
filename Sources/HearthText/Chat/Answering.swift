internal import HearthSystem
internal import HearthTokenizer
internal import Synchronization

/// One answer in progress.
final class Answering: Sendable {
    let listener = TextCancellation()
    let conversation: Mutex<Conversation>
    private let options: TextGenerator.Options
    private let tools: ToolRules?
    private let modelBefore: String?
    private let thinks: Bool
    private let yield: @Sendable (ChatSession.Event) -> Void
    private let state = Mutex(State())

    /// The result of an answer.
    struct Said: Sendable {
        /// nil if it was cancelled before any text, or ended within a call.
        var text: String?
        /// Functions that the model called.
        var calls: [ToolCall] = []
        var summary: GenerationSummary
    }

    private struct State {
        /// Whether the model is there, and the text begins or goes on: it then ends by itself when it is cancelled.
        var hasModel = false
        var model: String?
        var promptTokens = 0
        var isCancelled = false
        var reading: Task<Said, any Error>?
        var calling: Task<[ChatMessage], any Error>?
        /// What the answer may contain, in the model's tool format.
        var tools: ToolRules?
    }

    init(
        _ conversation: Conversation, _ options: TextGenerator.Options, _ tools: ToolRules?, model: String?,
        thinks: Bool,
        _ yield: @escaping @Sendable (ChatSession.Event) -> Void
    ) {
        self.conversation = Mutex(conversation)
        self.options = options
        self.tools = tools
        modelBefore = model
        self.thinks = thinks
        self.yield = yield
    }

    /// Whether it was cancelled, even if too late for the text or the calls.
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    /// `TextModel.identity` of the answering model.
    var model: String? { state.withLock { $0.model } }

    /// Builds the prompt once the model is loaded.
    func begin(_ generator: TextGenerator) throws -> TextProgress {
        let model = generator.model
        guard var template = model.chatTemplate else {
            throw TextError.noChatTemplate(
                file: model.path, architecture: model.configuration.architecture.rawValue)
        }
        template.thinking = thinks
        var options = options
        options.thinks = thinks
        var rules = tools
        rules?.format = ToolFormat(template, model.tokenizer.vocabulary)
        options.tools = rules
        let (prompt, attempt) = try conversation.withLock { [options, rules] in
            (
                try $0.prompt(
                    template, model.tokenizer, tools: rules, context: generator.contextLength,
                    wanted: options.maximumTokens),
                $0.attempt
            )
        }
        let identity = model.identity
        state.withLock { [rules] in
            $0.tools = rules
            $0.hasModel = true
            $0.model = identity
            $0.promptTokens = prompt.tokens.count
        }
        if let modelBefore, modelBefore != identity {
            yield(.notice("the conversation was started with another model; its text is kept and recomputed"))
        }
        if prompt.newlyForgotten > 0 {
            yield(
                .notice(
                    """
                    the conversation has outgrown the context of \(generator.contextLength) tokens: the model no longer \
                    sees the oldest \(prompt.newlyForgottenExchanges) exchanges that it saw before
                    """))
        }
        if let seed = options.sampling.seed { options.sampling.seed = seed &+ UInt64(attempt) }
        return TextProgress(prompt: prompt.tokens, options: options, prefixTokens: prompt.prefix)
    }

    /// Follows the event stream and returns the answer, which is partial if it was cancelled.
    func follow(_ events: AsyncThrowingStream<TextSession.Event, any Error>) async throws -> Said {
        let reading = Task { try await read(events) }
        let isCancelled = state.withLock {
            $0.reading = reading
            return $0.isCancelled
        }
        if isCancelled { cancel() }
        defer {
            state.withLock {
                $0.hasModel = false
                $0.reading = nil
            }
        }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            cancel()
        }
    }

    /// Runs the tools and returns their results; each call and result is also reported as an event.
    /// - Throws: only `CancellationError`.
    func results(of calls: [ToolCall], _ tools: ChatTools) async throws -> [ChatMessage] {
        let calling = Task { [yield] in
            var results: [ChatMessage] = []
            for call in calls {
                yield(.calling(tool: call.name, arguments: call.arguments))
                let result = try await tools.result(of: call)
                yield(.result(tool: call.name, result))
                results.append(ChatMessage(result: result, of: call.name))
            }
            return results
        }
        let isCancelled = state.withLock {
            $0.calling = calling
            return $0.isCancelled
        }
        if isCancelled { calling.cancel() }
        defer { state.withLock { $0.calling = nil } }
        return try await withTaskCancellationHandler {
            try await calling.value
        } onCancel: {
            calling.cancel()
        }
    }

    private func read(_ events: AsyncThrowingStream<TextSession.Event, any Error>) async throws -> Said {
        let begin = ContinuousClock.now
        var (first, last) = (begin, begin)
        var answer = ""
        var tokens = 0
        var reader: ToolCallReader?
        var calls: [ToolCall] = []
        var ended = 0
        func say(_ text: String, isLast: Bool = false) {
            var reading = reader ?? ToolCallReader(state.withLock { $0.tools })
            for event in reading.feed(text) + (isLast ? reading.finish() : []) {
                switch event {
                case .text(let text):
                    answer += text
                    yield(.text(text))
                case .began(let call, let name):
                    calls.append(ToolCall(id: "call-\(call)", name: name, arguments: ""))
                case .arguments(let call, let text): calls[call].arguments += text
                case .ended: ended += 1
                }
            }
            reader = reading
        }
        do {
            for try await event in events {
                switch event {
                case .began: state.withLock { $0.hasModel = true }
                case .paused:
                    // Cancelled just before: the text would wait for the model only to end.
                    let isCancelled = state.withLock {
                        $0.hasModel = false
                        return $0.isCancelled
                    }
                    yield(.paused)
                    if isCancelled { cancel() }
                case .likelihood(let likelihood): yield(.likelihood(likelihood))
                case .thought(let text): yield(.thought(text))
                case .token(let id, let text):
                    last = .now
                    if tokens == 0 { first = last }
                    tokens += 1
                    yield(.token(id))
                    say(text)
                case .finished(let summary, let text):
                    say(text, isLast: true)
                    let isNothing = answer.isEmpty && (summary.stop == .cancelled || !calls.isEmpty)
                    return Said(
                        text: isNothing ? nil : answer, calls: ended == calls.count ? calls : [], summary: summary)
                }
            }
        } catch is CancellationError {
            // Keep what was received.
        }
        // Cancelled before a summary arrived: use the timings measured here.
        let prompt = state.withLock { $0.promptTokens }
        if tokens == 0 { (first, last) = (.now, .now) }
        return Said(
            text: answer.isEmpty ? nil : answer,
            summary: GenerationSummary(
                promptTokens: prompt, generatedTokens: tokens, stop: .cancelled,
                prefillMS: (first - begin) / .milliseconds(1), decodeMS: (last - first) / .milliseconds(1)))
    }

    /// Cancels the answer. Its text, and no other of the same model, stops partway through a matrix multiplication; a model being
    /// loaded or waited for is abandoned.
    func cancel() {
        listener.abort()
        let (hasModel, reading, calling) = state.withLock {
            $0.isCancelled = true
            return ($0.hasModel, $0.reading, $0.calling)
        }
        calling?.cancel()
        if !hasModel { reading?.cancel() }
    }
}
