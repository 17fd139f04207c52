internal import HearthSafety

/// A child whose name a story bears.
package struct StoryChild: Sendable, Equatable {
    /// What is said instead of the name.
    package enum Pronoun: String, Sendable, CaseIterable { case he, she, they }

    /// What keeps a name from being used.
    package enum Refusal: Error { case empty, refused }

    /// Cleaned, and nothing that a child must not hear.
    package let name: String
    private let pronoun: Pronoun?

    /// Cleans a name that was typed, and filters it like a sentence of a story.
    /// - Parameter pronoun: nil for what commits to nothing: *they*, 他, and in Spanish the gender that names ending so mostly have.
    package init(_ text: String, pronoun: Pronoun?, in language: StoryLanguage) throws(Refusal) {
        var name = Substring(PromptSanitizer().sanitize(text, as: .name).text)
        // Braces would be slots.
        name.removeAll { "{}\"“”«»".contains($0) }
        while name.first?.isWhitespace == true { name.removeFirst() }
        while let last = name.last, last.isWhitespace || ".。!！?？,，".contains(last) { name.removeLast() }
        guard !name.isEmpty else { throw .empty }
        let verdict = OutputFilter().judge(String(name), in: FilterLanguage(tag: language.rawValue))
        guard verdict.action == .pass else { throw .refused }
        self.name = String(name)
        self.pronoun = pronoun
    }

    /// As tales write it.
    func pronoun(in language: StoryLanguage) -> String {
        switch (language, pronoun) {
        case (.english, let pronoun): (pronoun ?? .they).rawValue
        case (.spanish, .he): "m"
        case (.spanish, .she): "f"
        case (.spanish, _): name.lowercased().hasSuffix("a") ? "f" : "m"
        case (.simplifiedChinese, .she): "她"
        case (.simplifiedChinese, _): "他"
        }
    }
}
