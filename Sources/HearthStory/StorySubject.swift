internal import HearthSafety

/// The subject of a story.
public enum StorySubject: Sendable, Equatable {
    /// A wish that a child picked.
    case wish(Wish)
    /// Free text that an adult typed.
    case theme(AdultTheme)

    /// The wish; nil for free text.
    public var wish: Wish? { if case .wish(let wish) = self { wish } else { nil } }

    /// The title, as used in the middle of a sentence.
    public func title(in language: StoryLanguage) -> String {
        switch self {
        case .wish(let wish): wish.title(in: language)
        case .theme(let theme): theme.text
        }
    }
}

/// Free text typed by an adult, cleaned and filtered. Children never type: they choose from the list of wishes.
public struct AdultTheme: Sendable, Equatable {
    /// Text that may be used in a prompt.
    public let text: String

    /// The result of checking a text.
    public enum Outcome: Sendable, Equatable {
        /// The text can be used.
        case accepted(AdultTheme)
        /// Nothing was left after cleaning.
        case empty
        /// The filter rejects it.
        case refused
    }

    private init(_ text: String) { self.text = text }

    /// Cleans a text like ``PromptSanitizer``, then filters it like a sentence of a story.
    public static func check(_ text: String, in language: StoryLanguage) -> Outcome {
        let cleaned = PromptSanitizer().sanitize(text, as: .story).text
        guard !cleaned.isEmpty else { return .empty }
        let verdict = OutputFilter().judge(cleaned, in: FilterLanguage(tag: language.rawValue))
        guard verdict.action != .stop else { return .refused }
        // It is inserted into the middle of a sentence.
        var kept = Substring(verdict.text)
        while let last = kept.last, ".。!！ ".contains(last) { kept.removeLast() }
        return kept.isEmpty ? .empty : .accepted(AdultTheme(String(kept)))
    }
}
