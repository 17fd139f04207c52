/// Turns what is written in a lexicon into forms: `stem/paradigm`, `one|other`, `{a,b}c`.
struct TermExpander {
    /// Endings by name. An ending `a~b` puts `a` before the stem and `b` after it.
    private(set) var paradigms: [Substring: [Substring]] = [:]

    /// Most forms that one term may stand for: a slip of the pen must not fill the memory.
    static let limit = 20_000

    mutating func define(_ name: Substring, _ endings: [Substring]) throws {
        var all: [Substring] = []
        for ending in endings {
            // Endings may be made of braces, and of another paradigm's endings.
            if ending.hasPrefix("@"), let other = paradigms[ending.dropFirst()] {
                all += other
            } else {
                all += try Self.braces(String(ending)).map { Substring($0) }
            }
        }
        paradigms[name] = all
    }

    struct Problem: Error { var text: String }

    /// All forms of a term, in the order in which a replacement's forms are matched to them.
    func forms(_ term: Substring) throws -> [String] {
        try term.split(separator: "|").flatMap { part -> [String] in
            let pieces = part.split(separator: "/", maxSplits: 1)
            guard pieces.count == 2 else { return try Self.braces(String(part)) }
            guard let endings = paradigms[pieces[1]] else { throw Problem(text: "there is no paradigm '\(pieces[1])'") }
            let stems = try Self.braces(String(pieces[0]))
            return stems.flatMap { stem in endings.map { Self.join(stem, $0) } }
        }
    }

    private static func join(_ stem: String, _ ending: Substring) -> String {
        if ending == "-" { return stem }
        guard let tilde = ending.firstIndex(of: "~") else { return stem + ending }
        return ending[..<tilde] + stem + ending[ending.index(after: tilde)...]
    }

    /// `{a,b}c{d,}` → ad, a… in order, the last braces turning fastest.
    static func braces(_ text: String) throws -> [String] {
        guard let open = text.firstIndex(of: "{") else { return [text] }
        guard let close = text[open...].firstIndex(of: "}") else { throw Problem(text: "a brace is not closed") }
        let choices = text[text.index(after: open)..<close].split(separator: ",", omittingEmptySubsequences: false)
        let rests = try braces(String(text[text.index(after: close)...]))
        guard choices.count * rests.count <= limit else { throw Problem(text: "too many forms") }
        return choices.flatMap { choice in rests.map { text[..<open] + choice + $0 } }
    }

    /// Splits at the commas that stand outside braces and parentheses.
    static func terms(_ text: Substring) -> [Substring] {
        var result: [Substring] = []
        var depth = 0
        var start = text.startIndex
        for index in text.indices {
            switch text[index] {
            case "{", "(": depth += 1
            case "}", ")": depth -= 1
            case "," where depth == 0:
                result.append(text[start..<index].trimmed)
                start = text.index(after: index)
            default: break
            }
        }
        result.append(text[start...].trimmed)
        return result.filter { !$0.isEmpty }
    }
}

extension Substring {
    /// Without blanks at the ends.
    var trimmed: Substring {
        var text = self
        while text.first == " " { text = text.dropFirst() }
        while text.last == " " { text = text.dropLast() }
        return text
    }
}
