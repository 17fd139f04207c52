import HearthSafety
import HearthSpeech
import HearthStory
import HearthTestSupport
import Testing

/// The rules that the finished stories keep, and how one is chosen.
struct StoryLibraryTests {
    static let tags: Set<String> = [
        "animals", "sea", "sky", "forest", "garden", "snow", "rain", "night", "music", "food", "family", "friendship",
        "kindness", "courage", "patience", "sharing", "curiosity", "making", "journey", "home", "magic", "funny",
        "calm",
    ]

    /// Words as they are counted in English and Spanish, characters without punctuation in Chinese; lower-cased.
    private static func units(_ text: String, _ language: StoryLanguage) -> [Substring] {
        if language == .simplifiedChinese {
            return text.indices.filter { text[$0].isLetter || text[$0].isNumber }.map { text[$0...$0] }
        }
        return text.split { !($0.isLetter || $0.isNumber || $0 == "'" || $0 == "’") }
    }

    @Test(arguments: StoryLanguage.allCases)
    func eachStoryHasItsParts(language: StoryLanguage) {
        let stories = StoryLibrary.stories(in: language)
        #expect(stories.count == 88)
        #expect(Set(stories.map(\.id)).count == stories.count)
        #expect(Set(stories.map(\.title)).count == stories.count)
        for story in stories {
            let name = "\(language.rawValue)/\(story.id)"
            #expect(story.id.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(name)")
            #expect(story.language == language, "\(name)")
            #expect(!story.title.isEmpty && !story.wishes.isEmpty, "\(name)")
            for wish in story.wishes { #expect(Wishes.wish(wish) != nil, "\(name): \(wish)") }
            #expect(
                (2...4).contains(story.tags.count) && Self.tags.isSuperset(of: story.tags), "\(name): \(story.tags)")
            let range = language == .simplifiedChinese ? 200...400 : 120...250
            #expect(range.contains(story.length), "\(name): \(story.length)")
            let counted = Self.units(story.text, language).count
            #expect(abs(counted - story.length) <= 6, "\(name): \(counted) and not \(story.length)")
            let paragraphs = story.text.split(separator: "\n\n", omittingEmptySubsequences: false)
            #expect((3...7).contains(paragraphs.count), "\(name)")
            for paragraph in paragraphs {
                #expect(!paragraph.isEmpty && !paragraph.contains("\n") && !paragraph.contains("  "), "\(name)")
                #expect(paragraph.first?.isWhitespace == false && paragraph.last?.isWhitespace == false, "\(name)")
            }
        }
    }

    @Test(arguments: StoryLanguage.allCases)
    func everyWishHasAStory(language: StoryLanguage) {
        let about = Set(StoryLibrary.stories(in: language).compactMap(\.wishes.first))
        for wish in Wishes.all { #expect(about.contains(wish.id), "\(language.rawValue): \(wish.id)") }
    }

    /// No two stories are one template filled in twice.
    @Test(arguments: StoryLanguage.allCases)
    func storiesShareFewFiveGrams(language: StoryLanguage) {
        let grams = StoryLibrary.stories(in: language).map { story in
            let units = Self.units(story.text, language).map { $0.lowercased() }
            return (story.id, Set((0..<max(0, units.count - 4)).map { units[$0..<$0 + 5].joined(separator: " ") }))
        }
        for (index, one) in grams.enumerated() {
            for other in grams[..<index] {
                let share = Double(one.1.intersection(other.1).count) / Double(min(one.1.count, other.1.count))
                #expect(share <= 0.15, "\(one.0) and \(other.0): \(share)")
            }
        }
    }

    /// What the filter would change or stop was not written for children.
    @Test(arguments: StoryLanguage.allCases)
    func everyStoryPassesTheFilter(language: StoryLanguage) throws {
        let filter = OutputFilter()
        let tongue = try #require(FilterLanguage(rawValue: language.rawValue))
        for story in fewerWhereSlow(StoryLibrary.stories(in: language)) {
            #expect(filter.judge(story.title, in: tongue).action == .pass, "\(story.id)")
            var seam = Seam()
            for sentence in story.sentences {
                let verdict = filter.judge(sentence.text, in: tongue, after: seam)
                #expect(verdict.action == .pass, "\(story.id): \(sentence.text)")
                seam = verdict.seam
            }
        }
    }

    /// Told sentence by sentence, nothing of a story is lost or added.
    @Test(arguments: StoryLanguage.allCases)
    func sentencesAreTheWholeStory(language: StoryLanguage) {
        for story in StoryLibrary.stories(in: language) {
            let told = story.sentences.map(\.text).joined().filter { !$0.isWhitespace }
            #expect(told == story.text.filter { !$0.isWhitespace }, "\(story.id)")
            let paragraphs = story.sentences.count { $0.startsParagraph }
            #expect(paragraphs == story.text.split(separator: "\n\n").count - 1, "\(story.id)")
        }
    }

    @Test func aWishGetsAStoryAboutIt() throws {
        for wish in Wishes.all {
            for seed in 0..<4 as Range<UInt64> {
                let story = try #require(StoryLibrary.story(for: wish, in: .english, seed: seed))
                #expect(story.wishes.first == wish.id)
                #expect(StoryLibrary.story(for: wish, in: .english, seed: seed) == story)
            }
        }
    }

    @Test func whatWasToldDoesNotComeBackWhileThereIsAnother() throws {
        let wish = try #require(Wishes.wish("friendly-dragon"))
        let all = StoryLibrary.stories(in: .english)
        let about = Set(all.filter { $0.wishes.first == wish.id }.map(\.id))
        let next = try #require(StoryLibrary.story(for: wish, in: .english, seed: 1, except: about))
        #expect(!about.contains(next.id))
        // All were told: one of them is better than none.
        let again = try #require(StoryLibrary.story(for: wish, in: .english, seed: 1, except: Set(all.map(\.id))))
        #expect(about.contains(again.id))
    }

    @Test func withoutAWishAnyStoryWillDo() throws {
        let drawn = Set(
            (0..<400 as Range<UInt64>).compactMap { StoryLibrary.story(for: nil, in: .spanish, seed: $0)?.id })
        #expect(drawn.count > 40)
        #expect(StoryLibrary.story("no-such-story", in: .english) == nil)
    }
}
