internal import HearthGrammar
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

    /// Judges what goes to a function: it reaches the client as it is, or the text ends. A word that would be replaced in a
    /// sentence ends it as well: arguments that were changed might be none that the function takes.
    /// - Parameter arguments: JSON.
    /// - Returns: whether it may be sent.
    package mutating func allows(arguments: String) -> Bool {
        let texts = (try? JSONDocument(arguments.utf8)).map(Self.texts) ?? [arguments]
        for text in texts {
            var sentences = SentenceChunker(language: language.rawValue)
            for sentence in sentences.feed(text) + sentences.finish() {
                let verdict = filter.judge(sentence.text, in: language, after: seam)
                seam = verdict.seam
                if verdict.action != .pass { isStopped = true }
            }
        }
        return !isStopped
    }

    /// Every string in a value, and every name.
    private static func texts(_ value: JSONDocument) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let values): values.flatMap(texts)
        case .object(let fields): fields.flatMap { [$0.name] + texts($0.value) }
        case .null, .bool, .number: []
        }
    }

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
