import HearthApple
import HearthRuntime
import HearthText
import Testing

@Suite("The system's language model", .timeLimit(.minutes(20)))
struct SystemModelTests {
    private func pieces(_ snapshots: [String]) throws -> [String] {
        var text = SnapshotText()
        return try snapshots.map { try text.take($0) }
    }

    @Test("each snapshot gives what is new in it")
    func snapshots() throws {
        #expect(
            try pieces(["Once", "Once upon", "Once upon", "Once upon a time."]) == ["Once", " upon", "", " a time."])
        #expect(try pieces(["", "小", "小熊"]) == ["", "小", "熊"])
    }

    @Test("an accent or a joined emoji that comes later is not lost")
    func characters() throws {
        #expect(
            try pieces(["cafe", "cafe\u{301}"]).joined().unicodeScalars.elementsEqual("cafe\u{301}".unicodeScalars))
        #expect(try pieces(["👩", "👩\u{200D}🚀"]).joined() == "👩\u{200D}🚀")
    }

    @Test("a snapshot that takes back what was given is an error")
    func rewritten() throws {
        #expect(throws: SystemModelError.rewritten) { try pieces(["Once upon", "One day"]) }
        #expect(throws: SystemModelError.rewritten) { try pieces(["Once upon", "Once"]) }
    }

    @Test("without the framework there is none, in any language")
    func availability() {
        #if !canImport(FoundationModels)
        for language in ["en", "es", "zh-Hans", ""] { #expect(SystemModel.availability(for: language) == .noFramework) }
        #endif
        #expect(Set(SystemModelAvailability.allCases.map(\.reason)).count == SystemModelAvailability.allCases.count)
        #expect(SystemModelAvailability.allCases.filter(\.mayChange) == [.notEnabled, .notReady, .unknown])
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
        #expect(throws: SystemModelError.unsupportedEntry(kind: "calls of tools")) {
            try SessionTranscript.messages([.prompt("x"), .other("calls of tools"), .prompt("y")])
        }
        #expect(throws: SystemModelError.noPrompt) { try SessionTranscript.messages([.instructions("x")]) }
        #expect(throws: SystemModelError.noPrompt) { try SessionTranscript.messages([.prompt("x"), .response("y")]) }
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
