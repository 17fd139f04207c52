import Foundation
import HearthSpeech
import HearthTestSupport
import Testing

/// `Tests/Fixtures/speech/chunker_cases.jsonl`: texts and the pieces that a reader of the language expects, written by hand.
struct ChunkerCase: Decodable, Sendable {
    var id: String
    var lang: String
    var mode: String
    var text: String
    var expected_sentences: [String]
    var note: String

    static let all: [ChunkerCase] = {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/speech/chunker_cases.jsonl")
        let lines = (try? String(contentsOf: url, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.compactMap { try? JSONDecoder().decode(ChunkerCase.self, from: Data($0.utf8)) }
    }()

    var chunker: SentenceChunker {
        SentenceChunker(language: lang, mode: mode == "tts" ? .speech(SpeechLimits()) : .sentence)
    }

    /// The text fed whole.
    var sentences: [String] {
        var chunker = chunker
        return (chunker.feed(text) + chunker.finish()).map(\.text)
    }
}

/// Blanks are compared as one.
private func plain(_ texts: [String]) -> [String] {
    texts.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}

@Suite("Chunker cases", .timeLimit(.minutes(20)))
struct ChunkerCasesTests {
    @Test("There are cases") func count() { #expect(ChunkerCase.all.count == 158) }

    @Test("Every case", arguments: ChunkerCase.all)
    func expected(_ row: ChunkerCase) {
        #expect(plain(row.sentences) == plain(row.expected_sentences), "\(row.id): \(row.note)")
    }

    @Test("Any split gives the same pieces: scalars, bytes, random lengths, empty pieces")
    func splits() {
        var random = SeededNumbers(seed: 11)
        for row in ChunkerCase.all {
            let whole = row.sentences
            var byScalar = row.chunker
            var out = row.text.unicodeScalars.flatMap { byScalar.feed(String($0)) }
            out += byScalar.finish()
            #expect(out.map(\.text) == whole, "\(row.id) by scalars")
            for _ in 0..<20 {
                var chunker = row.chunker
                var rest = Array(row.text.utf8)[...]
                var pieces: [SentenceChunker.Sentence] = []
                while !rest.isEmpty {
                    let length = Int.random(in: 0...9, using: &random)
                    pieces += chunker.feed(utf8: rest.prefix(length))
                    rest = rest.dropFirst(length)
                }
                pieces += chunker.finish()
                #expect(pieces.map(\.text) == whole, "\(row.id) by random bytes")
            }
        }
    }

    @Test("Random concatenations: nothing lost, nothing empty, limits kept, the same for any split", arguments: 0..<20)
    func concatenations(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let joiners = [" ", "\n", "", "\n\n", "  "]
        for _ in 0..<20 {
            let rows = (0..<4).compactMap { _ in ChunkerCase.all.randomElement(using: &random) }
            let text = rows.map { $0.text + (joiners.randomElement(using: &random) ?? " ") }.joined()
            for mode in [SentenceChunker.Mode.sentence, .speech(SpeechLimits())] {
                var chunker = SentenceChunker(language: rows.first?.lang ?? "en", mode: mode)
                let pristine = chunker
                let whole = chunker.feed(text) + chunker.finish()
                #expect(speech(whole.map(\.text).joined()) == speech(text))
                for (index, piece) in whole.enumerated() {
                    #expect(!speech(piece.text).isEmpty)
                    guard mode != .sentence else { continue }
                    let limits = SpeechLimits()
                    #expect(weight(piece.text) <= (index == 0 ? limits.firstMaximum : limits.maximum))
                }
                var split = pristine
                var pieces: [SentenceChunker.Sentence] = []
                for scalar in text.unicodeScalars { pieces += split.feed(String(scalar)) }
                pieces += split.finish()
                #expect(pieces == whole, "\(text)")
            }
        }
    }

    /// Letters and digits in order.
    private func speech(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { isSpeech($0) } }

    private func isSpeech(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            true
        default: false
        }
    }

    private func weight(_ text: String) -> Int {
        speech(text).reduce(0) { sum, scalar in
            let isSyllable =
                [0x3041...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3, 0x3005...0x3007].contains {
                    $0.contains(Int(scalar.value))
                }
            return sum + (isSyllable ? 3 : 1)
        }
    }

    @Test("A text without marks costs in proportion to its length")
    func linear() {
        for mode in [SentenceChunker.Mode.sentence, .speech(SpeechLimits())] {
            var chunker = SentenceChunker(mode: mode)
            var count = 0
            // Debug code: a quadratic chunker would need an hour for these.
            for index in 0..<200_000 { count += chunker.feed(index % 7 == 6 ? " " : "a").count }
            count += chunker.finish().count
            #expect(mode == .sentence ? count == 1 : count > 800)
        }
    }
}
