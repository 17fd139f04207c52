internal import HearthGrammar

/// The control tokens that a vocabulary has for calls of functions.
package struct ToolMarkers: Sendable, Equatable {
    /// In front of a call and behind it.
    package var start, end: TokenID
    /// In front of a string and behind it.
    package var quote: TokenID

    /// What stands for them in text, for readers of calls: characters of private use, which a model's own text cannot have then.
    package static let startCharacter: Unicode.Scalar = "\u{10FF00}", endCharacter: Unicode.Scalar = "\u{10FF01}"
    package static let quoteCharacter: Unicode.Scalar = "\u{10FF02}"
    private static let characters: ClosedRange<Unicode.Scalar> = "\u{10FF00}"..."\u{10FF02}"

    /// What stands for them in grammars.
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

    /// A model's text without what stands for the tokens.
    package static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: characters.contains) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(characters.contains(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }
}

extension Vocabulary {
    /// nil for a vocabulary without such tokens: its models write calls as text.
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
