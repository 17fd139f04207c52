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

    /// The language of a BCP 47 tag such as `pt-BR`, `zh_TW` or `en`; nil if the filter does not support it.
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
