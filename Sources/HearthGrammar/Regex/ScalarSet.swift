/// A set of Unicode scalars, as ascending ranges that are not adjacent.
struct ScalarSet: Hashable, Sendable {
    private(set) var ranges: [ClosedRange<UInt32>]

    static let all = ScalarSet([0...0x10FFFF])
    static let digits = ScalarSet([0x30...0x39])
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// WhiteSpace and LineTerminator of ECMA-262.
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    static let lineEnds = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

    /// Creates a set from ranges. Surrogates are not scalars and are omitted.
    init(_ ranges: [ClosedRange<UInt32>]) {
        var sorted: [ClosedRange<UInt32>] = []
        for range in ranges {
            if range.lowerBound < 0xD800 { sorted.append(range.lowerBound...min(range.upperBound, 0xD7FF)) }
            if range.upperBound > 0xDFFF { sorted.append(max(range.lowerBound, 0xE000)...range.upperBound) }
        }
        sorted.sort { $0.lowerBound < $1.lowerBound }
        self.ranges = []
        for range in sorted {
            if let last = self.ranges.last, range.lowerBound <= last.upperBound + 1 {
                self.ranges[self.ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                self.ranges.append(range)
            }
        }
    }

    init(_ scalar: UInt32) { self.init([scalar...scalar]) }

    /// Creates the set of scalars with a property. Checks all scalars, which takes some tens of milliseconds.
    init(where isMember: (Unicode.Scalar.Properties) -> Bool) {
        var ranges: [ClosedRange<UInt32>] = []
        var start: UInt32?
        for value in UInt32(0)...0x110000 {
            let isIn = Unicode.Scalar(value).map { isMember($0.properties) } ?? false
            if isIn, start == nil { start = value }
            if !isIn, let first = start {
                ranges.append(first...(value - 1))
                start = nil
            }
        }
        self.init(ranges)
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    var inverted: ScalarSet {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return ScalarSet(result)
    }

    func contains(_ value: UInt32) -> Bool { ranges.contains { $0.contains(value) } }

    func subtracting(_ other: ScalarSet) -> ScalarSet { inverted.union(other).inverted }
}

/// How a character is encoded in a text.
enum ScalarEncoding: Hashable, Sendable {
    /// UTF-8.
    case plain
    /// Inside a JSON string: UTF-8, and escapes for characters that require one or have a short one.
    case json
    /// Like `json`, and additionally every character as `\uXXXX`.
    case jsonEscaped
}

/// Compiles sets of characters to expressions, with a cache.
struct ScalarEncoder: Sendable {
    private var known: [ScalarEncoding: [ScalarSet: RegexArena.Node]] = [:]

    mutating func node(
        _ set: ScalarSet, _ encoding: ScalarEncoding, _ arena: inout RegexArena
    ) -> RegexArena.Node {
        if let known = known[encoding]?[set] { return known }
        let node: RegexArena.Node
        switch encoding {
        case .plain: node = Self.utf8(set, &arena)
        case .json, .jsonEscaped:
            let special = ScalarSet([0...0x1F, 0x22...0x22, 0x5C...0x5C])
            var parts = [Self.utf8(set.subtracting(special), &arena)]
            for value in special.ranges.joined() + [0x2F] where set.contains(value) {
                parts.append(Self.escapes(value, &arena))
            }
            if encoding == .jsonEscaped { parts.append(Self.unicodeEscapes(&arena)) }
            node = arena.union(parts)
        }
        known[encoding, default: [:]][set] = node
        if set == .all, encoding != .plain { arena.jsonCharacters[encoding == .json ? 0 : 1] = node }
        return node
    }

    mutating func text(
        _ text: String, _ encoding: ScalarEncoding, _ arena: inout RegexArena
    ) -> RegexArena.Node {
        var parts: [RegexArena.Node] = []
        var plain: [UInt8] = []
        for scalar in text.unicodeScalars {
            let isPlain = encoding == .plain || scalar.value >= 0x20 && !["\"", "\\", "/"].contains(scalar)
            if isPlain {
                plain += UTF8.encode(scalar).map(Array.init) ?? []
                continue
            }
            parts.append(arena.literal(plain))
            plain = []
            parts.append(node(ScalarSet(scalar.value), encoding, &arena))
        }
        parts.append(arena.literal(plain))
        return arena.sequence(parts)
    }

    /// The short escape, and `\u00XX` for control characters.
    private static func escapes(_ value: UInt32, _ arena: inout RegexArena) -> RegexArena.Node {
        let short: [UInt32: String] = [
            0x22: "\\\"", 0x5C: "\\\\", 0x2F: "\\/", 0x08: "\\b", 0x0C: "\\f", 0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t",
        ]
        var parts: [RegexArena.Node] = []
        if let escape = short[value] { parts.append(arena.literal(Array(escape.utf8))) }
        if value < 0x20 {
            let digit = UInt8(ascii: value < 0x10 ? "0" : "1")
            let last =
                Array(String(value & 15, radix: 16).utf8) + Array(String(value & 15, radix: 16).uppercased().utf8)
            parts.append(
                arena.sequence(
                    arena.literal(Array("\\u00".utf8) + [digit]), arena.set(ByteSet(last))))
        }
        return arena.union(parts)
    }

    /// `\uXXXX` of any character, or a surrogate pair.
    private static func unicodeEscapes(_ arena: inout RegexArena) -> RegexArena.Node {
        let hex = ByteSet(Array("0123456789abcdefABCDEF".utf8))
        let digit = arena.set(hex)
        func any(_ text: String) -> ByteSet { ByteSet(Array(text.utf8)) }
        let d = any("dD")
        let start = arena.literal(Array("\\u".utf8))
        let notD = arena.set(any("0123456789abcefABCEF"))
        let dNode = arena.set(d), low = arena.set(any("01234567")), first = arena.set(any("89abAB"))
        let second = arena.set(any("cdefCDEF"))
        return arena.union([
            arena.sequence([start, notD, digit, digit, digit]),
            arena.sequence([start, dNode, low, digit, digit]),
            arena.sequence([start, dNode, first, digit, digit, start, dNode, second, digit, digit]),
        ])
    }

    private static func utf8(_ set: ScalarSet, _ arena: inout RegexArena) -> RegexArena.Node {
        // Grouped by the bytes after the first one, so that ranges with equal tails are merged.
        var byTail: [[ClosedRange<UInt8>]: ByteSet] = [:]
        var order: [[ClosedRange<UInt8>]] = []
        for range in set.ranges {
            for sequence in utf8Sequences(range.lowerBound, range.upperBound) {
                let tail = Array(sequence.dropFirst())
                if byTail[tail] == nil { order.append(tail) }
                byTail[tail] = (byTail[tail] ?? ByteSet()).union(ByteSet(sequence[0]))
            }
        }
        return arena.union(
            order.map { tail in
                arena.sequence([arena.set(byTail[tail] ?? ByteSet())] + tail.map { arena.set(ByteSet($0)) })
            })
    }

    /// Sequences of byte ranges that cover the UTF-8 encodings of a range of scalars.
    private static func utf8Sequences(_ low: UInt32, _ high: UInt32) -> [[ClosedRange<UInt8>]] {
        for limit: UInt32 in [0x7F, 0x7FF, 0xFFFF] where low <= limit && high > limit {
            return utf8Sequences(low, limit) + utf8Sequences(limit + 1, high)
        }
        if high <= 0x7F { return [[UInt8(low)...UInt8(high)]] }
        let length = high <= 0x7FF ? 2 : high <= 0xFFFF ? 3 : 4
        for index in 1..<length {
            let mask = UInt32(1) << UInt32(6 * index) - 1
            guard low & ~mask != high & ~mask else { continue }
            if low & mask != 0 { return utf8Sequences(low, low | mask) + utf8Sequences((low | mask) + 1, high) }
            if high & mask != mask {
                return utf8Sequences(low, (high & ~mask) - 1) + utf8Sequences(high & ~mask, high)
            }
        }
        let (a, b) = (bytes(low, length), bytes(high, length))
        return [zip(a, b).map { $0...$1 }]
    }

    private static func bytes(_ value: UInt32, _ length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for index in (1..<length).reversed() {
            bytes.append(UInt8(0x80 | value >> UInt32(6 * (length - 1 - index)) & 0x3F))
        }
        let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
        return [UInt8(lead | value >> UInt32(6 * (length - 1)))] + bytes.reversed()
    }
}
