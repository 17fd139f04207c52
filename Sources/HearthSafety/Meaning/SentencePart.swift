/// The input of one classification: a sentence and its context.
struct SentencePart {
    var words: [Int32]
    var contextWords: [Int32]
    var features: Set<Int>
    var contextFeatures: Set<Int>

    /// Whether it has as many words as the training sentences; shorter input is not classified.
    var isSentence: Bool { words.count >= Self.leastWords }

    private static let leastWords = 4
    /// Longer texts are split into sentences, as in training.
    private static let mostWords = 48
    private static let mostContextWords = 48
    private static let mostSentencesBefore = 3

    private init(_ runs: [SentenceWords.Run], after before: [SentenceWords.Run], in vocabulary: MeaningVocabulary) {
        words = SentenceWords.numbers(runs, in: vocabulary)
        contextWords = SentenceWords.numbers(before, in: vocabulary).suffix(Self.mostContextWords)
        features = SentenceFeatures.numbers(runs, isContext: false)
        contextFeatures = SentenceFeatures.numbers(before, isContext: true)
    }

    /// Returns a short text as one part; a longer one by sentences, each with up to three before it as context. Empty if there
    /// are no words.
    static func parts(
        of text: String, after context: [String], in vocabulary: MeaningVocabulary
    ) -> [SentencePart] {
        let runs = SentenceWords.runs(text)
        guard !runs.isEmpty else { return [] }
        let before = SentenceWords.runs(context.suffix(mostSentencesBefore).joined(separator: " "))
        if length(runs) <= mostWords {
            let whole = SentencePart(runs, after: before, in: vocabulary)
            if whole.words.count <= mostWords { return [whole] }
        }
        var history = [before]
        var result: [SentencePart] = []
        for sentence in sentences(text) {
            for runs in pieces(SentenceWords.runs(sentence)) {
                result.append(SentencePart(runs, after: history.flatMap(\.self), in: vocabulary))
                history = history.suffix(mostSentencesBefore - 1) + [runs]
            }
        }
        return result
    }

    /// The number of words, with an allowance for long ones, which may be split by the vocabulary.
    private static func length(_ run: SentenceWords.Run) -> Int {
        run.isUnspaced ? run.scalars.count / 2 + 1 : run.scalars.count / 12 + 1
    }
    private static func length(_ runs: [SentenceWords.Run]) -> Int { runs.reduce(0) { $0 + length($1) } }

    /// Splits runs that exceed the maximum length of a sentence.
    private static func pieces(_ runs: [SentenceWords.Run]) -> [[SentenceWords.Run]] {
        var result: [[SentenceWords.Run]] = []
        var piece: [SentenceWords.Run] = []
        var sum = 0
        for run in runs {
            for first in stride(from: 0, to: run.scalars.count, by: mostWords) {
                let scalars = run.scalars[first..<min(first + mostWords, run.scalars.count)]
                let part = SentenceWords.Run(isUnspaced: run.isUnspaced, scalars: Array(scalars))
                if sum + length(part) > mostWords {
                    result.append(piece)
                    (piece, sum) = ([], 0)
                }
                piece.append(part)
                sum += length(part)
            }
        }
        return piece.isEmpty ? result : result + [piece]
    }

    /// Splits after sentence-ending marks and closing quotes.
    private static func sentences(_ text: String) -> [String] {
        var result: [String] = []
        var current = String.UnicodeScalarView()
        var hasEnded = false
        for scalar in text.unicodeScalars {
            let isEnd = ".!?…\u{61F}。！？\n".unicodeScalars.contains(scalar)
            if hasEnded, !isEnd, !"\"'”’»」』）)".unicodeScalars.contains(scalar) {
                result.append(String(current))
                current = String.UnicodeScalarView()
                hasEnded = false
            }
            current.append(scalar)
            hasEnded = hasEnded || isEnd
        }
        return result + [String(current)]
    }
}
