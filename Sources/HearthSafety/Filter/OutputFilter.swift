/// Judges sentences before anybody sees, hears or stores them.
///
///     let filter = OutputFilter()
///     var seam = Seam()
///     for sentence in sentences {
///         let verdict = filter.judge(sentence, in: .english, after: seam)
///         show(verdict.text)
///         if verdict.action == .stop { break }
///         seam = verdict.seam
///     }
///
/// Every sentence is judged by itself and at its seam with the one before; the filter keeps no state. It finds listed
/// words, however disguised, and no meaning: it is the last net under the prompt and the model, not the only one.
/// Where a lexicon or a table of this build is missing or damaged every sentence is stopped (`Verdict.failure`).
///
/// The work grows with the length of the sentence and with nothing else; a lexicon is compiled when its language is
/// first met (some milliseconds), or by `prepare(_:)`.
public struct OutputFilter: Sendable {
    /// So many sentences of one text may be mended. A text that needs more is going somewhere else: it is to be ended.
    public static let mostSwaps = 6

    private let library: LexiconLibrary

    /// A filter with the lexicons of this build.
    public init() { self.init(library: .shared) }

    package init(library: LexiconLibrary) { self.library = library }

    /// Compiles the lexicon of a language ahead of its first sentence.
    /// - Throws: `LexiconError`, in a damaged build.
    public static func prepare(_ language: FilterLanguage?) throws { _ = try LexiconLibrary.shared.lexicon(language) }

    /// Judges one sentence, or any other text: a title, a fragment, what a child typed.
    /// - Parameters:
    ///   - language: nil where it is unknown; then only what needs no language is looked for.
    ///   - seam: of the verdict on the sentence before; a new one at the beginning of a text.
    public func judge(_ sentence: String, in language: FilterLanguage?, after seam: Seam = Seam()) -> Verdict {
        do throws(LexiconError) {
            let lexicon = try library.lexicon(language)
            return SentenceJudge(lexicon: lexicon, tail: seam.tail, sentence: sentence).verdict()
        } catch {
            return Verdict(
                action: .stop, text: Self.lastWords, themes: [], matches: [], seam: Seam(), failure: error)
        }
    }

    /// The line that ends a story of that language politely: what `Verdict.text` holds where the action is `stop`.
    public func ending(in language: FilterLanguage?) -> String {
        (try? LexiconLibrary.shared.lexicon(language))?.ending ?? Self.lastWords
    }

    /// The normal form that words are looked for in; for explanations.
    public func normalForm(of sentence: String, in language: FilterLanguage?) -> String {
        guard let lexicon = try? library.lexicon(language) else { return "" }
        let folded = lexicon.folder.fold(sentence)
        return folded.text(0..<folded.count)
    }

    /// Said where not even the lexicon with its own last line can be read.
    private static let lastWords = "And then everyone was tired and happy, and they all said good night."
}
