import Testing

@testable import HearthStory
@testable import HearthText

@Suite("Storyteller")
struct StorytellerTests {
    private struct Broken: Error {}

    private func events(_ pieces: [String], tail: String = "", fails: Bool = false) -> AsyncThrowingStream<
        TextSession.Event, any Error
    > {
        AsyncThrowingStream { continuation in
            for (index, piece) in pieces.enumerated() { continuation.yield(.token(id: TokenID(index), text: piece)) }
            if fails { return continuation.finish(throwing: Broken()) }
            continuation.yield(
                .finished(
                    GenerationSummary(
                        promptTokens: 3, generatedTokens: pieces.count, stop: .end, prefillMS: 1, decodeMS: 2),
                    text: tail))
            continuation.finish()
        }
    }

    @Test("Sentences come whole and in order, then the summary")
    func sentences() async throws {
        let stream = Storyteller.sentences(
            of: events(["Once", " there was a bear", ". He", " slept.", "\n\nThe", " end"], tail: "."), in: .english)
        var all: [StoryEvent] = []
        for try await event in stream { all.append(event) }
        let told = all.filter { if case .progress = $0 { false } else { true } }
        #expect(
            told.dropLast() == [
                .sentence("Once there was a bear.", startsParagraph: false),
                .sentence("He slept.", startsParagraph: false), .sentence("The end.", startsParagraph: true),
            ])
        guard case .finished(let summary) = all.last else { return #expect(Bool(false), "no summary") }
        #expect(summary.generatedTokens == 6)
    }

    @Test("What was told before an error is not lost")
    func failure() async {
        var told: [String] = []
        await #expect(throws: Broken.self) {
            let stream = Storyteller.sentences(of: events(["One. Two", " is half"], fails: true), in: .english)
            for try await event in stream { if case .sentence(let text, _) = event { told.append(text) } }
        }
        #expect(told == ["One.", "Two is half"])
    }

    @Test("A sentence that was told already is left out, its paragraph break kept")
    func repetitions() async throws {
        let pieces = ["He waved to her. Splash! ", "Splash! They sang.\n\n", "he waved to her. Then he slept."]
        var told: [StoryEvent] = []
        for try await event in Storyteller.sentences(of: events(pieces), in: .english) {
            if case .sentence = event { told.append(event) }
        }
        #expect(
            told == [
                .sentence("He waved to her.", startsParagraph: false), .sentence("Splash!", startsParagraph: false),
                .sentence("Splash!", startsParagraph: false), .sentence("They sang.", startsParagraph: false),
                .sentence("Then he slept.", startsParagraph: true),
            ])
    }
}
