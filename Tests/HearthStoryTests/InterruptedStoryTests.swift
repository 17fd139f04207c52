import Foundation
import HearthRuntime
import HearthSpeech
import HearthStory
import HearthText
import Testing

/// The bundled model, taken away in the middle of a story.
@Suite("Interrupted stories", .timeLimit(.minutes(20)))
struct InterruptedStoryTests {
    /// The device, as a test sets it.
    private final class Device: @unchecked Sendable {
        private let lock = NSLock()
        private var value = DeviceConditions.calm
        var conditions: DeviceConditions {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }

    private func request(_ manner: StoryRequest.Manner = .tale) throws -> StoryRequest {
        var request = StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: .english, seed: 3)
        request.maximumTokens = 160
        request.manner = manner
        return request
    }

    private func runner(_ request: StoryRequest) throws -> ModelRunner<TextEngine> {
        ModelRunner(
            engine: try TextEngine(
                path: StorytellerTests.bundled, folders: nil, opening: Storyteller.opening(request)))
    }

    private func undisturbed(_ request: StoryRequest) async throws -> Told {
        var told = Told()
        for try await event in Storyteller(runner: try runner(request), conditions: { .calm }).tell(request) {
            told.take(event)
        }
        return told
    }

    /// Takes the model away after some sentences; slowly written, so that the story is not over by then.
    private func disturbed(
        _ request: StoryRequest, by conditions: DeviceConditions, patience: Duration,
        onPause: @escaping @Sendable (ModelRunner<TextEngine>) async -> Void
    ) async throws -> Told {
        // Optimised, a story is written in a fraction of a second; the listener may be slow beside other tests.
        // A chosen one takes many times as long, because its candidates are written as well.
        let share = request.manner == .chosen ? 0.1 : 0.01
        var told = try await disturbed(request, by: conditions, patience: patience, share: share, onPause: onPause)
        // Where a busy machine kept the listener from it until the story was over: again, and still slower.
        while told.pauses.isEmpty {
            try Task.checkCancellation()
            told = try await disturbed(
                request, by: conditions, patience: patience, share: share / 10, onPause: onPause)
        }
        return told
    }

    private func disturbed(
        _ request: StoryRequest, by conditions: DeviceConditions, patience: Duration, share: Double,
        onPause: @escaping @Sendable (ModelRunner<TextEngine>) async -> Void
    ) async throws -> Told {
        let runner = try runner(request)
        let device = Device()
        let pace = GenerationPace()
        pace.share = share
        var policy = HandoverPolicy()
        policy.patience = patience
        let teller = Storyteller(runner: runner, pace: pace, policy: policy, conditions: { device.conditions })
        var told = Told()
        for try await event in teller.tell(request) {
            told.take(event)
            if case .sentence = event, told.sentences.count == 3 {
                device.conditions = conditions
                await runner.beginSuspension("The device is troubled.")
                pace.share = 1
            }
            if case .paused = event { await onPause(runner) }
        }
        return told
    }

    // Unoptimised, choosing takes minutes.
    #if DEBUG
    private static let manners = [StoryRequest.Manner.plain, .tale]
    #else
    private static let manners = [StoryRequest.Manner.plain, .tale, .chosen]
    #endif

    @Test("Back within the patience: the same story, as if nothing had happened", arguments: manners)
    func recovery(manner: StoryRequest.Manner) async throws {
        let request = try request(manner)
        let whole = try await undisturbed(request)
        let told = try await disturbed(
            request, by: DeviceConditions(thermal: .critical), patience: .seconds(3600)
        ) { await $0.resume() }
        #expect(told.pauses == [.heat])
        #expect(told.handover == nil)
        #expect(told.sentences == whole.sentences)
        #expect(told.spoken == whole.spoken)
        #expect(told.summaries.first??.generatedTokens == whole.summaries.first??.generatedTokens)
    }

    @Test(
        "Not back: what was told ends at a sentence, is closed gently, and a finished story follows",
        arguments: [
            (DeviceConditions(thermal: .critical), HandoverReason.heat),
            (DeviceConditions(memoryPressure: .critical), .memory), (DeviceConditions(phase: .background), .background),
        ])
    func noRecovery(conditions: DeviceConditions, reason: HandoverReason) async throws {
        let request = try request()
        let whole = try await undisturbed(request)
        let told = try await disturbed(request, by: conditions, patience: .milliseconds(50)) { _ in }
        let handover = try #require(told.handover)
        #expect(handover.reason == reason)
        #expect(handover.afterSentences >= 3)
        #expect(told.pauses == [reason])
        #expect(told.sentences.prefix(handover.afterSentences) == whole.sentences.prefix(handover.afterSentences))
        #expect(told.sentences[handover.afterSentences] == StoryPhrases(.english).closing)
        let story = try #require(handover.story.flatMap { StoryLibrary.story($0, in: .english) })
        #expect(Array(told.sentences[(handover.afterSentences + 1)...]) == story.sentences.map(\.text))
        #expect(handover.notice?.text == StoryPhrases(.english).notice(reason))
    }

    @Test("Not there at the beginning: a finished story at once, whatever the patience")
    func atOnce() async throws {
        let request = try request()
        let runner = try runner(request)
        await runner.suspend("The device is too hot.")
        var policy = HandoverPolicy()
        // Were it waited for, this test would meet its time limit.
        policy.patience = .seconds(24 * 3600)
        var told = Told()
        let teller = Storyteller(
            runner: runner, policy: policy, conditions: { DeviceConditions(thermal: .critical) })
        for try await event in teller.tell(request) { told.take(event) }
        #expect(told.handover?.reason == .heat)
        #expect(told.handover?.afterSentences == 0)
    }

    @Test("A model that was warmed up before the wish tells the same story")
    func prelude() async throws {
        let request = try request()
        let whole = try await undisturbed(request)
        let model = try TextModel(path: StorytellerTests.bundled)
        let (prelude, opening) = (
            try Storyteller.prelude(in: .english)(model).tokens, try Storyteller.opening(request)(model).tokens
        )
        #expect(opening.starts(with: prelude))
        // What is left are the wish's own words and the marks around them.
        #expect(opening.count - prelude.count < opening.count / 4)
        let runner = ModelRunner(
            engine: try TextEngine(
                path: StorytellerTests.bundled, folders: nil, opening: Storyteller.prelude(in: .english)))
        try await runner.prepare()
        var told = Told()
        for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) { told.take(event) }
        #expect(told.sentences == whole.sentences)
    }

    @Test("Leaving a story stops the model")
    func leaving() async throws {
        let request = try request()
        let runner = try runner(request)
        do {
            for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) {
                if case .sentence = event { break }
            }
        }
        // The model is free again; were it not, this would wait for the end of the story at full speed, and longer.
        let isFree = try await runner.withModel { generator in
            await generator.waitUntilIdle()
            return !generator.isGenerating
        }
        #expect(isFree)
    }
}
