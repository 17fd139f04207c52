/// Judges the sentences of a text by what they add up to, too: what `OutputFilter` asks after the lexicons.
package protocol TextGuard: Sendable {
    /// Returns the reason why the sentence must not be told; nil if it may.
    /// - Parameter evidence: that of the sentences before; the sentence is added.
    func objection(
        to sentence: String, after context: [String], in language: FilterLanguage?, _ evidence: inout StoryEvidence
    ) throws -> SentenceObjection?
}

/// An app's guard, which judges each sentence for itself and collects no evidence.
struct SeparateSentences: TextGuard {
    let judge: any SentenceGuard

    func objection(
        to sentence: String, after context: [String], in language: FilterLanguage?, _ evidence: inout StoryEvidence
    ) throws -> SentenceObjection? {
        try judge.objection(to: sentence, after: context, in: language)
    }
}
