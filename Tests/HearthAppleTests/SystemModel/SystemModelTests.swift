import HearthApple
import HearthRuntime
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
    }
}
