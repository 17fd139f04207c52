/// Validates a body before it is decoded, strictly by RFC 8259: UTF-8 without a byte order mark, unique keys in each
/// object, bounded depth and string length. A decoder that reads it afterwards cannot interpret it differently.
package struct JSONScanner {
    private let bytes: [UInt8]
    private let limits: ServerLimits
    private var at = 0

    package init(_ bytes: [UInt8], _ limits: ServerLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// - Throws: `HTTPFailure`, 400.
    package mutating func scan() throws(HTTPFailure) {
        try checkEncoding()
        // Keys seen so far in each open object; nil for an array.
        var open: [Set<[UInt8]>?] = []
        skipBlanks()
        var expectsValue = true
        while true {
            if expectsValue {
                switch peek {
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    let isObject = peek == UInt8(ascii: "{")
                    guard open.count < limits.jsonDepth else {
                        throw HTTPFailure(
                            400, "too_deep",
                            "The JSON is too deep. Nest at most \(limits.jsonDepth) arrays and objects.")
                    }
                    at += 1
                    skipBlanks()
                    if peek == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                        at += 1
                        break
                    }
                    open.append(isObject ? [] : nil)
                    if isObject { try name(&open) }
                    continue
                case UInt8(ascii: "\""): _ = try string()
                case .some(UInt8(ascii: "-")), .some(0x30...0x39): try number()
                case UInt8(ascii: "t"): try word("true")
                case UInt8(ascii: "f"): try word("false")
                case UInt8(ascii: "n"): try word("null")
                default: throw malformed()
                }
            }
            // A value has ended.
            skipBlanks()
            guard let innermost = open.last else { break }
            let isObject = innermost != nil
            if peek == UInt8(ascii: ",") {
                at += 1
                skipBlanks()
                if isObject { try name(&open) }
                expectsValue = true
            } else if peek == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                at += 1
                open.removeLast()
                expectsValue = false
            } else {
                throw malformed()
            }
        }
        guard at == bytes.count else { throw malformed() }
    }

    private var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

    private func malformed() -> HTTPFailure {
        HTTPFailure(400, "invalid_json", "The body is not JSON from byte \(at) on. Send one JSON object.")
    }

    // MARK: - Encoding

    private func checkEncoding() throws(HTTPFailure) {
        func failure(_ what: String) -> HTTPFailure {
            HTTPFailure(400, "invalid_encoding", "The body \(what). Send JSON in UTF-8, without a byte order mark.")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("begins with a byte order mark") }
        // UTF-16 and UTF-32 have a byte order mark, or zero bytes in the first ASCII character (RFC 4627, section 3).
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) || bytes.prefix(4).contains(0) {
            throw failure("is in UTF-16 or UTF-32")
        }
        // Overlong encodings, surrogates and code points beyond U+10FFFF are invalid.
        guard let wrong = Self.firstInvalidByte(bytes) else { return }
        throw failure("is not UTF-8 at byte \(wrong)")
    }

    /// Offset of the first invalid UTF-8 byte (RFC 3629); nil if all are valid.
    package static func firstInvalidByte(_ bytes: [UInt8]) -> Int? {
        var at = 0
        while at < bytes.count {
            let first = bytes[at]
            let length: Int
            var second: ClosedRange<UInt8> = 0x80...0xBF
            switch first {
            case 0x00...0x7F:
                at += 1
                continue
            case 0xC2...0xDF: length = 2
            case 0xE0...0xEF:
                length = 3
                if first == 0xE0 { second = 0xA0...0xBF }
                if first == 0xED { second = 0x80...0x9F }
            case 0xF0...0xF4:
                length = 4
                if first == 0xF0 { second = 0x90...0xBF }
                if first == 0xF4 { second = 0x80...0x8F }
            default: return at
            }
            guard at + length <= bytes.count, second.contains(bytes[at + 1]),
                bytes[(at + 2)..<(at + length)].allSatisfy({ (0x80...0xBF).contains($0) })
            else { return at }
            at += length
        }
        return nil
    }

    // MARK: - Values

    private mutating func skipBlanks() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
    }

    private mutating func word(_ word: String) throws(HTTPFailure) {
        guard bytes[at...].starts(with: word.utf8) else { throw malformed() }
        at += word.utf8.count
    }

    private mutating func number() throws(HTTPFailure) {
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
        func digits() throws(HTTPFailure) {
            guard isDigit(peek) else { throw malformed() }
            while isDigit(peek) { at += 1 }
        }
        let start = at
        if peek == UInt8(ascii: "-") { at += 1 }
        if peek == UInt8(ascii: "0") { at += 1 } else { try digits() }
        if peek == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if peek == UInt8(ascii: "e") || peek == UInt8(ascii: "E") {
            at += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        try bound(at - start)
    }

    /// Reads a key and the colon after it.
    private mutating func name(_ open: inout [Set<[UInt8]>?]) throws(HTTPFailure) {
        guard peek == UInt8(ascii: "\"") else { throw malformed() }
        let name = try string()
        guard open[open.count - 1]?.insert(name).inserted ?? false else {
            let text = String(decoding: name.prefix(64), as: UTF8.self)
            throw HTTPFailure(
                400, "duplicate_field", "'\(text)' occurs twice in one object. Send it once.", field: text)
        }
        skipBlanks()
        guard peek == UInt8(ascii: ":") else { throw malformed() }
        at += 1
        skipBlanks()
    }

    /// Reads a string.
    /// - Returns: its value without escapes, in UTF-8.
    private mutating func string() throws(HTTPFailure) -> [UInt8] {
        let start = at
        var value: [UInt8] = []
        at += 1
        while let byte = peek, byte != UInt8(ascii: "\"") {
            try bound(at - start)
            guard byte >= 0x20 else { throw malformed() }
            at += 1
            guard byte == UInt8(ascii: "\\") else {
                value.append(byte)
                continue
            }
            guard let kind = peek else { throw malformed() }
            at += 1
            switch kind {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): value.append(kind)
            case UInt8(ascii: "b"): value.append(0x08)
            case UInt8(ascii: "f"): value.append(0x0C)
            case UInt8(ascii: "n"): value.append(0x0A)
            case UInt8(ascii: "r"): value.append(0x0D)
            case UInt8(ascii: "t"): value.append(0x09)
            case UInt8(ascii: "u"): value += try escapedScalar()
            default: throw malformed()
            }
        }
        guard peek != nil else { throw malformed() }
        at += 1
        return value
    }

    /// Reads what follows `\u`, including the second half of a surrogate pair.
    private mutating func escapedScalar() throws(HTTPFailure) -> String.UTF8View {
        let first = try unit()
        guard (0xD800...0xDFFF).contains(first) else {
            return String(UnicodeScalar(first).map(Character.init) ?? " ").utf8
        }
        guard first < 0xDC00, bytes[at...].starts(with: Array("\\u".utf8)) else { throw loneSurrogate() }
        at += 2
        let second = try unit()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = UnicodeScalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw loneSurrogate() }
        return String(Character(scalar)).utf8
    }

    private func loneSurrogate() -> HTTPFailure {
        HTTPFailure(
            400, "invalid_json",
            "The escape before byte \(at) is half of a surrogate pair, which is not a character. Send both halves.")
    }

    private mutating func unit() throws(HTTPFailure) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, byte < 0x80, let digit = Character(UnicodeScalar(byte)).hexDigitValue else {
                throw malformed()
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }

    /// Limits the length as written, escapes included.
    private func bound(_ count: Int) throws(HTTPFailure) {
        guard count <= limits.stringBytes else {
            throw HTTPFailure(
                400, "string_too_long", "A string is too long. Send at most \(limits.stringBytes) bytes in one.")
        }
    }
}
