internal import Foundation

/// Cleans text typed by a person before it becomes part of a prompt: removes control tokens of all chat formats, also in
/// disguise, and invisible characters, and limits the length.
///
/// This is the second line of defense; the first is that typed text is encoded with control tokens disabled. Cleaning is
/// idempotent, and the result is in NFC.
public struct PromptSanitizer: Sendable {
    /// The purpose of the text.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        /// The subject of a story: one line.
        case wish
        /// A child's name: one short line.
        case name
        /// A text with paragraphs.
        case story

        /// The maximum length of the result, in grapheme clusters.
        package var limit: Int {
            switch self {
            case .wish: 200
            case .name: 30
            case .story: 4000
            }
        }
    }

    /// The result of cleaning.
    public struct Result: Sendable, Equatable {
        /// Text that may go into a prompt; empty if nothing is left.
        public let text: String
        /// The kinds of content that were removed: `marker`, `injection`, `invisible`, `repetition`, `length`.
        public let removed: [String]
    }

    /// Creates a sanitizer.
    public init() {}

    /// Cleans a text. Only the beginning of a very long text is used. If the tables of this build are damaged, the result is
    /// empty.
    public func sanitize(_ text: String, as kind: Kind) -> Result {
        guard case .success = FoldingTables.loaded else { return Result(text: "", removed: []) }
        var removed: Set<String> = []
        // Far above the limit, to bound the work; text after it would be cut anyway.
        var current = Array(text.unicodeScalars.prefix(kind.limit * 16 + 1024))
        if text.unicodeScalars.count > current.count { removed.insert("length") }
        // Removing text may join two halves of a marker, so this repeats until nothing changes.
        for round in 0..<Self.mostRounds {
            let next = pass(current, kind, isLast: round == Self.mostRounds - 1, &removed)
            if next == current { break }
            current = next
        }
        let order = ["marker", "injection", "invisible", "repetition", "length"]
        return Result(
            text: String(String.UnicodeScalarView(current)), removed: order.filter(removed.contains))
    }

    private static let mostRounds = 12

    private func pass(
        _ scalars: [Unicode.Scalar], _ kind: Kind, isLast: Bool, _ removed: inout Set<String>
    ) -> [Unicode.Scalar] {
        var text = TextCleaner.clean(scalars, &removed)
        text = MarkerRules.strip(text, &removed)
        if isLast {
            // Deeply nested markers: remove all of their characters.
            text.removeAll { MarkerRules.signs.contains(MarkerRules.look($0)) }
        }
        text = InjectionPhrases.strip(text, &removed)
        text = Self.shortenRuns(text, &removed)
        text = Self.layOut(text, kind)
        return Self.cut(text, kind, &removed)
    }

    /// Shortens runs of four or more equal characters to three, except digits and spaces.
    private static func shortenRuns(_ text: [Unicode.Scalar], _ removed: inout Set<String>) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var run = 0
        for scalar in text {
            run = result.last == scalar ? run + 1 : 1
            if run > 3, scalar.properties.numericType == nil, !scalar.properties.isWhitespace {
                removed.insert("repetition")
                continue
            }
            result.append(scalar)
        }
        return result
    }

    /// Normalizes spaces and line breaks for the kind of text.
    private static func layOut(_ text: [Unicode.Scalar], _ kind: Kind) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        var breaks = 0
        var hasBlank = false
        for scalar in text {
            if scalar == "\n" {
                breaks += 1
            } else if scalar == " " {
                hasBlank = true
            } else {
                if !result.isEmpty {
                    if kind == .story, breaks > 0 {
                        result += [Unicode.Scalar](repeating: "\n", count: min(breaks, 2))
                    } else if hasBlank || breaks > 0 {
                        result.append(" ")
                    }
                }
                result.append(scalar)
                (breaks, hasBlank) = (0, false)
            }
        }
        return result
    }

    /// Keeps the first `limit` grapheme clusters, up to the last space if one is close to the end.
    private static func cut(
        _ text: [Unicode.Scalar], _ kind: Kind, _ removed: inout Set<String>
    ) -> [Unicode.Scalar] {
        let string = String(String.UnicodeScalarView(text))
        guard let end = string.index(string.startIndex, offsetBy: kind.limit, limitedBy: string.endIndex),
            end < string.endIndex
        else { return text }
        removed.insert("length")
        var kept = string[..<end]
        if let blank = kept.suffix(20).lastIndex(where: \.isWhitespace) { kept = kept[..<blank] }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return Array(kept.unicodeScalars)
    }
}
