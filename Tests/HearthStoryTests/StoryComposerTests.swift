import HearthSafety
import HearthSpeech
import HearthStory
import HearthTestSupport
import Synchronization
import Testing

@Suite("Story composer", .timeLimit(.minutes(20)))
struct StoryComposerTests {
    /// Shown and spoken texts, as they came.
    private func tell(
        _ pieces: [String], in language: StoryLanguage = .english, wasCut: Bool = false
    ) -> (shown: [String], spoken: [String], composer: StoryComposer) {
        var composer = StoryComposer(language)
        var events: [StoryEvent] = []
        for piece in pieces { events += composer.feed(piece) }
        events += composer.finish(wasCut: wasCut)
        return (Self.shown(events), Self.spoken(events), composer)
    }

    static func shown(_ events: [StoryEvent]) -> [String] {
        events.compactMap { if case .sentence(let text, _) = $0 { text.text } else { nil } }
    }

    static func spoken(_ events: [StoryEvent]) -> [String] {
        events.compactMap { if case .spoken(let text) = $0 { text.text } else { nil } }
    }

    @Test("The first clause is spoken before its sentence is complete, and nothing is spoken twice")
    func earlyClause() {
        var composer = StoryComposer(.english)
        #expect(composer.feed("Once upon a time, ").isEmpty)
        #expect(Self.spoken(composer.feed("in a wood")) == ["Once upon a time,"])
        let end = composer.feed(" far away, lived a fox. He")
        #expect(Self.shown(end) == ["Once upon a time, in a wood far away, lived a fox."])
        #expect(Self.spoken(end) == ["in a wood far away, lived a fox."])
        let rest = composer.feed(" slept well. ") + composer.finish()
        #expect(Self.shown(rest) == ["He slept well."])
        #expect(Self.spoken(rest) == ["He slept well."])
    }

