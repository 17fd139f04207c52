internal import HearthSpeech

/// Lets each sentence of a story through once. A small model now and then says a sentence again, word for word; read
/// aloud that sounds like a slip, and the story is whole without it.
///
/// Exclamations of one or two words may come back: "Splash!" is often meant twice.
struct RepetitionFilter {
    private var told: Set<String> = []
    /// A sentence that was dropped began a paragraph: the next one begins it instead.
    private var owesParagraph = false

    /// The sentence as it is to be told, or nil where it has been told before.
    mutating func admit(_ sentence: SentenceChunker.Sentence) -> SentenceChunker.Sentence? {
        let startsParagraph = sentence.startsParagraph || owesParagraph
        let words = sentence.text.split(whereSeparator: \.isWhitespace).count
        let isNew = told.insert(sentence.text.lowercased()).inserted
        // Chinese is written without blanks: there, length stands for words.
        guard isNew || words < 3 && sentence.text.count < 16 else {
            owesParagraph = startsParagraph
            return nil
        }
        owesParagraph = false
        return SentenceChunker.Sentence(text: sentence.text, startsParagraph: startsParagraph)
    }
}
