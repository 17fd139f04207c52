/// Wraps text while it arrives, counting columns as a terminal does: a Han character, a kana and most emoji take two,
/// combining marks none.
///
/// Lines break at spaces and, as in Chinese and Japanese, between two wide characters; never before a closing mark and
/// never after an opening one.
package struct TextWrapper {
    let width: Int
    private var column = 0

    package init(width: Int) { self.width = max(20, width) }

    /// The text with line breaks where it would exceed the width. Continues the text wrapped before.
    package mutating func wrap(_ text: String) -> String {
        var result = ""
        for unit in Self.units(of: text) {
            switch unit {
            case .newline:
                result += "\n"
                column = 0
            case .blank:
                pendingBlank = column > 0
            case .word(let word, let columns):
                let blank = pendingBlank ? 1 : 0
                if column > 0, column + blank + columns > width {
                    result += "\n"
                    column = 0
                } else if pendingBlank {
                    result += " "
                    column += 1
                }
                pendingBlank = false
                result += word
                column += columns
            }
        }
        return result
    }

    private var pendingBlank = false

    private enum Unit {
        case word(String, columns: Int)
        case blank
        case newline
    }

    /// Splits text into words, blanks and line breaks; a wide character and its attached marks form a word.
    private static func units(of text: String) -> [Unit] {
        var units: [Unit] = []
        var word = ""
        var columns = 0
        var mayBreak = false  // after the last character of `word`
        func flush() {
            if !word.isEmpty { units.append(.word(word, columns: columns)) }
            word = ""
            columns = 0
        }
        for character in text {
            if character.isNewline {
                flush()
                units.append(.newline)
                continue
            }
            if character.isWhitespace, character != "\u{A0}", character != "\u{202F}" {
                flush()
                units.append(.blank)
                continue
            }
            let characterColumns = columnCount(of: character)
            let isWide = characterColumns == 2
            if !word.isEmpty, mayBreak || isWide, !closing.contains(character), let last = word.last,
                !opening.contains(last)
            {
                flush()
            }
            word.append(character)
            columns += characterColumns
            mayBreak = isWide
        }
        flush()
        return units
    }

    private static let closing = Set("，。、！？；：）」』】》〉”’…—")
    private static let opening = Set("（「『【《〈“‘")

    /// Columns that a character takes on a terminal.
    package static func columnCount(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        if scalar.value < 0x300 { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if character.unicodeScalars.contains("\u{FE0F}") || scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// Blocks of East Asian Width W and F (UAX #11), as ranges.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
        0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
        0x20000...0x3FFFD,
    ]
}
