/// The parsed right-hand side of a rule.
indirect enum GBNFExpression: Equatable, Sendable {
    case literal([UInt8])
    case set(ScalarSet)
    case rule(String, line: Int)
    case sequence([GBNFExpression])
    case choice([GBNFExpression])
    case repetition(GBNFExpression, least: Int32, most: Int32?)
}

/// Parses GBNF, the grammar format of llama.cpp.
struct GBNFParser {
    static let mostNesting = 200
    /// The maximum number of quantifiers behind one part.
    static let mostQuantifiers = 3
    static let greatestCount = 100_000_000

    private let bytes: [UInt8]
    private var at = 0
    private var line = 1
    private var nesting = 0
    /// Constructs that are not supported.
    private(set) var unsupported: [String] = []

    static func parse(_ text: String) throws(GrammarError) -> [(name: String, body: GBNFExpression)] {
        var parser = GBNFParser(bytes: Array(text.utf8))
        let rules = try parser.rules()
        guard parser.unsupported.isEmpty else { throw .unsupported(parser.unsupported) }
        return rules
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func problem(_ what: String) -> GrammarError { .malformed(place: "line \(line)", problem: what) }

    private mutating func take(_ text: String) -> Bool {
        let isThere = bytes[at...].starts(with: text.utf8)
        if isThere { at += text.utf8.count }
        return isThere
    }

    /// Skips spaces and comments; line breaks only if `acrossLines`.
    private mutating func skip(acrossLines: Bool) {
        while let byte = peek {
            switch byte {
            case 0x20, 0x09: at += 1
            case UInt8(ascii: "#"): while let byte = peek, byte != 0x0A, byte != 0x0D { at += 1 }
            case 0x0A, 0x0D:
                guard acrossLines else { return }
                if byte == 0x0A { line += 1 }
                at += 1
            default: return
            }
        }
    }

    private mutating func name() -> String? {
        let start = at
        while let byte = peek, Self.isNameByte(byte) { at += 1 }
        return at > start ? String(decoding: bytes[start..<at], as: UTF8.self) : nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private mutating func rules() throws(GrammarError) -> [(name: String, body: GBNFExpression)] {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw problem("the text is not UTF-8") }
        var rules: [(name: String, body: GBNFExpression)] = []
        var names: Set<String> = []
        skip(acrossLines: true)
        while peek != nil {
            guard let name = name() else { throw problem("the name of a rule is expected") }
            skip(acrossLines: false)
            guard take("::=") else { throw problem("'::=' is expected after '\(name)'") }
            guard names.insert(name).inserted else { throw problem("the rule '\(name)' is defined twice") }
            skip(acrossLines: true)
            rules.append((name, try choice(isNested: false)))
            guard peek == nil || peek == 0x0A || peek == 0x0D else { throw problem("unexpected text after a rule") }
            skip(acrossLines: true)
        }
        return rules
    }

    private mutating func choice(isNested: Bool) throws(GrammarError) -> GBNFExpression {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.mostNesting else { throw problem("more than \(Self.mostNesting) parentheses are nested") }
        var parts = [try sequence(isNested)]
        while take("|") {
            skip(acrossLines: true)
            parts.append(try sequence(isNested))
        }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence(_ isNested: Bool) throws(GrammarError) -> GBNFExpression {
        var parts: [GBNFExpression] = []
        while let part = try atom() {
            parts.append(try quantified(part))
            skip(acrossLines: isNested)
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom() throws(GrammarError) -> GBNFExpression? {
        switch peek {
        case UInt8(ascii: "\""): return .literal(try literal())
        case UInt8(ascii: "["): return .set(try characterClass())
        case UInt8(ascii: "."):
            at += 1
            return .set(.all)
        case UInt8(ascii: "("):
            at += 1
            skip(acrossLines: true)
            let inner = try choice(isNested: true)
            skip(acrossLines: true)
            guard take(")") else { throw problem("a parenthesis has no end") }
            return inner
        case UInt8(ascii: "<"), UInt8(ascii: "!"):
            let start = at
            while let byte = peek, byte != UInt8(ascii: ">"), byte != 0x0A { at += 1 }
            guard take(">") else { throw problem("a token has no end") }
            unsupported.append("line \(line): \(String(decoding: bytes[start..<at], as: UTF8.self))")
            return .sequence([])
        default:
            let before = at
            guard let name = name() else { return nil }
            // A name followed by '::=' starts the next rule.
            let after = at
            skip(acrossLines: false)
            if take("::=") {
                at = before
                return nil
            }
            at = after
            return .rule(name, line: line)
        }
    }

    private mutating func quantified(_ part: GBNFExpression) throws(GrammarError) -> GBNFExpression {
        var part = part
        for _ in 0...Self.mostQuantifiers {
            if take("*") {
                part = .repetition(part, least: 0, most: nil)
            } else if take("+") {
                part = .repetition(part, least: 1, most: nil)
            } else if take("?") {
                part = .repetition(part, least: 0, most: 1)
            } else if take("{") {
                let least = try number()
                var most = least
                skip(acrossLines: false)
                if take(",") { most = try number() } else if least == nil { throw problem("a count is expected") }
                skip(acrossLines: false)
                guard take("}") else { throw problem("a count has no end") }
                if let least, let most, most < least { throw problem("counts in the wrong order") }
                part = .repetition(part, least: Int32(least ?? 0), most: most.map { Int32($0) })
            } else {
                return part
            }
        }
        throw problem("more than \(Self.mostQuantifiers) repetitions of repetitions")
    }

    private mutating func number() throws(GrammarError) -> Int? {
        skip(acrossLines: false)
        var value: Int?
        while let byte = peek, (0x30...0x39).contains(byte) {
            value = (value ?? 0) * 10 + Int(byte - 0x30)
            guard value ?? 0 <= Self.greatestCount else { throw problem("a count above \(Self.greatestCount)") }
            at += 1
        }
        return value
    }

    private mutating func literal() throws(GrammarError) -> [UInt8] {
        at += 1
        var value: [UInt8] = []
        while let byte = peek, byte != UInt8(ascii: "\"") {
            guard byte != 0x0A, byte != 0x0D else { break }
            value += try character()
        }
        guard take("\"") else { throw problem("a literal has no end") }
        return value
    }

    /// Parses one character or escape, and returns it in UTF-8. `\xXX` is a Unicode scalar.
    private mutating func character() throws(GrammarError) -> [UInt8] {
        guard let byte = peek else { throw problem("the text ends too early") }
        if byte != UInt8(ascii: "\\") {
            var end = at + 1
            while end < bytes.count, bytes[end] & 0xC0 == 0x80 { end += 1 }
            defer { at = end }
            return Array(bytes[at..<end])
        }
        at += 1
        guard let kind = peek else { throw problem("a backslash at the end") }
        at += 1
        switch kind {
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "x"): return try scalar(2)
        case UInt8(ascii: "u"): return try scalar(4)
        case UInt8(ascii: "U"): return try scalar(8)
        case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "-"),
            UInt8(ascii: "^"), UInt8(ascii: "/"), UInt8(ascii: "."):
            return [kind]
        default: throw problem("unknown escape")
        }
    }

    private mutating func scalar(_ digits: Int) throws(GrammarError) -> [UInt8] {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = peek, let digit = HexDigit.value(byte) else {
                throw problem("an escape needs \(digits) digits")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        guard let scalar = Unicode.Scalar(value), let bytes = UTF8.encode(scalar) else {
            throw problem("an escape that is not a character")
        }
        return Array(bytes)
    }

    private mutating func characterClass() throws(GrammarError) -> ScalarSet {
        at += 1
        let isInverted = take("^")
        var ranges: [ClosedRange<UInt32>] = []
        func value(_ bytes: [UInt8]) -> UInt32 {
            String(decoding: bytes, as: UTF8.self).unicodeScalars.first?.value ?? 0
        }
        while let byte = peek, byte != UInt8(ascii: "]") {
            guard byte != 0x0A else { break }
            let low = value(try character())
            var high = low
            if peek == UInt8(ascii: "-"), at + 1 < bytes.count, bytes[at + 1] != UInt8(ascii: "]") {
                at += 1
                high = value(try character())
                guard low <= high else { throw problem("a range of characters in the wrong order") }
            }
            ranges.append(low...high)
        }
        guard take("]") else { throw problem("a class of characters has no end") }
        return isInverted ? ScalarSet(ranges).inverted : ScalarSet(ranges)
    }
}
