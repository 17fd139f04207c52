/// A parsed regular expression.
indirect enum Pattern: Equatable, Sendable {
    case set(ScalarSet)
    case sequence([Pattern])
    case choice([Pattern])
    /// `most` is nil if unbounded.
    case repetition(Pattern, least: Int32, most: Int32?)
    /// The start and the end of the text.
    case start, end
}

/// Parses ECMA-262 regular expressions in Unicode mode, with some common extensions. Flags are not supported.
struct PatternParser {
    enum Problem: Error, Equatable {
        case malformed(String)
        case unsupported(String)
    }

    static let mostNesting = 200
    static let greatestCount: Int32 = 1_000_000

    private let scalars: [UInt32]
    private var at = 0
    private var nesting = 0

    static func parse(_ text: String) throws(Problem) -> Pattern {
        var parser = PatternParser(scalars: text.unicodeScalars.map(\.value))
        let pattern = try parser.choice()
        guard parser.at == parser.scalars.count else { throw .malformed("a parenthesis that nothing opened") }
        return pattern
    }

    private init(scalars: [UInt32]) { self.scalars = scalars }

    private var peek: UInt32? { at < scalars.count ? scalars[at] : nil }

    private mutating func take(_ text: String) -> Bool {
        let wanted = text.unicodeScalars.map(\.value)
        guard scalars[at...].starts(with: wanted) else { return false }
        at += wanted.count
        return true
    }

    private mutating func choice() throws(Problem) -> Pattern {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.mostNesting else { throw .malformed("more than \(Self.mostNesting) groups are nested") }
        var parts = [try sequence()]
        while take("|") { parts.append(try sequence()) }
        return parts.count == 1 ? parts[0] : .choice(parts)
    }

