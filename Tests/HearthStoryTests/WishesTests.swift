import HearthStory
import Testing

@Suite("Wishes", .timeLimit(.minutes(20)))
struct WishesTests {
    @Test("The list is there, complete in every language, and without doubles")
    func list() {
        #expect(Wishes.all.count == 48)
        #expect(Set(Wishes.all.map(\.id)).count == Wishes.all.count)
        for wish in Wishes.all {
            #expect(!wish.keywords.isEmpty)
            #expect(wish.id.allSatisfy { $0.isLowercase || $0 == "-" })
            for language in StoryLanguage.allCases { #expect(wish.title(in: language) != wish.id) }
        }
        #expect(Wishes.wish("friendly-dragon")?.title(in: .english) == "a friendly dragon")
        #expect(Wishes.wish("friendly-dragon")?.title(in: .simplifiedChinese) == "一条友好的小龙")
        #expect(Wishes.wish("no-such-wish") == nil)
    }

    @Test("A seed stands for one wish, and seeds reach all of them")
    func drawn() {
        #expect(Wishes.drawn(by: 7) == Wishes.drawn(by: 7))
        #expect(Set((0..<2000 as Range<UInt64>).compactMap { Wishes.drawn(by: $0)?.id }).count == Wishes.all.count)
        #expect(Wishes.drawn(by: .max) != nil)
    }

    @Test(
        "A model that lists its languages writes those, and one that lists none may write any",
        arguments: [
            (StoryLanguage.english, ["en"], true), (.spanish, ["en"], false), (.simplifiedChinese, ["en", "zh"], true),
            (.simplifiedChinese, ["zh-Hant"], true), (.spanish, [], true), (.spanish, ["es-MX"], true),
            (.english, ["EN_us"], true), (.english, [""], false),
        ])
    func spoken(_ language: StoryLanguage, _ listed: [String], _ isSpoken: Bool) {
        #expect(language.isSpoken(byModelListing: listed) == isSpoken)
    }
}
