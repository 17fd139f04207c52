public import HearthSpeech
public import HearthStory
public import Observation
internal import Synchronization

/// Tells one story at a time for a view, and tracks the sentence being spoken.
///
///     let reader = StoryReader(storyteller, synthesizer: AppleSynthesizer()) { AppleAudioSink(title: $0) }
///     // in a view:  StoryView(reader).task(id: wish) { await reader.tell(StoryRequest(.wish(wish), in: .english)) }
///
/// The text is at most a few sentences ahead of the voice.
@MainActor
@Observable
public final class StoryReader {
    /// Whether a story is being told or spoken.
    public private(set) var isTelling = false
    /// The content of the screen.
    package private(set) var page = StoryPage(.english)

    @ObservationIgnored private let storyteller: Storyteller
    @ObservationIgnored private let synthesizer: (any SpeechSynthesizer)?
    @ObservationIgnored private let sink: ((_ title: String) throws -> any AudioSink)?
    @ObservationIgnored private var story = 0
    /// The voice of the current story.
    @ObservationIgnored private var narrator: Narrator?

    /// Creates a reader.
    /// - Parameters:
    ///   - storyteller: tells the stories.
    ///   - synthesizer: the voice; nil to only show stories.
    ///   - sink: creates the audio output for a story with the given title; called once per story. nil for no sound.
    public init(
        _ storyteller: Storyteller, synthesizer: (any SpeechSynthesizer)? = nil,
        sink: ((_ title: String) throws -> any AudioSink)? = nil
    ) {
        (self.storyteller, self.synthesizer, self.sink) = (storyteller, synthesizer, sink)
    }

    /// Tells a story, and returns when it has been told and spoken. It ends when its task is cancelled, or when another story
    /// starts.
    ///
    /// If the voice fails, the story continues as text: a child never sees an error. If the model cannot tell the story, a
    /// finished one is told.
    public func tell(_ request: StoryRequest) async {
        story += 1
        let number = story
        if let overtaken = narrator { await overtaken.stop() }
        guard number == story else { return }
        page = StoryPage(request.language)
        // A task that is already cancelled still ends the previous story, but starts none.
        isTelling = !Task.isCancelled
        guard isTelling else { return }
        let narrator = voice(request, number)
        self.narrator = narrator
        await withTaskCancellationHandler {
            await follow(request, number, narrator)
        } onCancel: {
            // Waiting for the last sentence does not react to cancellation by itself.
            if let narrator { Task { await narrator.stop() } }
        }
        // A replaced story must not change the state, which belongs to the newer story now.
        guard number == story else { return }
        page.endVoice()
        self.narrator = nil
        isTelling = false
    }

    private func follow(_ request: StoryRequest, _ number: Int, _ narrator: Narrator?) async {
        var voice = narrator
        do {
            for try await event in storyteller.tell(request) {
                guard number == story else { break }
                page.take(event)
                guard case .spoken(let piece) = event, let narrator = voice else { continue }
                do {
                    try await narrator.say(piece.text)
                } catch is CancellationError {
                    // Ended by the task or by the listener: the sleep timer, or the stop button of a lock screen.
                    break
                } catch {
                    voice = nil
                    page.endVoice()
                    await narrator.stop()
                }
            }
            if number == story, !Task.isCancelled { try await voice?.finish() } else { await narrator?.stop() }
        } catch {
            await narrator?.stop()
        }
    }

    private func voice(_ request: StoryRequest, _ number: Int) -> Narrator? {
        guard let synthesizer, let sink = try? sink?(request.subject.title(in: request.language)) else { return nil }
        let marking = MarkingSink(sink) { [weak self] piece in
            Task { @MainActor in
                guard let self, self.story == number, self.isTelling else { return }
                self.page.begin(piece: piece)
            }
        }
        let narrator = Narrator(synthesizer: synthesizer, sink: marking, language: request.language.rawValue)
        narrator.prepare()
        return narrator
    }
}

/// Reports which piece starts playing: the one whose `play` returns, because a sink requests the next piece while that one
/// plays.
final class MarkingSink: AudioSink {
    private let base: any AudioSink
    private let begin: @Sendable (Int) -> Void
    private let count = Atomic(0)

    init(_ base: any AudioSink, begin: @escaping @Sendable (Int) -> Void) { (self.base, self.begin) = (base, begin) }

    func play(_ audio: SpeechAudio) async throws {
        let piece = count.wrappingAdd(1, ordering: .relaxed).oldValue
        try await base.play(audio)
        begin(piece)
    }

    func finish() async throws { try await base.finish() }
    func stop() { base.stop() }
}
