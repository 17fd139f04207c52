internal import Foundation

/// Character-level cleaning: entities, line breaks, disguised letters, invisible characters.
enum TextCleaner {
    typealias Scalars = [Unicode.Scalar]

    static func clean(_ source: Scalars, _ removed: inout Set<String>) -> Scalars {
        var text = composed(folded(lineBreaks(entities(source))))
        text = visible(text, &removed)
        return fewMarks(composed(text), &removed)
    }

    /// Decodes `&lt;` and similar entities, which other software might decode later.
    private static func entities(_ text: Scalars) -> Scalars {
        var result: Scalars = []
        result.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            if text[at] == "&", let (sign, length) = entity(text, at) {
                result.append(sign)
                at += length
            } else {
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    private static func entity(_ text: Scalars, _ at: Int) -> (Unicode.Scalar, Int)? {
        guard let end = text[at..<min(at + 12, text.count)].firstIndex(of: ";") else { return nil }
        let name = String(String.UnicodeScalarView(text[(at + 1)..<end])).lowercased()
        let length = end + 1 - at
        let signs: [String: Unicode.Scalar] = [
            "lt": "<", "gt": ">", "vert": "|", "verbar": "|", "lbrack": "[", "rbrack": "]", "lsqb": "[", "rsqb": "]",
        ]
        if let sign = signs[name] { return (sign, length) }
        guard name.hasPrefix("#") else { return nil }
        let digits = name.dropFirst()
        let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let value, let sign = Unicode.Scalar(value), value >= 0x20 else { return nil }
        return (sign, length)
    }

    private static func lineBreaks(_ text: Scalars) -> Scalars {
        var result: Scalars = []
        result.reserveCapacity(text.count)
        var afterReturn = false
        for scalar in text {
            switch scalar.value {
            case 0x0A where afterReturn: break
            case 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029: result.append("\n")
            default: result.append(scalar)
            }
            afterReturn = scalar == "\r"
        }
        return result
    }

    /// Folds full-width, mathematical and circled letters and digits, and runs of half-width katakana. Other characters such as
    /// `½` and `！` are kept.
    private static func folded(_ text: Scalars) -> Scalars {
        var result: Scalars = []
        result.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            var end = at
            while end < text.count, isDisguise(text[end].value) { end += 1 }
            if end > at {
                let run = String(String.UnicodeScalarView(text[at..<end]))
                result += Array(run.precomposedStringWithCompatibilityMapping.unicodeScalars)
                at = end
            } else {
                result.append(text[at])
                at += 1
            }
        }
        return result
    }

    private static func isDisguise(_ value: UInt32) -> Bool {
        switch value {
        case 0xFF10...0xFF19, 0xFF21...0xFF3A, 0xFF41...0xFF5A, 0x1D400...0x1D7FF, 0x24B6...0x24E9, 0xFF66...0xFF9F:
            true
        case 0x2460...0x2473: false
        case 0x2102, 0x210A...0x2113, 0x2115, 0x2119...0x211D, 0x2124, 0x2128, 0x212C...0x2131, 0x2133...0x2134, 0x2139,
            0x2145...0x2149:
            true
        default: false
        }
    }

    private static func composed(_ text: Scalars) -> Scalars {
        if text.allSatisfy({ $0.value < 0x300 }) { return text }
        return Array(String(String.UnicodeScalarView(text)).precomposedStringWithCanonicalMapping.unicodeScalars)
    }

    /// Normalizes spaces and removes invisible characters, except where emoji or words need them.
    private static func visible(_ text: Scalars, _ removed: inout Set<String>) -> Scalars {
        var result: Scalars = []
        result.reserveCapacity(text.count)
        for (index, scalar) in text.enumerated() {
            if scalar == "\n" {
                result.append(scalar)
                continue
            }
            switch scalar.properties.generalCategory {
            case .spaceSeparator: result.append(" ")
            case _ where scalar == "\t": result.append(" ")
            case .control, .surrogate, .privateUse: removed.insert("invisible")
            case .unassigned where isDropped(scalar): removed.insert("invisible")
            case _ where scalar == "\u{FFFD}" || scalar.properties.isNoncharacterCodePoint: removed.insert("invisible")
            default:
                let isHidden =
                    scalar.properties.generalCategory == .format || scalar.properties.isDefaultIgnorableCodePoint
                if isHidden, !isNeeded(scalar, text, index, result) {
                    removed.insert("invisible")
                } else {
                    result.append(scalar)
                }
            }
        }
        return result
    }

    /// Unassigned characters may be newer than this build's tables; noncharacters never are.
    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isNoncharacterCodePoint || scalar.properties.isDefaultIgnorableCodePoint
    }

    private static func isNeeded(_ scalar: Unicode.Scalar, _ text: Scalars, _ index: Int, _ before: Scalars) -> Bool {
        switch scalar.value {
        case 0x200D:
            // Between two emoji, possibly with a variation selector or skin tone in between.
            guard let last = before.last(where: { !isPictureModifier($0) }), isPicture(last), index + 1 < text.count,
                let previous = before.last, isPicture(previous) || isPictureModifier(previous)
            else { return false }
            return isPicture(text[index + 1])
        case 0xFE0E, 0xFE0F:
            guard let last = before.last else { return false }
            return isPicture(last) || last == "#" || last == "*" || (0x30...0x39).contains(last.value)
        case 0x200C:
            guard let last = before.last, index + 1 < text.count else { return false }
            return isArabic(last) && isArabic(text[index + 1])
        default: return false
        }
    }

    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0xA8 && scalar.properties.isEmoji && !isPictureModifier(scalar)
    }
    private static func isPictureModifier(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmojiModifier || scalar.value == 0xFE0F || scalar.value == 0xFE0E
    }
    private static func isArabic(_ scalar: Unicode.Scalar) -> Bool {
        UnicodeTable.shared.kind(of: scalar.value) == .arabic
    }

    /// Limits consecutive combining marks to two.
    private static func fewMarks(_ text: Scalars, _ removed: inout Set<String>) -> Scalars {
        var result: Scalars = []
        var run = 0
        for scalar in text {
            run = scalar.properties.generalCategory == .nonspacingMark ? run + 1 : 0
            if run > 2, !isPictureModifier(scalar) {
                removed.insert("invisible")
                continue
            }
            result.append(scalar)
        }
        return result
    }
}
