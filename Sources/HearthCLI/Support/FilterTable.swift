import Foundation
import HearthReports
import HearthSystem

/// An evaluation of the filter as `hearth evaluate-filter` prints it: tables for people, JSON for programs.
struct FilterTable: Encodable {
    /// A share with the bounds of its 95 % confidence interval; null without sentences.
    struct Share: Encodable {
        var count: Int
        var of: Int
        @ExplicitNull var share: Double?
        @ExplicitNull var low: Double?
        @ExplicitNull var high: Double?

        init(_ share: FilterEvaluation.Share) {
            (count, of) = (share.count, share.total)
            _share = ExplicitNull(wrappedValue: share.value)
            _low = ExplicitNull(wrappedValue: share.interval?.lowerBound)
            _high = ExplicitNull(wrappedValue: share.interval?.upperBound)
        }

        var text: String {
            guard let share, let low, let high else { return "–" }
            let figures = [share, low, high].map { String(format: "%.1f", 100 * $0) }
            return "\(count)/\(of)  \(figures[0]) % (\(figures[1])–\(figures[2]))"
        }
    }

    struct Row: Encodable {
        var harmfulCaught: Share
        var harmlessStopped: Share
        var harmlessChanged: Share

        init(_ row: FilterEvaluation.Row) {
            harmfulCaught = Share(row.harmfulCaught)
            harmlessStopped = Share(row.harmlessStopped)
            harmlessChanged = Share(row.harmlessChanged)
        }
    }

    var sentences: Int
    var all: Row
    var languages: [String: Row]
    var themes: [String: Row]
    var confusion: [String: [String: Int]]

    init(_ evaluation: FilterEvaluation) {
        sentences = evaluation.sentences
        all = Row(evaluation.all)
        languages = evaluation.languages.mapValues(Row.init)
        themes = evaluation.themes.mapValues(Row.init)
        confusion = evaluation.confusion
    }

    /// For people.
    var text: String {
        var rows = [["", "harmful, caught", "harmless, stopped", "harmless, changed"]]
        func append(_ name: String, _ row: Row) {
            rows.append([name, row.harmfulCaught.text, row.harmlessStopped.text, row.harmlessChanged.text])
        }
        append("all", all)
        for (name, row) in languages.sorted(by: { $0.key < $1.key }) { append(name, row) }
        for (name, row) in themes.sorted(by: { $0.key < $1.key }) { append(name, row) }
        let figures = TextTable(rows).text
        guard !confusion.isEmpty else { return figures }
        let verdicts = confusion.sorted { $0.key < $1.key }.map { theme, found in
            let parts = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            return [theme, parts.joined(separator: ", ")]
        }
        return figures + "\nharmful lines by theme, and the theme of the verdict\n" + TextTable(verdicts).text
    }
}
