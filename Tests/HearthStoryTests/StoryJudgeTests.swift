import HearthStory
import Testing

/// The judge of the bundled model's stories, by example: a story of the training templates, and slips made in it.
@Suite("Story judge")
struct StoryJudgeTests {
    /// From the templates of Training/corpus.
    private static let paragraphs = [
        """
        "Something is different today," said Agatha. Agatha was a wise old owl with round glasses made of nothing, and she lived in a \
        hole with a doorstep of bark. The first leaves were falling, slowly, like letters.
        """,
        """
        Martha the goose, broad and motherly, had an idea. "Let us have a race," she said, "from here to the mossy stone. The winner \
        gets an acorn with its hat on." At the first bend Martha was in front. At the second bend Agatha came closer. Somebody \
        cheered, "Go on!" to both of them.
        """,
        """
        Halfway along Agatha saw Susi the bat, all alone, and stopped. Martha stopped as well. "Don't you want to win?" asked Martha. \
        "In a minute," said Agatha. "We will take you," said Martha. But which way? "We must ask the right question," said Agatha. \
        "Not where is it, but who saw it last." And then it was simple. So that was the way.
        """,
        """
        By the time Susi was home, nobody remembered the race. "Who was first?" asked Martha. "Susi was first," said Agatha. \
        "First in bed." On the way back they went side by side, so slowly that even the moon overtook them.
        """,
        """
        Martha was the first to yawn. They said good night. Agatha knew a great deal, and best of all she knew how to sleep. An owl \
        far off said something kind, and then everyone was asleep.
        """,
    ]
    private static let story = paragraphs.joined(separator: "\n\n")

    private func kinds(
        _ text: String, isComplete: Bool = true, wish: String = "wise-owl"
    ) throws -> Set<StoryJudge.Fault.Kind> {
        let judge = try #require(StoryJudge.bundled)
        let verdict = judge.verdict(on: text, wish: Wishes.wish(wish), isComplete: isComplete)
        return Set(verdict.faults.filter { $0.weight >= 0.5 }.map(\.kind))
    }

    @Test("A sound story has no slip, and neither has any beginning of it")
    func sound() throws {
        #expect(try kinds(Self.story) == [])
        for count in 1...4 {
            let text = Self.paragraphs.prefix(count).joined(separator: "\n\n")
            #expect(try kinds(text, isComplete: false) == [], "\(count)")
        }
    }

    @Test(
        "A slip made in it is found",
        arguments: [
            ("had an idea", "had an liveduntown idea", StoryJudge.Fault.Kind.word),
            ("had an idea", "had an an idea", .grammar),
            ("By the time Susi was home", "By the where was waiting Susi was home", .grammar),
            ("Halfway along Agatha saw", "Halfway along Martha saw", .names),
            ("Susi the bat, all alone", "Martha the bat, all alone", .names),
            ("asked Martha. \"In a minute,\" said Agatha.", "asked Ida. \"In a minute,\" said Agatha.", .names),
            ("best of all she knew how", "best of all he knew how", .pronoun),
            (
                "On the way back they went side by side, so slowly that even the moon overtook them.",
                """
                "What is in it?" asked Agatha. Martha did not know. That was the trouble with the dark.
                """, .plot
            ),
            (
                "Agatha knew a great deal, and best of all she knew how to sleep.",
                """
                Agatha pulled a leaf over her ears and slept, as small and as brave as before.
                """, .wish
            ),
            ("They said good night.", "At the first bend Martha was in front.", .repetition),
            ("\"In a minute,\" said", "\"In a minute, said", .quotation),
        ])
    func slip(_ sound: String, _ broken: String, _ kind: StoryJudge.Fault.Kind) throws {
        try #require(Self.story.contains(sound))
        let text = Self.story.replacingOccurrences(of: sound, with: broken)
        #expect(try kinds(text).contains(kind))
    }

    @Test("Missing steps, a missing ending and another wish are found")
    func incomplete() throws {
        #expect(try kinds(Self.paragraphs.prefix(2).joined(separator: "\n\n")).contains(.ending))
        let without = [0, 1, 3, 4].map { Self.paragraphs[$0] }.joined(separator: "\n\n")
        #expect(try kinds(without).contains(.order))
        #expect(try kinds(Self.story, wish: "singing-whale").contains(.mention))
    }

    @Test("Text of any kind, also none, is judged")
    func anyText() throws {
        for text in ["", "\n\n", "\"", "'s", "Ünïcödé 词 1234", String(repeating: "a\n\n", count: 500)] {
            _ = try kinds(text)
            _ = try kinds(text, isComplete: false)
        }
    }

    /// Computed by `fnv` of Training/make_judge.py.
    @Test("Hashes are those of the table")
    func hashes() {
        #expect(StoryLore.hash(["the", "@", "'s"][...]) == 0xA8E9_05CE_06E5_D61C)
        #expect(StoryLore.hash(["beetle"][...]) == 0xD9E1_C350_2A88_9251)
    }

    @Test("A damaged table is refused")
    func damage() {
        #expect(StoryLore([]) == nil)
        #expect(StoryLore(Array("HJ01".utf8)) == nil)
        #expect(StoryLore(Array("HJ01".utf8) + [255, 255, 255, 255]) == nil)
        #expect(StoryLore(Array("HJ01".utf8) + [UInt8](repeating: 0, count: 64)) == nil)
    }
}

extension String {
    fileprivate func replacingOccurrences(of text: String, with other: String) -> String {
        split(separator: text, omittingEmptySubsequences: false).joined(separator: other)
    }
}
