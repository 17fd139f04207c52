/// A language of the output filter.
public enum FilterLanguage: String, CaseIterable, Sendable, Codable {
    /// English.
    case english = "en"
    /// Chinese, in simplified script.
    case simplifiedChinese = "zh-Hans"
    /// Chinese, in traditional script.
    case traditionalChinese = "zh-Hant"
    /// Spanish.
    case spanish = "es"
    /// French.
    case french = "fr"
    /// German.
    case german = "de"
    /// Portuguese.
    case portuguese = "pt"
    /// Italian.
    case italian = "it"
    /// Japanese.
    case japanese = "ja"
    /// Korean.
    case korean = "ko"
    /// Russian.
    case russian = "ru"
    /// Arabic.
    case arabic = "ar"

    /// The language of a BCP 47 tag or a locale such as `pt-BR`, `zh_TW.UTF-8` or `en`, of a three-letter code (`eng`), or
    /// of a name in English (`english`), with blanks around it or not; nil if the filter does not support it.
    public init?(tag: String) {
        let parts = tag.lowercased().split { "-_.@".contains($0) || $0.isWhitespace }
        guard let primary = parts.first.map({ Self.short[$0] ?? $0 }) else { return nil }
        if primary == "zh" {
            let traditional: Set<Substring> = ["hant", "tw", "hk", "mo"]
            self =
                parts.dropFirst().contains(where: traditional.contains) && !parts.contains("hans")
                ? .traditionalChinese : .simplifiedChinese
        } else if let language = FilterLanguage(rawValue: String(primary)) {
            self = language
        } else {
            return nil
        }
    }

    /// The two-letter codes of three-letter ones (ISO 639-2) and of names.
    private static let short: [Substring: Substring] = [
        "eng": "en", "english": "en", "zho": "zh", "chi": "zh", "cmn": "zh", "chinese": "zh",
        "spa": "es", "spanish": "es", "fra": "fr", "fre": "fr", "french": "fr", "deu": "de", "ger": "de",
        "german": "de", "por": "pt", "portuguese": "pt", "ita": "it", "italian": "it", "jpn": "ja",
        "japanese": "ja", "kor": "ko", "korean": "ko", "rus": "ru", "russian": "ru", "ara": "ar", "arabic": "ar",
    ]

    /// Whether it is written in Latin letters, so that Cyrillic and Greek letters in it are disguises.
    var isLatin: Bool {
        switch self {
        case .english, .spanish, .french, .german, .portuguese, .italian: true
        default: false
        }
    }

    /// Whether the English lexicon applies too. It does not in other languages with Latin letters: "die" and "war" are innocent
    /// in German.
    var readsEnglish: Bool { self == .english || !isLatin }

    var isChinese: Bool { self == .simplifiedChinese || self == .traditionalChinese }
    /// Whether it is written without spaces between words.
    package var isUnspaced: Bool { isChinese || self == .japanese }
}
