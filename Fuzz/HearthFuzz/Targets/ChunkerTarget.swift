import Foundation
import HearthSpeech
import HearthText

extension FuzzTarget {
    /// Any bytes into sentences: the same however they were cut, inside of characters too; nothing that is said is lost; time is
    /// linear. A text's end at given strings is found the same way.
    static let chunker = FuzzTarget(name: "chunker", longestInput: 1 << 10) {
        { bytes in
            var input = FuzzInput(bytes)
            let language = input.choose(["en", "es", "zh-Hans", "de", "fr", "ja"])
            let mode: SentenceChunker.Mode = input.byte() % 2 == 0 ? .sentence : .speech(SpeechLimits())
            let seed = input.byte()
            let expected = ChunkerChecks.sentences(input.bytes, language, mode) { _ in .max }
            var state = UInt32(seed)
            let found = ChunkerChecks.sentences(input.bytes, language, mode) { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return Int(state >> 24) % 9 + 1
            }
            require(found == expected, "\(expected) became \(found)")
            let single = ChunkerChecks.sentences(input.bytes, language, mode) { _ in 1 }
            require(single == expected, "\(expected) became \(single)")
            if case .sentence = mode { ChunkerChecks.nothingIsLost(input.text, expected) }
            ChunkerChecks.stops(input.text, seed)
            if seed % 64 == 63 {
                LinearTime.check("chunker", input.text) { text in
                    _ = ChunkerChecks.sentences(Array(text.utf8), language, mode) { _ in 16 }
                }
            }
        }
    } seeds: {
        let texts = [
            "Mr. Fox went home. “Who is there?” asked the owl! It was 3.14 p.m. … and then?\n\nThe end.",
            "从前有一只狐狸。“你好！”她说。\n\n完。", "¿Quién es? —dijo el búho—. Nadie… ¡Adiós!", "See www.example.com/a.b?c. Yes.",
            "\"Never closed. Still open. (really?\nNext line.", "a\r\nb\u{2028}c\u{2029}d\u{85}e",
            "J. R. R. Tolkien etc. wrote. Ok",
            String(repeating: "word, ", count: 60) + "end.", "👨‍👩‍👧‍👦. e\u{301}\u{301}. 🇩🇪🇫🇷! «x». ‘y’ …",
        ]
        var seeds: [String: [UInt8]] = [:]
        for (index, text) in texts.enumerated() {
            for mode in 0...1 as ClosedRange<UInt8> {
                seeds["\(index)-\(mode)"] = [UInt8(index % 6), mode, UInt8(index * 8)] + Array(text.utf8)
            }
        }
        return seeds
    }
}

private enum ChunkerChecks {
    static func sentences(
        _ bytes: [UInt8], _ language: String, _ mode: SentenceChunker.Mode, length: (Int) -> Int
    ) -> [SentenceChunker.Sentence] {
        var chunker = SentenceChunker(language: language, mode: mode)
        var sentences: [SentenceChunker.Sentence] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(length(rest.count))
            rest = rest.dropFirst(piece.count)
            sentences += chunker.feed(utf8: piece)
        }
        return sentences + chunker.finish()
    }

    /// Letters of the text and of its sentences are the same, in order. Marks alone are nothing to say, although Unicode calls
    /// vowel signs alphabetic.
    static func nothingIsLost(_ text: String, _ sentences: [SentenceChunker.Sentence]) {
        func spoken(_ text: String) -> [Unicode.Scalar] {
            text.unicodeScalars.filter {
                switch $0.properties.generalCategory {
                case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
                default: false
                }
            }
        }
        require(spoken(text) == sentences.flatMap { spoken($0.text) }, "something was lost: \(sentences)")
    }

    static func stops(_ text: String, _ seed: Int) {
        let stops = ["\n\n", String(text.unicodeScalars.prefix(2)), String(text.unicodeScalars.suffix(3)), "aab"]
            .suffix(seed % 4 + 1).map { $0 }
        var whole = StopMatcher(stops)
        let expected = whole.feed(text) + whole.finish()
        var cut = StopMatcher(stops)
        var found = ""
        for scalar in text.unicodeScalars { found += cut.feed(String(scalar)) }
        found += cut.finish()
        require(
            found.unicodeScalars.elementsEqual(expected.unicodeScalars),
            "stops \(stops): \(expected.debugDescription) became \(found.debugDescription)")
        for stop in stops where !stop.isEmpty {
            require(
                found.utf8.count < stop.utf8.count || Array(found.utf8).firstRange(of: Array(stop.utf8)) == nil,
                "\(stop)")
        }
    }
}