    @Test(
        "Screen and voice tell the same story however it was cut",
        arguments: [
            (
                StoryLanguage.english,
                "Once upon a time, in a wood, lived a fox. \"Hello!\" she said. Splash! Splash! Then, at last, all slept."
            ),
            (.spanish, "Había una vez, en un bosque, una zorra. —¡Hola! —dijo. Y después, por fin, todos durmieron."),
            (.simplifiedChinese, "从前，在森林里，住着一只小狐狸。“你好！”它说。后来，大家都睡着了。"),
            (
                .english,
                "Hi. Yes. A very long beginning without any mark that goes on and on and on until the end of everything there is to say about it. Good night."
            ),
        ])
    func sameStory(language: StoryLanguage, text: String) {
        let whole = tell([text], in: language)
        for size in [1, 2, 3, 7, 20] {
            var pieces: [String] = []
            var rest = Substring(text)
            while !rest.isEmpty {
                pieces.append(String(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            let cut = tell(pieces, in: language)
            #expect(cut.shown == whole.shown, "pieces of \(size)")
            func letters(_ texts: [String]) -> String { texts.joined().filter { $0.isLetter } }
            #expect(letters(cut.spoken) == letters(cut.shown), "pieces of \(size)")
        }
    }

    @Test(
        "A word is swapped on both, and a subject that is wrong ends the story in its language",
        arguments: [
            (
                StoryLanguage.english, "The hunter had a gun in his hand. He slept.", "gun",
                "They began to torture the cat. He slept."
            ),
            (
                .spanish, "El cazador tenía una pistola en la mano. Y durmió.", "pistola",
                "Empezaron a torturar al gato. Y durmió."
            ),
            (.simplifiedChinese, "猎人手里有一把手枪。他睡着了。", "手枪", "他们开始折磨小猫。他睡着了。"),
        ])
    func filtered(language: StoryLanguage, mild: String, word: String, harsh: String) {
        let swapped = tell([mild], in: language)
        #expect(swapped.shown.count == 2)
        #expect(!swapped.shown.joined().contains(word))
        #expect(!swapped.spoken.joined().contains(word))
        #expect(!swapped.composer.wasStopped)
        let stopped = tell(["All was well. ", harsh].map { language == .english ? $0 : harsh }, in: language)
        let ending = OutputFilter().ending(in: FilterLanguage(tag: language.rawValue))
        #expect(stopped.composer.wasStopped)
        #expect(stopped.shown.last == ending)
        #expect(stopped.spoken.last == ending)
        #expect(stopped.shown.count { $0 == ending } == 1)
    }

    @Test("A clause that was spoken early is judged by itself, and its sentence again as a whole")
    func clauseAndSentence() {
        // Stopped by the clause alone: nothing of it is heard.
        var composer = StoryComposer(.english)
        let early = composer.feed("They began to torture the cat, and") + composer.feed(" then they slept. Good night.")
        #expect(Self.spoken(early) == [OutputFilter().ending(in: .english)])
        #expect(Self.shown(early) == [OutputFilter().ending(in: .english)])
        // Stopped by the rest: the clause was heard, the sentence is never shown.
        composer = StoryComposer(.english)
        let late = composer.feed("Early in the morning, they ") + composer.feed("began to torture the cat. Good night.")
        #expect(Self.spoken(late) == ["Early in the morning,", OutputFilter().ending(in: .english)])
        #expect(Self.shown(late) == [OutputFilter().ending(in: .english)])
    }

    @Test("The guard is asked about each sentence after whole sentences, also where one is spoken in parts")
    func contextOfParts() {
        final class Listener: SentenceGuard {
            let asked = Mutex<[[String]]>([])

            func objection(
                to sentence: String, after context: [String], in language: FilterLanguage?
            ) throws -> SentenceObjection? {
                asked.withLock { $0.append(context + [sentence]) }
                return nil
            }
        }
        let listener = Listener()
        var gate = StoryGuard(.english, filter: OutputFilter(guard: listener))
        #expect(gate.clause("Early in the morning,") != nil)
        #expect(gate.sentence("Early in the morning, it snowed.", spokenAlready: "Early in the morning,") != nil)
        #expect(gate.sentence("The fox slept.") != nil)
        #expect(
            listener.asked.withLock { $0 } == [
                ["Early in the morning,"], ["Early in the morning, it snowed."],
                ["Early in the morning,", "it snowed."],
                ["Early in the morning, it snowed.", "The fox slept."],
                ["Early in the morning, it snowed.", "The fox slept."],
            ])
    }

    @Test("What two pieces make together does not slip through")
    func seams() {
        let filter = OutputFilter()
        // Spelled over the end of a sentence; the filter alone says what it makes of the seam.
        let first = filter.judge("They all went to s", in: .english)
        let second = filter.judge("u i c i d e", in: .english, after: first.seam)
        #expect(second.action == .stop)
        var gate = StoryGuard(.english)
        #expect(gate.sentence("They all went to s") != nil)
        #expect(gate.sentence("u i c i d e") == nil)
        #expect(gate.hasEnded)
        // The voice alone: the clause is its left neighbour.
        gate = StoryGuard(.english)
        #expect(gate.clause("They all went to s") != nil)
        #expect(gate.sentence("They all went to s u i c i d e", spokenAlready: "They all went to s") == nil)
    }

    @Test("A story that needs more than six swaps is stopped")
    func manySwaps() {
        var composer = StoryComposer(.english)
        var shown: [String] = []
        for number in 1...8 { shown += Self.shown(composer.feed("The museum has gun number \(number) behind glass. ")) }
        shown += Self.shown(composer.finish())
        #expect(shown.count == 7)
        #expect(shown.prefix(6).allSatisfy { $0.hasPrefix("The museum") && !$0.contains("gun") })
        #expect(shown.last == OutputFilter().ending(in: .english))
        #expect(composer.wasStopped)
    }

    @Test("Titles are judged as well")
    func titles() {
        let composer = StoryComposer(.english)
        func title(_ text: String) -> String? {
            guard case .title(let checked)? = composer.title(text).first else { return nil }
            return checked.text
        }
        #expect(title("a friendly dragon") == "A friendly dragon")
        #expect(title("the torture chamber") == nil)
        #expect(title("the gun")?.contains("gun") == false)
    }

    @Test("A text that was cut off ends with its last whole sentence, if it has any")
    func cut() {
        #expect(tell(["One fine day. Two fox"], wasCut: true).shown == ["One fine day."])
        #expect(tell(["One fine day. Two foxes.”"], wasCut: true).shown.count == 2)
        #expect(tell(["One fine"], wasCut: true).shown == ["One fine"])
        #expect(tell(["One fine day. Two fox"]).shown == ["One fine day.", "Two fox"])
    }

    @Test("Closing leaves half a sentence out")
    func closing() {
        var composer = StoryComposer(.english)
        var events = composer.feed("One fine day. Two fox")
        events += composer.close(with: "Good night to all.")
        #expect(Self.shown(events) == ["One fine day.", "Good night to all."])
        #expect(composer.feed("es slept. Three.").isEmpty)
        var empty = StoryComposer(.english)
        #expect(empty.close(with: "Good night to all.").isEmpty)
    }

    @Test("Nothing harmful reaches screen or voice, whatever is cut where", arguments: 0..<60 as Range<UInt64>)
    func property(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let words = [
            "the", "fox", "slept", "gun", "blood", "kill", "and", "moon,", "torture", "ki-ll", "g u n", "soft", "star.",
            "wood.", "knife,", "warm", "said", "s e x", "night!", "dead", "bear;",
        ]
        var text = ""
        for _ in 0..<60 { text += (words.randomElement(using: &random) ?? "") + " " }
        var composer = StoryComposer(.english)
        var events: [StoryEvent] = []
        var rest = Substring(text)
        while !rest.isEmpty {
            let count = Int.random(in: 1...9, using: &random)
            events += composer.feed(String(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        events += composer.finish()
        let filter = OutputFilter()
        for texts in [Self.shown(events), Self.spoken(events)] {
            var seam = Seam()
            for text in texts {
                let verdict = filter.judge(text, in: .english, after: seam)
                #expect(verdict.action == .pass, "\(text) after \(texts)")
                seam = verdict.seam
            }
        }
    }
}
