/// A pattern of a lexicon: what it means and where it may stand.
package struct Pattern: Sendable, Hashable {
    /// The condition on the text next to a pattern.
    package enum Edge: Sendable, Hashable {
        case anything
        case word
        /// The edge of a word, or an affix and then the edge of a word.
        case affixedWord
        case letters(Int)
        /// No kanji: a single kanji matches only if no other is next to it.
        case notHan
        /// No katakana: a katakana word matches only if no other katakana is next to it.
        case notKatakana
        case context(Set<UInt32>)

        /// Reads the notation of the files: `*`, `=`, `~`, `3`, `h`, `k`, `(` and the characters.
        init?(_ written: String) {
            switch written {
            case "*": self = .anything
            case "=": self = .word
            case "~": self = .affixedWord
            case "h": self = .notHan
            case "k": self = .notKatakana
            default:
                if let count = Int(written) {
                    self = .letters(count)
                } else if written.hasPrefix("(") {
                    self = .context(Set(written.unicodeScalars.dropFirst().map(\.value)))
                } else {
                    return nil
                }
            }
        }
    }

    package var rule: Lexicon.Rule
    package var concept: String
    package var theme: String
    package var replacement: String
    package var start: Edge
    package var end: Edge
    /// Whether it does not count if the language is unknown.
    package var isLocal: Bool
}

/// The distinct patterns of a lexicon, and the lists of them that its words have: a word may be listed twice with other conditions.
struct PatternTable: Sendable {
    /// List → the place of its first pattern in `listed`.
    var firsts: [UInt16] = [0]
    var listed: [UInt16] = []
    /// Rule (and 4 for a local pattern), concept, theme, replacement, start, end of each pattern.
    var fields: [UInt16] = []
    var sides: [Pattern.Edge] = []
    var texts = TextTable()

    static let fieldCount = 6

    /// The patterns of a list.
    func patterns(_ list: UInt16) -> Range<Int> { Int(firsts[Int(list)])..<Int(firsts[Int(list) + 1]) }

    func start(_ place: Int) -> Pattern.Edge { sides[field(place, 4)] }
    func end(_ place: Int) -> Pattern.Edge { sides[field(place, 5)] }
    func isLocal(_ place: Int) -> Bool { field(place, 0) & 4 != 0 }

    subscript(place: Int) -> Pattern {
        Pattern(
            rule: Lexicon.Rule(rawValue: UInt8(field(place, 0) & 3)) ?? .stop, concept: texts[field(place, 1)],
            theme: texts[field(place, 2)], replacement: texts[field(place, 3)], start: start(place), end: end(place),
            isLocal: isLocal(place))
    }

    private func field(_ place: Int, _ index: Int) -> Int {
        Int(fields[Int(listed[place]) * Self.fieldCount + index])
    }
}

/// Texts by number, decoded when they are needed.
struct TextTable: Sendable {
    private var starts: [Int] = [0]
    private var bytes: [UInt8] = []

    init() {}

    init(lengths: [UInt16], bytes: [UInt8]) {
        for length in lengths { starts.append((starts.last ?? 0) + Int(length)) }
        self.bytes = bytes
    }

    mutating func append(_ text: String) {
        bytes += Array(text.utf8)
        starts.append(bytes.count)
    }

    var count: Int { starts.count - 1 }

    subscript(index: Int) -> String { String(decoding: bytes[starts[index]..<starts[index + 1]], as: UTF8.self) }
}

/// The words, or the innocent phrases, of a lexicon.
package struct PatternSet: Sendable {
    package let graph: WordGraph
    /// Word → its list of patterns.
    let lists: [UInt16]
    let table: PatternTable

    /// All words with their patterns, in order: for tests.
    package var all: [(word: [UInt32], patterns: [Pattern])] {
        var found: [(word: [UInt32], patterns: [Pattern])] = []
        graph.visit(from: ()) { _, _ in
            ()
        } _: { word, number, _ in
            found.append((word, table.patterns(lists[number]).map { table[$0] }))
        }
        return found
    }
}
