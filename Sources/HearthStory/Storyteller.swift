public import HearthRuntime
internal import HearthSafety
internal import HearthSystem
public import HearthText
import HearthTokenizer

/// A request for a story.
public struct StoryRequest: Sendable, Equatable {
    /// The default limit, about two or three minutes of story.
    package static let defaultMaximumTokens = 600

    /// The subject.
    public var subject: StorySubject
    /// The language.
    public var language: StoryLanguage
    /// The maximum number of tokens that the model generates; 600 by default, two or three minutes of story.
    public var maximumTokens = defaultMaximumTokens
    /// How tokens are sampled; nil for the model's defaults.
    public var sampling: SamplingOptions?
    /// The same seed gives the same story; nil chooses one at random.
    public var seed: UInt64?
    /// What happens when the story fills the model's context.
    package var onFull = FullContext.stop
    /// The same as ``maximumTokens`` for an answer to a plan, whose length the plan states, and for a long tale of the same model.
    package var maximumPlanTokens = StoryPlan.answerTokens
    /// The child the story is for; its name becomes the hero's. nil for a hero with a name of its own.
    public var child: StoryChild?
    /// The requested length; nil for the source's default.
    public var length: StoryLength?
    /// How the bundled model tells it; other models write freely.
    package var manner = Manner.tale
    /// The requested story of the library; nil for one about the subject.
    package var choice: StoryChoice?
    /// Whether a name or a length is requested, which the bundled model does not support.
    package var hasWants: Bool { child != nil || length != nil }
    /// Whether this particular model was requested by someone who can fix its problems: its failures are then errors, as long
    /// as nothing was told.
    package var isModelChosen = false

    /// A way in which the bundled model tells a story.
    package enum Manner: Sendable, Equatable {
        /// Tells a tale: chooses the wording of each of its sentences. Without a tale about the subject, as `chosen`.
        case tale
        /// Writes freely; each paragraph is chosen from several.
        case chosen
        /// Writes freely; the story is the first text.
        case plain
    }

    /// A request with the defaults.
    public init(_ subject: StorySubject, in language: StoryLanguage, seed: UInt64? = nil) {
        (self.subject, self.language, self.seed) = (subject, language, seed)
    }

    /// The requested story of the library, or the tale about the wish; nil for a theme, because only wishes have tales.
    package func tale(seed: UInt64) -> FinishedStory? {
        if let choice { return choice.story(in: language, length: length, child: child, seed: seed) }
        return subject.wish.flatMap {
            TaleLibrary.story(for: $0.id, in: language, length: length, child: child, seed: seed)
        }
    }

    /// The tale that the bundled model tells in a language that it speaks; nil if it writes freely.
    package func plan(seed: UInt64) -> TalePlan? {
        guard manner == .tale, choice == nil, let wish = subject.wish else { return nil }
        return TaleLibrary.plan(for: wish.id, in: language, length: length, child: child, seed: seed)
    }

    /// The tale that the bundled model tells, by what its file says before it is loaded: one without plans speaks English only.
    package func plan(seed: UInt64, byModelAt path: String) -> TalePlan? {
        language == .english || StoryPlan.isAnswered(byModelAt: path) ? plan(seed: seed) : nil
    }

    /// What a model that answers plans writes freely about; nil if it tells a tale, or about a theme, of which no plan knows.
    package func storyPlan(seed: UInt64) -> StoryPlan? {
        guard manner != .tale, choice == nil, let wish = subject.wish else { return nil }
        return StoryPlan.drawn(for: wish.id, in: language, length: length, child: child, seed: seed)
    }
}

