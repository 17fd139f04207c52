public import HearthRuntime
internal import HearthSpeech
public import HearthText

/// A story on its way.
public enum StoryEvent: Sendable, Equatable {
    /// How many tokens the model has made; says that it is at work, and gives nothing of the text away.
    case progress(tokens: Int)
    /// The next sentence, complete and trimmed. `startsParagraph` asks for a blank line before it.
    case sentence(String, startsParagraph: Bool)
    /// The model had to go (heat, memory, background); the story waits for it and goes on where it was.
    case paused
    /// Always last, in a story that did not throw.
    case finished(GenerationSummary)
}

/// Tells stories: wish → prompt → model → sentences, none of them twice.
///
/// Sentences come while the model still writes, and nothing comes earlier than a whole sentence: what is shown or
/// spoken can be checked as a whole before anybody sees it.
///
///     let storyteller = Storyteller(runner: runner)
///     for try await event in storyteller.tell(wish, in: .english) {
///         if case .sentence(let text, _) = event { print(text) }
///     }
public struct Storyteller: Sendable {
    /// A story of two or three minutes.
    public static let defaultMaximumTokens = 600

    private let runner: ModelRunner<TextEngine>
    private let pace: GenerationPace?
    private let patience: Duration

    /// - Parameters:
    ///   - runner: of a model that follows a chat template.
    ///   - pace: how fast to tell; may be changed while a story is told.
    ///   - patience: how long a story waits for a model that was taken away in its middle.
    public init(
        runner: ModelRunner<TextEngine>, pace: GenerationPace? = nil, patience: Duration = TextSession.defaultPatience
    ) {
        self.runner = runner
        self.pace = pace
        self.patience = patience
    }

    /// Tells one story. Ending the iteration, or cancelling the task around it, stops the model.
    ///
    /// The stream throws `StoryError` where the model cannot tell this story, `RunnerError` where it cannot be had.
    /// - Parameters:
    ///   - sampling: nil takes the model's own defaults.
    ///   - seed: same seed, same story; nil draws one.
    public func tell(
        _ wish: Wish, in language: StoryLanguage, maximumTokens: Int = defaultMaximumTokens,
        sampling: SamplingOptions? = nil, seed: UInt64? = nil
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        let session = TextSession(
            runner: runner,
            start: Self.opening(wish, in: language, maximumTokens: maximumTokens, sampling: sampling, seed: seed))
        return Self.sentences(of: session.events(pace: pace, patience: patience), in: language)
    }

    /// How a story begins, once its model is there: what a `TextEngine` may be tried out with.
    public static func opening(
        _ wish: Wish, in language: StoryLanguage, maximumTokens: Int = defaultMaximumTokens,
        sampling: SamplingOptions? = nil, seed: UInt64? = nil
    ) -> @Sendable (LanguageModel) throws -> TextProgress {
        { model in
            guard language.isSpoken(byModelListing: model.languages) else {
                throw StoryError.languageNotSpoken(language, modelLanguages: model.languages)
            }
            guard let template = model.chatTemplate else { throw StoryError.noChatTemplate }
            var options = sampling ?? model.samplingDefaults
            if let seed { options.seed = seed }
            return TextProgress(
                prompt: try template.encode(StoryPrompt.messages(for: wish, in: language), model.tokenizer),
                options: GenerationOptions(maximumTokens: maximumTokens, sampling: options))
        }
    }

    /// Turns a model's events into a story's.
    static func sentences(
        of events: AsyncThrowingStream<TextSession.Event, any Error>, in language: StoryLanguage
    ) -> AsyncThrowingStream<StoryEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                var chunker = SentenceChunker(language: language.rawValue)
                var repetitions = RepetitionFilter()
                var tokens = 0
                func send(_ sentences: [SentenceChunker.Sentence]) {
                    for sentence in sentences.compactMap({ repetitions.admit($0) }) {
                        continuation.yield(.sentence(sentence.text, startsParagraph: sentence.startsParagraph))
                    }
                }
                do {
                    for try await event in events {
                        switch event {
                        case .began: break
                        case .paused: continuation.yield(.paused)
                        case .token(_, let text):
                            tokens += 1
                            continuation.yield(.progress(tokens: tokens))
                            send(chunker.feed(text))
                        case .finished(let summary, let text):
                            send(chunker.feed(text))
                            send(chunker.finish())
                            continuation.yield(.finished(summary))
                        }
                    }
                    continuation.finish()
                } catch {
                    // What the model said before it failed is still worth hearing.
                    send(chunker.finish())
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
