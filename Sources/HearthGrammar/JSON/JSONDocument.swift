/// A JSON value that preserves the order of names and the notation of numbers.
package enum JSONDocument: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The number as written.
    case number(String)
    case string(String)
    case array([JSONDocument])
    /// In source order; names are unique.
    case object([(name: String, value: JSONDocument)])

    /// Parses a text that contains exactly one value.
    /// - Parameter depth: the maximum nesting depth of arrays and objects.
    /// - Throws: `GrammarError.malformed`.
    package init(_ text: some Sequence<UInt8>, depth: Int = 512) throws(GrammarError) {
        var reader = JSONReader(Array(text), depth: depth)
        self = try reader.document()
    }

    package static func == (a: JSONDocument, b: JSONDocument) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b || DecimalNumber(a) == DecimalNumber(b)
        case (.string(let a), .string(let b)): a.unicodeScalars.elementsEqual(b.unicodeScalars)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)):
            // Not by String's ==, for which a composed and a decomposed letter are the same.
            a.count == b.count
                && a.allSatisfy { field in
                    b.contains { $0.name.utf8.elementsEqual(field.name.utf8) && $0.value == field.value }
                }
        default: false
        }
    }

    /// The value of a field of an object.
    package subscript(_ name: String) -> JSONDocument? {
        guard case .object(let fields) = self else { return nil }
        return fields.first { $0.name == name }?.value
    }

    /// The value as JSON without white space.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let text): text
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
        case .object(let fields):
            "{" + fields.map { Self.quoted($0.name) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.unicodeScalars.map(escaped).joined() + "\""
    }

    /// A character as written in a JSON string.
    package static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\u{8}": return "\\b"
        case "\u{C}": return "\\f"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: return String(scalar)
        }
    }
}

/// A strict RFC 8259 parser.
private struct JSONReader {
    private let bytes: [UInt8]
    private let depth: Int
    private var at = 0

    init(_ bytes: [UInt8], depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    mutating func document() throws(GrammarError) -> JSONDocument {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw problem("the text is not UTF-8") }
        skipBlanks()
        let value = try value(0)
        skipBlanks()
        guard at == bytes.count else { throw problem("unexpected text after the value") }
        return value
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func problem(_ what: String) -> GrammarError { .malformed(place: "byte \(at)", problem: what) }

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        at += 1
        return true
    }

    private mutating func value(_ level: Int) throws(GrammarError) -> JSONDocument {
        switch peek {
        case UInt8(ascii: "{"):
            guard level < depth else { throw problem("more than \(depth) arrays and objects are nested") }
            return try object(level + 1)
        case UInt8(ascii: "["):
            guard level < depth else { throw problem("more than \(depth) arrays and objects are nested") }
            return try array(level + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSONDocument) throws(GrammarError) -> JSONDocument {
        guard bytes[at...].starts(with: word.utf8) else { throw problem("this is not JSON") }
        at += word.utf8.count
        return value
    }

    private mutating func object(_ level: Int) throws(GrammarError) -> JSONDocument {
        at += 1
        var fields: [(name: String, value: JSONDocument)] = []
        var names: Set<[UInt8]> = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object([]) }
        while true {
            guard peek == UInt8(ascii: "\"") else { throw problem("a name is expected") }
            let start = at
            let name = try string()
            guard names.insert(Array(name.utf8)).inserted else {
                at = start
                throw problem("the name \(name.debugDescription) occurs twice in one object")
            }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw problem("a colon is expected") }
            skipBlanks()
            fields.append((name, try value(level)))
            skipBlanks()
            if take(UInt8(ascii: "}")) { return .object(fields) }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or a closing brace is expected") }
            skipBlanks()
        }
    }

    private mutating func array(_ level: Int) throws(GrammarError) -> JSONDocument {
        at += 1
        var values: [JSONDocument] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .array([]) }
        while true {
            values.append(try value(level))
            skipBlanks()
            if take(UInt8(ascii: "]")) { return .array(values) }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or a closing bracket is expected") }
            skipBlanks()
        }
    }

    private mutating func number() throws(GrammarError) -> JSONDocument {
        let start = at
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        func digits() throws(GrammarError) {
            guard isDigit(peek) else { throw problem("this is not JSON") }
            while isDigit(peek) { at += 1 }
        }
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return .number(String(decoding: bytes[start..<at], as: UTF8.self))
    }

    private mutating func string() throws(GrammarError) -> String {
        at += 1
        var value: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw problem("a control character in a string") }
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            let kind = peek
            at += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): value.append(kind ?? 0)
            case UInt8(ascii: "b"): value.append(0x08)
            case UInt8(ascii: "f"): value.append(0x0C)
            case UInt8(ascii: "n"): value.append(0x0A)
            case UInt8(ascii: "r"): value.append(0x0D)
            case UInt8(ascii: "t"): value.append(0x09)
            case UInt8(ascii: "u"): value += try escaped().utf8
            default: throw problem("an escape that JSON does not have")
            }
        }
        guard take(UInt8(ascii: "\"")) else { throw problem("a string has no end") }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func escaped() throws(GrammarError) -> String {
        var unit = try unit()
        if (0xD800..<0xDC00).contains(unit), bytes[at...].starts(with: Array("\\u".utf8)) {
            at += 2
            let low = try self.unit()
            guard (0xDC00..<0xE000).contains(low) else { throw problem("half of a surrogate pair") }
            unit = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
        }
        guard let scalar = UnicodeScalar(unit) else { throw problem("half of a surrogate pair") }
        return String(Character(scalar))
    }

    private mutating func unit() throws(GrammarError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = HexDigit.value(byte) else {
                throw problem("an escape needs four digits")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}

/// Hexadecimal digits in ASCII.
enum HexDigit {
    static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