/// Tells stories: a wish becomes a prompt, the model generates, and sentences are filtered for screen and voice. If the model
/// cannot tell a story, or cannot continue, a finished story is told.
///
/// Sentences are delivered while the model still generates. All text has passed the filter (``CheckedText``). Ending the
/// iteration, or cancelling its task, stops the model.
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
    /// The source of the text.
    private enum Source: Sendable {
        case model(ModelRunner<TextEngine>, GenerationPace?)
        case writer(@Sendable (_ instructions: String, _ prompt: String) -> AsyncThrowingStream<String, any Error>)
    }

    private let source: Source
    private let policy: HandoverPolicy
    private let conditions: @Sendable () -> DeviceConditions

    /// Creates a storyteller with a model of Hearth.
    /// - Parameters:
    ///   - runner: owns a model with a chat template.
    ///   - pace: the generation speed; can be changed while a story is told.
    ///   - policy: decides how a story continues without its model.
    ///   - conditions: returns the current conditions of the device; called to find out why the model is not available.
    public init(
        runner: ModelRunner<TextEngine>, pace: GenerationPace? = nil, policy: HandoverPolicy = HandoverPolicy(),
        conditions: @escaping @Sendable () -> DeviceConditions
    ) {
        source = .model(runner, pace)
        self.policy = policy
        self.conditions = conditions
    }

    /// Creates a storyteller with another source of text, such as the system's own model. Its text passes the same filter, and
    /// a finished story is told if it fails.
    /// - Parameters:
    ///   - policy: decides how a story continues without its model.
    ///   - conditions: returns the current conditions of the device.
    ///   - writer: starts the answer to a prompt under the given instructions, and streams its text.
    public init(
        policy: HandoverPolicy = HandoverPolicy(), conditions: @escaping @Sendable () -> DeviceConditions,
        writer: @escaping @Sendable (_ instructions: String, _ prompt: String) -> AsyncThrowingStream<String, any Error>
    ) {
        source = .writer(writer)
        self.policy = policy
        self.conditions = conditions
    }

    /// How many texts at a time a runner should allow, so that candidates for a paragraph of the bundled model's story are generated
    /// together. With fewer the story is the same, but it takes longer.
    package static let candidates = StoryChooser.candidates

    /// The maximum number of buffered events.
    private static let capacity = 16

    /// Tells one story.
    ///
    /// The stream throws ``StoryError``, ``RunnerError`` or ``TextError`` only for a model that was chosen explicitly, and only
    /// before anything was told; later problems lead to a finished story. If the file of a chosen model was changed, the stream
    /// throws that error after the story's last event.
    /// - Parameter request: the story to tell.
    public func tell(_ request: StoryRequest) -> AsyncThrowingStream<StoryEvent, any Error> {
        tell(request, listener: TextCancellation())
    }

    /// Tells one story; `listener` cancels it before its next token.
    package func tell(
        _ request: StoryRequest, listener: TextCancellation
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let (source, policy, conditions) = (source, policy, conditions)
        return Self.stream { send in
            var telling = Telling(request, policy, conditions, send)
            try await telling.title()
            switch source {
            case .model(let runner, let pace):
                let chooser = StoryChooser(request, runner: runner, pace: pace, patience: policy.patience)
                try await telling.follow(slots: { chooser.slots }) { chooser.events(listener: listener) }
            case .writer(let write):
                let messages = StoryPrompt.messages(
                    for: request.subject, in: request.language, style: .guarded, child: request.child,
                    length: request.length)
                func content(_ role: ChatRole) -> String {
                    messages.filter { $0.role == role }.map(\.content).joined(separator: "\n\n")
                }
                try await telling.follow(text: { write(content(.system), content(.user)) })
            }
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

    /// Tells a tale that was requested.
    package static func tellTale(_ request: StoryRequest) -> AsyncThrowingStream<StoryEvent, any Error> {
        stream { send in try await Telling(request, HandoverPolicy(), { .calm }, send).tale() }
    }

    /// The prompt of a story, computed from the loaded model; can also be used to try out a `TextEngine`.
    package static func opening(_ request: StoryRequest) -> @Sendable (TextModel) throws -> TextProgress {
        { model in try beginning(request, model).progress }
    }

    /// The prompt of a story, and the plan that it states: nil if the answer has no slots.
    static func beginning(
        _ request: StoryRequest, _ model: TextModel
    ) throws -> (progress: TextProgress, plan: StoryPlan?) {
        let style = StoryPrompt.style(of: model, in: request.language)
        let seed = request.seed ?? .random(in: .min ... .max)
        let plan = model.answersPlans ? request.storyPlan(seed: seed) : nil
        let tale = style == .brief ? request.plan(seed: seed) : nil
        let tokens =
            try plan.map { try encode([ChatMessage(role: .user, content: $0.prompt)], request, model) }
            ?? prompt(request, model)
        var sampling = request.sampling ?? tale.map { _ in taleSampling } ?? model.samplingDefaults
        if let seed = request.seed { sampling.seed = seed }
        // A long tale takes more tokens of the vocabulary of a model that answers plans.
        let isLong = plan != nil || tale != nil && model.answersPlans && request.length == .long
        var options = TextGenerator.Options(
            maximumTokens: isLong ? request.maximumPlanTokens : request.maximumTokens, sampling: sampling)
        options.onFull = request.onFull
        options.constraint = tale.map { .grammar($0.grammar) }
        let frame = try prelude(in: request.language)(model).tokens
        let progress = TextProgress(prompt: tokens, options: options, prefixTokens: commonPrefix(tokens, frame))
        return (progress, plan)
    }

    /// The prompt in words.
    private static func prompt(_ request: StoryRequest, _ model: TextModel) throws -> [TokenID] {
        func prompt(_ style: StoryPrompt.Style) throws -> [TokenID] {
            let messages = StoryPrompt.messages(
                for: request.subject, in: request.language, style: style, child: request.child, length: request.length)
            return try encode(messages, request, model)
        }
        let tokens = try prompt(StoryPrompt.style(of: model, in: request.language))
        // With a very small context window, the shorter prompt leaves more of it to the story.
        return tokens.count > model.configuration.contextLength / 2 ? try prompt(.brief) : tokens
    }

    private static func encode(
        _ messages: [ChatMessage], _ request: StoryRequest, _ model: TextModel
    ) throws -> [TokenID] {
        guard request.language.isSpoken(byModelListing: model.languages) else {
            throw StoryError.languageNotSpoken(request.language, modelLanguages: model.languages)
        }
        guard let template = model.chatTemplate else { throw StoryError.noChatTemplate(file: model.path) }
        return try template.encode(messages, model.tokenizer)
    }

    /// Every wording of a tale is good, so the model's distribution is used as it is.
    private static let taleSampling = SamplingOptions(temperature: 1, topK: 0, topP: 1)

    private static func commonPrefix(_ a: [TokenID], _ b: [TokenID]) -> Int { zip(a, b).prefix { $0 == $1 }.count }

    /// The common prefix of all prompts in words of a language, to warm up a `TextEngine` before a wish is known: the prefix
    /// stays in the KV cache, so that a wish costs only its own tokens.
    package static func prelude(in language: StoryLanguage) -> @Sendable (TextModel) throws -> TextProgress {
        { model in
            let prompts = try Wishes.all.prefix(2).map { try prompt(StoryRequest(.wish($0), in: language), model) }
            guard let first = prompts.first, let second = prompts.last else { throw TextError.emptyPrompt }
            let common = commonPrefix(first, second)
            let options = TextGenerator.Options(
                maximumTokens: StoryRequest.defaultMaximumTokens, sampling: model.samplingDefaults)
            return TextProgress(prompt: Array(first[..<common]), options: options, prefixTokens: common)
        }
    }

    /// Loads what the first sentence needs: the filter's lexicon of that language. Call it where a few milliseconds of work do
    /// not matter.
    package static func prepare(_ language: StoryLanguage) {
        // If a lexicon cannot be read, the story is stopped later, which is the safe behavior.
        try? OutputFilter.prepare(FilterLanguage(tag: language.rawValue))
    }

    /// A stream with backpressure: its producer waits while no events are taken, and is cancelled when the stream is released.
    package static func stream(
        _ work: @escaping @Sendable (_ send: @escaping @Sendable (StoryEvent) async throws -> Void) async throws -> Void
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let production = Production(capacity: capacity, work)
        return AsyncThrowingStream { try await production.next() }
    }
}

/// A task that produces events; it is cancelled when its consumer goes away.
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
