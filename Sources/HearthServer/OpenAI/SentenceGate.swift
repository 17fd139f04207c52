package import HearthSafety
internal import HearthSpeech

/// The filter of stories around an answer: text in as it comes, whole sentences out that passed it, by the rules that a story
/// goes by. A pure value.
///
/// What comes out is made of sentences: blanks between them are set anew, and what is no sentence (a rule of dashes, code) does
/// not survive. It is for texts that children see.
package struct SentenceGate: Sendable {
    private let language: FilterLanguage
    private let filter = OutputFilter()
    private var sentences: SentenceChunker
    private var seam = Seam()
    private var swaps = 0
    private var hasBegun = false
    /// The filter has ended the text; nothing comes out any more.
    package private(set) var isStopped = false

    /// As OpenAI calls it where a text ends so.
    static let finish = "content_filter"

    package init(_ language: FilterLanguage) {
        self.language = language
        sentences = SentenceChunker(language: language.rawValue)
    }

    /// Takes the next piece; gives out what is certain and may be shown.
    package mutating func feed(_ text: String) -> String { pass(sentences.feed(text)) }

    /// The text has ended.
    package mutating func finish() -> String { pass(sentences.finish()) }

    private mutating func pass(_ complete: [SentenceChunker.Sentence]) -> String {
        var passed = ""
        for sentence in complete where !isStopped {
            let verdict = filter.judge(sentence.text, in: language, after: seam)
            if verdict.action == .swap { swaps += 1 }
            guard verdict.action != .stop, swaps <= OutputFilter.mostSwaps else {
                isStopped = true
                break
            }
            seam = verdict.seam
            if hasBegun { passed += sentence.startsParagraph ? "\n\n" : language.blank }
            passed += verdict.text
            hasBegun = true
        }
        return passed
    }
}

extension FilterLanguage {
    /// Between two sentences.
    fileprivate var blank: String {
        switch self {
        case .simplifiedChinese, .traditionalChinese, .japanese: ""
        default: " "
        }
    }
}
