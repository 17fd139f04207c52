/// Expands the terms of a lexicon into forms: `stem/paradigm`, `one|other`, `{a,b}c`.
struct TermExpander {
    /// Endings by name. An ending `a~b` puts `a` before the stem and `b` after it.
    private(set) var paradigms: [Substring: [Substring]] = [:]

    /// The maximum number of forms per term, so that a typing error cannot exhaust memory.
    static let limit = 20_000

    mutating func define(_ name: Substring, _ endings: [Substring]) throws {
        var all: [Substring] = []
        for ending in endings {
            // Endings may contain braces, and may include the endings of another paradigm.
            if ending.hasPrefix("@"), let other = paradigms[ending.dropFirst()] {
                all += other
            } else {
                all += try Self.braces(String(ending)).map { Substring($0) }
            }
        }
        paradigms[name] = all
    }

    struct Problem: Error { var text: String }

    /// All forms of a term, in the order in which they correspond to a replacement's forms.
    func forms(_ term: Substring) throws -> [String] {
        var result: [String] = []
        for part in term.split(at: "|") where !part.isEmpty {
            guard let slash = part.utf8.firstIndex(of: UInt8(ascii: "/")) else {
                result += try Self.braces(String(part))
                continue
            }
            let name = part[part.utf8.index(after: slash)...]
            guard let endings = paradigms[name] else { throw Problem(text: "there is no paradigm '\(name)'") }
            for stem in try Self.braces(String(part[..<slash])) {
                for ending in endings { result.append(Self.join(stem, ending)) }
            }
        }
        return result
    }

    private static func join(_ stem: String, _ ending: Substring) -> String {
        if ending == "-" { return stem }
        guard let tilde = ending.utf8.firstIndex(of: UInt8(ascii: "~")) else { return stem + ending }
        return ending[..<tilde] + stem + ending[ending.utf8.index(after: tilde)...]
    }

    /// Expands braces: `{a,b}c{d,}` → acd, ac, bcd, bc, with the last braces varying fastest.
    static func braces(_ text: String) throws -> [String] {
        guard let open = text.utf8.firstIndex(of: UInt8(ascii: "{")) else { return [text] }
        guard let close = text.utf8[open...].firstIndex(of: UInt8(ascii: "}")) else {
            throw Problem(text: "a brace is not closed")
        }
        let choices = text[text.utf8.index(after: open)..<close].split(at: ",")
        let rests = try braces(String(text[text.utf8.index(after: close)...]))
        guard choices.count * rests.count <= limit else { throw Problem(text: "too many forms") }
        var result: [String] = []
        for choice in choices {
            for rest in rests { result.append(text[..<open] + choice + rest) }
        }
        return result
    }

    /// Splits at commas outside braces and parentheses.
    static func terms(_ text: Substring) -> [Substring] {
        var result: [Substring] = []
        var depth = 0
        var start = text.startIndex
        var index = text.startIndex
        while index < text.endIndex {
            let next = text.utf8.index(after: index)
            switch text.utf8[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "("): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ",") where depth == 0:
                result.append(text[start..<index].trimmed)
                start = next
            default: break
            }
            index = next
        }
        result.append(text[start...].trimmed)
        return result.filter { !$0.isEmpty }
    }
}

// The notation is ASCII, so lines are split by bytes, which is several times faster than by grapheme clusters.
extension Substring {
    /// The text without leading and trailing spaces.
    var trimmed: Substring {
        var bytes = utf8
        while bytes.first == UInt8(ascii: " ") { bytes = bytes.dropFirst() }
        while bytes.last == UInt8(ascii: " ") { bytes = bytes.dropLast() }
        return Substring(bytes)
    }

    /// The parts between separators, including empty ones.
    func split(at separator: Unicode.Scalar) -> [Substring] {
        utf8.split(separator: UInt8(ascii: separator), omittingEmptySubsequences: false).map { Substring($0) }
    }
}
