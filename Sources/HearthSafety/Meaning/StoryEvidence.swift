/// What the classifier found in the last sentences of a text, for harm that adds up over several of them: a secret that is kept and
/// kept again, a danger that is imitated and rewarded.
package struct StoryEvidence: Sendable, Equatable {
    /// How far a sentence's logit of harm is above the threshold of its language, usually a negative number; and its theme, as an
    /// index.
    package struct Finding: Sendable, Equatable {
        package var margin: Float
        package var theme: Int

        package init(margin: Float, theme: Int) { (self.margin, self.theme) = (margin, theme) }

        /// Of a sentence that is too short to be judged.
        package static let none = Finding(margin: -9, theme: 0)
    }

    /// The sentences that are remembered, and how many of them have to be suspicious.
    package static let window = 10
    package static let counted = 5
    /// The mean margin of the most suspicious sentences above which a story is stopped. Of ordinary stories, the rule adds nothing
    /// to those that a single sentence stops (`Training/safety/window.py`).
    package static let threshold: Float = -3.6

    private var findings: [Finding] = []

    package init() {}

    package mutating func add(_ finding: Finding) { findings = findings.suffix(Self.window - 1) + [finding] }

    /// The theme that the most suspicious sentences add up to, as an index; nil if there is too little.
    package var theme: Int? {
        let worst = findings.sorted { $0.margin > $1.margin }.prefix(Self.counted)
        guard worst.count == Self.counted,
            worst.reduce(0, { $0 + $1.margin }) / Float(Self.counted) > Self.threshold
        else { return nil }
        var weights: [Int: Float] = [:]
        for finding in worst { weights[finding.theme, default: 0] += max(0, finding.margin + 9) }
        return weights.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
}
