import HearthRuntime
import HearthStory
import HearthText
import Testing

/// Stories of the bundled model that are chosen paragraph by paragraph.
@Suite("Chosen stories", .timeLimit(.minutes(20)))
struct StoryChooserTests {
    private func request(_ seed: UInt64, tokens: Int = 120) throws -> StoryRequest {
        var request = StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: .english, seed: seed)
        request.maximumTokens = tokens
        request.manner = .chosen
        return request
    }

    private func tell(_ request: StoryRequest, parallel: Int, threads: Int = 1) async throws -> Told {
        let engine = try TextEngine(
            path: StorytellerTests.bundled, threads: threads, parallel: parallel, folders: nil,
            opening: Storyteller.opening(request))
        let runner = ModelRunner(engine: engine, uses: parallel)
        var told = Told()
        for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) { told.take(event) }
        return told
    }

    @Test("The story depends on the seed, not on how many texts are generated at a time or on threads")
    func determinism() async throws {
        let alone = try await tell(request(5), parallel: 1)
        let together = try await tell(request(5), parallel: Storyteller.candidates, threads: 2)
        #expect(!alone.sentences.isEmpty)
        #expect(alone.sentences == together.sentences)
        #expect(alone.spoken == together.spoken)
        #expect(alone.summaries.first??.generatedTokens == together.summaries.first??.generatedTokens)
        let other = try await tell(request(6), parallel: Storyteller.candidates)
        #expect(other.sentences != alone.sentences)
    }

    @Test("The token limit is that of the whole story")
    func limit() async throws {
        let told = try await tell(request(5, tokens: 90), parallel: Storyteller.candidates)
        let summary = try #require(told.summaries.first ?? nil)
        #expect(summary.generatedTokens <= 90)
        #expect(summary.stop == .length)
    }

    @Test("Without choosing, the story is the text that the model generates from its prompt")
    func plain() async throws {
        var request = try request(5)
        request.manner = .plain
        let told = try await tell(request, parallel: 1)
        let generator = try TextGenerator(model: TextModel(path: StorytellerTests.bundled), threads: 1)
        var text = ""
        for try await event in generator.generate(resuming: try Storyteller.opening(request)(generator.model)) {
            if case .token(_, let piece) = event { text += piece }
        }
        #expect(!told.sentences.isEmpty)
        var rest = text[...]
        for sentence in told.sentences {
            let range = try #require(rest.firstRange(of: sentence), "\(sentence)")
            rest = rest[range.upperBound...]
        }
    }

    @Test("The candidate without a slip is the best, the first of equals")
    func best() throws {
        let judge = try #require(StoryJudge.bundled)
        let wish = try #require(Wishes.wish("wise-owl"))
        let sound = "Agatha was a wise old owl with round glasses made of nothing."
        let candidates = [
            StoryChooser.Candidate("Agatha was was a wise old owl.", isFollowed: true),
            StoryChooser.Candidate(sound, isFollowed: true),
            StoryChooser.Candidate(sound, isFollowed: true),
            StoryChooser.Candidate("Agatha was a wose old owl.", isFollowed: true),
        ]
        let best = try #require(StoryChooser.best(of: candidates, after: "", judge: judge, wish: wish))
        #expect(best.index == 1)
        #expect(best.isSound)
        let worst = try #require(StoryChooser.best(of: [candidates[0]], after: "", judge: judge, wish: wish))
        #expect(!worst.isSound)
        // A candidate that ends the story too early is not sound.
        let short = try #require(
            StoryChooser.best(of: [.init(sound, isFollowed: false)], after: "", judge: judge, wish: wish))
        #expect(!short.isSound)
        #expect(StoryChooser.best(of: [], after: "", judge: judge, wish: wish) == nil)
    }

    @Test("Each candidate has its own seed, the first one that of the story")
    func seeds() {
        #expect(StoryChooser.seed(7, paragraph: 0, candidate: 0) == 7)
        let seeds = (0..<6).flatMap { paragraph in
            (0..<40).map { StoryChooser.seed(7, paragraph: paragraph, candidate: $0) }
        }
        #expect(Set(seeds).count == seeds.count)
    }
}
