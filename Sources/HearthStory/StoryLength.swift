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
}
