import HearthRuntime
import HearthStory
import HearthUI
import Testing

/// Pages are fed with the events of the composer that makes them.
@Suite("The page of a story", .timeLimit(.minutes(20)))
struct StoryPageTests {
    private func marks(_ page: StoryPage, pieces: Int) -> [Int?] {
        var page = page
        return (0..<pieces).map { piece in
            page.begin(piece: piece)
            return page.heard
        }
    }

    private func page(_ texts: [String], in language: StoryLanguage = .english) -> (page: StoryPage, pieces: Int) {
        var (composer, page, pieces) = (StoryComposer(language), StoryPage(language), 0)
        func take(_ events: [StoryEvent]) {
            for event in events {
                page.take(event)
                if case .spoken = event { pieces += 1 }
            }
        }
        take(composer.title("a sleepy bear"))
        for text in texts { take(composer.feed(text)) }
        take(composer.finish())
        take([.finished(nil)])
        return (page, pieces)
    }

    @Test("has a title, paragraphs and sentences, each once")
    func structure() {
        let (page, _) = page(["A bear was tired. He lay down.\n\n", "The moon came up."])
        #expect(page.chapters.map(\.title) == ["A sleepy bear"])
        let paragraphs = page.chapters[0].paragraphs
        #expect(
            paragraphs.map { $0.sentences.map(\.text) } == [
                ["A bear was tired.", "He lay down."], ["The moon came up."],
            ])
        #expect(paragraphs.flatMap { $0.sentences.map(\.id) } == [0, 1, 2])
        #expect(paragraphs.map(\.id) == [0, 2])
        #expect(page.hasEnded && !page.isEmpty && page.notice == nil)
    }

    @Test("marks the first sentence for its clause and for its rest, then sentence after sentence")
    func clause() {
        let (page, pieces) = page([
            "Once upon a time, ", "in a wood", " far away, lived a fox. He", " slept well. All was quiet.",
        ])
        #expect(pieces == 4)
        #expect(marks(page, pieces: pieces) == [0, 0, 1, 2])
    }

    @Test("marks what is heard, however late the news of an earlier piece comes, and nothing in silence")
    func order() {
        var (page, pieces) = page(["One bear slept. Two bears slept. Three bears slept."])
        #expect(page.heard == nil && page.heardParagraph == nil)
        page.begin(piece: pieces - 1)
        #expect(page.heard == 2 && page.heardParagraph == 0)
        page.begin(piece: 0)
        #expect(page.heard == 2)
        page.begin(piece: 99)
        #expect(page.heard == 2)
        page.endVoice()
        #expect(page.heard == nil)
    }

    @Test("a clause whose sentence never came marks nothing of the finished story after it")
    func handover() {
        var (composer, page) = (StoryComposer(.english), StoryPage(.english))
        let early = composer.feed("Once upon a time, ") + composer.feed("in a wood")
        #expect(early.count == 1)
        for event in early { page.take(event) }
        page.begin(piece: 0)
        for event in composer.close(with: StoryPhrases(.english).closing) { page.take(event) }
        page.take(.handover(StoryHandover(reason: .memory, afterSentences: 0, notice: nil)))
        var next = StoryComposer(.english)
        for event in next.title("the moon") + next.feed("All was well. ") + next.finish() { page.take(event) }
        #expect(marks(page, pieces: 2) == [nil, 0])
    }

    @Test("says why it waits until it goes on, and why another story is told to its end")
    func notices() throws {
        var (composer, page) = (StoryComposer(.spanish), StoryPage(.spanish))
        for event in composer.feed("El oso dormía. La ") { page.take(event) }
        page.take(.paused(.background))
        #expect(page.notice == StoryPhrases(.spanish).pause(.background))
        for event in composer.feed("luna brillaba. ") + composer.finish() { page.take(event) }
        #expect(page.notice == nil)

        let notice = try #require(composer.title("another story follows").first)
        guard case .title(let line) = notice else { return #expect(Bool(false)) }
        page.take(.handover(StoryHandover(reason: .heat, afterSentences: 2, story: "x", notice: line)))
        var next = StoryComposer(.spanish)
        for event in next.title("la luna") + next.feed("Todo iba bien. ") + next.finish() { page.take(event) }
        page.take(.finished(nil))
        #expect(page.notice == line.text)
        #expect(page.chapters.map(\.title) == [nil, "La luna"])
    }

    @Test("only the sentence is marked, not the space between two, and Chinese has none")
    func runs() throws {
        let english = page(["A bear was tired. He lay down."]).page
        let paragraph = try #require(english.chapters.first?.paragraphs.first)
        #expect(
            paragraph.runs(heard: 1, in: .english) == [
                .init("A bear was tired.", isHeard: false), .init(" ", isHeard: false),
                .init("He lay down.", isHeard: true),
            ])
        #expect(paragraph.runs(heard: nil, in: .english).allSatisfy { !$0.isHeard })
        let chinese = page(["小熊累了。它躺下来。"], in: .simplifiedChinese).page
        let runs = try #require(chinese.chapters.first?.paragraphs.first).runs(heard: 0, in: .simplifiedChinese)
        #expect(runs.map(\.text) == ["小熊累了。", "它躺下来。"] && runs.map(\.isHeard) == [true, false])
    }
}
