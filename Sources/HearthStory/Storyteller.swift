internal import HearthSpeech
public import HearthText

/// A story on its way.
public enum StoryEvent: Sendable, Equatable {
    /// How many tokens the model has made; says that it is at work, and gives nothing of the text away.
    case progress(tokens: Int)
    /// The next sentence, complete and trimmed. `startsParagraph` asks for a blank line before it.
    case sentence(String, startsParagraph: Bool)
    /// Always last, in a story that did not throw.
    case finished(GenerationSummary)
}

/// Tells stories: wish → prompt → model → sentences, none of them twice.
///
/// Sentences come while the model still writes, and nothing comes earlier than a whole sentence: what is shown or
/// spoken can be checked as a whole before anybody sees it.
///
///     let storyteller = Storyteller(generator: generator)
///     for try await event in try storyteller.tell(wish, in: .english) {
///         if case .sentence(let text, _) = event { print(text) }
///     }
public struct Storyteller: Sendable {
    /// A story of two or three minutes.
    public static let defaultMaximumTokens = 600

    private let generator: TextGenerator

    /// - Parameter generator: of a model that follows a chat template.
    public init(generator: TextGenerator) { self.generator = generator }

    /// Tells one story. Ending the iteration, or cancelling the task around it, stops the model.
    /// - Parameters:
    ///   - sampling: nil takes the model's own defaults.
    ///   - prefix: counts the prompt's tokens once they are known; nil to ignore.
    /// - Throws: `StoryError` where the model cannot tell this story.
    public func tell(
        _ wish: Wish, in language: StoryLanguage, maximumTokens: Int = defaultMaximumTokens,
        sampling: SamplingOptions? = nil
    ) throws -> AsyncThrowingStream<StoryEvent, any Error> {
        let model = generator.model
        guard language.isSpoken(byModelListing: model.languages) else {
            throw StoryError.languageNotSpoken(language, modelLanguages: model.languages)
        }
        guard let template = model.chatTemplate else { throw StoryError.noChatTemplate }
        let prompt = try template.encode(StoryPrompt.messages(for: wish, in: language), model.tokenizer)
        let options = GenerationOptions(maximumTokens: maximumTokens, sampling: sampling ?? model.samplingDefaults)
        return Self.sentences(of: generator.generate(prompt, options: options), in: language)
    }

    /// Turns a model's events into a story's.
    static func sentences(
        of events: AsyncThrowingStream<GenerationEvent, any Error>, in language: StoryLanguage
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
