import HearthSpeech
import HearthTestSupport
import Testing

private func sentences(_ text: String, _ language: String = "en") -> [String] {
    var chunker = SentenceChunker(language: language)
    return (chunker.feed(text) + chunker.finish()).map(\.text)
}

/// A text and where it has to be cut: at each `|`.
struct ChunkCase: Sendable, CustomTestStringConvertible {
    var language: String
    var marked: String
    init(_ language: String, _ marked: String) { (self.language, self.marked) = (language, marked) }

    var expected: [String] {
        marked.split(separator: "|").map { String($0.drop(while: \.isWhitespace)).trimmed }
    }
    var text: String { marked.replacing("|", with: "") }
    var testDescription: String { marked }
}

extension String {
    fileprivate var trimmed: String {
        var copy = self[...]
        while copy.last?.isWhitespace == true { copy.removeLast() }
        return copy.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}

@Suite("SentenceChunker", .timeLimit(.minutes(20)))
struct SentenceChunkerTests {
    static let cases: [ChunkCase] = [
        .init("en", "The sun went down.| The bear yawned!| Was he tired?| Yes."),
        .init("en", "Mr. Fox met Mrs. Hen and Dr. Owl.| They had tea."),
        .init("en", "They lived on St. James Street.| It was quiet."),
        .init("en", "The walk was 3.5 miles long.| Then he slept."),
        .init("en", "She counted: 1, 2, 3 ... and then she slept."),
        .init("en", "He waited... and waited.| Nothing came."),
        .init("en", "Hush...| The moon is up."),
        .init("en", "Well… I think so.| Good."),
        .init("en", "\"Who is there?\" he asked.| Nobody answered."),
        .init("en", "\"Who is there?\"| Nobody answered."),
        .init("en", "“Good night,” said the bear.| “Good night!” said the moon."),
        .init("en", "“Where are you? I am here!” called the owl.| Then it was still."),
        .init("en", "'Sleep well!' she said.| The bears' den was warm."),
        .init("en", "It was the dragon's cave.| 'Tis late."),
        .init("en", "It was late (very late.)| They slept."),
        .init("en", "Really?!| Yes!!!| Oh."),
        .init("en", "Look at www.moon.example.org for more.| It is kind."),
        // An ellipsis inside an address: the scanner once asked about it endlessly.
        .init("en", "It is at http://a.b/c…d now.| It is kind."),
        .init("en", "At 8 p.m. Tom slept.| At 9 a.m. he woke."),
        .init("en", "It was 8 p.m.| Then Tom slept."),
        .init("en", "One day\nlater he slept.|\n\nThe end."),
        .init("en", "The Little Bear|\n\nOnce there was a bear."),
        .init("en", "\"This one is never closed.| He slept.|\n\nThe end."),
        .init("en", "He smiled 😊.| She slept.🌙| Good night."),
        .init("en", "The star fell.So it did."),
        .init("en", "Wait — no.| — Yes, said the bear."),
        .init("es", "¿Quién es?| ¡Soy yo!| El Sr. Oso y la Sra. Luna durmieron."),
        .init("es", "«¿Dónde estás?», dijo el oso.| Nadie contestó."),
        .init("es", "—¿Tienes sueño? —preguntó la luna.| —Sí —dijo el oso."),
        .init("zh-Hans", "小熊困了。|月亮说：“晚安！”|小熊睡着了。"),
        .init("zh-Hans", "“你是谁？”|他问。|没有人回答。"),
        .init("zh-Hans", "很久很久以前……有一只小熊。|它叫豆豆！|你好吗？|好。"),
        .init("zh-Hans", "它走了3.5公里。|然后睡了。"),
        .init("en", "..."), .init("en", ""), .init("en", "   \n\n "), .init("en", "no end in sight"),
    ]

    @Test("Cuts where a reader would", arguments: cases)
    func cuts(_ example: ChunkCase) {
        let expected = example.expected.filter { $0.contains { $0.isLetter || $0.isNumber } }
        #expect(sentences(example.text, example.language) == expected)
    }

    @Test("The result does not depend on how the text was cut into pieces", arguments: cases)
    func splits(_ example: ChunkCase) {
        let whole = sentences(example.text, example.language)
        for seed in 0..<20 as Range<UInt64> {
            #expect(split(example.text, example.language, seed: seed) == whole)
        }
    }

    @Test("Neither does that of many texts after one another")
    func longSplits() {
        var generator = SeededNumbers(seed: 7)
        for seed in 0..<30 as Range<UInt64> {
            let text = Self.cases.shuffled(using: &generator).prefix(8).map(\.text).joined(
                separator: seed % 2 == 0 ? " " : "\n\n")
            #expect(split(text, "en", seed: seed) == sentences(text))
        }
    }

    @Test("Every letter comes out, in order")
    func nothingIsLost() {
        for example in Self.cases {
            let letters = { (text: String) in text.filter { $0.isLetter || $0.isNumber } }
            #expect(letters(sentences(example.text, example.language).joined()) == letters(example.text))
        }
    }

    @Test("A sentence comes as soon as it is certain, and not before")
    func timing() {
        var chunker = SentenceChunker()
        #expect(chunker.feed("The moon is up.").isEmpty)
        #expect(chunker.feed(" ").isEmpty)
        #expect(chunker.feed("T").map(\.text) == ["The moon is up."])
        #expect(chunker.feed("he bear slept").isEmpty)
        #expect(chunker.finish().map(\.text) == ["The bear slept"])
    }

    @Test("Empty lines begin paragraphs, other line breaks do not")
    func paragraphs() {
        var chunker = SentenceChunker()
        let all = chunker.feed("\n\nOne.\n\nTwo. Three.\r\n\r\nFour.\nFive.") + chunker.finish()
        #expect(all.map(\.text) == ["One.", "Two.", "Three.", "Four.", "Five."])
        #expect(all.map(\.startsParagraph) == [false, true, false, true, false])
    }

    @Test("A chunker can be used again after finish()")
    func reuse() {
        var chunker = SentenceChunker()
        #expect((chunker.feed("\"Open. Never closed") + chunker.finish()).count == 2)
        #expect((chunker.feed("One. Two.") + chunker.finish()).map(\.text) == ["One.", "Two."])
    }

    @Test(
        "Costs in proportion to the text, whatever it is made of",
        arguments: ["word ", "word", "!", "\"", "(", ". ", "\n", "' ", "a.", "🌙", "…。", "A. ", "“", "“Hi! "])
    func linear(_ unit: String) {
        let pieces = Array(repeating: unit, count: 20_000)
        let seconds = processorSeconds {
            var chunker = SentenceChunker()
            _ = chunker.feed("“")
            for piece in pieces { _ = chunker.feed(piece) }
            _ = chunker.finish()
            // All at once must not be dearer.
            _ = chunker.feed("“Go " + pieces.joined())
            _ = chunker.finish()
        }
        #expect(seconds < 60, "quadratic work would take many minutes")
    }

    private func split(_ text: String, _ language: String, seed: UInt64) -> [String] {
        var generator = SeededNumbers(seed: seed)
        var chunker = SentenceChunker(language: language)
        var result: [String] = []
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let count = Int.random(in: seed == 0 ? 1...1 : 0...9, using: &generator)
            result += chunker.feed(String(rest.prefix(count))).map(\.text)
            rest = rest.dropFirst(count)
        }
        return result + chunker.finish().map(\.text)
    }
}
