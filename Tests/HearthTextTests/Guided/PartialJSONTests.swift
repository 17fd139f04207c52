import Foundation
import HearthGrammar
import HearthText
import Testing

/// Beginnings of JSON, made whole.
@Suite("Beginnings of JSON") struct PartialJSONTests {
    @Test(
        "What is in progress is closed, or left out where it may go on",
        arguments: [
            (#"{"a":1"#, "{}"), (#"{"a":1,"#, #"{"a":1}"#), (#"{"a":1, "b"#, #"{"a":1}"#), (#"{"a":tru"#, "{}"),
            (#"{"a":"x"#, #"{"a":"x"}"#), (#"{"a":"x\"#, #"{"a":"x"}"#), (#"{"a":"x\n"#, #"{"a":"x\n"}"#),
            (#"{"a":"x\u00e"#, #"{"a":"x"}"#), (#"{"a":"x\ud83d"#, #"{"a":"x"}"#),
            (#"{"a":"x\ud83d\u"#, #"{"a":"x"}"#), (#"{"a":"x\ud83d\ude00"#, #"{"a":"x\ud83d\ude00"}"#),
            (#"[1,2"#, "[1]"), ("[[1],[2", "[[1],[]]"), ("[]", "[]"), ("[] ", "[] "), (#""ab"#, #""ab""#),
            (#"{"a":{"b":[{"c":""#, #"{"a":{"b":[{"c":""}]}}"#), (#"["a","é"#, #"["a","é"]"#),
        ])
    func closes(text: String, expected: String) {
        #expect(PartialJSON(text).values.first == expected)
    }

    @Test("Less and less, down to nothing of each level", arguments: [("", []), ("12", []), ("{", ["{}"])])
    func nothing(text: String, expected: [String]) {
        #expect(PartialJSON(text).values == expected)
        #expect(
            PartialJSON(#"{"a":[1,{"b":"x"#).values == [
                #"{"a":[1,{"b":"x"}]}"#, #"{"a":[1,{}]}"#, #"{"a":[1]}"#, "{}",
            ])
    }

    @Test("Every beginning of a value gives values of JSON, and the whole gives itself")
    func beginnings() throws {
        let text = #"{"a":[1,-2.5e3,true,null,"x\"\\\u00e9y"],"ü":{"c":{},"d":[[],[{"e":"😀 {["}]]},"f":""}"#
        for count in 0...text.unicodeScalars.count {
            let begun = String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
            for value in PartialJSON(begun).values {
                #expect(throws: Never.self, "\(value)") { try JSONDocument(value.utf8) }
            }
            #expect(count == 0 || !PartialJSON(begun).values.isEmpty)
        }
        #expect(PartialJSON(text).values == [text])
    }
}
