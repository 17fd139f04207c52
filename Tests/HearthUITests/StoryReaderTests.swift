import Foundation
import HearthRuntime
import HearthSpeech
import HearthStory
import HearthTestSupport
import HearthText
import HearthUI
import Synchronization
import Testing

/// With the bundled model, a voice of silence, and files as loudspeakers.
@Suite("Reading a story", .serialized, .timeLimit(.minutes(20)))
@MainActor
struct StoryReaderTests {
    private func teller() throws -> (storyteller: Storyteller, runner: ModelRunner<TextEngine>) {
        let runner = ModelRunner(engine: try TextEngine(path: GemmaFixtures.bundled, folders: nil))
        return (Storyteller(runner: runner, conditions: { .calm }), runner)
    }

    private func request() throws -> StoryRequest {
        StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: .english, seed: 3)
    }

    private func sentences(_ page: StoryPage) -> [String] {
        page.chapters.flatMap(\.paragraphs).flatMap(\.sentences).map(\.text)
    }

    /// The sentences of the same story, told without a view.
    private func told(_ storyteller: Storyteller) async throws -> [String] {
        var told: [String] = []
        for try await event in storyteller.tell(try request()) {
            if case .sentence(let text, _) = event { told.append(text.text) }
        }
        return told
    }

    /// Asks what is marked while the piece before is heard; the mark is set by a task of its own, which may come late.
    private final class WatchingSink: AudioSink {
        let marks = Mutex<[Int?]>([])
        private let page: @MainActor @Sendable () -> StoryPage?
        private let base: WAVFileSink

        init(path: String, page: @escaping @MainActor @Sendable () -> StoryPage?) throws {
            base = try WAVFileSink(path: path)
            self.page = page
        }

        func play(_ audio: SpeechAudio) async throws {
            let piece = marks.withLock { $0.count }
            var seen = await page()
            while let page = seen, page.sounding < piece - 1 {
                try await Task.sleep(for: .milliseconds(1))
                seen = await self.page()
            }
            marks.withLock { [seen] in $0.append(seen?.heard) }
            try await base.play(audio)
        }

        func finish() async throws { try await base.finish() }
        func stop() { base.stop() }
    }

    @Test("shows what the storyteller tells, and marks sentence after sentence while it is read")
    func read() async throws {
        let folder = try TemporaryFolder()
        let (storyteller, runner) = try teller()
        var sink: WatchingSink?
        var titles: [String] = []
        let place = Mutex<StoryReader?>(nil)
        let reader = StoryReader(storyteller, synthesizer: SilentSynthesizer()) { title in
            titles.append(title)
            let made = try WatchingSink(path: folder["story.wav"]) { place.withLock { $0 }?.page }
            sink = made
            return made
        }
        place.withLock { $0 = reader }
        #expect(!reader.isTelling)
        await reader.tell(try request())
        place.withLock { $0 = nil }

        #expect(!reader.isTelling && reader.page.hasEnded && reader.page.heard == nil)
        #expect(titles == ["a sleepy bear"])
        let told = try await told(storyteller)
        #expect(told.count > 3 && sentences(reader.page) == told)
        let marks = try #require(sink?.marks.withLock { $0 })
        #expect(marks.first == .some(nil))
        let marked = marks.compactMap { $0 }
        #expect(marked == marked.sorted() && Set(marked).count >= told.count - 1)
        #expect(try folder.names() == ["story.wav"])
        await runner.release()
    }

    @Test("without a voice the text alone is told, and nothing is marked")
    func silent() async throws {
        let (storyteller, runner) = try teller()
        let reader = StoryReader(storyteller)
        await reader.tell(try request())
        #expect(sentences(reader.page) == (try await told(storyteller)))
        #expect(reader.page.heard == nil)
        await runner.release()
    }

    private struct HoarseSynthesizer: SpeechSynthesizer {
        func speech(for text: String, language: String) async throws -> SpeechAudio {
            throw SpeechError.notAudio("nothing")
        }
    }

    @Test("a voice that fails falls silent, and the text is told to its end")
    func hoarse() async throws {
        let folder = try TemporaryFolder()
        let (storyteller, runner) = try teller()
        let reader = StoryReader(storyteller, synthesizer: HoarseSynthesizer()) { _ in
            try WAVFileSink(path: folder["story.wav"])
        }
        await reader.tell(try request())
        #expect(sentences(reader.page) == (try await told(storyteller)))
        #expect(reader.page.hasEnded && !reader.isTelling)
        #expect(try folder.names().isEmpty)
        await runner.release()
    }

    /// Speaks one sentence, and is at the second until it is cancelled: so the story is never over before.
    private final class EndlessSynthesizer: SpeechSynthesizer {
        let count = Mutex(0)
        func speech(for text: String, language: String) async throws -> SpeechAudio {
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if !isFirst { try await Task.sleep(for: .seconds(1000)) }
            return try await SilentSynthesizer().speech(for: text, language: language)
        }
    }

    @Test("ends when its task is cancelled, and leaves no half-written sound")
    func cancelled() async throws {
        let folder = try TemporaryFolder()
        let (storyteller, runner) = try teller()
        let synthesizer = EndlessSynthesizer()
        let reader = StoryReader(storyteller, synthesizer: synthesizer) { _ in
            try WAVFileSink(path: folder["story.wav"])
        }
        let request = try request()
        let task = Task { await reader.tell(request) }
        while synthesizer.count.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await task.value
        #expect(!reader.isTelling && !reader.page.hasEnded)
        // The voice is stopped by a task of its own.
        while !(try folder.names().isEmpty) { try await Task.sleep(for: .milliseconds(5)) }
        await runner.release()
    }

    @Test("a story whose task was cancelled before it began ends the one before, and tells nothing")
    func cancelledAtOnce() async throws {
        let (storyteller, runner) = try teller()
        let reader = StoryReader(storyteller)
        let request = try request()
        let first = Task { await reader.tell(request) }
        while reader.page.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        let second = Task { await reader.tell(request) }
        second.cancel()
        await second.value
        await first.value
        #expect(!reader.isTelling && reader.page.isEmpty)
        await runner.release()
    }

    @Test("another story takes the place of the one before")
    func overtaken() async throws {
        let (storyteller, runner) = try teller()
        let reader = StoryReader(storyteller)
        let request = try request()
        let first = Task { await reader.tell(request) }
        while reader.page.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        await reader.tell(request)
        await first.value
        #expect(sentences(reader.page) == (try await told(storyteller)))
        #expect(!reader.isTelling)
        await runner.release()
    }
}
