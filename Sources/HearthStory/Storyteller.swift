public import HearthRuntime
internal import HearthSafety
internal import HearthSystem
public import HearthText

/// What is to be told.
public struct StoryRequest: Sendable, Equatable {
    /// A story of two or three minutes.
    public static let defaultMaximumTokens = 600

    /// What it is about.
    public var subject: StorySubject
    /// In which language.
    public var language: StoryLanguage
    /// Most tokens that the model makes.
    public var maximumTokens = defaultMaximumTokens
    /// nil takes the model's own defaults.
    public var sampling: SamplingOptions?
    /// Same seed, same story; nil draws one.
    public var seed: UInt64?
    /// Whether somebody asked for this very model and can mend what is wrong with it: then its faults are errors, as long as
    /// nothing was told.
    public var isModelChosen = false

    /// A request with the defaults.
    public init(_ subject: StorySubject, in language: StoryLanguage, seed: UInt64? = nil) {
        (self.subject, self.language, self.seed) = (subject, language, seed)
    }
}

/// Tells stories: wish → prompt → model → sentences → filter → screen and voice; and where the model cannot tell, or tell
/// on, a story that was finished before.
///
/// Sentences come while the model still writes. Every text that leaves here was judged by the filter (`CheckedText`). Events
/// wait for who takes them, a few at a time; ending the iteration, or cancelling the task around it, stops the model.
///
///     let storyteller = Storyteller(runner: runner, conditions: { monitor.current() })
///     for try await event in storyteller.tell(StoryRequest(.wish(wish), in: .english)) {
///         switch event {
///         case .sentence(let sentence, _): print(sentence.text)
///         case .spoken(let piece): try await narrator.say(piece.text)
///         default: break
///         }
///     }
public struct Storyteller: Sendable {
    private let runner: ModelRunner<TextEngine>
    private let pace: GenerationPace?
    private let policy: HandoverPolicy
    private let conditions: @Sendable () -> DeviceConditions

    /// - Parameters:
    ///   - runner: of a model that follows a chat template.
    ///   - pace: how fast to tell; may be changed while a story is told.
    ///   - policy: what becomes of a story whose model has to go.
    ///   - conditions: the device now; asked when the model is refused, to know why.
    public init(
        runner: ModelRunner<TextEngine>, pace: GenerationPace? = nil, policy: HandoverPolicy = HandoverPolicy(),
        conditions: @escaping @Sendable () -> DeviceConditions
    ) {
        self.runner = runner
        self.pace = pace
        self.policy = policy
        self.conditions = conditions
    }

    /// Events that wait for who takes them.
    private static let capacity = 16

    /// Tells one story.
    ///
    /// The stream throws what is wrong with a model that was chosen (`StoryError`, `RunnerError`, `TextError`) before anything
    /// was told, and nothing else: what goes wrong later ends in a finished story. Where that was a change of the chosen model's file, the
    /// stream throws it behind the story's last event.
    /// - Parameter listener: of this story alone; where it leaves, the model stops before the next token.
    public func tell(
        _ request: StoryRequest, listener: TextCancellation = TextCancellation()
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let session = TextSession(runner: runner, start: Self.opening(request))
        let (pace, policy, conditions) = (pace, policy, conditions)
        return Self.stream { send in
            var telling = Telling(request, policy, conditions, send)
            try await telling.title()
            try await telling.follow { session.events(pace: pace, patience: policy.patience, listener: listener) }
        }
    }

    /// Tells a finished story in place of one that no model can tell.
    package static func tellFinished(
        _ request: StoryRequest, because reason: HandoverReason
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        stream { send in
            var telling = Telling(request, HandoverPolicy(), { .calm }, send)
            try await telling.handOver(reason)
        }
    }

    /// How a story begins, once its model is there: what a `TextEngine` may be tried out with.
    package static func opening(_ request: StoryRequest) -> @Sendable (TextModel) throws -> TextProgress {
        { model in
            let (tokens, options) = try prompt(request, model)
            let frame = try prelude(in: request.language)(model).tokens
            return TextProgress(prompt: tokens, options: options, prefixTokens: commonPrefix(tokens, frame))
        }
    }

    private static func prompt(
        _ request: StoryRequest, _ model: TextModel
    ) throws -> (tokens: [TokenID], options: TextGenerator.Options) {
        guard request.language.isSpoken(byModelListing: model.languages) else {
            throw StoryError.languageNotSpoken(request.language, modelLanguages: model.languages)
        }
        guard let template = model.chatTemplate else { throw StoryError.noChatTemplate }
        var options = request.sampling ?? model.samplingDefaults
        if let seed = request.seed { options.seed = seed }
        func prompt(_ style: StoryPrompt.Style) throws -> [TokenID] {
            try template.encode(
                StoryPrompt.messages(for: request.subject, in: request.language, style: style), model.tokenizer)
        }
        var tokens = try prompt(StoryPrompt.style(modelName: model.name, in: request.language))
        // A model with hardly any context needs it for the story.
        if tokens.count > model.configuration.contextLength / 2 { tokens = try prompt(.brief) }
        return (tokens, TextGenerator.Options(maximumTokens: request.maximumTokens, sampling: options))
    }

    private static func commonPrefix(_ a: [TokenID], _ b: [TokenID]) -> Int { zip(a, b).prefix { $0 == $1 }.count }

    /// What all stories of a language begin with, for a `TextEngine` that is to be warm before anybody has wished for
    /// anything: the computation is kept, and a wish then costs its own words alone.
    package static func prelude(in language: StoryLanguage) -> @Sendable (TextModel) throws -> TextProgress {
        { model in
            let prompts = try Wishes.all.prefix(2).map { try prompt(StoryRequest(.wish($0), in: language), model) }
            guard let first = prompts.first, let second = prompts.last else { throw TextError.emptyPrompt }
            let common = commonPrefix(first.tokens, second.tokens)
            return TextProgress(
                prompt: Array(first.tokens[..<common]), options: first.options, prefixTokens: common)
        }
    }

    /// Makes ready what the first sentence needs: the filter's words of that language. To be called where some
    /// milliseconds of work are harmless.
    package static func prepare(_ language: StoryLanguage) {
        // A lexicon that cannot be read stops the story later, which is the safe way.
        try? OutputFilter.prepare(FilterLanguage(tag: language.rawValue))
    }

    /// A stream whose producer waits while nobody takes its events, and ends when nobody will.
    package static func stream(
        _ work: @escaping @Sendable (_ send: @escaping @Sendable (StoryEvent) async throws -> Void) async throws -> Void
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let production = Production(capacity: capacity, work)
        return AsyncThrowingStream { try await production.next() }
    }
}

/// Work that hands out events; it is cancelled when nobody listens any more.
private final class Production: Sendable {
    private let channel: BoundedChannel<StoryEvent>
    private let task: Task<Void, any Error>

    init(
        capacity: Int,
        _ work: @escaping @Sendable (_ send: @escaping @Sendable (StoryEvent) async throws -> Void) async throws -> Void
    ) {
        let channel = BoundedChannel<StoryEvent>(capacity: capacity)
        self.channel = channel
        task = Task {
            defer { channel.finish() }
            try await work { event in
                guard try await channel.send(event) else { throw CancellationError() }
            }
        }
    }

    deinit { stop() }

    private func stop() {
        task.cancel()
        channel.cancel()
    }

    func next() async throws -> StoryEvent? {
        try await withTaskCancellationHandler {
            if let event = try await channel.next() { return event }
            try await task.value
            return nil
        } onCancel: {
            stop()
        }
    }
}
