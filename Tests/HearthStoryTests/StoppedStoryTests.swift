import Foundation
import HearthRuntime
import HearthSafety
import HearthStory
import HearthText
import Testing

/// A real model that says what no child may hear: tokenizer, runner, sampler, chunker and filter as they are.
@Suite("Stories that the filter stops", .timeLimit(.minutes(20)))
struct StoppedStoryTests {
    private func tell(_ text: String) async throws -> (told: Told, raw: String) {
        var request = StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: .english, seed: 3)
        request.isModelChosen = true
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).gguf")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try ChainModel.write(text, for: request, to: path)
        let runner = ModelRunner(
            engine: try TextEngine(path: path, folders: nil, opening: Storyteller.opening(request)))
        var told = Told()
        for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) { told.take(event) }
        // What the model says by itself, with no filter behind it.
        var raw = ""
        for try await event in TextSession(runner: runner, start: Storyteller.opening(request)).events() {
            switch event {
            case .token(_, let text), .finished(_, let text): raw += text
            case .began, .paused, .likelihood, .thought: break
            }
        }
        return (told, raw)
    }

    @Test("What the model says is not told; its ending line and a finished story are")
    func stopped() async throws {
        let text = "Hide! Torture."
        let (told, raw) = try await tell(text)
        #expect(raw == text, "the model does not say what this test is about")
        #expect(told.sentences.first == "Hide!")
        #expect(told.sentences.dropFirst().first == OutputFilter().ending(in: .english))
        #expect(!(told.sentences + told.spoken + told.titles).joined().lowercased().contains("torture"))
        let handover = try #require(told.handover)
        #expect(handover.reason == .stopped)
        #expect(handover.afterSentences == 1)
        let story = try #require(handover.story.flatMap { StoryLibrary.story($0, in: .english) })
        #expect(told.sentences.count == 2 + story.sentences.count)
    }
}
