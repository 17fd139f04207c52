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

    /// The language of a BCP 47 tag such as `pt-BR`, `zh_TW` or `en`; nil if the filter does not know it.
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
