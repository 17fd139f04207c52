/// One form of a lexicon, for reviewers.
package struct LexiconEntry: Sendable, Equatable {
    /// The action for the form.
    package let action: Verdict.Action
    /// The form in the notation of the files' README, including edge conditions: `3*messer`, `kill`.
    package let form: String
    /// The concept, such as `kill`; empty for an innocent phrase.
    package let concept: String
    /// The theme, such as `violence`; empty for an innocent phrase.
    package let theme: String
    /// The replacement; empty if the form is removed, stops the story or passes.
    package let replacement: String
}

extension OutputFilter {
    /// All forms of a language's own lexicon, in file order, and the innocent phrases last.
    /// - Throws: `LexiconError` if the build is damaged.
    package static func entries(_ language: FilterLanguage) throws -> [LexiconEntry] {
        let lexicon = try LexiconLibrary.shared.parse(language.rawValue)
        return try (lexicon.entries + lexicon.innocentEntries()).map { entry in
            let action: Verdict.Action =
                switch entry.rule {
                case .swap: .swap
                case .stop: .stop
                case .pass: .pass
                }
            return LexiconEntry(
                action: action, form: entry.form.written, concept: entry.concept, theme: entry.theme,
                replacement: entry.replacement)
        }
    }
}
