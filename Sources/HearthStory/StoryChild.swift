internal import HearthSafety

/// A child whose name is used in a story.
public struct StoryChild: Sendable, Equatable {
    /// The child's pronoun.
    public enum Pronoun: String, Sendable, CaseIterable {
        /// *He* in English, 他 in Chinese; masculine in Spanish.
        case he
        /// *She* in English, 她 in Chinese; feminine in Spanish.
        case she
        /// *They* in English, 他 in Chinese; in Spanish the grammatical gender that is usual for the name.
        case they
    }

    /// The cleaned and filtered name.
    package let name: String
    private let pronoun: Pronoun?

    /// Cleans a typed name, and filters it like a sentence of a story. A name in lower case or in capitals only is capitalized.
    /// - Parameter pronoun: nil for a neutral form: *they* in English, 他 in Chinese; in Spanish the grammatical gender that is
    ///   usual for the name.
    /// - Throws: ``StoryError/unusableName`` if nothing is left of the name, or if the filter does not let it pass.
    public init(_ text: String, pronoun: Pronoun? = nil, in language: StoryLanguage) throws(StoryError) {
        // Braces would be parsed as slots, whatever combines with them.
        let unusable: Set<Unicode.Scalar> = ["{", "}", "\"", "“", "”", "«", "»", SlotFiller.fault]
        let cleaned = PromptSanitizer().sanitize(text, as: .name).text.unicodeScalars.filter { !unusable.contains($0) }
        var name = Substring(String(String.UnicodeScalarView(cleaned)))
        while name.first?.isWhitespace == true { name.removeFirst() }
        while let last = name.last, last.isWhitespace || ".。!！?？,，".contains(last) { name.removeLast() }
        guard !name.isEmpty else { throw .unusableName }
        let written = TypedName.written(String(name))
        let verdict = OutputFilter().judge(written, in: FilterLanguage(tag: language.rawValue))
        guard verdict.action == .pass else { throw .unusableName }
        self.name = written
        self.pronoun = pronoun
    }

    /// The pronoun as tales write it.
    func pronoun(in language: StoryLanguage) -> String {
        switch (language, pronoun) {
        case (.english, let pronoun): (pronoun ?? .they).rawValue
        case (.spanish, .he): "m"
        case (.spanish, .she): "f"
        case (.spanish, _): SpanishNames.isFeminine(name) ? "f" : "m"
        case (.simplifiedChinese, .she): "她"
        case (.simplifiedChinese, _): "他"
        }
    }
}
