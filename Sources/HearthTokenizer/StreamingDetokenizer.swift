/// Converts tokens to text as they arrive, without ever emitting part of a character.
///
/// A character may span several byte tokens, and a grapheme cluster (flag, family emoji, letter with marks) several characters.
/// Incomplete UTF-8 is held back until it is complete or known to be invalid; the last grapheme cluster is held back while
/// following text could extend it. A cluster larger than ``TokenizerLimits/heldBackBytes`` is released in parts, so that ten
/// thousand combining marks cost neither time nor delay.
///
/// The concatenated results are the lossy decoding of all bytes.
///
/// ```swift
/// var text = StreamingDetokenizer(tokenizer)
/// for id in ids { print(try text.append(id), terminator: "") }
/// print(text.finish())
/// ```
package struct StreamingDetokenizer: Sendable {
    private let tokenizer: TextTokenizer
    private let showSpecial: Bool
    /// Bytes not decoded yet: the beginning of a character.
    private var bytes: [UInt8] = []
    /// Text that following tokens may extend.
    package private(set) var held = ""

    /// Creates a detokenizer at the beginning of a text.
    ///
    /// - Parameter showSpecial: whether control tokens are written; otherwise they are skipped.
    package init(_ tokenizer: TextTokenizer, showSpecial: Bool = false) {
        self.tokenizer = tokenizer
        self.showSpecial = showSpecial
        // Enough for nearly all pieces, so that no later token reallocates.
        bytes.reserveCapacity(TokenizerLimits.heldBackBytes)
    }

    /// Takes one token and returns the text that is now final, often all but the last character.
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

    /// Returns the text held back, and starts over.
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

    /// Whether nothing can extend this character: control characters end a cluster, except a carriage return, which may be
    /// followed by a line feed (Unicode annex 29, rules GB3 to GB5).
    private static func isClosed(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.last else { return true }
        return scalar.value < 0x20 && scalar != "\r"
    }
}
