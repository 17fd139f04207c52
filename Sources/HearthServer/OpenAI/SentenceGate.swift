internal import HearthGrammar
package import HearthSafety
internal import HearthSpeech

/// The story filter around an answer: takes text as it is generated, and returns whole sentences that passed the
/// filter, by the rules for stories. A pure value.
///
/// The output consists of sentences: whitespace between them is normalized, and what is not a sentence (a rule of
/// dashes, code) is lost. Meant for texts that children see.
package struct SentenceGate: Sendable {
    let language: FilterLanguage
    private let filter = OutputFilter()
    private var sentences: SentenceChunker
    private var seam = Seam()
    /// The number of sentences in which words were replaced.
    private(set) var swaps = 0
    private var hasBegun = false
    /// Whether the filter has ended the text; nothing more is returned.
    package internal(set) var isStopped = false

    /// OpenAI's finish reason for filtered texts.
    static let finish = "content_filter"

    package init(_ language: FilterLanguage) {
        self.language = language
        sentences = SentenceChunker(language: language.rawValue)
    }

    /// Takes the next piece; returns text that is final and may be shown.
    package mutating func feed(_ text: String) -> String { pass(sentences.feed(text)) }

    /// Ends the text; returns what is left.
    package mutating func finish() -> String { pass(sentences.finish()) }

    /// Judges the arguments of a tool call: either they are sent unchanged, or the text ends. A word that would be
    /// replaced in a sentence ends it too, because changed arguments might not be valid for the function.
    /// - Parameter arguments: JSON.
    /// - Returns: whether the call may be sent.
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

    /// Every string in a value, including its keys.
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
    /// The separator between two sentences.
    fileprivate var blank: String {
        switch self {
        case .simplifiedChinese, .traditionalChinese, .japanese: ""
        default: " "
        }
    }
}
