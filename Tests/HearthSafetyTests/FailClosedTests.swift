import Foundation
import HearthSafety
import HearthTestSupport
import Testing

@Suite("A damaged build stops every story", .timeLimit(.minutes(20)))
struct FailClosedTests {
    /// What judging an English sentence reads.
    static let files = [
        "en.txt", "emoji.txt", "unicode-classes.bin", "unicode-folds.bin", "lookalikes.txt", "meaning.bin",
    ]

    private func verdict(_ language: FilterLanguage? = .english, _ change: @escaping @Sendable (String) -> [UInt8]?)
        -> Verdict
    {
        OutputFilter(library: LexiconLibrary(files: change)).judge("The sun set behind the hill.", in: language)
    }

    @Test("The same files, untouched, let an innocent sentence pass")
    func untouched() {
        let verdict = verdict { EmbeddedFile.bytes($0) }
        #expect(verdict.action == .pass)
        #expect(verdict.failure == nil)
        #expect(verdict.text == "The sun set behind the hill.")
    }

    @Test("A file that is missing is named, and nothing passes", arguments: files)
    func missing(_ name: String) {
        let verdict = verdict { $0 == name ? nil : EmbeddedFile.bytes($0) }
        #expect(verdict.action == .stop)
        #expect(verdict.failure == .missing(file: name))
        #expect(!verdict.text.contains("hill"))
    }

    @Test("A file that is empty or cut off anywhere stops everything", arguments: files)
    func truncated(_ name: String) throws {
        let bytes = try #require(EmbeddedFile.bytes(name))
        var generator = SeededNumbers(seed: 11)
        // The last byte of a text is a line break, which nobody misses.
        let lengths = [0, 1] + (0..<5).map { _ in Int.random(in: 0..<(bytes.count - 1), using: &generator) }
        for length in lengths {
            let verdict = verdict { $0 == name ? Array(bytes.prefix(length)) : EmbeddedFile.bytes($0) }
            #expect(verdict.action == .stop, "\(name) cut to \(length) bytes")
            #expect(verdict.failure != nil)
        }
    }

    @Test(
        "A changed byte of a table stops everything",
        arguments: [
            "unicode-classes.bin", "unicode-folds.bin", "meaning.bin",
        ])
    func changed(_ name: String) throws {
        let bytes = try #require(EmbeddedFile.bytes(name))
        var generator = SeededNumbers(seed: 12)
        for _ in 0..<5 {
            var other = bytes
            other[Int.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            let damaged = other
            let verdict = verdict { $0 == name ? damaged : EmbeddedFile.bytes($0) }
            #expect(verdict.failure == .damaged(file: name, problem: "its check sum is wrong"))
            #expect(verdict.action == .stop)
        }
    }

    @Test("A lexicon without one of the concepts, or with bytes that are no text, is no lexicon")
    func incomplete() throws {
        let text = try #require(EmbeddedFile.text("de.txt"))
        let renamed = text.replacingOccurrences(of: "= gun weapons swap", with: "= cannon weapons swap")
        let without = verdict(.german) { $0 == "de.txt" ? Array(renamed.utf8) : EmbeddedFile.bytes($0) }
        #expect(without.failure == .damaged(file: "de.txt", problem: "it has no words for 'gun'"))
        let broken = verdict(.german) { $0 == "de.txt" ? Array(text.utf8) + [0xFF] : EmbeddedFile.bytes($0) }
        #expect(broken.failure == .damaged(file: "de.txt", problem: "it is not UTF-8"))
        // Another language needs none of it.
        #expect(verdict(.french) { $0 == "de.txt" ? nil : EmbeddedFile.bytes($0) }.action == .pass)
    }

    @Test("Where the language is unknown all lexicons are needed")
    func unknownLanguage() {
        #expect(verdict(nil) { $0 == "ko.txt" ? nil : EmbeddedFile.bytes($0) }.failure == .missing(file: "ko.txt"))
    }

    @Test("What is wrong is said as what happened, where and what to do")
    func messages() throws {
        let message = try #require(
            LexiconError.damaged(file: "x.bin", problem: "its check sum is wrong").errorDescription)
        #expect(message.contains("x.bin") && message.contains("Restore"))
    }
}
