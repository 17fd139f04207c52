import Foundation
import HearthApple
import HearthRuntime
import HearthText
import HearthTokenizer
import Testing

/// Requests that the bundled model answers. It knows neither JSON nor tools: the constraint makes it write them.
@Suite("A session's requests, answered by the bundled model", .timeLimit(.minutes(20)))
struct SessionRunTests {
    static let parameters = """
        {"type":"object","properties":{"place":{"enum":["forest","meadow"]},"hour":{"type":"integer","minimum":0,"maximum":23}},\
        "required":["place","hour"],"additionalProperties":false}
        """
    private static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Models/hearth-nano.gguf").path

    private func runner() throws -> ModelRunner<TextEngine> {
        ModelRunner(engine: try TextEngine(path: Self.model, threads: 2, folders: nil))
    }

    private struct Answer {
        var text = ""
        var pieces = 0
        var calls: [String: String] = [:]
        var retracted: [String] = []
        var tokens = 0
        var usage: SessionAnswer.Usage?
    }

    private func answer(_ request: SessionRequest, _ runner: ModelRunner<TextEngine>) async throws -> Answer {
        var answer = Answer()
        try await request.answer(by: runner, id: "r") { event in
            switch event {
            case .text(let text, let tokens):
                answer.text += text
                answer.pieces += 1
                answer.tokens += tokens
            case .arguments(let call, let tool, let text, let tokens):
                #expect(tool == "look")
                answer.calls[call, default: ""] += text
                answer.tokens += tokens
            case .retracted(let call): answer.retracted.append(call)
            case .usage(let usage): answer.usage = usage
            }
        }
        return answer
    }

    private let look = ToolDefinition(
        name: "look", description: "Looks who is there.", parameters: SessionRunTests.parameters)
    private struct Look: Decodable {
        var place: String
        var hour: Int
    }
    private func options(_ tokens: Int = 80) -> SessionTranscript.Options {
        .init(maximumTokens: tokens, isGreedy: true)
    }

    @Test("text, with its usage")
    func text() async throws {
        let runner = try runner()
        let request = SessionRequest([.prompt("Tell a story.")], options: options(20))
        let answer = try await answer(request, runner)
        let usage = try #require(answer.usage)
        #expect(!answer.text.isEmpty && answer.pieces > 5 && answer.calls.isEmpty)
        #expect(usage.promptTokens > 3 && usage.generatedTokens <= 20 && answer.tokens <= usage.generatedTokens)
        #expect(!usage.isOfCalls)
        // The same again: its prompt is known.
        #expect(try await self.answer(request, runner).usage?.cachedTokens ?? 0 > 0)
    }

    @Test("a value of a type, member by member in the order of its schema, in pieces")
    func guided() async throws {
        struct Bear: Decodable {
            var name: String
            var age: Int
            var moods: [String]
        }
        let schema = """
            {"additionalProperties":false,"properties":{"age":{"maximum":9,"minimum":1,"type":"integer"},"moods":{"items":\
            {"enum":["shy","glad"],"type":"string"},"maxItems":2,"minItems":2,"type":"array"},"name":{"enum":["Bruno","Pip"],\
            "type":"string"}},"required":["name","age","moods"],"title":"Bear","type":"object","x-order":["name","age","moods"]}
            """
        for showsSchema in [true, false] {
            let request = SessionRequest(
                [.prompt("A bear?")], options: options(), schema: schema, showsSchema: showsSchema)
            let answer = try await answer(request, try runner())
            let bear = try JSONDecoder().decode(Bear.self, from: Data(answer.text.utf8))
            #expect(["Bruno", "Pip"].contains(bear.name) && (1...9).contains(bear.age) && bear.moods.count == 2)
            #expect(answer.text.hasPrefix(#"{"name":"#) && answer.pieces > 3)
        }
    }

