import Foundation
import HearthRuntime
import HearthSafety
import HearthSpeech
import HearthStory
import HearthText
import HearthTokenizer
import Testing

/// What a story's events amount to.
struct Told {
    var titles: [String] = []
    var sentences: [String] = []
    var spoken: [String] = []
    var pauses: [HandoverReason] = []
    var handover: StoryHandover?
    var summaries: [GenerationSummary?] = []

    mutating func take(_ event: StoryEvent) {
        switch event {
        case .title(let title): titles.append(title.text)
        case .progress: break
        case .sentence(let text, _): sentences.append(text.text)
        case .spoken(let text): spoken.append(text.text)
        case .paused(let reason): pauses.append(reason)
        case .handover(let handover): self.handover = handover
        case .finished(let summary): summaries.append(summary)
        }
    }
}

@Suite("Storyteller", .timeLimit(.minutes(20)))
struct StorytellerTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let bundled = "\(root)/Models/hearth-nano.gguf"
    static func fixture(_ name: String) -> String { "\(root)/Tests/Fixtures/gemma/\(name)" }

    private struct Broken: Error {}

    private func request(_ language: StoryLanguage = .english, chosen: Bool = false) throws -> StoryRequest {
        var request = StoryRequest(.wish(try #require(Wishes.wish("sleepy-bear"))), in: language, seed: 3)
        request.isModelChosen = chosen
        return request
    }

    /// Tells what a model would write in these pieces.
    private func tell(
        _ pieces: [String], tail: String = "", stop: StopReason = .end, error: (any Error)? = nil,
        request: StoryRequest, conditions: DeviceConditions = .calm
    ) async throws -> Told {
        let stream = Storyteller.stream { send in
            var telling = Telling(request, HandoverPolicy(), { conditions }, send)
            try await telling.title()
            try await telling.follow {
                AsyncThrowingStream { continuation in
                    for (index, piece) in pieces.enumerated() {
                        continuation.yield(.token(id: TokenID(index), text: piece))
                    }
                    if let error { return continuation.finish(throwing: error) }
                    let summary = GenerationSummary(
                        promptTokens: 3, generatedTokens: pieces.count, stop: stop, prefillMS: 1, decodeMS: 2)
                    continuation.yield(.finished(summary, text: tail))
                    continuation.finish()
                }
            }
        }
        var told = Told()
        for try await event in stream { told.take(event) }
        return told
    }

    @Test("Sentences come whole and in order, then the summary")
    func sentences() async throws {
        let told = try await tell(
            ["Once", " there was a bear", ". He", " slept.", "\n\nThe", " end"], tail: ".", request: request())
        #expect(told.titles == ["A sleepy bear"])
        #expect(told.sentences == ["Once there was a bear.", "He slept.", "The end."])
        #expect(told.spoken == told.sentences)
        #expect(told.summaries.map { $0?.generatedTokens } == [6])
        #expect(told.handover == nil)
    }

    @Test("A sentence that was told already is left out, its paragraph break kept")
    func repetitions() async throws {
        let pieces = ["He waved to her. Splash! ", "Splash! They sang.\n\n", "he waved to her. Then he slept."]
        var composer = StoryComposer(.english)
        var events: [StoryEvent] = []
        for piece in pieces { events += composer.feed(piece) }
        events += composer.finish()
        let told = events.compactMap { event -> String? in
            guard case .sentence(let text, let startsParagraph) = event else { return nil }
            return (startsParagraph ? "¶" : "") + text.text
        }
        #expect(told == ["He waved to her.", "Splash!", "Splash!", "They sang.", "¶Then he slept."])
    }

    @Test("A model that breaks in the middle: whole sentences, a closing line, a finished story")
    func breaks() async throws {
        for language in StoryLanguage.allCases {
            let begin = language == .simplifiedChinese ? ["一只小熊。它还", "没有"] : ["One bear. Two", " is half"]
            let told = try await tell(begin, error: Broken(), request: request(language, chosen: true))
            let handover = try #require(told.handover)
            #expect(handover.reason == .failed)
            #expect(handover.afterSentences == 1)
            let story = try #require(handover.story.flatMap { StoryLibrary.story($0, in: language) })
            #expect(told.sentences[1] == StoryPhrases(language).closing)
            #expect(told.sentences.dropFirst(2).first == story.sentences.first?.text)
            #expect(told.sentences.count == 2 + story.sentences.count)
            #expect(told.titles.last == story.title)
            #expect(told.spoken == told.sentences)
            #expect(told.summaries == [nil])
        }
    }

    @Test("Before anything was told, a fault of a model that was chosen is an error, and of the bundled one a story")
    func refusal() async throws {
        await #expect(throws: Broken.self) {
            _ = try await tell(["Half"], error: Broken(), request: request(chosen: true))
        }
        let told = try await tell(["Half"], error: Broken(), request: request())
        #expect(told.handover?.reason == .failed)
        #expect(told.handover?.afterSentences == 0)
        #expect(!told.sentences.contains(StoryPhrases(.english).closing))
    }

    @Test("A story that the filter stops early is followed by a finished one, and a late stop is the end")
    func stopped() async throws {
        let harsh = "Then they began to torture the cat. And"
        let ending = OutputFilter().ending(in: .english)
        let early = try await tell(["A day. Another day. ", harsh, " so on."], request: request())
        #expect(early.handover?.reason == .stopped)
        #expect(early.handover?.afterSentences == 2)
        #expect(early.sentences.prefix(3) == ["A day.", "Another day.", ending])
        #expect(early.sentences.count > 5)
        let many = (1...14).map { "This was day number \($0). " }
        let late = try await tell(many + [harsh, " so on."], request: request())
        #expect(late.handover == StoryHandover(reason: .stopped, afterSentences: 14, story: nil, notice: nil))
        #expect(late.sentences.count == 15)
        #expect(late.sentences.last == ending)
        #expect(!late.sentences.joined().contains("torture"))
    }

    @Test("The notice is in the story's language, whatever the reason", arguments: StoryLanguage.allCases)
    func library(language: StoryLanguage) async throws {
        for reason in HandoverReason.allCases {
            var told = Told()
            for try await event in Storyteller.tellFinished(try request(language), because: reason) {
                told.take(event)
            }
            #expect(told.handover?.notice?.text == StoryPhrases(language).notice(reason))
            #expect(told.handover?.afterSentences == 0)
            let story = try #require(told.handover?.story.flatMap { StoryLibrary.story($0, in: language) })
            #expect(told.sentences.first == story.sentences.first?.text)
        }
    }

    @Test("A producer waits for who listens, and ends with him")
    func boundedAndCancelled() async throws {
        let sent = Counter()
        do {
            let stream = Storyteller.stream { send in
                defer { sent.end() }
                for number in 1... {
                    try await send(.progress(tokens: number))
                    sent.add()
                }
            }
            var taken = 0
            for try await _ in stream {
                taken += 1
                if taken == 5 { break }
            }
            // As many as are taken, wait, and are on their way.
            #expect(sent.count <= 5 + 16 + 1)
        }
        while !sent.hasEnded { try await Task.sleep(for: .milliseconds(1)) }
    }
}

/// Counts from any thread.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0
    private var ended = false
    var count: Int { lock.withLock { value } }
    var hasEnded: Bool { lock.withLock { ended } }
    func add() { lock.withLock { value += 1 } }
    func end() { lock.withLock { ended = true } }
}
