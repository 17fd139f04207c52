/// Turns tokens into text as they arrive, never showing half a character.
///
/// A character may span several byte tokens, and a grapheme cluster (flag, family emoji, letter with marks) several
/// characters. Unfinished UTF-8 stays back until it is complete or known to be broken; the last grapheme cluster stays
/// back while something that follows could still belong to it. A cluster above ``TokenizerLimits/heldBackBytes`` is let go
/// in parts, so that ten thousand combining marks cost neither time nor delay.
///
/// Everything returned, joined, is the lossy decoding of all bytes.
///
/// ```swift
/// var text = StreamingDetokenizer(tokenizer)
/// for id in ids { print(try text.append(id), terminator: "") }
/// print(text.finish())
/// ```
package struct StreamingDetokenizer: Sendable {
    private let tokenizer: TextTokenizer
    private let showSpecial: Bool
    /// Bytes that are not text yet: the beginning of a character.
    private var bytes: [UInt8] = []
    /// Text that may still grow at its end.
    package private(set) var held = ""

    /// A detokenizer at the beginning of a text.
    ///
    /// - Parameter showSpecial: write control tokens too, which otherwise stand for nothing.
    package init(_ tokenizer: TextTokenizer, showSpecial: Bool = false) {
        self.tokenizer = tokenizer
        self.showSpecial = showSpecial
        // Room for all but the rarest pieces, so that a longer one costs no more than those before it.
        bytes.reserveCapacity(TokenizerLimits.heldBackBytes)
    }

    /// Takes one token; returns the text that is now certain, often all but the last character.
    ///
    /// - Throws: ``TokenizerError/tokenOutOfRange(id:count:)``; the state is unchanged then.
    package mutating func append(_ id: TokenID) throws(TokenizerError) -> String {
        try tokenizer.append(id, showSpecial: showSpecial, to: &bytes)
        let complete = bytes.count - UTF8Scan.unfinishedTail(bytes)
        guard complete > 0 else { return "" }
        held += String(decoding: bytes[..<complete], as: UTF8.self)
        bytes.removeFirst(complete)
        return release()
    }

    /// Returns what was still kept back, and starts over.
    package mutating func finish() -> String {
        let rest = held + String(decoding: bytes, as: UTF8.self)
        held = ""
        bytes.removeAll(keepingCapacity: true)
        return rest
    }

    private mutating func release() -> String {
        guard let last = held.indices.last else { return "" }
        if Self.isClosed(held[last]) || held[last...].utf8.count > TokenizerLimits.heldBackBytes {
            defer { held = "" }
            return held
        }
        defer { held = String(held[last...]) }
        return String(held[..<last])
    }

    /// Whether nothing can join this character: controls end a cluster by themselves, but for a carriage return, which
    /// takes a line feed (Unicode annex 29, rules GB3 to GB5).
    private static func isClosed(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.last else { return true }
        return scalar.value < 0x20 && scalar != "\r"
    }
}
