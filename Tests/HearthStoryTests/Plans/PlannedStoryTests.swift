import Foundation
import HearthRuntime
import HearthStory
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Stories of models that answer plans, from the model's file to the listener.
@Suite("Planned stories", .timeLimit(.minutes(20)))
struct PlannedStoryTests {
    private func request(
        _ manner: StoryRequest.Manner = .plain, _ language: StoryLanguage = .english, chosen: Bool = false
    ) throws -> StoryRequest {
        var request = StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: language, seed: 3)
        request.manner = manner
        request.isModelChosen = chosen
        request.child = try StoryChild("Mina", pronoun: .she, in: language)
        return request
    }

    /// Tells with a real model that says one text, and that says of itself that it answers plans.
    private func tell(_ text: String, _ request: StoryRequest, format: UInt32 = UInt32(StoryPlan.format)) async throws
        -> Told
    {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).gguf")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try ChainModel.write(text, for: request, storyFormat: format, to: path)
        let runner = ModelRunner(
            engine: try TextEngine(path: path, folders: nil, opening: Storyteller.opening(request)))
        var told = Told()
        for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) { told.take(event) }
        return told
    }

    @Test("The model's slots are filled", arguments: [StoryRequest.Manner.plain, .chosen], StoryLanguage.allCases)
    func filled(manner: StoryRequest.Manner, language: StoryLanguage) async throws {
        let told = try await tell("{a} hid.", request(manner, language))
        #expect(told.sentences == ["Mina hid."])
        #expect(told.spoken == ["Mina hid."])
        #expect(told.handover == nil && told.summaries.first??.stop == .end)
    }

    @Test("A story without a sentence that can be filled is handed over; who chose the model gets the error")
    func unfilled() async throws {
        let told = try await tell("{q} hid.", request())
        #expect(told.handover?.reason == .failed && told.handover?.story != nil)
        #expect(!(told.sentences + told.spoken).contains { $0.contains("{") || $0.contains("\u{FFFC}") })
        await #expect(throws: UnfilledSlots.self) { try await tell("{q} hid.", request(chosen: true)) }
    }

    @Test("Another format than the one that this version knows is no plan's")
    func otherFormat() async throws {
        let told = try await tell("{a} hid.", request(), format: 2)
        #expect(told.sentences == ["{a} hid."])
    }

    @Test("A model's file says that it answers plans, and is asked by a plan where it is to write freely")
    func prompts() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).gguf")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var request = try request()
        try ChainModel.write("{a} hid.", for: request, storyFormat: UInt32(StoryPlan.format), to: path)
        let model = try TextModel(path: path)
        #expect(model.answersPlans)
        #expect(try !TextModel(path: StorytellerTests.fixture("gemma3-q8_0.gguf")).answersPlans)
        func text(_ request: StoryRequest) throws -> String {
            try model.tokenizer.text(of: Storyteller.opening(request)(model).tokens, showSpecial: true)
        }
        let plan = try #require(request.storyPlan(seed: 3))
        #expect(
            try text(request)
                == "<bos><start_of_turn>user\n\(plan.prompt)<end_of_turn>\n<start_of_turn>model\n")
        #expect(try Storyteller.opening(request)(model).options.maximumTokens == StoryPlan.answerTokens)
        // A tale is told in all languages of the model, and asked for in words.
        for language in StoryLanguage.allCases {
            request = try self.request(.tale, language)
            #expect(try Storyteller.opening(request)(model).options.constraint != nil)
            #expect(try !text(request).contains("{plan}"))
            #expect(try text(request).contains("Mina"))
            // A long one is not cut short, whoever asks for it.
            for (length, most) in [(StoryLength.short, 600), (.long, StoryPlan.answerTokens)] {
                request.length = length
                #expect(try Storyteller.opening(request)(model).options.maximumTokens == most)
            }
        }
        // No plan knows of a theme.
        guard case .accepted(let theme) = AdultTheme.check("a fox who collects buttons", in: .english) else {
            Issue.record("a theme that was refused")
            return
        }
        request = try self.request(.chosen)
        request.subject = .theme(theme)
        #expect(try text(request).contains("a fox who collects buttons"))
    }

    // MARK: - What a model might write

    /// Tells what a model would write in these pieces.
    private func tell(
        pieces: [String], plan: StoryPlan, chosen: Bool = false, seed: UInt64 = 3
    ) async throws -> Told {
        let request = try request(chosen: chosen)
        let stream = Storyteller.stream { send in
            var telling = Telling(request, HandoverPolicy(), { .calm }, send)
            try await telling.follow(slots: { plan.filler }) {
                AsyncThrowingStream { continuation in
                    for (index, piece) in pieces.enumerated() {
                        continuation.yield(.token(id: TokenID(index), text: piece))
                    }
                    let summary = GenerationSummary(
                        promptTokens: 3, generatedTokens: pieces.count, stop: .end, prefillMS: 1, decodeMS: 2)
                    continuation.yield(.finished(summary, text: ""))
                    continuation.finish()
                }
            }
        }
        var told = Told()
        for try await event in stream { told.take(event) }
        return told
    }

    private let plan = StoryPlan(
        language: .english, wish: "sleepy-bear",
        cast: [.init(name: "Mina", pronoun: "she"), .init(name: "the old bear", pronoun: "he")])

    @Test("A sentence that cannot be filled is dropped, and the others are told")
    func dropped() async throws {
        let told = try await tell(
            pieces: ["{", "A", "} met {b", "}. ", "{q", "} came, and ", "{a} ran.", "\n\n{a", ".He}", " slept."],
            plan: plan)
        #expect(told.sentences == ["Mina met the old bear.", "She slept."])
        #expect(told.spoken == told.sentences)
        #expect(told.handover == nil && told.summaries.count == 1)
    }

    @Test("A clause with a fault is not spoken early, and what was spoken of a sentence is not shown")
    func clauses() async throws {
        let text = "One cold evening in the wood, {q} and {a} sat by the fire. {B} slept."
        #expect(try await tell(pieces: text.map(String.init), plan: plan).sentences == ["The old bear slept."])
        let early = try await tell(
            pieces: ["One cold {q} evening in the wood, ", "all sat. ", "{B} slept."], plan: plan)
        #expect(early.spoken == ["The old bear slept."])
    }

    @Test("After three such sentences a finished story is told")
    func handedOver() async throws {
        let told = try await tell(
            pieces: ["{A} slept. ", "{q} ran. ", "{q} hid. ", "He sat. ", "{a} woke. ", "{a} sang. "], plan: plan)
        #expect(told.sentences.first == "Mina slept.")
        #expect(told.handover?.reason == .failed && told.handover?.afterSentences == 1)
        #expect(!told.sentences.contains("Mina sang."))
        await #expect(throws: UnfilledSlots.self) {
            try await tell(pieces: ["{q} ran. {q} hid. {q} sat. {a} woke."], plan: plan, chosen: true)
        }
    }

    @Test("The filter sees the filled text")
    func filtered() async throws {
        var plan = plan
        plan.cast[1].name = "torture"
        let told = try await tell(pieces: ["{A} slept. ", "{B} ran. ", "{a} woke."], plan: plan)
        #expect(told.handover?.reason == .stopped)
        #expect(!(told.sentences + told.spoken).joined().lowercased().contains("torture"))
    }

    @Test("Nothing that a model writes shows a slot, and the split into tokens changes nothing that is shown")
    func streams() async throws {
        var random = SeededNumbers.fresh()
        let parts = [
            "{A} ran. ", "{a.He} sat", ", and {b} slept", ". ", "{q}", "{", "}", "{a.him", "!\n\n", "The moon rose",
            "{b:runs/run}", " his ",
        ]
        for _ in 0..<30 {
            let text = (0..<8).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            let whole = try await tell(pieces: [text], plan: plan)
            var pieces: [String] = []
            var rest = Substring(text)
            while !rest.isEmpty {
                let size = Int.random(in: 1...5, using: &random)
                pieces.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let split = try await tell(pieces: pieces, plan: plan)
            #expect(split.sentences == whole.sentences, "\(text)")
            #expect(split.handover?.reason == whole.handover?.reason, "\(text)")
            for told in [whole, split] {
                #expect(
                    !(told.sentences + told.spoken).joined().unicodeScalars.contains {
                        "{}\u{FFFC}".unicodeScalars.contains($0)
                    })
            }
        }
    }
}
