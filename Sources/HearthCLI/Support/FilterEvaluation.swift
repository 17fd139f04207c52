import Foundation
import HearthSafety

/// Verdicts on labelled sentences, counted; for `hearth evaluate-filter`.
struct FilterEvaluation {
    /// A share, with its 95 % confidence interval (Wilson, 1927).
    struct Share: Encodable {
        var count = 0
        var of = 0
        @ExplicitNull var share: Double? = nil
        @ExplicitNull var low: Double? = nil
        @ExplicitNull var high: Double? = nil

        mutating func add(_ isOne: Bool) {
            count += isOne ? 1 : 0
            of += 1
            let n = Double(of)
            let p = Double(count) / n
            let z = 1.96
            let middle = (p + z * z / (2 * n)) / (1 + z * z / n)
            let half = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot() / (1 + z * z / n)
            share = p
            low = max(0, middle - half)
            high = min(1, middle + half)
        }

        var text: String {
            guard let share, let low, let high else { return "–" }
            let figures = [share, low, high].map { String(format: "%.1f", 100 * $0) }
            return "\(count)/\(of)  \(figures[0]) % (\(figures[1])–\(figures[2]))"
        }
    }

    /// Of one language or theme.
    struct Row: Encodable {
        var harmfulCaught = Share()
        var harmlessStopped = Share()
        var harmlessChanged = Share()
    }

    struct Report: Encodable {
        var sentences: Int
        var all: Row
        var languages: [String: Row]
        var themes: [String: Row]
        /// Theme of a harmful line → theme that it was stopped under → how often.
        var confusion: [String: [String: Int]]
    }

    private(set) var lines = 0
    private var all = Row()
    private var languages: [String: Row] = [:]
    private var themes: [String: Row] = [:]
    private var confusion: [String: [String: Int]] = [:]

    /// - Parameter theme: nil where the line names none.
    mutating func add(isHarmful: Bool, language: String, theme: String?, verdict: Verdict) {
        lines += 1
        func count(_ row: inout Row) {
            if isHarmful {
                row.harmfulCaught.add(verdict.action != .pass)
            } else {
                row.harmlessStopped.add(verdict.action == .stop)
                row.harmlessChanged.add(verdict.action == .swap)
            }
        }
        count(&all)
        count(&languages[language, default: Row()])
        guard let theme else { return }
        count(&themes[theme, default: Row()])
        if isHarmful { confusion[theme, default: [:]][verdict.themes.first ?? "passed", default: 0] += 1 }
    }

    var report: Report {
        Report(sentences: lines, all: all, languages: languages, themes: themes, confusion: confusion)
    }

    /// For people.
    var tables: String {
        var rows = [("", "harmful, caught", "harmless, stopped", "harmless, changed")]
        func append(_ name: String, _ row: Row) {
            rows.append((name, row.harmfulCaught.text, row.harmlessStopped.text, row.harmlessChanged.text))
        }
        append("all", all)
        for (name, row) in languages.sorted(by: { $0.key < $1.key }) { append(name, row) }
        for (name, row) in themes.sorted(by: { $0.key < $1.key }) { append(name, row) }
        func padded(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let name = rows.map(\.0.count).max() ?? 0
        var text = ""
        for row in rows {
            let line = [padded(row.0, name), padded(row.1, 30), padded(row.2, 30), row.3].joined(separator: "  ")
            text += String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        guard !confusion.isEmpty else { return text }
        text += "\nharmful lines by theme, and the theme of the verdict\n"
        for (theme, found) in confusion.sorted(by: { $0.key < $1.key }) {
            let parts = found.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            text += padded(theme, name) + "  " + parts.joined(separator: ", ") + "\n"
        }
        return text
    }
}
