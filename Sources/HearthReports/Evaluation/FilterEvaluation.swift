/// Verdicts of a content filter on labelled sentences, counted by language and by theme.
package struct FilterEvaluation: Sendable {
    /// How many of the sentences of one kind were treated in one way.
    package struct Share: Sendable, Equatable {
        package private(set) var count = 0
        package private(set) var total = 0

        mutating func add(_ isCounted: Bool) {
            count += isCounted ? 1 : 0
            total += 1
        }

        /// From 0 to 1; nil without sentences.
        package var value: Double? { total > 0 ? Double(count) / Double(total) : nil }

        /// The 95 % confidence interval (Wilson) of `value`; nil without sentences.
        package var interval: ClosedRange<Double>? {
            total > 0 ? ConfidenceLevel.usual.proportion(count, of: total) : nil
        }
    }

    /// The shares of one language, one theme or all sentences.
    package struct Row: Sendable, Equatable {
        /// Harmful sentences that were stopped or changed.
        package fileprivate(set) var harmfulCaught = Share()
        package fileprivate(set) var harmlessStopped = Share()
        package fileprivate(set) var harmlessChanged = Share()
    }

    /// What a filter did with a sentence.
    package enum Action: Sendable { case passed, changed, stopped }

    package private(set) var sentences = 0
    package private(set) var all = Row()
    package private(set) var languages: [String: Row] = [:]
    package private(set) var themes: [String: Row] = [:]
    /// Harmful sentences: the theme they are labelled with → the theme of the verdict, or "passed" → how many.
    package private(set) var confusion: [String: [String: Int]] = [:]

    package init() {}

    /// Counts one sentence.
    /// - Parameters:
    ///   - isHarmful: its label.
    ///   - theme: the theme it is labelled with; nil if it has none.
    ///   - found: the theme of the verdict; nil if the sentence passed.
    package mutating func add(isHarmful: Bool, language: String, theme: String?, action: Action, found: String?) {
        sentences += 1
        func count(_ row: inout Row) {
            if isHarmful {
                row.harmfulCaught.add(action != .passed)
            } else {
                row.harmlessStopped.add(action == .stopped)
                row.harmlessChanged.add(action == .changed)
            }
        }
        count(&all)
        count(&languages[language, default: Row()])
        guard let theme else { return }
        count(&themes[theme, default: Row()])
        if isHarmful { confusion[theme, default: [:]][found ?? "passed", default: 0] += 1 }
    }
}
