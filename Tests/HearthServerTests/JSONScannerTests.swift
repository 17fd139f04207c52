import Foundation
import HearthServer
import HearthTestSupport
import Testing

/// Bodies are JSON in UTF-8 that can be read in one way only.
@Suite("JSON of bodies", .timeLimit(.minutes(20)))
struct JSONScannerTests {
    private func code(_ bytes: [UInt8]) -> String? {
        var scanner = JSONScanner(bytes, ServerLimits())
        do {
            try scanner.scan()
            return nil
        } catch {
            #expect(error.status == 400)
            return error.code
        }
    }

    @Test(
        "Values as RFC 8259 has them",
        arguments: [
            "{}", "[]", "null", "true", "false", "0", "-0", "1.5e-7", "\"\"", " [1, 2] \r\n",
            #"{"a":{"a":[{"a":1},{"a":2}]}}"#,
            #""\u0000\ud83d\ude00\"\\\/\b\f\n\r\t""#, "\"é€😀\"", "[[],{}]",
        ])
    func good(text: String) throws {
        #expect(code(Array(text.utf8)) == nil)
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    @Test(
        "What is none",
        arguments: [
            "", " ", "nul", "nullx", "01", "1.", ".5", "1e", "+1", "--1", "[1,]", "[,1]", "[1 2]", "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}", "{a:1}", "{'a':1}", "[", "]", "{", "}", "[}", "{]", "\"", "\"\\\"", "\"\\x\"", "\"\\u12\"",
            "\"\\u12G4\"", "\"\n\"", "\"\t\"", "{}{}", "[] x", "NaN", "Infinity", "-", "1 2", "/**/1", "\"\u{1}\"",
            "[\"abc\u{0}\"]", "[123]\u{0}",
        ])
    func bad(text: String) { #expect(code(Array(text.utf8)) == "invalid_json") }

    @Test(
        "Half of a surrogate pair is no character",
        arguments: [#""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\ud800""#, #"{"\udfff":1}"#])
    func surrogates(text: String) { #expect(code(Array(text.utf8)) == "invalid_json") }

    @Test("UTF-8 and nothing else: no mark, no other form of Unicode, no overlong or broken sequence")
    func encodings() throws {
        let text = #"{"prompt":"a"}"#
        for encoding in [
            String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian, .utf32, .utf32BigEndian, .utf32LittleEndian,
        ] {
            #expect(code(Array(try #require(text.data(using: encoding)))) == "invalid_encoding", "\(encoding)")
        }
        #expect(code([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == "invalid_encoding")
        for sequence: [UInt8] in [
            [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80], [0xFF], [0x80], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xC3],
        ] {
            #expect(code(Array("[\"".utf8) + sequence + Array("\"]".utf8)) == "invalid_encoding", "\(sequence)")
        }
        // Deep or long, it is the encoding that is told: nothing is made of it before.
        let deep = String(repeating: "[", count: 1000)
        #expect(code(Array(try #require(deep.data(using: .utf16BigEndian)))) == "invalid_encoding")
    }

    @Test("UTF-8 is what Foundation takes for UTF-8", arguments: 0..<4)
    func random(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let bytes: [UInt8] = [
            0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
        ]
        for _ in 0..<5000 {
            let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in bytes.randomElement(using: &random) ?? 0 }
            #expect(
                (JSONScanner.firstInvalidByte(text) == nil) == (String(validating: text, as: UTF8.self) != nil),
                "\(text)")
        }
    }

    @Test(
        "A name once in its object, however it is written",
        arguments: [
            #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"[{"b":{"a":1,"c":2,"a":3}}]"#, #"{"":1,"":2}"#,
            #"{"😀":1,"\ud83d\ude00":2}"#,
        ])
    func duplicates(text: String) { #expect(code(Array(text.utf8)) == "duplicate_field") }

    /// The decoder itself is laxer: it takes `01` and `["a",]`.
    @Test("What the decoder refuses, so does the scanner", arguments: 0..<4)
    func agreement(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "-2.5e3", "true", "null", " ", "\"\\u00e9\"", "\"",
            "0",
        ]
        for _ in 0..<4000 {
            let text = (0..<Int.random(in: 1...9, using: &random)).map { _ in pieces.randomElement(using: &random) ?? ""
            }.joined()
            let isTaken = (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))) != nil
            let code = code(Array(text.utf8))
            #expect(code != nil || isTaken, "\(text)")
        }
    }
}
