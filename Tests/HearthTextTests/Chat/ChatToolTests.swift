import Foundation
import HearthRuntime
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

/// Tools in a conversation, with the bundled model: it knows nothing of calls, and is made to begin one by the weight of a brace.
@Suite("Tools", .timeLimit(.minutes(20))) struct ChatToolTests {
    private enum Place: String, CaseIterable, Decodable { case forest, meadow }

    /// What happened to it.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
    }

    private struct Look: ChatTool {
        struct Arguments: Decodable, TextSchemaHints {
            var place: Place
            var hour: Int
            static let schemaHints: [String: [TextSchemaHint]] = ["hour": [.range(0...23)]]
        }
        struct TooDark: LocalizedError { var errorDescription: String? { "it is too dark" } }

        let name = "look"
        let description = "Looks who is there."
        var log = Log()
        var fails = false
        var waits = false
        var whenCalled: @Sendable () -> Void = {}

        func call(_ arguments: Arguments) async throws -> String {
            log.note("\(arguments.place) \(arguments.hour)")
            whenCalled()
            if waits { try await Task.sleep(for: .seconds(3600)) }
            if fails { throw TooDark() }
            return "a bear in the \(arguments.place.rawValue)"
        }
    }

    private func runner() throws -> ModelRunner<TextEngine> {
        ModelRunner(engine: try TextEngine(path: GemmaFixtures.bundled, threads: 2, folders: nil))
    }

    /// - Parameter calls: whether the model wants nothing but braces.
    private func options(calls: Bool, tokens: Int = 60) throws -> TextGenerator.Options {
        var options = TextGenerator.Options(maximumTokens: tokens, sampling: SamplingOptions(temperature: 1, seed: 5))
        guard calls else { return options }
        let tokenizer = try TextModel(path: GemmaFixtures.bundled).tokenizer
        for id in 0..<TokenID(tokenizer.vocabulary.count) where (try? tokenizer.decode([id]).first) == UInt8(ascii: "{")
        {
            options.sampling.logitBias[id] = 100
        }
        return options
    }

    private struct Answer {
        var text = ""
        var calls: [String] = []
        var results: [String] = []
        var stop: StopReason?
    }

    private func collect(
        _ events: AsyncThrowingStream<ChatSession.Event, any Error>,
        _ watch: (ChatSession.Event) async -> Void = { _ in }
    ) async throws -> Answer {
        var answer = Answer()
        for try await event in events {
            await watch(event)
            switch event {
            case .text(let text): answer.text += text
            case .calling(let tool, _): answer.calls.append(tool)
            case .result(_, let result): answer.results.append(result)
            case .finished(let summary): answer.stop = summary.stop
            default: break
            }
        }
        return answer
    }

    @Test("Arguments are of their type, results reach the model, and rounds end")
    func rounds() async throws {
        let tool = Look()
        let chat = ChatSession(runner: try runner(), tools: [tool], toolRounds: 2)
        let answer = try await collect(chat.respond(to: "Who is there?", options: options(calls: true)))
        #expect(answer.calls.count == 2 && Set(answer.calls) == ["look"])
        #expect(tool.log.all.count == 2)
        #expect(answer.results.allSatisfy { $0.hasPrefix("a bear in the ") })
        #expect(!answer.text.isEmpty && answer.stop != .cancelled)
        let messages = await chat.messages
        #expect(
            messages.map(\.role).prefix(4) == [.user, .assistant, .tool, .assistant]
                && messages.last?.role == .assistant)
        #expect(messages.last?.content == answer.text)
        // Its file holds it, and it goes on.
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-tools-\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await chat.save(to: path)
        let again = try ChatSession(restoring: path, runner: runner(), tools: [tool], toolRounds: 2)
        #expect(await again.messages == messages)
        let more = try await collect(again.respond(to: "And then?", options: options(calls: false, tokens: 5)))
        #expect(!more.text.isEmpty)
        #expect(await again.undo() == "And then?")
        #expect(await again.messages == messages)
    }

    @Test("Without a wish to call, the model says what it would say; the tools are told to it")
    func unused() async throws {
        let chat = ChatSession(runner: try runner(), tools: [Look()], toolRounds: 2)
        let answer = try await collect(chat.respond(to: "Tell a story.", options: options(calls: false, tokens: 12)))
        #expect(answer.calls.isEmpty && !answer.text.isEmpty)
    }

    @Test("Errors are told to the model; what is not for children is withheld")
    func failures() async throws {
        let failing = ChatSession(runner: try runner(), tools: [Look(fails: true)], toolRounds: 2)
        let failed = try await collect(failing.respond(to: "Who?", options: options(calls: true)))
        #expect(Set(failed.results) == [#"{"error":"it is too dark"}"#])
        let seen = Log()
        let reviewed = ChatSession(runner: try runner(), tools: [Look()], toolRounds: 2) { text in
            seen.note(text)
            return text.contains("bear") ? nil : text
        }
        let withheld = try await collect(reviewed.respond(to: "Who?", options: options(calls: true)))
        #expect(Set(withheld.results) == [#"{"error":"the result is not for children"}"#])
        #expect(seen.all.contains { $0.hasPrefix("{") } && seen.all.contains { $0.hasPrefix("a bear") })
        let silent = Look()
        let refused = ChatSession(runner: try runner(), tools: [silent], toolRounds: 2) { _ in nil }
        _ = try await collect(refused.respond(to: "Who?", options: options(calls: true)))
        #expect(silent.log.all.isEmpty)
        let twice = ChatSession(runner: try runner(), tools: [Look(), Look()], toolRounds: 2)
        await #expect(throws: TextError.self) {
            try await collect(twice.respond(to: "Who?", options: options(calls: true)))
        }
    }

    @Test("A tool is cancelled with its answer, and the conversation is as it was")
    func cancellation() async throws {
        let chat = ChatSession(runner: try runner(), tools: [Look(waits: true)], toolRounds: 2)
        // The tool waits an hour; where it were not cancelled, the suite's time limit would end this.
        let answer = try await collect(chat.respond(to: "Who?", options: options(calls: true))) { event in
            if case .calling = event { await chat.cancel() }
        }
        #expect(answer.stop == .cancelled && answer.results.isEmpty)
        #expect(await chat.messages.isEmpty)
        #expect(
            try await !collect(chat.respond(to: "Tell a story.", options: options(calls: false, tokens: 5))).text
                .isEmpty)
    }

    @Test("Cancelled just when a tool has answered, the answer ends as well")
    func cancellationAfterResult() async throws {
        // What follows the result waits after its first token.
        let pace = GenerationPace()
        let tool = Look(whenCalled: { pace.share = 0 })
        let chat = ChatSession(runner: try runner(), tools: [tool], toolRounds: 2)
        let answer = try await collect(chat.respond(to: "Who?", options: options(calls: true), pace: pace)) { event in
            if case .result = event { await chat.cancel() }
        }
        #expect(answer.stop == .cancelled && answer.calls == ["look"])
    }

    @Test("An answer that is a value of a type")
    func values() async throws {
        struct Animal: Decodable, Sendable, TextSchemaHints {
            enum Size: String, CaseIterable, Decodable, Sendable { case small, large }
            var name: String
            var legs: Int
            var size: Size
            var friends: [String]?
            static let schemaHints: [String: [TextSchemaHint]] = [
                "name": [.pattern("^[A-Z][a-z]{1,7}$")], "legs": [.range(0...8)],
                "friends": [.count(1...2), .length(1...8)],
            ]
        }
        let runner = try runner()
        for seed in UInt64(0)..<4 {
            let chat = ChatSession(runner: runner, tools: [Look()], toolRounds: 2)
            var options = TextGenerator.Options(
                maximumTokens: 200, sampling: SamplingOptions(temperature: 1.5, seed: seed))
            let animal = try await chat.respond(to: "An animal, please.", generating: Animal.self, options: options)
            #expect(
                (0...8).contains(animal.legs) && (2...8).contains(animal.name.count) && animal.friends?.count ?? 1 <= 2)
            #expect(await chat.messages.count == 2)
            var grown: [Animal] = []
            let again = ChatSession(runner: runner)
            for try await value in again.respond(to: "An animal, please.", streaming: Animal.self, options: options) {
                grown.append(value)
            }
            let last = try #require(grown.last)
            #expect(await again.messages.last?.content.contains("\"\(last.name)\"") == true)
            // Members that are not optional are there from the first value on; then the friends come.
            #expect(grown.allSatisfy { $0.name == last.name && $0.legs == last.legs && $0.size == last.size })
            let lengths = grown.map { $0.friends?.joined().count ?? 0 }
            #expect(lengths == lengths.sorted() && (last.friends == nil || grown.count > 1))
            options.maximumTokens = 3
            await #expect(throws: TextError.self) {
                try await chat.respond(to: "Another.", generating: Animal.self, options: options)
            }
            await #expect(throws: TextError.self) {
                for try await _ in chat.respond(to: "Another.", streaming: Animal.self, options: options) {}
            }
        }
    }
}
