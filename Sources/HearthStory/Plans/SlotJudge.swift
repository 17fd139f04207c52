internal import HearthSpeech

/// Finds slips in the answer to a plan that its slots cannot rule out, to choose among candidates.
package struct SlotJudge: Sendable {
    private let plan: StoryPlan

    package init(_ plan: StoryPlan) { self.plan = plan }

    /// The weighted number of slips in a text; 0 if there are none.
    /// - Parameters:
    ///   - text: the answer up to the end of a paragraph, with slots.
    ///   - isComplete: whether the story ends there.
    package func cost(of text: String, isComplete: Bool) -> Double {
        var filler = plan.filler
        let full = filler.feed(text) + filler.finish()
        var cost = 4 * Double(full.unicodeScalars.count { $0 == SlotFiller.fault })
        var chunker = SentenceChunker(language: plan.language.rawValue)
        var repetitions = RepetitionFilter()
        for sentence in chunker.feed(full) + chunker.finish() where repetitions.admit(sentence) == nil { cost += 2 }
        let size = plan.language.length(of: full)
        let usual = plan.language.usualLengths(of: plan.length)
        if isComplete, size * 5 < usual.lowerBound * 4 { cost += 3 }
        if size * 4 > usual.upperBound * 5 { cost += 1 }
        return cost
    }
}
