import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

/// Who leaves is believed at once, by the thread that makes tokens, and whatever the tasks in between do.
@Suite("Listeners", .timeLimit(.minutes(20)))
struct TextListenerTests {
    private static let most = 400

    private func session() throws -> TextSession {
        let runner = ModelRunner(
            engine: try TextEngine(path: GemmaFixtures.path("gemma3-q4_0.gguf"), folders: nil, whenMissing: .useFile))
        return TextSession(runner: runner) { model in
            TextProgress(
                prompt: model.tokenizer.encode("Once", addBOS: true),
                options: TextGenerator.Options(maximumTokens: Self.most, sampling: SamplingOptions(temperature: 0)))
        }
    }

    @Test("Leaving ends a text whose reader is busy with something else; none but the token in the making is late")
    func busyReader() async throws {
        // Standing still after its first token, so that there is a text left to stop; then nearly always at rest, which a busy
        // machine may be too slow for: the text is over before its reader has gone.
        for (after, share) in [(1, 0), (1, 0.02), (2, 0.02), (5, 0.02)] {
            let late = Counter()
            let listener = TextCancellation(onLateToken: { late.add() })
            var read = 0
            var summary: GenerationSummary?
            let pace = GenerationPace()
            pace.share = share
            for try await event in try session().events(pace: pace, listener: listener) {
                switch event {
                case .token:
                    read += 1
                    if read == after { listener.leave() }
                case .finished(let figures, _): summary = figures
                default: break
                }
            }
            // Nobody was cancelled, no loop was left: the flag alone ended it.
            let figures = try #require(summary)
            #expect(figures.stop == .cancelled || share > 0)
            #expect(late.value <= 1)
            #expect(figures.generatedTokens == read)
        }
    }

    @Test("A token that is finished when nobody is there any more is counted, once")
    func late() {
        let late = Counter()
        let listener = TextCancellation(onLateToken: { late.add() })
        listener.noteToken()
        #expect(late.value == 0 && !listener.hasLeft)
        listener.leave()
        listener.leave()
        #expect(late.value == 0 && listener.hasLeft)
        listener.noteToken()
        #expect(late.value == 1)
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int { count.load(ordering: .sequentiallyConsistent) }
        func add() { count.add(1, ordering: .sequentiallyConsistent) }
    }
}
