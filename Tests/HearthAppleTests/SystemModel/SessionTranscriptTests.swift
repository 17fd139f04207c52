import HearthApple
import HearthText
import Testing

@Suite("A session's transcript", .timeLimit(.minutes(20)))
struct SessionTranscriptTests {
    private typealias Entry = SessionTranscript.Entry

    private func call(_ id: String, _ tool: String, _ arguments: String = "{}") -> ToolCall {
        ToolCall(id: id, name: tool, arguments: arguments)
    }

    @Test("a transcript becomes messages: one of the system, then prompts and answers in turn")
    func transcript() throws {
        let messages = try SessionTranscript.messages([
            .instructions("Be kind."), .prompt("A bear?"), .reasoning, .response("Yes."), .instructions("Be brief."),
            .prompt("And"), .prompt("then?"),
        ])
        #expect(messages.map(\.role) == [.system, .user, .assistant, .user])
        #expect(messages.map(\.content) == ["Be kind.\n\nBe brief.", "A bear?", "Yes.", "And\n\nthen?"])
        #expect(try SessionTranscript.messages([.instructions(""), .prompt("Hello")]).map(\.role) == [.user])
    }

    @Test("what is not passed on is an error that names it, and so is a transcript without a question")
    func refused() {
        #expect(throws: SystemModelError.unsupportedEntry(kind: "of a later version")) {
            try SessionTranscript.messages([.prompt("x"), .other("of a later version"), .prompt("y")])
        }
        #expect(throws: SystemModelError.noPrompt) { try SessionTranscript.messages([.instructions("x")]) }
        #expect(throws: SystemModelError.noPrompt) { try SessionTranscript.messages([.prompt("x"), .response("y")]) }
    }

    @Test("calls belong to the answer before them, and outputs follow in the order of the calls")
    func calls() throws {
        let look = call("a", "look", #"{"hour":3}"#)
        let (first, second) = (call("b", "ask"), call("c", "ask"))
        let entries: [Entry] = [
            .prompt("Who is there?"), .response("Let me see."), .reasoning, .toolCalls([look]),
            .toolOutput(id: "a", tool: "look", "a bear"), .toolCalls([first]), .toolCalls([second]),
            // By its identifier the first output is the second call's.
            .toolOutput(id: "c", tool: "ask", "late"), .reasoning, .toolOutput(id: "other", tool: "ask", "early"),
        ]
        let messages = try SessionTranscript.messages(entries)
        #expect(messages.map(\.role) == [.user, .assistant, .tool, .assistant, .tool, .tool])
        #expect(messages[1] == ChatMessage(calls: [look], content: "Let me see."))
        #expect(messages[2] == ChatMessage(result: "a bear", of: "look"))
        #expect(messages[3] == ChatMessage(calls: [first, second]))
        #expect(messages[4...].map(\.content) == ["early", "late"])
        let more = try SessionTranscript.messages(entries + [.response("A bear."), .prompt("Since when?")])
        #expect(more.prefix(6) == messages[...] && more.suffix(2).map(\.role) == [.assistant, .user])
        // Without a name to match, the order counts.
        let unnamed = try SessionTranscript.messages([
            .prompt("x"), .toolCalls([first, second]), .toolOutput(id: "1", tool: "ask", "one"),
            .toolOutput(id: "2", tool: "ask", "two"),
        ])
        #expect(unnamed.suffix(2).map(\.content) == ["one", "two"])
    }

    @Test("a call without output is left out, since a chat cannot express it; output without a call is an error")
    func interrupted() throws {
        let (first, second) = (call("a", "look"), call("b", "ask"))
        let failed: [Entry] = [.prompt("x"), .toolCalls([first, second]), .prompt("y")]
        #expect(try SessionTranscript.messages(failed) == [ChatMessage(role: .user, content: "x\n\ny")])
        let half: [Entry] = [.prompt("x"), .toolCalls([first, second]), .toolOutput(id: "b", tool: "ask", "yes")]
        #expect(
            try SessionTranscript.messages(half) == [
                ChatMessage(role: .user, content: "x"), ChatMessage(calls: [second]),
                ChatMessage(result: "yes", of: "ask"),
            ])
        #expect(throws: SystemModelError.unsupportedEntry(kind: "output of the tool ask, without its call")) {
            try SessionTranscript.messages([.prompt("x"), .toolCalls([first]), .toolOutput(id: "b", tool: "ask", "y")])
        }
        #expect(throws: SystemModelError.noPrompt) {
            try SessionTranscript.messages([.prompt("x"), .response("Let me see."), .toolCalls([first])])
        }
    }

    @Test("what a session asks of sampling takes the place of the model's defaults")
    func options() {
        let defaults = SamplingOptions(seed: 7)
        let plain = SessionTranscript.Options().options(defaults)
        #expect(plain.sampling == defaults && plain.maximumTokens > 100)
        let asked = SessionTranscript.Options(temperature: 0.25, maximumTokens: 12).options(defaults)
        #expect(asked.sampling.temperature == 0.25 && asked.maximumTokens == 12)
        #expect(SessionTranscript.Options(temperature: 0.9, isGreedy: true).options(defaults).sampling.temperature == 0)
        let senseless = SessionTranscript.Options(temperature: -1, maximumTokens: -5).options(defaults)
        #expect(senseless.sampling == defaults && senseless.maximumTokens == 1)
    }
}
