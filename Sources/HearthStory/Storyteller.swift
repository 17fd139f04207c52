public import HearthRuntime
internal import HearthSafety
internal import HearthSystem
public import HearthText
import HearthTokenizer

/// A request for a story.
public struct StoryRequest: Sendable, Equatable {
    /// The default limit: a story of two or three minutes.
    package static let defaultMaximumTokens = 600

    /// The subject.
    public var subject: StorySubject
    /// The language.
    public var language: StoryLanguage
    /// The maximum number of tokens that the model generates.
    public var maximumTokens = defaultMaximumTokens
    /// How tokens are sampled; nil for the model's defaults.
    public var sampling: SamplingOptions?
    /// The same seed gives the same story; nil chooses one at random.
    public var seed: UInt64?
    /// The child that the story is for, by name.
    package var child: StoryChild?
    /// How long it is; nil for what its source has.
    package var length: StoryLength?
    /// Which story of the shelf; nil for one about the subject.
    package var choice: StoryChoice?
    /// Whether a name or a length is wanted, of which the bundled model knows nothing.
    package var hasWants: Bool { child != nil || length != nil }
    /// Whether somebody asked for this particular model and can fix its problems: its faults are then errors, as long as
    /// nothing was told.
    package var isModelChosen = false

    /// A request with the defaults.
    public init(_ subject: StorySubject, in language: StoryLanguage, seed: UInt64? = nil) {
        (self.subject, self.language, self.seed) = (subject, language, seed)
    }

    /// The story of the shelf that is chosen, or the tale about the wish; nil for a theme, which is no wish.
    package func tale(seed: UInt64) -> FinishedStory? {
        if let choice { return choice.story(in: language, length: length, child: child, seed: seed) }
        return subject.wish.flatMap {
            TaleLibrary.story(for: $0.id, in: language, length: length, child: child, seed: seed)
        }
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
    /// Where the text comes from.
    private enum Source: Sendable {
        case model(ModelRunner<TextEngine>, GenerationPace?)
        case writer(@Sendable (_ instructions: String, _ prompt: String) -> AsyncThrowingStream<String, any Error>)
    }

    private let source: Source
    private let policy: HandoverPolicy
    private let conditions: @Sendable () -> DeviceConditions

    /// - Parameters:
    ///   - runner: owns a model with a chat template.
    ///   - pace: how fast to generate; can be changed meanwhile.
    ///   - policy: decides how a story continues without its model.
    ///   - conditions: the current conditions of the device; called to find out why the model is not available.
    public init(
        runner: ModelRunner<TextEngine>, pace: GenerationPace? = nil, policy: HandoverPolicy = HandoverPolicy(),
        conditions: @escaping @Sendable () -> DeviceConditions
    ) {
        source = .model(runner, pace)
        self.policy = policy
        self.conditions = conditions
    }

    /// A storyteller whose text comes from another model than Hearth's, such as the system's own. It passes the same filter, and
    /// where it fails, a finished story is told.
    /// - Parameters:
    ///   - policy: decides how a story continues without its model.
    ///   - conditions: the current conditions of the device.
    ///   - writer: begins to answer a prompt, under instructions for the whole answer, piece by piece.
    public init(
        policy: HandoverPolicy = HandoverPolicy(), conditions: @escaping @Sendable () -> DeviceConditions,
        writer: @escaping @Sendable (_ instructions: String, _ prompt: String) -> AsyncThrowingStream<String, any Error>
    ) {
        source = .writer(writer)
        self.policy = policy
        self.conditions = conditions
    }

    /// Events that wait for who takes them.
    private static let capacity = 16

    /// Tells one story.
    ///
    /// The stream throws ``StoryError``, ``RunnerError`` or ``TextError`` only for a model that was chosen explicitly, and only
    /// before anything was told; later problems lead to a finished story. If the file of a chosen model was changed, the stream
    /// throws that after the story's last event.
    /// - Parameter request: what to tell.
    public func tell(_ request: StoryRequest) -> AsyncThrowingStream<StoryEvent, any Error> {
        tell(request, listener: TextCancellation())
    }

    /// As above; `listener` cancels this story before its next token.
    package func tell(
        _ request: StoryRequest, listener: TextCancellation
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let (source, policy, conditions) = (source, policy, conditions)
        return Self.stream { send in
            var telling = Telling(request, policy, conditions, send)
            try await telling.title()
            switch source {
            case .model(let runner, let pace):
                let session = TextSession(runner: runner, start: Self.opening(request))
                try await telling.follow { session.events(pace: pace, patience: policy.patience, listener: listener) }
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

    /// Tells a tale, because somebody asked for one.
    package static func tellTale(_ request: StoryRequest) -> AsyncThrowingStream<StoryEvent, any Error> {
        stream { send in try await Telling(request, HandoverPolicy(), { .calm }, send).tale() }
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
                StoryPrompt.messages(
                    for: request.subject, in: request.language, style: style, child: request.child,
                    length: request.length), model.tokenizer)
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

/// Work that hands out events; it is cancelled when nobody is listening any more.
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
