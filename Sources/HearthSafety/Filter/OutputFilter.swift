/// Filters sentences before they are shown, spoken or stored.
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
/// Each sentence is judged on its own, together with the end of the previous one, and in the context of up to three previous
/// sentences. The filter has no state. It finds listed words, also in disguise; then a classifier (the guard) judges the
/// meaning, and can only stop a sentence: for itself, or because of what the last ten sentences add up to. The guard misses most
/// well-hidden meanings: the filter is the last safety net after the prompt and the model. If a lexicon, a table or the weights of
/// this build are missing or damaged, every sentence is stopped.
///
/// The time is linear in the length of the sentence. A lexicon is loaded on first use of its language (a few milliseconds),
/// or by ``prepare(_:)``.
public struct OutputFilter: Sendable {
    /// The maximum number of sentences with replaced words in one text. End a text that needs more.
    package static let mostSwaps = 6

    private let library: LexiconLibrary
    private let meaning: any TextGuard

    /// Creates a filter with the lexicons and the classifier of this build.
    public init() { self.init(library: .shared) }

    /// Creates a filter with the lexicons of this build, and another guard in place of the classifier.
    public init(guard meaning: any SentenceGuard) {
        library = .shared
        self.meaning = SeparateSentences(judge: meaning)
    }

    package init(library: LexiconLibrary) {
        self.library = library
        meaning = MeaningGuard(library: library)
    }

    /// Loads the lexicon of a language and the classifier, before the first sentence.
    /// - Throws: an error if the build is damaged.
    public static func prepare(_ language: FilterLanguage?) throws {
        _ = try LexiconLibrary.shared.lexicon(language)
        _ = try LexiconLibrary.shared.meaning()
    }

    /// Judges one sentence, or any other text, such as a title, a fragment, or a child's input.
    /// - Parameters:
    ///   - sentence: the text.
    ///   - language: its language; nil if unknown: then the lexicons of several languages apply, without forms that are
    ///     innocent in other languages.
    ///   - seam: the seam of the previous sentence's verdict; a new one at the start of a text.
    /// - Returns: the action, and the text that may be used.
    public func judge(_ sentence: String, in language: FilterLanguage?, after seam: Seam = Seam()) -> Verdict {
        var evidence = seam.evidence
        return judge(sentence, in: language, after: seam, &evidence)
    }

    /// Judges a part of a sentence that is spoken by itself. It is no sentence of those that a text adds up to, so the evidence of
    /// the seam is neither asked nor changed: the whole sentence is judged as well, and counts once.
    package func judge(part: String, in language: FilterLanguage?, after seam: Seam) -> Verdict {
        var none = StoryEvidence()
        return judge(part, in: language, after: seam, &none).carrying(seam.evidence)
    }

    /// - Parameter evidence: that of the sentences before; the text is added.
    private func judge(
        _ text: String, in language: FilterLanguage?, after seam: Seam, _ evidence: inout StoryEvidence
    ) -> Verdict {
        do throws(LexiconError) {
            let lexicon = try library.lexicon(language)
            let verdict = SentenceJudge(lexicon: lexicon, seam: seam, sentence: text).verdict()
            guard verdict.action != .stop else { return verdict }
            guard let objection = try objection(to: verdict.text, after: seam, in: language, &evidence) else {
                return verdict.carrying(evidence)
            }
            return Verdict(
                action: .stop, text: lexicon.ending, themes: [objection.theme], matches: verdict.matches, seam: Seam(),
                objection: objection)
        } catch {
            return Verdict(
                action: .stop, text: Self.lastWords, themes: [], matches: [], seam: Seam(), failure: error)
        }
    }

    /// The seam for a sentence that follows some that were released without this filter, with what they add up to. Those that can
    /// make no difference to it are not judged.
    package func seam(after sentences: [String], in language: FilterLanguage?) -> Seam {
        guard sentences.count >= StoryEvidence.counted - 1 else { return Seam(after: sentences) }
        var seam = Seam(after: Array(sentences.dropLast(StoryEvidence.window - 1)))
        for sentence in sentences.suffix(StoryEvidence.window - 1) {
            var evidence = seam.evidence
            _ = try? objection(to: sentence, after: seam, in: language, &evidence)
            seam = Seam(releasing: sentence, after: seam)
            seam.evidence = evidence
        }
        return seam
    }

    /// Asks the guard about the resulting text, in which words may have been replaced.
    private func objection(
        to text: String, after seam: Seam, in language: FilterLanguage?, _ evidence: inout StoryEvidence
    ) throws(LexiconError) -> SentenceObjection? {
        do {
            return try meaning.objection(to: text, after: seam.context, in: language, &evidence)
        } catch let error as LexiconError {
            throw error
        } catch {
            throw .guardFailed(problem: "\(error)")
        }
    }

    /// The line that politely ends a story in that language; also the `text` of a verdict with the action `stop`.
    public func ending(in language: FilterLanguage?) -> String {
        (try? LexiconLibrary.shared.lexicon(language))?.ending ?? Self.lastWords
    }

    /// The normalized form in which words are searched, for explanations.
    package func normalForm(of sentence: String, in language: FilterLanguage?) -> String {
        guard let lexicon = try? library.lexicon(language) else { return "" }
        let folded = lexicon.folder.fold(sentence)
        return folded.text(0..<folded.count)
    }

    /// Used if not even the lexicon with its own last line can be read.
    private static let lastWords = "And then everyone was tired and happy, and they all said good night."
}
