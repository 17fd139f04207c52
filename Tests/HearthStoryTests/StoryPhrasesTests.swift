import HearthSafety
import HearthSpeech
import HearthStory
import HearthTestSupport
import Testing

@Suite("Phrases around a story", .timeLimit(.minutes(20)))
struct StoryPhrasesTests {
    @Test("Every phrase passes the filter unchanged, is one line, and no two reasons read as nonsense")
    func phrases() {
        for language in StoryLanguage.allCases {
            let phrases = StoryPhrases(language)
            var all = [phrases.closing, phrases.slower(isLowPower: true), phrases.slower(isLowPower: false)]
            all += HandoverReason.allCases.map(phrases.notice)
            all += HandoverReason.allCases.compactMap(phrases.pause)
            for text in all {
                #expect(StoryGuard(language).aside(text)?.text == text)
                #expect(!text.contains("\n") && text.count > 5)
            }
            let ends = language == .simplifiedChinese ? "。" : "."
            #expect(all.allSatisfy { $0.hasSuffix(ends) })
        }
        #expect(
            StoryPhrases(.english).notice(.heat) == "The device is a little warm; here is a story prepared earlier.")
        #expect(StoryPhrases(.english).pause(.stopped) == nil)
    }

    @Test("Every finished story passes the filter as it is told, title included")
    func library() async throws {
        for language in StoryLanguage.allCases {
            for story in fewerWhereSlow(StoryLibrary.stories(in: language)) {
                var composer = StoryComposer(language)
                let title = composer.title(story.title)
                let told = StoryComposerTests.shown(story.sentences.flatMap { composer.feed($0) })
                #expect(title.count == 1, "\(story.id)")
                #expect(!composer.wasStopped, "\(story.id)")
                // A word may be softened; most stories are told to the letter.
                #expect(told.count >= story.sentences.count - 4, "\(story.id)")
            }
        }
    }
}
