/// The sentence-ending rules of a language: marks, and abbreviations after which a full stop does not end a sentence.
struct SentenceRules: Sendable {
    /// Abbreviations after which a full stop never ends a sentence.
    private let never: Set<String>
    /// Abbreviations that precede a number.
    private let number: Set<String>
    /// Abbreviations after which a sentence ends only before a word of `starters`.
    private let maybe: Set<String>
    private let starters: Set<String>
    /// Abbreviations after which a sentence ends before a capital letter.
    private let upper: Set<String>
    let isEnglish: Bool
    /// Words that start with an apostrophe for omitted letters.
    let elisions: Set<String>

    /// The rules of a language. Languages without rules use the English ones, which have no effect in scripts without capital
    /// letters.
    init(language: String) {
        let code = language.lowercased().prefix { $0 != "-" && $0 != "_" }
        let data = Abbreviations.languages[String(code)] ?? .english
        (never, number, maybe, starters, upper) = (data.never, data.number, data.maybe, data.starters, data.upper)
        isEnglish = code == "en"
        elisions = Abbreviations.englishElisions
    }

    private static let hard = Set("!?！？。｡؟۔।॥‼⁇⁈⁉‽".unicodeScalars)
    private static let dots = Set(".．…⋯".unicodeScalars)
    private static let wide = Set("！？。｡．".unicodeScalars)
    private static let clauseMarks = Set(",;:，、；：،؛".unicodeScalars)
    private static let closers = Set("”’»›)]}」』】》〉）］".unicodeScalars)

    func isMark(_ scalar: Unicode.Scalar) -> Bool { Self.hard.contains(scalar) || Self.dots.contains(scalar) }
    func isDot(_ scalar: Unicode.Scalar) -> Bool { Self.dots.contains(scalar) }
    func isWideMark(_ scalar: Unicode.Scalar) -> Bool { Self.wide.contains(scalar) }
    /// Any East Asian punctuation mark: it cannot be part of a web address.
    func isWide(_ scalar: Unicode.Scalar) -> Bool {
        isWideMark(scalar) || "，、；：「」『』（）《》【】“”".unicodeScalars.contains(scalar)
    }
    func isClauseMark(_ scalar: Unicode.Scalar) -> Bool { Self.clauseMarks.contains(scalar) }
    func isCloser(_ scalar: Unicode.Scalar) -> Bool { Self.closers.contains(scalar) }

    /// Whether a character that follows a closing quote continues the sentence: "…？"问道 continues, "…？"她问 starts a new one.
    func continuesAfterQuote(_ next: Unicode.Scalar) -> Bool { Self.continuations.contains(next) }
    private static let continuations = Set("与便叫和問喊地就得是的說说道问".unicodeScalars)

    /// "I" is capitalized anywhere in a sentence.
    func isFirstPerson(_ word: String) -> Bool {
        ["i", "i'm", "i'll", "i've", "i'd", "i’m", "i’ll", "i’ve", "i’d"].contains(word)
    }

    /// Decides a single full stop followed by a space and a character that may start a sentence.
    /// - Parameter nextWord: called only if it affects the decision, so that most sentences need not wait for it; returns nil
    ///   if more text has to arrive.
    func fullStop(
        after word: String, isFirstWord: Bool, next: Unicode.Scalar, nextWord: () -> String?
    ) -> SentenceBoundary.Verdict {
        let lower = word.lowercased()
        let scalars = Array(word.unicodeScalars)
        if isFirstWord, scalars.count <= 3, scalars.allSatisfy(\.isDigit) || scalars.count == 1 { return .goOn }
        if never.contains(lower) { return .goOn }
        if next.isDigit, number.contains(lower) { return .goOn }
        if let last = scalars.last, last == "º" || last == "°" { return .end }
        if upper.contains(lower) { return .end }
        let isAcronym = word.contains(".") && word.split(separator: ".").allSatisfy { $0.count == 1 }
        let isInitial = scalars.count == 1 && scalars[0].isUppercaseLetter
        guard maybe.contains(lower) || isAcronym || isInitial else { return .end }
        if next.isDigit { return lower == "st" || isInitial ? .end : .goOn }
        guard next.isLetter else { return .end }
        guard let nextWord = nextWord() else { return .wait }
        return starters.contains(nextWord) ? .end : .goOn
    }
}
