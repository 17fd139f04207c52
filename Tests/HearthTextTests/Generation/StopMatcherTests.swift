import HearthSystem
import HearthText
import Testing

/// Strings that end a text, however the text is cut.
@Suite("Stop strings", .timeLimit(.minutes(20)))
struct StopMatcherTests {
    /// The rule: everything before the first end of any of the strings; of those that end there, the longest.
    private func expected(_ text: String, _ stops: [String]) -> String {
        let bytes = Array(text.utf8)
        for end in 0...bytes.count {
            for stop in stops.map({ Array($0.utf8) }).sorted(by: { $0.count > $1.count })
            where !stop.isEmpty && stop.count <= end {
                if bytes[(end - stop.count)..<end].elementsEqual(stop) {
                    return String(decoding: bytes[..<(end - stop.count)], as: UTF8.self)
                }
            }
        }
        return text
    }

    private func matched(_ pieces: [String], _ stops: [String]) -> String {
        var matcher = StopMatcher(stops)
        return pieces.map { matcher.feed($0) }.joined() + matcher.finish()
    }

    @Test("The string is never let through, and nothing before it is lost")
    func simple() {
        #expect(matched(["one two", " three"], ["two"]) == "one ")
        #expect(matched(["one t", "w", "o three"], ["two"]) == "one ")
        #expect(matched(["one t", "w"], ["two"]) == "one tw")
        #expect(matched(["abc"], []) == "abc")
        #expect(matched(["晚安，", "小熊"], ["，小"]) == "晚安")
        #expect(matched(["😀😁"], ["😁"]) == "😀")
    }

    @Test("However the text is cut", arguments: 0..<40)
    func cuts(seed: UInt64) {
        var random = SplitMix64(seed: UInt64(seed))
        let letters = ["a", "b", "ab", "é", "月"]
        for _ in 0..<50 {
            func word(_ most: Int) -> String {
                (0..<Int.random(in: 1...most, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                    .joined()
            }
            let pieces = (0..<Int.random(in: 1...8, using: &random)).map { _ in word(4) }
            let stops = (0..<Int.random(in: 1...3, using: &random)).map { _ in word(3) }
            #expect(matched(pieces, stops) == expected(pieces.joined(), stops), "\(pieces) \(stops)")
        }
    }

    @Test("What can no longer become the string goes out at once")
    func early() {
        var matcher = StopMatcher(["\n\n"])
        #expect(matcher.feed("a") == "a")
        #expect(matcher.feed("\n") == "")
        #expect(matcher.feed("b") == "\nb")
    }
}
