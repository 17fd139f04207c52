/// The notation for the values of a schema.
package enum ValueNotation: Sendable, Hashable {
    /// RFC 8259.
    case json
    /// Gemma's function arguments: unquoted names in ascending order, and strings without escapes between special quotation
    /// tokens.
    case gemma

    /// The bytes before and after a string.
    var quote: [UInt8] { self == .json ? [0x22] : ReservedBytes.quote }
    var quotesNames: Bool { self == .json }
    /// The encoding of characters in strings.
    var encoding: ScalarEncoding { self == .json ? .json : .plain }
    /// The encoding of characters in unconstrained strings.
    var freeEncoding: ScalarEncoding { self == .json ? .jsonEscaped : .plain }
    /// The characters allowed in names that the schema does not list.
    var nameCharacters: ScalarSet {
        self == .json ? .all : .word.union(ScalarSet([0x2D...0x2E]))
    }

    /// Whether a name can be distinguished from the surrounding syntax.
    func canName(_ name: String) -> Bool {
        self == .json
            || !name.isEmpty
                && name.unicodeScalars.allSatisfy { $0.value > 0x20 && !":,{}[]\"<>".unicodeScalars.contains($0) }
    }

    /// A text as written between quotation marks.
    func spelled(_ text: String) -> String {
        self == .json ? String(JSONDocument.string(text).text.dropFirst().dropLast()) : text
    }

    /// Members in output order.
    func ordered<Member>(_ members: [Member], by name: (Member) -> String) -> [Member] {
        guard self == .gemma else { return members }
        return members.sorted { a, b in
            let (first, second) = (name(a), name(b))
            return (first.lowercased(), first) < (second.lowercased(), second)
        }
    }
}

/// Byte sequences that are not valid UTF-8; in a grammar they represent control tokens, which have no text.
package enum ReservedBytes {
    /// Before and after a string: `<escape>`, `<|"|>`.
    package static let quote: [UInt8] = [0xFF, 1]
    /// Before a call: `<start_function_call>`, `<|tool_call>`.
    package static let callStart: [UInt8] = [0xFF, 2]
    /// After a call: `<end_function_call>`, `<tool_call|>`.
    package static let callEnd: [UInt8] = [0xFF, 3]
}
