internal import Foundation

/// The conclusion of an evaluation in sentences, and the formatting of its figures.
package struct EvaluationWords: Sendable {
    private let evaluation: Evaluation
    private let names: [String]

    package init(_ evaluation: Evaluation) {
        self.evaluation = evaluation
        names = Self.names(evaluation.variants.map(\.model.name))
    }

    /// Short names of models: the last components of their paths if they are unique, otherwise the paths.
    static func names(_ paths: [String]) -> [String] {
        let short = paths.map { path in path.split(separator: "/").last.map(String.init) ?? path }
        return Set(short).count == short.count ? short : paths
    }

    /// A model's short name.
    func name(_ place: Int) -> String { names[place] }

    /// Which model was chosen and why, and what more pictures could show.
    package var reason: String {
        let pictures = Self.count(evaluation.pictures, "picture")
        let (chosen, reference) = (evaluation.variants[evaluation.chosen], evaluation.variants[evaluation.reference])
        guard evaluation.variants.count > 1 else {
            return "\(names[0]) is right on \(chosen.correct) of \(pictures); there is no other model to choose from."
        }
        let drop = Self.percent(evaluation.maxDrop)
        let level = Self.percent(evaluation.confidence.level)
        var sentences: [String] = []
        if let comparison = chosen.comparison {
            let loss = -comparison.interval.lowerBound
            sentences.append(
                "\(names[evaluation.chosen]) is the smallest that is non-inferior at a drop of \(drop): it is right on "
                    + "\(chosen.correct) of \(pictures), \(names[evaluation.reference]) on \(reference.correct), and with "
                    + "\(level) confidence it loses at most \(Self.points(loss)) percentage points; it has "
                    + "\(Self.share(chosen.model.bytes, reference.model.bytes)) of the size.")
        } else if evaluation.variants.contains(where: { $0.model.bytes < reference.model.bytes }) {
            sentences.append(
                "\(names[evaluation.reference]) stays: with \(pictures) no smaller model is non-inferior at a drop of \(drop)."
            )
        } else {
            sentences.append("\(names[evaluation.reference]) stays: no model is smaller.")
        }
        if let open = undecided, let comparison = evaluation.variants[open].comparison,
            let needed = comparison.picturesNeeded
        {
            sentences.append(
                "\(names[open]) \(Self.measured(comparison.difference)), but may lose up to "
                    + "\(Self.points(-comparison.interval.lowerBound)): about \(Self.rounded(needed)) pictures like these would "
                    + "be needed to defend it.")
        }
        return sentences.joined(separator: " ")
    }

    /// The smallest model below the chosen one that more pictures might show to be non-inferior.
    private var undecided: Int? {
        evaluation.variants.indices.filter { place in
            let variant = evaluation.variants[place]
            return variant.model.bytes < evaluation.variants[evaluation.chosen].model.bytes
                && variant.comparison?.picturesNeeded != nil
        }.min { evaluation.variants[$0].model.bytes < evaluation.variants[$1].model.bytes }
    }

    private static func measured(_ difference: Double) -> String {
        if difference == 0 { return "scored the same" }
        return difference < 0
            ? "scored \(points(-difference)) percentage points less"
            : "scored \(points(difference)) percentage points more"
    }

    // MARK: - Figures

    static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// `1 %`, `0.5 %`, `97.5 %`: up to two decimals, without trailing zeros.
    static func percent(_ share: Double) -> String {
        var text = String(format: "%.2f", share * 100)
        while text.hasSuffix("0") { text.removeLast() }
        if text.hasSuffix(".") { text.removeLast() }
        return text + " %"
    }

    /// `99.75 %`
    static func accuracy(_ share: Double) -> String { String(format: "%.2f %%", share * 100) }

    /// `0.95`
    static func points(_ difference: Double) -> String { String(format: "%.2f", max(0, difference) * 100) }

    /// `+0.25`, `−1.40`, `0.00`
    static func signed(_ difference: Double) -> String {
        let text = String(format: "%.2f", abs(difference) * 100)
        return text == "0.00" ? text : (difference < 0 ? "−" : "+") + text
    }

    /// `−0.25 [−1.40, +0.72]`
    static func interval(_ comparison: Evaluation.Comparison) -> String {
        "\(signed(comparison.difference)) "
            + "[\(signed(comparison.interval.lowerBound)), \(signed(comparison.interval.upperBound))]"
    }

    /// `34 %`
    private static func share(_ part: Int, _ whole: Int) -> String {
        String(format: "%.0f %%", Double(part) / Double(max(whole, 1)) * 100)
    }

    /// An approximate count, rounded up to two significant digits.
    static func rounded(_ count: Int) -> String {
        var unit = 1
        while count / unit >= 100 { unit *= 10 }
        return String((count + unit - 1) / unit * unit)
    }
}
