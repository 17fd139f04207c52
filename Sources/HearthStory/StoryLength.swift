/// How long a story is.
package enum StoryLength: String, Sendable, CaseIterable, Codable {
    /// About a hundred words: a minute.
    case short
    /// About 250 words: two or three minutes.
    case medium
    /// Three acts, 600 to 900 words.
    case long
}

extension StoryLanguage {
    /// Words, or characters without punctuation in Chinese.
    func length(of text: String) -> Int {
        if self == .simplifiedChinese { return text.unicodeScalars.count { $0.properties.isIdeographic } }
        return text.split(whereSeparator: \.isWhitespace).count
    }
}
