/// What ends a sentence in a language: marks, and the abbreviations after which a full stop does not.
struct SentenceRules: Sendable {
    /// Words after which a full stop never ends a sentence.
    private let never: Set<String>
    /// Words that go before a number.
    private let number: Set<String>
    /// Words after which only a typical first word begins a new sentence.
    private let maybe: Set<String>
    private let starters: Set<String>
    /// Words that begin with an apostrophe for a left-out sound.
    let elisions: Set<String> = ["bout", "cause", "em", "n", "round", "til", "till", "tis", "twas"]

    init(language: String) {
        let data = language.lowercased().hasPrefix("es") ? Abbreviations.spanish : Abbreviations.english
        (never, number, maybe, starters) = (data.never, data.number, data.maybe, data.starters)
    }

    private static let hard = Set("!?！？。｡؟۔।॥‼⁇⁈⁉‽".unicodeScalars)
    private static let dots = Set(".．…⋯".unicodeScalars)
    private static let wide = Set("！？。｡．".unicodeScalars)
    private static let clauseMarks = Set(",;:，、；：،؛".unicodeScalars)
    private static let closers = Set("”’»›)]}」』】》〉）］".unicodeScalars)

    func isMark(_ scalar: Unicode.Scalar) -> Bool { Self.hard.contains(scalar) || Self.dots.contains(scalar) }
    func isDot(_ scalar: Unicode.Scalar) -> Bool { Self.dots.contains(scalar) }
    func isWideMark(_ scalar: Unicode.Scalar) -> Bool { Self.wide.contains(scalar) }
    func isClauseMark(_ scalar: Unicode.Scalar) -> Bool { Self.clauseMarks.contains(scalar) }
    func isCloser(_ scalar: Unicode.Scalar) -> Bool { Self.closers.contains(scalar) }

    /// What a closing quote or bracket behind the marks decides, if anything.
    /// - Parameter second: the character behind `next`; nil where it has yet to arrive, a blank at the end.
    func afterCloser(
        _ closer: Unicode.Scalar?, next: Unicode.Scalar, second: Unicode.Scalar?, isNextToCJK: Bool
    ) -> SentenceBoundary.Verdict? {
        guard let closer else { return nil }
        if closer == "》" || closer == "〉" { return .goOn }
        guard isNextToCJK else { return nil }
        if ")]}）］】".unicodeScalars.contains(closer) { return .goOn }
        // "…？"他问: the words around a quote.
        if "的地得就便说道问喊叫和与是說問".unicodeScalars.contains(next) { return .goOn }
        guard "他她它牠我你".unicodeScalars.contains(next) else { return nil }
        guard let second else { return .wait }
        return "说道问喊叫答想笑們们說問".unicodeScalars.contains(second) ? .goOn : nil
    }

    /// "I" is a capital letter wherever it stands.
    func isFirstPerson(_ word: String) -> Bool {
        ["i", "i'm", "i'll", "i've", "i'd", "i’m", "i’ll", "i’ve", "i’d"].contains(word)
    }

    /// One full stop, a blank, and something that may begin a sentence.
    /// - Parameter nextWord: asked for only where it decides, so that most sentences need not wait for it; nil where
    ///   it has yet to arrive.
    func fullStop(
        after word: String, isFirstWord: Bool, next: Unicode.Scalar, nextWord: () -> String?
    ) -> SentenceBoundary.Verdict {
        let lower = word.lowercased()
        let scalars = Array(word.unicodeScalars)
        if isFirstWord, scalars.count <= 3, scalars.allSatisfy(\.isDigit) || scalars.count == 1 { return .goOn }
        if never.contains(lower) { return .goOn }
        if number.contains(lower), next.isDigit { return .goOn }
        let isAcronym = word.contains(".") && word.split(separator: ".").allSatisfy { $0.count == 1 }
        let isInitial = scalars.count == 1 && scalars[0].isUppercaseLetter
        guard maybe.contains(lower) || isAcronym || isInitial else { return .end }
        if next.isDigit { return isAcronym || lower == "st" ? .end : .goOn }
        guard next.isLetter else { return .end }
        guard let nextWord = nextWord() else { return .wait }
        return starters.contains(nextWord) ? .end : .goOn
    }
}
