/// The length of a story.
public enum StoryLength: String, Sendable, CaseIterable, Codable {
    /// About 100 words: one minute.
    case short
    /// About 250 words: two or three minutes.
    case medium
    /// Three acts of 600 to 900 words in total.
    case long
}

extension StoryLanguage {
    /// The length of a text in words; for Chinese, in characters without punctuation.
    func length(of text: String) -> Int {
        if self == .simplifiedChinese { return text.unicodeScalars.count { $0.properties.isIdeographic } }
        return text.split(whereSeparator: \.isWhitespace).count
    }

    /// How long tales of a length are, measured by ``length(of:)``: the limits of Training/tales/tale.py.
    func usualLengths(of length: StoryLength) -> ClosedRange<Int> {
        switch (self, length) {
        case (.english, .short): 80...160
        case (.english, .medium): 170...320
        case (.english, .long): 560...950
        case (.spanish, .short): 75...160
        case (.spanish, .medium): 160...320
        case (.spanish, .long): 520...950
        case (.simplifiedChinese, .short): 140...280
        case (.simplifiedChinese, .medium): 290...560
        case (.simplifiedChinese, .long): 900...1700
        }
    }
}
