/// One form of a lexicon, for people who review it.
package struct LexiconEntry: Sendable, Equatable {
    /// What is done about it.
    package let action: Verdict.Action
    /// The form with the signs that say where it counts, as the files' README describes them: `3*messer`, `kill`.
    package let form: String
    /// Such as `kill`; empty for an innocent phrase.
    package let concept: String
    /// Such as `violence`; empty for an innocent phrase.
    package let theme: String
    /// What is said instead; empty where the form is taken out, stops the story or passes.
    package let replacement: String
}

extension OutputFilter {
    /// All forms that a language's own lexicon makes of its words, in the order of the file.
    /// - Throws: `LexiconError`, in a damaged build.
    package static func entries(_ language: FilterLanguage) throws -> [LexiconEntry] {
        try LexiconLibrary.shared.parse(language.rawValue).entries.map { entry in
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