    @Test("a call that is required, its output, and an answer")
    func calls() async throws {
        let runner = try runner()
        var request = SessionRequest(
            [.instructions("Be kind."), .prompt("Who is there?")], options: options(), tools: [look],
            toolMode: .required)
        let first = try await answer(request, runner)
        // The model writes call after call, and the last one may be cut by the limit on tokens.
        let whole = first.calls.filter { !first.retracted.contains($0.key) }
        #expect(first.text.isEmpty && !whole.isEmpty && first.retracted.count <= 1)
        #expect(first.usage?.isOfCalls == true)
        for arguments in whole.values {
            let look = try JSONDecoder().decode(Look.self, from: Data(arguments.utf8))
            #expect(["forest", "meadow"].contains(look.place) && (0...23).contains(look.hour))
        }
        let calls = whole.sorted { $0.key < $1.key }.map {
            ToolCall(id: $0.key, name: "look", arguments: $0.value)
        }
        request.entries.append(.toolCalls(calls))
        request.entries += calls.map { .toolOutput(id: $0.id, tool: "look", "a bear") }
        request.toolMode = .disallowed
        request.options = options(12)
        let second = try await answer(request, runner)
        #expect(!second.text.isEmpty && second.calls.isEmpty)
    }

    @Test("the prompt has the tools, the calls and the outputs")
    func prompt() throws {
        let model = try TextModel(path: Self.model)
        let call = ToolCall(id: "a", name: "look", arguments: #"{"place":"forest","hour":3}"#)
        let request = SessionRequest(
            [.prompt("Who is there?"), .toolCalls([call]), .toolOutput(id: "a", tool: "look", "a big bear")],
            tools: [look])
        let progress = try request.progress(model)
        let prompt = String(decoding: try model.tokenizer.decode(progress.tokens), as: UTF8.self)
        for part in ["Looks who is there.", Self.parameters, call.arguments, "a big bear"] {
            #expect(prompt.contains(part), "\(part)")
        }
        #expect(progress.options.tools?.choice == .auto)
    }

    @Test("with a schema and tools, the answer is either a call or as the schema says")
    func either() async throws {
        var request = SessionRequest(
            [.prompt("Who is there?")], options: options(), tools: [look], schema: #"{"enum":["nobody","a bear"]}"#)
        let runner = try runner()
        for mode in [SessionRequest.ToolMode.allowed, .disallowed] {
            request.toolMode = mode
            let answer = try await answer(request, runner)
            #expect(answer.calls.isEmpty ? [#""nobody""#, #""a bear""#].contains(answer.text) : answer.text.isEmpty)
            #expect(mode == .allowed || answer.calls.isEmpty)
        }
    }

    @Test("a call that the limit of tokens cuts off is retracted")
    func cut() async throws {
        let runner = try runner()
        var request = SessionRequest(
            [.prompt("Who is there?")], options: options(), tools: [look], toolMode: .required)
        let whole = try #require(try await answer(request, runner).usage).generatedTokens
        var retracted = 0
        for tokens in [whole / 2, whole - 3, whole - 2, whole - 1] {
            request.options = options(tokens)
            let answer = try await answer(request, runner)
            retracted += answer.retracted.count
            for (call, arguments) in answer.calls where !answer.retracted.contains(call) {
                #expect(throws: Never.self) { try JSONDecoder().decode(Look.self, from: Data(arguments.utf8)) }
            }
            #expect(answer.usage?.generatedTokens == tokens)
        }
        #expect(retracted > 0)
    }

    @Test("a schema that nothing satisfies is an error")
    func impossible() async throws {
        let request = SessionRequest([.prompt("x")], schema: #"{"type":"string","enum":[1]}"#)
        let runner = try runner()
        await #expect(throws: TextError.self) { try await self.answer(request, runner) }
    }

    @Test("cancelled, it ends with an error, so that a call that was begun is not run")
    func cancelled() async throws {
        let runner = try runner()
        let task = Task {
            let request = SessionRequest([.prompt("Tell a story.")], options: options(2000))
            try await request.answer(by: runner, id: "r") { _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
