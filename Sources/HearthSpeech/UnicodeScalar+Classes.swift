extension Unicode.Scalar {
    /// A letter or a digit: something that can be heard.
    var isSpeech: Bool {
        // Most text is ASCII letters and blanks.
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
    /// White space that does not end a line.
    var isBlank: Bool { self != "\n" && properties.isWhitespace }

    /// Han or kana.
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

    /// How long it takes to say, about 14 to the second: a letter or digit 1, a syllable that is one character 3.
    var weight: Int { isSpeech ? isCJK || isHangul ? 3 : 1 : 0 }

    /// An emoji or one of the characters that emoji are composed with.
    var isEmojiPart: Bool {
        properties.isEmojiPresentation || value == 0xFE0F || value == 0x200D || properties.isEmojiModifier
            || (0xE0020...0xE007F).contains(value) || value >= 0x2190 && value < 0x3000 && properties.isEmoji
    }
}
