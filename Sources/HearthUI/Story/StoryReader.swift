public import HearthSpeech
public import HearthStory
public import Observation
internal import Synchronization

/// Tells one story at a time, for a view: text as it is written, and the sentence that the voice is at.
///
///     let reader = StoryReader(storyteller, synthesizer: AppleSynthesizer()) { AppleAudioSink(title: $0) }
///     // in a view:  StoryView(reader).task(id: wish) { await reader.tell(StoryRequest(.wish(wish), in: .english)) }
///
/// Text runs ahead of the voice by some sentences at most.
@MainActor
@Observable
public final class StoryReader {
    /// Whether a story is being told or read.
    public private(set) var isTelling = false
    /// What stands on the screen.
    package private(set) var page = StoryPage(.english)

    @ObservationIgnored private let storyteller: Storyteller
    @ObservationIgnored private let synthesizer: (any SpeechSynthesizer)?
    @ObservationIgnored private let sink: ((_ title: String) throws -> any AudioSink)?
    @ObservationIgnored private var story = 0
    /// The voice of the story that is told.
    @ObservationIgnored private var narrator: Narrator?

    /// - Parameters:
    ///   - storyteller: tells the stories.
    ///   - synthesizer: the voice; nil for a story that is only shown.
    ///   - sink: makes what plays a story of this title, one for each story; nil for none.
    public init(
        _ storyteller: Storyteller, synthesizer: (any SpeechSynthesizer)? = nil,
        sink: ((_ title: String) throws -> any AudioSink)? = nil
    ) {
        (self.storyteller, self.synthesizer, self.sink) = (storyteller, synthesizer, sink)
    }

    /// Tells a story, and returns when it was told and heard. It ends when its task is cancelled, or when another one begins.
    ///
    /// A voice that fails falls silent, and the text goes on: a child never sees an error. A model that cannot tell the story
    /// hands over to a finished one.
    public func tell(_ request: StoryRequest) async {
        story += 1
        let number = story
        if let overtaken = narrator { await overtaken.stop() }
        guard number == story else { return }
        page = StoryPage(request.language)
        // A task that was cancelled by now still ends the story before, and tells nothing.
        isTelling = !Task.isCancelled
        guard isTelling else { return }
        let narrator = voice(request, number)
        self.narrator = narrator
        await withTaskCancellationHandler {
            await follow(request, number, narrator)
        } onCancel: {
            // Waiting for the last sentence is not cancelled by itself.
            if let narrator { Task { await narrator.stop() } }
        }
        // Not the silence of a story that was overtaken: its page is another's by now.
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
                    // The task's end, or the listener's: the sleep timer, the stop button of a lock screen.
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

/// Says which piece begins to sound: the one whose `play` returns, because a sink asks for the next piece while that one is heard.
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
