internal import HearthSpeech

/// Drops sentences of a story that were told before. Small models occasionally repeat a sentence word for word.
///
/// Very short exclamations may repeat: "Splash!" is often meant twice.
struct RepetitionFilter {
    private var told: Set<String> = []
    /// Whether the last sentence dropped started a paragraph; the next sentence told then starts it instead.
    private var owesParagraph = false

    /// Returns the sentence to tell, or nil if it has been told before.
    mutating func admit(_ sentence: SentenceChunker.Sentence) -> SentenceChunker.Sentence? {
        let startsParagraph = sentence.startsParagraph || owesParagraph
        let words = sentence.text.split(whereSeparator: \.isWhitespace).count
        let isNew = told.insert(sentence.text.lowercased()).inserted
        // Chinese has no spaces between words, so its limit is a number of characters.
        guard isNew || words < 3 && sentence.text.count < 16 else {
            skip(sentence)
            return nil
        }
        owesParagraph = false
        return SentenceChunker.Sentence(text: sentence.text, startsParagraph: startsParagraph)
    }

    /// Drops a sentence for another reason.
    mutating func skip(_ sentence: SentenceChunker.Sentence) {
        owesParagraph = sentence.startsParagraph || owesParagraph
    }
}
