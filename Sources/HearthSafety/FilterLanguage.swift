/// A language that the output filter has words of.
public enum FilterLanguage: String, CaseIterable, Sendable, Codable {
    case english = "en"
    case simplifiedChinese = "zh-Hans"
    case traditionalChinese = "zh-Hant"
    case spanish = "es"
    case french = "fr"
    case german = "de"
    case portuguese = "pt"
    case italian = "it"
    case japanese = "ja"
    case korean = "ko"
    case russian = "ru"
    case arabic = "ar"

    /// The language of a BCP 47 tag such as `pt-BR`, `zh_TW` or `en`; nil where there are no words of it.
    public init?(tag: String) {
        let parts = tag.lowercased().split { $0 == "-" || $0 == "_" }
        guard let primary = parts.first else { return nil }
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

    /// Written with Latin letters, so that Cyrillic and Greek letters in it are disguises.
    var isLatin: Bool {
        switch self {
        case .english, .spanish, .french, .german, .portuguese, .italian: true
        default: false
        }
    }

    /// Where English words in Latin letters are looked for, too. In languages with Latin letters they are not: "die"
    /// and "war" are innocent in German.
    var readsEnglish: Bool { self == .english || !isLatin }

    var isChinese: Bool { self == .simplifiedChinese || self == .traditionalChinese }
    /// Written without blanks between words.
    package var isUnspaced: Bool { isChinese || self == .japanese }
}
