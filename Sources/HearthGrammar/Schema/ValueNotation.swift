/// How the values of a schema are written.
package enum ValueNotation: Sendable, Hashable {
    /// RFC 8259.
    case json
    /// Gemma's arguments of functions: names bare and in ascending order, strings without escapes between two marks of their own.
    case gemma

    /// What stands in front of a string and behind it.
    var quote: [UInt8] { self == .json ? [0x22] : ReservedBytes.quote }
    var quotesNames: Bool { self == .json }
    /// How characters of strings are written.
    var encoding: ScalarEncoding { self == .json ? .json : .plain }
    /// The same where nothing is known of a string.
    var freeEncoding: ScalarEncoding { self == .json ? .jsonEscaped : .plain }
    /// What names that a schema does not list are made of.
    var nameCharacters: ScalarSet {
        self == .json ? .all : .word.union(ScalarSet([0x2D...0x2E]))
    }

    /// Whether a name can be told from what stands around it.
    func canName(_ name: String) -> Bool {
        self == .json
            || !name.isEmpty
                && name.unicodeScalars.allSatisfy { $0.value > 0x20 && !":,{}[]\"<>".unicodeScalars.contains($0) }
    }

    /// A text as it stands between quotation marks.
    func spelled(_ text: String) -> String {
        self == .json ? String(JSONDocument.string(text).text.dropFirst().dropLast()) : text
    }

    /// Members in the order in which they are written.
    func ordered<Member>(_ members: [Member], by name: (Member) -> String) -> [Member] {
        guard self == .gemma else { return members }
        return members.sorted { a, b in
            let (first, second) = (name(a), name(b))
            return (first.lowercased(), first) < (second.lowercased(), second)
        }
    }
}

/// Bytes that no text in UTF-8 has: in a grammar they stand for control tokens, which have no text.
package enum ReservedBytes {
    /// In front of a string and behind it: `<escape>`, `<|"|>`.
    package static let quote: [UInt8] = [0xFF, 1]
    /// In front of a call: `<start_function_call>`, `<|tool_call>`.
    package static let callStart: [UInt8] = [0xFF, 2]
    /// Behind a call: `<end_function_call>`, `<tool_call|>`.
    package static let callEnd: [UInt8] = [0xFF, 3]
}
