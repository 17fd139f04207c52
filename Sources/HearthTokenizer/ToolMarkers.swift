internal import HearthGrammar

/// The control tokens of a vocabulary for tool calls.
package struct ToolMarkers: Sendable, Equatable {
    /// Enclose a call.
    package var start, end: TokenID
    /// Encloses a string.
    package var quote: TokenID

    /// Private-use characters that represent these tokens in text for the tool call reader; `cleaned` removes them from the
    /// model's own text.
    package static let startCharacter: Unicode.Scalar = "\u{10FF00}", endCharacter: Unicode.Scalar = "\u{10FF01}"
    package static let quoteCharacter: Unicode.Scalar = "\u{10FF02}"
    private static let characters: ClosedRange<Unicode.Scalar> = "\u{10FF00}"..."\u{10FF02}"

    /// The reserved bytes that represent a token in grammars.
    package func bytes(of token: TokenID) -> [UInt8]? {
        switch token {
        case start: ReservedBytes.callStart
        case end: ReservedBytes.callEnd
        case quote: ReservedBytes.quote
        default: nil
        }
    }

    package func character(of token: TokenID) -> Unicode.Scalar? {
        switch token {
        case start: Self.startCharacter
        case end: Self.endCharacter
        case quote: Self.quoteCharacter
        default: nil
        }
    }

    /// Replaces the private-use characters in a model's own text by U+FFFD.
    package static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: characters.contains) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(characters.contains(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }
}

extension Vocabulary {
    /// The tool call tokens; nil for a vocabulary without them, whose models write calls as text.
    package var toolMarkers: ToolMarkers? {
        for (start, end, quote) in [
            ("<|tool_call>", "<tool_call|>", "<|\"|>"), ("<start_function_call>", "<end_function_call>", "<escape>"),
        ] {
            if let start = id(of: start), let end = id(of: end), let quote = id(of: quote) {
                return ToolMarkers(start: start, end: end, quote: quote)
            }
        }
        return nil
    }
}
