/// The words of one language as a file has them, expanded to forms. See `README.md` beside the files for the format.
package struct Lexicon: Sendable {
    /// What is done about a form.
    package enum Rule: UInt8, Sendable { case swap, stop, pass }

    package struct Entry: Sendable, Equatable {
        var form: Form
        package var rule: Rule
        var concept: String
        var theme: String
        /// What is said instead; empty where the form is taken out.
        package var replacement: String
    }

    package var entries: [Entry] = []
    /// Texts that may stand between the beginning of a word and a form, or between a form and the end of the word.
    var before: [String] = []
    var after: [String] = []
    /// Letters with marks that the language writes.
    var ownLetters = ""
    var vowels = "aeiou"
    /// Words of one letter.
    var shortWords = ""
    /// Whether a form also counts when its own marks are missing.
    var marksAreOptional = false
    /// Forms that are innocent in too many other languages to be looked for where the language is unknown.
    var localForms: Set<String> = []
    /// Forms that the paradigms make and that are another, innocent word.
    var notEntries: Set<String> = []
    /// Said when a story is stopped.
    package var ending = ""
    /// Whether the file was read to its `@end`.
    var isComplete = false

    /// What every language has words for; the headings of the policy in the files' README.
    static let concepts = [
        "kill", "murder", "torture", "stab", "terrorist", "kidnap", "blood", "war", "gun", "knife", "bomb", "weapon",
        "poison", "scary", "nightmare", "hell", "devil", "die", "dead", "death", "corpse", "funeral", "coffin",
        "suicide", "sex", "porn", "naked", "drunk", "beer", "wine", "alcohol", "cigarette", "drug", "stupid", "idiot",
        "shutup", "damn", "swear", "hate", "racist",
    ]
}

/// A word or phrase, and what may stand beside it.
struct Form: Sendable, Equatable {
    enum Side: Sendable, Equatable {
        /// What the script asks for: the edge of a word, or nothing.
        case natural
        /// The edge of a word, without the affixes of the language.
        case exact
        /// At least so many more letters of the word.
        case open(Int)
        /// One of these characters, or anything that is not kana.
        case context(String)
    }

    var text: String
    var start: Side = .natural
    var end: Side = .natural

    /// The form with its signs.
    var written: String {
        func sign(_ side: Side, isStart: Bool) -> String {
            switch side {
            case .natural: ""
            case .exact: isStart ? "=" : ""
            case .open(let count): count == 0 ? "*" : isStart ? "\(count)*" : "*\(count)"
            case .context(let text): "(\(text))"
            }
        }
        return sign(start, isStart: true) + text + sign(end, isStart: false)
    }

    /// Reads the signs around a form: `=word`, `word*`, `word*3`, `3*word`, `(をは)word`, `word(っう)`.
    init(_ source: String) {
        // Most forms are plain words.
        guard source.utf8.contains(where: { $0 < 0x30 || $0 == UInt8(ascii: "=") }) else {
            text = source
            return
        }
        var rest = Substring(source)
        if rest.hasPrefix("=") {
            rest = rest.dropFirst()
            start = .exact
            end = .exact
        }
        if rest.hasPrefix("("), let close = rest.firstIndex(of: ")") {
            start = .context(String(rest[rest.index(after: rest.startIndex)..<close]))
            rest = rest[rest.index(after: close)...]
        } else if let star = rest.firstIndex(of: "*"), let count = rest[..<star].isEmpty ? 0 : Int(rest[..<star]) {
            start = .open(count)
            rest = rest[rest.index(after: star)...]
        }
        if rest.hasSuffix(")"), let open = rest.lastIndex(of: "(") {
            end = .context(String(rest[rest.index(after: open)...].dropLast()))
            rest = rest[..<open]
        } else if let star = rest.lastIndex(of: "*"),
            let count = rest[rest.index(after: star)...].isEmpty ? 0 : Int(rest[rest.index(after: star)...])
        {
            end = .open(count)
            rest = rest[..<star]
        }
        text = String(rest)
    }
}