    private mutating func sequence() throws(Problem) -> Pattern {
        var parts: [Pattern] = []
        while let next = peek, next != 0x7C, next != 0x29 {
            let (atom, repeats) = try atom()
            parts.append(repeats ? try quantified(atom) : atom)
        }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func atom() throws(Problem) -> (Pattern, repeats: Bool) {
        let start = at
        let value = scalars[at]
        at += 1
        switch Unicode.Scalar(value) {
        case "^": return (.start, false)
        case "$": return (.end, false)
        case ".": return (.set(ScalarSet.lineEnds.inverted), true)
        case "[": return (.set(try characterClass()), true)
        case "(":
            for (opening, name) in [
                ("?=", "look-ahead"), ("?!", "look-ahead"), ("?<=", "look-behind"), ("?<!", "look-behind"),
            ]
            where take(opening) { throw .unsupported(name) }
            if take("?<") {
                while let next = peek, next != 0x3E { at += next == 0x29 ? scalars.count : 1 }
                guard take(">") else { throw .malformed("a group's name has no end") }
            } else if take("?"), !take(":") {
                throw .unsupported(
                    "a group of the form (?\(peek.flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? "")")
            }
            let inner = try choice()
            guard take(")") else { throw .malformed("a group has no end") }
            return (inner, true)
        case "*", "+", "?": throw .malformed("nothing to repeat at character \(start)")
        case "{" where counts() != nil: throw .malformed("nothing to repeat at character \(start)")
        case "\\": return (.set(try escape(inClass: false)), true)
        default: return (.set(ScalarSet(value)), true)
        }
    }

    private mutating func quantified(_ atom: Pattern) throws(Problem) -> Pattern {
        let result: Pattern
        switch peek.flatMap(Unicode.Scalar.init) {
        case "*":
            at += 1
            result = .repetition(atom, least: 0, most: nil)
        case "+":
            at += 1
            result = .repetition(atom, least: 1, most: nil)
        case "?":
            at += 1
            result = .repetition(atom, least: 0, most: 1)
        case "{":
            at += 1
            guard let (least, most, end) = counts() else {
                at -= 1
                return atom
            }
            guard least <= Self.greatestCount, most ?? 0 <= Self.greatestCount else {
                throw .malformed("a repetition of more than \(Self.greatestCount) times")
            }
            if let most, most < least { throw .malformed("a repetition whose bounds are in the wrong order") }
            at = end
            result = .repetition(atom, least: Int32(least), most: most.map { Int32($0) })
        default: return atom
        }
        _ = take("?")
        if let next = peek.flatMap(Unicode.Scalar.init), next == "*" || next == "+" || next == "?" {
            throw .malformed("a repetition of a repetition at character \(at)")
        }
        return result
    }

    /// Parses `m}`, `m,}` or `m,n}` at the current position.
    private func counts() -> (least: Int64, most: Int64?, end: Int)? {
        var index = at
        func number() -> Int64? {
            var value: Int64?
            while index < scalars.count, (0x30...0x39).contains(scalars[index]) {
                value = min((value ?? 0) * 10 + Int64(scalars[index] - 0x30), Int64(Int32.max))
                index += 1
            }
            return value
        }
        guard let least = number(), index < scalars.count else { return nil }
        if scalars[index] == 0x7D { return (least, least, index + 1) }
        guard scalars[index] == 0x2C else { return nil }
        index += 1
        let most = number()
        guard index < scalars.count, scalars[index] == 0x7D else { return nil }
        return (least, most, index + 1)
    }

    // MARK: - Sets of characters

    private mutating func characterClass() throws(Problem) -> ScalarSet {
        let isInverted = take("^")
        var set = ScalarSet([])
        while true {
            guard let value = peek else { throw .malformed("a class of characters has no end") }
            if value == 0x5D {
                at += 1
                return isInverted ? set.inverted : set
            }
            let low = try member()
            let isRange = peek == 0x2D && at + 1 < scalars.count && scalars[at + 1] != 0x5D
            guard isRange, let first = low.single else {
                set = set.union(low.set)
                continue
            }
            at += 1
            let high = try member()
            guard let last = high.single else {
                // A hyphen next to a class is literal.
                set = set.union(low.set).union(high.set).union(ScalarSet(0x2D))
                continue
            }
            guard first <= last else { throw .malformed("a range of characters in the wrong order") }
            set = set.union(ScalarSet([first...last]))
        }
    }

    private mutating func member() throws(Problem) -> (set: ScalarSet, single: UInt32?) {
        guard let value = peek else { throw .malformed("a class of characters has no end") }
        at += 1
        guard value == 0x5C else { return (ScalarSet(value), value) }
        let set = try escape(inClass: true)
        let single = set.ranges.count == 1 && set.ranges[0].count == 1 ? set.ranges[0].lowerBound : nil
        return (set, single)
    }

    private mutating func escape(inClass: Bool) throws(Problem) -> ScalarSet {
        guard let value = peek, let kind = Unicode.Scalar(value) else { throw .malformed("a backslash at the end") }
        at += 1
        switch kind {
        case "d": return .digits
        case "D": return ScalarSet.digits.inverted
        case "w": return .word
        case "W": return ScalarSet.word.inverted
        case "s": return .space
        case "S": return ScalarSet.space.inverted
        case "t": return ScalarSet(0x09)
        case "n": return ScalarSet(0x0A)
        case "v": return ScalarSet(0x0B)
        case "f": return ScalarSet(0x0C)
        case "r": return ScalarSet(0x0D)
        case "b" where inClass: return ScalarSet(0x08)
        case "b", "B": throw .unsupported("a word boundary")
        case "0" where !(peek.map { (0x30...0x39).contains($0) } ?? false): return ScalarSet(0)
        case "0"..."9": throw .unsupported("a back-reference")
        case "k": throw .unsupported("a back-reference")
        case "c":
            guard let letter = peek, (0x41...0x5A).contains(letter & ~0x20) else {
                throw .malformed("\\c without a letter")
            }
            at += 1
            return ScalarSet(letter & 0x1F)
        case "x":
            return ScalarSet(try hex(2))
        case "u":
            if take("{") {
                var value: UInt32 = 0
                while let next = peek, next != 0x7D {
                    guard let digit = HexDigit.value(UInt8(truncatingIfNeeded: next)), next < 0x80, value <= 0x10FFFF
                    else {
                        throw .malformed("\\u{…} is not a character")
                    }
                    value = value << 4 | UInt32(digit)
                    at += 1
                }
                guard take("}"), value <= 0x10FFFF else { throw .malformed("\\u{…} is not a character") }
                return ScalarSet(value)
            }
            let unit = try hex(4)
            if (0xD800..<0xDC00).contains(unit), take("\\u") {
                let low = try hex(4)
                guard (0xDC00..<0xE000).contains(low) else { throw .malformed("half of a surrogate pair") }
                return ScalarSet(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
            }
            guard !(0xD800..<0xE000).contains(unit) else { throw .malformed("half of a surrogate pair") }
            return ScalarSet(unit)
        case "p", "P":
            guard take("{") else { throw .malformed("\\p without a property") }
            var name = ""
            while let next = peek, next != 0x7D, let scalar = Unicode.Scalar(next) {
                name.unicodeScalars.append(scalar)
                at += 1
            }
            guard take("}") else { throw .malformed("\\p{ has no end") }
            guard let set = UnicodeProperty.set(name) else { throw .unsupported("\\p{\(name)}") }
            return kind == "P" ? set.inverted : set
        case "a"..."z", "A"..."Z": throw .malformed("\\\(kind) is not an escape")
        default: return ScalarSet(value)
        }
    }

    private mutating func hex(_ count: Int) throws(Problem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let next = peek, next < 0x80, let digit = HexDigit.value(UInt8(next)) else {
                throw .malformed("an escape needs \(count) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }
}

/// Unicode properties by their names in ECMA-262.
enum UnicodeProperty {
    private typealias Category = Unicode.GeneralCategory

    private static let categories: [(names: [String], members: [Category])] = [
        (["L", "Letter"], [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter]),
        (["LC", "Cased_Letter"], [.uppercaseLetter, .lowercaseLetter, .titlecaseLetter]),
        (["Lu", "Uppercase_Letter"], [.uppercaseLetter]), (["Ll", "Lowercase_Letter"], [.lowercaseLetter]),
        (["Lt", "Titlecase_Letter"], [.titlecaseLetter]), (["Lm", "Modifier_Letter"], [.modifierLetter]),
        (["Lo", "Other_Letter"], [.otherLetter]),
        (["M", "Mark"], [.nonspacingMark, .spacingMark, .enclosingMark]),
        (["Mn", "Nonspacing_Mark"], [.nonspacingMark]),
        (["Mc", "Spacing_Mark"], [.spacingMark]), (["Me", "Enclosing_Mark"], [.enclosingMark]),
        (["N", "Number"], [.decimalNumber, .letterNumber, .otherNumber]),
        (["Nd", "Decimal_Number", "digit"], [.decimalNumber]), (["Nl", "Letter_Number"], [.letterNumber]),
        (["No", "Other_Number"], [.otherNumber]),
        (
            ["P", "Punctuation", "punct"],
            [
                .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
                .finalPunctuation, .otherPunctuation,
            ]
        ),
        (["S", "Symbol"], [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]),
        (["Sc", "Currency_Symbol"], [.currencySymbol]), (["Sm", "Math_Symbol"], [.mathSymbol]),
        (["Z", "Separator"], [.spaceSeparator, .lineSeparator, .paragraphSeparator]),
        (["Zs", "Space_Separator"], [.spaceSeparator]), (["Cc", "Control", "cntrl"], [.control]),
    ]

    /// The characters with a property; nil if the property is not supported.
    static func set(_ name: String) -> ScalarSet? {
        var name = name
        for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) { name.removeFirst(prefix.count) }
        switch name {
        case "Any": return .all
        case "ASCII": return ScalarSet([0...0x7F])
        case "Alphabetic", "Alpha": return ScalarSet { $0.isAlphabetic }
        case "White_Space", "space": return ScalarSet { $0.isWhitespace }
        case "Uppercase", "Upper": return ScalarSet { $0.isUppercase }
        case "Lowercase", "Lower": return ScalarSet { $0.isLowercase }
        case "ASCII_Hex_Digit", "AHex": return ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])
        default: break
        }
        guard let members = categories.first(where: { $0.names.contains(name) })?.members else { return nil }
        return ScalarSet { members.contains($0.generalCategory) }
    }
}
