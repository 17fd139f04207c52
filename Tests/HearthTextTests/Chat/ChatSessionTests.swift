import Foundation
import HearthCompute
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Answers with what was kept of earlier turns are those of a model that sees the conversation for the first time.
@Suite("Conversations", .timeLimit(.minutes(20))) struct ChatSessionTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-chat-\(UUID())").path
    private var file: String { folder + "/talk.chat" }

    private func runner(_ model: String, context: Int? = nil) throws -> ModelRunner<TextEngine> {
        ModelRunner(engine: try TextEngine(path: model, contextLength: context, threads: 2, folders: nil))
    }

    private struct Answer: Equatable {
        var text = ""
        var tokens: [TokenID] = []
        var notices: [String] = []
        var summary: GenerationSummary?
    }

    private func collect(_ events: AsyncThrowingStream<ChatSession.Event, any Error>) async throws -> Answer {
        var answer = Answer()
        for try await event in events {
            switch event {
            case .text(let text): answer.text += text
            case .token(let id): answer.tokens.append(id)
            case .notice(let notice): answer.notices.append(notice)
            case .finished(let summary): answer.summary = summary
            case .likelihood, .thought, .calling, .result, .paused: break
            }
        }
        return answer
    }

    /// The answer of a generator that has seen nothing: the conversation in the model's template, all at once.
    private func fresh(
        _ path: String, _ messages: [ChatMessage], _ options: TextGenerator.Options, context: Int? = nil
    ) async throws -> (tokens: [TokenID], prompt: Int) {
        let model = try TextModel(path: path)
        let prompt = try #require(model.chatTemplate).encode(messages, model.tokenizer)
        let generator = try TextGenerator(model: model, contextLength: context, threads: 2)
        var tokens: [TokenID] = []
        for try await event in generator.generate(prompt, options: options) {
            if case .token(let id, _) = event { tokens.append(id) }
        }
        return (tokens, prompt.count)
    }

    private func options(_ temperature: Float, seed: UInt64 = 7, _ most: Int = 12) -> TextGenerator.Options {
        .init(maximumTokens: most, sampling: SamplingOptions(temperature: temperature, seed: seed))
    }

    private static let questions = [
        "Tell a story about a bear.", "And then?", "Who else was there?", "Tell more of the moon.", "Good night!",
    ]

    @Test(
        "Each turn is the one of a fresh model, greedy and by seed, and little of its prompt is computed again",
        arguments: [Float(0), 0.9])
    func turns(temperature: Float) async throws {
        let chat = ChatSession(runner: try runner(GemmaFixtures.bundled), instructions: "Tell it to a child.")
        var messages = [ChatMessage(role: .system, content: "Tell it to a child.")]
        var before = 0
        for question in Self.questions {
            let answer = try await collect(chat.respond(to: question, options: options(temperature)))
            messages.append(ChatMessage(role: .user, content: question))
            let expected = try await fresh(GemmaFixtures.bundled, messages, options(temperature))
            let summary = try #require(answer.summary)
            #expect(answer.tokens == expected.tokens)
            #expect(summary.promptTokens == expected.prompt)
            // All that the turn before had as its prompt, at least.
            #expect(summary.cachedTokens >= before && summary.cachedTokens < summary.promptTokens)
            before = summary.promptTokens
            messages.append(ChatMessage(role: .assistant, content: answer.text))
        }
        #expect(await chat.messages == Array(messages.dropFirst()))
    }

    /// Models with rings of 16 and more positions, whose random answers are never tokenized as they were generated: the
    /// longest common beginning ends within each answer.
    @Test(
        "Edited, taken back and asked again, on every generation",
        arguments: ["gemma2-q8_0.gguf", "gemma3-f16.gguf", "gemma3n-q8_0.gguf", "gemma3-linear-f16.gguf"])
    func edits(file: String) async throws {
        let path = GemmaFixtures.path(file)
        guard try TextModel(path: path).chatTemplate != nil else { return }
        let chat = ChatSession(runner: try runner(path))
        var random = Xoshiro256(seed: 12)
        var messages: [ChatMessage] = []
        var reused = 0
        var attempt: UInt64 = 0
        for turn in 0..<14 {
            let settings = options(turn.isMultiple(of: 2) ? 0 : 0.8, seed: UInt64(turn), 10)
            let step = Int.random(in: 0..<5, using: &random)
            let answer: Answer
            // The fixtures' context is short.
            if step == 0 && messages.count >= 4 || messages.count >= 8 {
                // An earlier turn is edited: back to it, and on in other words.
                for _ in 0..<2 {
                    #expect(await chat.undo() == messages[messages.count - 2].content)
                    messages.removeLast(2)
                }
            }
            if step == 1, !messages.isEmpty {
                messages.removeLast()
                attempt += 1
                answer = try await collect(chat.regenerate(options: settings))
            } else {
                let message = ChatMessage(
                    role: .user, content: "abc \(turn) " + String(repeating: "de ", count: turn % 4))
                messages.append(message)
                attempt = 0
                answer = try await collect(chat.respond(to: message.content, options: settings))
            }
            var again = settings
            again.sampling.seed = (settings.sampling.seed ?? 0) + attempt
            let expected = try await fresh(path, messages, again)
            #expect(answer.tokens == expected.tokens, "turn \(turn)")
            reused += answer.summary?.cachedTokens ?? 0
            messages.append(ChatMessage(role: .assistant, content: answer.text))
            #expect(await chat.messages == messages)
        }
        #expect(reused > 100, "\(reused)")
    }

    @Test("A conversation that outgrows the context keeps its instructions and whole newest turns, and says so")
    func trimming() async throws {
        let chat = ChatSession(runner: try runner(GemmaFixtures.bundled, context: 160), instructions: "Be kind.")
        var notices = 0, cached = 0
        for turn in 0..<8 {
            let question = "Tell a story about a bear and a boat, number \(turn)."
            let answer = try await collect(chat.respond(to: question, options: options(0, 20)))
            let summary = try #require(answer.summary)
            #expect(summary.promptTokens <= 160 - 20)
            cached += summary.cachedTokens
            guard !answer.notices.isEmpty else { continue }
            notices += 1
            #expect(answer.notices[0].contains("160 tokens"))
            // As a fresh model answers to what is left.
            let all = await chat.messages.dropLast()
            let isOne = await stride(from: 2, to: all.count, by: 2).asyncContains { first in
                let seen = [ChatMessage(role: .system, content: "Be kind.")] + all[first...]
                // Too long: more was forgotten.
                let found = try? await fresh(GemmaFixtures.bundled, seen, options(0, 20), context: 160)
                return found?.tokens == answer.tokens
            }
            #expect(isOne)
        }
        // Not at every turn: so much goes at once that the prefix cache is of use again.
        #expect((1...3).contains(notices), "\(notices)")
        #expect(cached > 0)
        #expect(await chat.messages.count == 16)
        await #expect(throws: TextError.self) {
            try await collect(chat.respond(to: String(repeating: "too long ", count: 100), options: options(0)))
        }
        #expect(await chat.messages.count == 16)
    }

    @Test("Saved and restored: the text, and what was computed of it")
    func files() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let first = ChatSession(runner: try runner(GemmaFixtures.bundled), instructions: "Be kind.")
        for question in Self.questions.prefix(2) {
            _ = try await collect(first.respond(to: question, options: options(0)))
        }
        try await first.save(to: file)
        let second = try ChatSession(restoring: file, runner: try runner(GemmaFixtures.bundled))
        #expect(await second.messages == first.messages)
        #expect(await second.instructions == "Be kind.")
        let here = try await collect(first.respond(to: "On.", options: options(0)))
        let there = try await collect(second.respond(to: "On.", options: options(0)))
        #expect(here.tokens == there.tokens && here.text == there.text)
        let known = try #require(there.summary?.cachedTokens), prompt = try #require(there.summary?.promptTokens)
        #expect(known > prompt / 2 && here.summary?.cachedTokens == known, "\(known) of \(prompt)")

        // Without its keys, and with damaged ones: computed anew, and the same.
        try FileManager.default.removeItem(atPath: file + ".kv")
        let bare = try ChatSession(restoring: file, runner: try runner(GemmaFixtures.bundled))
        let anew = try await collect(bare.respond(to: "On.", options: options(0)))
        #expect(anew.tokens == here.tokens && anew.summary?.cachedTokens == 0)
        try await bare.save(to: file)
        var keys = try Data(contentsOf: URL(fileURLWithPath: file + ".kv"))
        keys[keys.count / 2] ^= 1
        try keys.write(to: URL(fileURLWithPath: file + ".kv"))
        let damaged = try ChatSession(restoring: file, runner: try runner(GemmaFixtures.bundled))
        let after = try await collect(damaged.respond(to: "And on.", options: options(0)))
        let same = try await collect(bare.respond(to: "And on.", options: options(0)))
        #expect(after.tokens == same.tokens && after.summary?.cachedTokens == 0)

        // With another model the text goes on alone.
        let other = try ChatSession(restoring: file, runner: try runner(GemmaFixtures.path("gemma3-f16.gguf")))
        let changed = try await collect(other.respond(to: "On.", options: options(0)))
        #expect(changed.notices.count == 1 && changed.notices[0].contains("another model"))
        #expect(changed.summary?.cachedTokens == 0 && !changed.tokens.isEmpty)
    }

    @Test("Cancelled, it keeps what came, and goes on; one answer at a time")
    func cancelling() async throws {
        let chat = ChatSession(runner: try runner(GemmaFixtures.bundled))
        var answer = Answer()
        // As long as the context: no token ends it.
        var endless = options(0.9, 2000)
        endless.sampling.logitBias = [1: -100, 5: -100]
        // It waits after its first token, however long a busy machine takes to cancel it.
        let still = GenerationPace()
        still.share = 0
        for try await event in chat.respond(to: "Tell a story.", options: endless, pace: still) {
            switch event {
            case .token(let id):
                answer.tokens.append(id)
                if answer.tokens.count == 1 {
                    await #expect(throws: TextError.conversationBusy) {
                        try await collect(chat.respond(to: "Me too.", options: options(0)))
                    }
                    await chat.cancel()
                }
            case .text(let text): answer.text += text
            case .finished(let summary): answer.summary = summary
            default: break
            }
        }
        #expect(answer.summary?.stop == .cancelled)
        #expect(answer.tokens.count == 1 && !answer.text.isEmpty)
        #expect(await chat.messages.last == ChatMessage(role: .assistant, content: answer.text))
        let next = try await collect(chat.respond(to: "And now?", options: options(0)))
        let messages = await Array(chat.messages.dropLast())
        #expect(next.tokens == (try await fresh(GemmaFixtures.bundled, messages, options(0)).tokens))

        // Left by its listener.
        let count = await chat.messages.count
        for try await event in chat.respond(to: "Once more.", options: options(0.9, 2000)) {
            if case .text = event { break }
        }
        while await chat.messages.count == count { try await Task.sleep(for: .milliseconds(2)) }
        #expect(await chat.messages.count == count + 2)
    }

    @Test("Cancelled while it has no model, it keeps what came, and waits for nothing")
    func cancellingWithoutModel() async throws {
        let runner = try runner(GemmaFixtures.bundled)
        let chat = ChatSession(runner: runner)
        // As long as the context: no token ends it.
        var endless = options(0.9, 2000)
        endless.sampling.logitBias = [1: -100, 5: -100]
        // It waits after its first token, however long a busy machine takes to suspend it.
        let still = GenerationPace()
        still.share = 0
        var answer = Answer()
        for try await event in chat.respond(to: "Tell a story.", options: endless, pace: still) {
            switch event {
            case .text(let text): answer.text += text
            case .token: await runner.suspend("The device is too hot.")
            case .paused: await chat.cancel()
            case .finished(let summary): answer.summary = summary
            default: break
            }
        }
        #expect(answer.summary?.stop == .cancelled && !answer.text.isEmpty)
        #expect(await chat.messages.last == ChatMessage(role: .assistant, content: answer.text))
        await runner.resume()
        #expect(try await collect(chat.respond(to: "And now?", options: options(0))).tokens.isEmpty == false)
    }

    @Test("One that is cancelled leaves another of the same model alone")
    func cancellingOne() async throws {
        let engine = try TextEngine(path: GemmaFixtures.bundled, threads: 2, parallel: 2, folders: nil)
        let runner = ModelRunner(engine: engine, uses: 2)
        let (first, second) = (ChatSession(runner: runner), ChatSession(runner: runner))
        var endless = options(0.9, 400)
        endless.sampling.logitBias = [1: -100, 5: -100]
        let slow = GenerationPace()
        slow.share = 0.02
        var events = first.respond(to: "Tell a story.", options: endless, pace: slow).makeAsyncIterator()
        while let event = try await events.next() {
            if case .token = event { break }
        }
        endless.maximumTokens = 40
        var told = Answer()
        for try await event in second.respond(to: "Tell of the moon.", options: endless, pace: slow) {
            switch event {
            case .token(let id):
                told.tokens.append(id)
                guard told.tokens.count == 3 else { break }
                await first.cancel()
                slow.share = 1
            case .finished(let summary): told.summary = summary
            default: break
            }
        }
        #expect(told.summary?.stop == .length && told.tokens.count == 40)
        var last: ChatSession.Event?
        while let event = try await events.next() { last = event }
        guard case .finished? = last else {
            Issue.record("\(String(describing: last))")
            return
        }
    }

    @Test("Stop strings end a turn, and are no part of it")
    func stops() async throws {
        var settings = options(0, 60)
        let whole = try await collect(
            ChatSession(runner: try runner(GemmaFixtures.bundled)).respond(to: "A bear.", options: settings))
        let words = whole.text.split(separator: " ")
        // Across tokens: the end of one word and the beginning of the next.
        let stop = "\(words[4].suffix(2)) \(words[5].prefix(2))"
        settings.stop = [stop]
        let chat = ChatSession(runner: try runner(GemmaFixtures.bundled))
        let cut = try await collect(chat.respond(to: "A bear.", options: settings))
        let range = try #require(whole.text.range(of: stop))
        #expect(cut.text == whole.text[..<range.lowerBound])
        #expect(cut.summary?.stop == .end)
        #expect(cut.tokens.count < whole.tokens.count && whole.tokens.starts(with: cut.tokens))
        #expect(await chat.messages.last?.content == cut.text)
    }

    @Test(
        "Of thousands of exchanges as many of the newest are seen as fit, and that is found soon",
        .timeLimit(.minutes(20)), arguments: [5, 40, 6000])
    func outgrown(exchanges: Int) throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let template = try #require(model.chatTemplate)
        var messages: [ChatMessage] = []
        for number in 0..<exchanges {
            messages.append(
                ChatMessage(role: .user, content: "Tell \(number). " + String(repeating: "a ", count: number % 7)))
            messages.append(ChatMessage(role: .assistant, content: "Once, \(number)."))
        }
        messages.append(ChatMessage(role: .user, content: "And then?"))
        var conversation = Conversation(instructions: "Be brief.", messages: messages)
        let prompt = try conversation.prompt(template, model.tokenizer, context: 800, wanted: 200)
        #expect(try template.encode(conversation.visible, model.tokenizer) == prompt.tokens)
        #expect(prompt.newlyForgotten == 2 * prompt.newlyForgottenExchanges)
        #expect((prompt.newlyForgotten == 0) == (exchanges == 5))
        guard prompt.newlyForgotten > 0 else { return }
        // A quarter of the space is free, and would not be with one exchange more.
        let longer =
            [ChatMessage(role: .system, content: "Be brief.")] + messages[(prompt.newlyForgotten - 2)...]
        #expect(prompt.tokens.count <= 450)
        #expect(try template.encode(longer, model.tokenizer).count > 450)
        // A last message that is too long by itself: all before it is forgotten.
        var last = Conversation(
            messages: messages.dropLast() + [ChatMessage(role: .user, content: String(repeating: "a b ", count: 250))])
        let alone = try last.prompt(template, model.tokenizer, context: 800, wanted: 200)
        #expect(alone.newlyForgottenExchanges == exchanges && alone.tokens.count > 450)
    }

    @Test("A model without turns is refused, and the conversation stays as it was")
    func base() async throws {
        let chat = ChatSession(runner: try runner(GemmaFixtures.path("gemma1-f32.gguf")))
        do {
            _ = try await collect(chat.respond(to: "a", options: options(0)))
        } catch TextError.noChatTemplate {
            #expect(await chat.messages.isEmpty)
        }
        await #expect(throws: TextError.invalidConversation(.noUserMessage)) {
            try await collect(
                ChatSession(runner: try runner(GemmaFixtures.bundled)).regenerate(options: options(0)))
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncContains(_ holds: (Element) async throws -> Bool) async rethrows -> Bool {
        for element in self where try await holds(element) { return true }
        return false
    }
}
