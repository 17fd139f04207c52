internal import HearthSystem

/// An evaluation for a terminal: a line for each model, the chosen one marked, and the reason below.
package struct EvaluationTable: Sendable {
    private let evaluation: Evaluation
    private let hasStyles: Bool
    private let columns: Int?

    /// - Parameters:
    ///   - hasStyles: whether the terminal supports bold and dim text.
    ///   - columns: width of the terminal; nil to leave sentences on one line.
    package init(_ evaluation: Evaluation, hasStyles: Bool, columns: Int? = nil) {
        (self.evaluation, self.hasStyles, self.columns) = (evaluation, hasStyles, columns)
    }

    /// The table's lines, each with a line break. Control characters in external text are made visible.
    package var text: String {
        let words = EvaluationWords(evaluation)
        let level = EvaluationWords.percent(evaluation.confidence.level)
        let head =
            ["model", "size", "download"] + words.figureNames + ["difference [\(level)]"]
            + (evaluation.task == .classification ? ["p", "ms"] : ["ms"])
        let rows = evaluation.variants.indices.map { row(evaluation.variants[$0], words.name($0), words) }
        let table = TextTable([head] + rows, rightAligned: Set(head.indices.dropFirst())).lines
        var lines = [style("2", "  " + table[0])]
        for (place, line) in table.dropFirst().enumerated() {
            let isChosen = place == evaluation.chosen
            lines.append(isChosen ? style("1", "▸ " + line) : "  " + line)
        }
        lines += ["", wrapped(Figures.plain(words.reason))]
        return lines.joined(separator: "\n") + "\n"
    }

    private func wrapped(_ text: String) -> String {
        guard let columns else { return text }
        var (result, used) = ("", 0)
        for word in text.split(separator: " ") {
            let breaks = used > 0 && used + 1 + word.count > columns
            result += (used == 0 ? "" : breaks ? "\n" : " ") + word
            used = breaks || used == 0 ? word.count : used + 1 + word.count
        }
        return result
    }

    private func row(_ variant: Evaluation.Variant, _ name: String, _ words: EvaluationWords) -> [String] {
        let difference = variant.comparison.map(words.difference)
        let model = [
            Figures.plain(name), Figures.bytes(Double(variant.model.bytes)),
            variant.model.downloadBytes.map { Figures.bytes(Double($0)) } ?? "–",
        ]
        let probability = variant.comparison?.agreement.map { Self.probability($0.probability) } ?? ""
        return model + words.figures(variant, missing: "")
            + [difference.map { "\($0.value) [\($0.low), \($0.high)]" } ?? "reference"]
            + (evaluation.task == .classification ? [probability] : []) + [Figures.digits(variant.median)]
    }

    static func probability(_ value: Double) -> String {
        value < 0.0005 ? "< 0.001" : String(Figures.probability(value).drop { !$0.isNumber })
    }

    private func style(_ code: String, _ text: String) -> String {
        hasStyles ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
