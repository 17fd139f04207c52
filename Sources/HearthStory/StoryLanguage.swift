/// A language of stories.
public enum StoryLanguage: String, CaseIterable, Sendable, Codable {
    /// English.
    case english = "en"
    /// Chinese, in simplified script.
    case simplifiedChinese = "zh-Hans"
    /// Spanish.
    case spanish = "es"

    /// The name in English, for messages.
    public var name: String {
        switch self {
        case .english: "English"
        case .simplifiedChinese: "Chinese"
        case .spanish: "Spanish"
        }
    }

    /// The separator between two sentences of a paragraph.
    package var sentenceSeparator: String { self == .simplifiedChinese ? "" : " " }

    /// Whether a model that lists `languages` (BCP 47 tags, as in `general.languages`) writes this one. An empty list counts as
    /// unknown and excludes nothing. Only the primary subtag counts: a model that lists "zh" writes "zh-Hans".
    package func isSpoken(byModelListing languages: [String]) -> Bool {
        guard !languages.isEmpty else { return true }
        let wanted = Self.primary(rawValue)
        return languages.contains { Self.primary($0) == wanted }
    }

    private static func primary(_ tag: String) -> String {
        tag.lowercased().split { $0 == "-" || $0 == "_" }.first.map(String.init) ?? ""
    }
}
