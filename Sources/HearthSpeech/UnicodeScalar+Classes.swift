extension Unicode.Scalar {
    /// Whether it is a letter or a digit, and thus audible.
    var isSpeech: Bool {
        // Fast path: most text is ASCII letters and spaces.
        if value < 0x80 { return isASCIIAlphanumeric }
        switch properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber:
            return true
        default: return false
        }
    }

    private var isASCIIAlphanumeric: Bool {
        (0x61...0x7A).contains(value) || (0x41...0x5A).contains(value) || (0x30...0x39).contains(value)
    }

    var isLetter: Bool { properties.isAlphabetic }
    var isLowercaseLetter: Bool { properties.generalCategory == .lowercaseLetter }
    var isUppercaseLetter: Bool { properties.generalCategory == .uppercaseLetter }
    var isDigit: Bool { properties.generalCategory == .decimalNumber }
    /// Whether it is white space other than a line break.
    var isBlank: Bool { self != "\n" && properties.isWhitespace }

    /// Whether it is a Han or kana character.
    var isCJK: Bool {
        switch value {
        case 0x3041...0x30FF, 0x31F0...0x31FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xF900...0xFAFF, 0xFF66...0xFF9F,
            0x20000...0x3FFFD, 0x3005...0x3007:
            true
        default: false
        }
    }

    var isHangul: Bool {
        switch value {
        case 0x1100...0x11FF, 0x3130...0x318F, 0xA960...0xA97F, 0xAC00...0xD7FF: true
        default: false
        }
    }

    /// The relative speaking time, about 14 units per second: 1 for a letter or digit, 3 for a syllabic character.
    var weight: Int { isSpeech ? isCJK || isHangul ? 3 : 1 : 0 }

    /// Whether it is an emoji or a component of emoji sequences.
    var isEmojiPart: Bool {
        properties.isEmojiPresentation || value == 0xFE0F || value == 0x200D || properties.isEmojiModifier
            || (0xE0020...0xE007F).contains(value) || value >= 0x2190 && value < 0x3000 && properties.isEmoji
    }
}
