internal import HearthSafety

/// What a story is about.
public enum StorySubject: Sendable, Equatable {
    /// What a child picked.
    case wish(Wish)
    /// What an adult typed.
    case theme(AdultTheme)

    /// The wish, where there is one.
    public var wish: Wish? { if case .wish(let wish) = self { wish } else { nil } }

    /// As it stands in the middle of a sentence.
    public func title(in language: StoryLanguage) -> String {
        switch self {
        case .wish(let wish): wish.title(in: language)
        case .theme(let theme): theme.text
        }
    }
}

/// Free text of an adult, cleaned and judged. Children never type: their wishes come from the list.
public struct AdultTheme: Sendable, Equatable {
    /// What may go into a prompt.
    public let text: String

    /// What became of a text.
    public enum Outcome: Sendable, Equatable {
        /// It may be told about.
        case accepted(AdultTheme)
        /// Nothing was left when it was cleaned.
        case empty
        /// The filter stops what it names.
        case refused
    }

    private init(_ text: String) { self.text = text }

    /// Cleans a text as `PromptSanitizer` does, then judges it as a sentence of a story is judged.
    public static func check(_ text: String, in language: StoryLanguage) -> Outcome {
        let cleaned = PromptSanitizer().sanitize(text, as: .story).text
        guard !cleaned.isEmpty else { return .empty }
        let verdict = OutputFilter().judge(cleaned, in: FilterLanguage(tag: language.rawValue))
        guard verdict.action != .stop else { return .refused }
        // It is put into the middle of a sentence.
        var kept = Substring(verdict.text)
        while let last = kept.last, ".。!！ ".contains(last) { kept.removeLast() }
        return kept.isEmpty ? .empty : .accepted(AdultTheme(String(kept)))
    }
}
