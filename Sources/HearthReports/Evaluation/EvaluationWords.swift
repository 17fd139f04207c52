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

    private var isRegression: Bool { evaluation.task == .regression }

    /// Which model was chosen and why, and what more pictures could show.
    package var reason: String {
        let pictures = Self.count(evaluation.pictures, "picture")
        let (chosen, reference) = (evaluation.variants[evaluation.chosen], evaluation.variants[evaluation.reference])
        guard evaluation.variants.count > 1 else {
            return "\(result(evaluation.chosen)); there is no other model to choose from."
        }
        var sentences: [String] = []
        if let comparison = chosen.comparison {
            sentences.append(
                "\(names[evaluation.chosen]) is the smallest that is non-inferior at \(margin): \(evidence(comparison)); it has "
                    + "\(Self.share(chosen.model.bytes, reference.model.bytes)) of the size.")
        } else if evaluation.variants.contains(where: { $0.model.bytes < reference.model.bytes }) {
            sentences.append(
                "\(names[evaluation.reference]) stays: with \(pictures) no smaller model is non-inferior at \(margin)."
            )
        } else {
            sentences.append("\(names[evaluation.reference]) stays: no model is smaller.")
        }
        if let open = undecided, let comparison = evaluation.variants[open].comparison,
            let needed = comparison.picturesNeeded
        {
            sentences.append(
                "\(names[open]) \(measured(comparison.difference)), but may \(isRegression ? "err by" : "lose") up to "
                    + "\(loss(comparison))\(isRegression ? " more" : ""): about \(Self.rounded(needed)) pictures like these would "
                    + "be needed to defend it.")
        }
        return sentences.joined(separator: " ")
    }

    /// `a drop of 1 %`, `a margin of 0.5`
    private var margin: String { isRegression ? "a margin of \(maxDrop)" : "a drop of \(maxDrop)" }

    /// The figures of a model, as a clause.
    private func result(_ place: Int) -> String {
        let pictures = Self.count(evaluation.pictures, "picture")
        return switch evaluation.variants[place].quality {
        case .classification(let accuracy): "\(names[place]) is right on \(accuracy.correct) of \(pictures)"
        case .detection(let precision):
            "\(names[place]) has an average precision of \(Self.accuracy(precision.average)) on \(pictures)"
        case .regression(let errors): "\(names[place]) errs by \(Self.number(errors.mae)) on average of \(pictures)"
        }
    }

    /// The figures of the chosen model and of the reference, and the greatest loss.
    private func evidence(_ comparison: Evaluation.Comparison) -> String {
        let pictures = Self.count(evaluation.pictures, "picture")
        let (chosen, reference) = (evaluation.variants[evaluation.chosen], evaluation.variants[evaluation.reference])
        let level = Self.percent(evaluation.confidence.level)
        let full = names[evaluation.reference]
        switch (chosen.quality, reference.quality) {
        case (.classification(let own), .classification(let other)):
            return "it is right on \(own.correct) of \(pictures), \(full) on \(other.correct), and with "
                + "\(level) confidence it loses at most \(loss(comparison)) percentage points"
        case (.detection(let own), .detection(let other)):
            return "on \(pictures) its average precision is \(Self.accuracy(own.average)), that of \(full) "
                + "\(Self.accuracy(other.average)), and with \(level) confidence it loses at most \(loss(comparison)) "
                + "percentage points"
        default:
            return "on \(pictures) it errs by \(Self.number(-chosen.quality.score)) on average, \(full) by "
                + "\(Self.number(-reference.quality.score)), and with \(level) confidence it errs by at most "
                + "\(loss(comparison)) more"
        }
    }

    /// The smallest model below the chosen one that more pictures might show to be non-inferior.
    private var undecided: Int? {
        evaluation.variants.indices.filter { place in
            let variant = evaluation.variants[place]
            return variant.model.bytes < evaluation.variants[evaluation.chosen].model.bytes
                && variant.comparison?.picturesNeeded != nil
        }.min { evaluation.variants[$0].model.bytes < evaluation.variants[$1].model.bytes }
    }

    private func measured(_ difference: Double) -> String {
        if difference == 0 { return "scored the same" }
        if isRegression { return "errs by \(Self.number(abs(difference))) \(difference < 0 ? "more" : "less")" }
        return difference < 0
            ? "scored \(Self.points(-difference)) percentage points less"
            : "scored \(Self.points(difference)) percentage points more"
    }

    /// The greatest loss that the interval allows, in percentage points or in the unit of the labels.
    private func loss(_ comparison: Evaluation.Comparison) -> String {
        let loss = max(0, -comparison.interval.lowerBound)
        return isRegression ? Self.number(loss) : Self.points(loss)
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

    /// What models are compared by.
    var metric: String {
        switch evaluation.task {
        case .classification: "accuracy"
        case .detection: "average precision"
        case .regression: "mean absolute error"
        }
    }

    /// `1 %`, or a number in the unit of the labels.
    var maxDrop: String {
        isRegression ? String(format: "%g", evaluation.maxDrop) : Self.percent(evaluation.maxDrop)
    }

    /// A score as a share, or as an error.
    func score(_ score: Double) -> String { isRegression ? Self.number(-score) : Self.accuracy(score) }

    /// `−0.25`, and `−1.40`, `+0.72`: a difference and its interval, in the direction of the metric.
    func difference(_ comparison: Evaluation.Comparison) -> (value: String, low: String, high: String) {
        let shown = evaluation.shown(comparison)
        let text = isRegression ? Self.signedNumber : Self.signed
        return (text(shown.difference), text(shown.low), text(shown.high))
    }

    /// Four significant digits, whole numbers from 1000 on; very small ones with an exponent.
    static func number(_ value: Double) -> String {
        let size = abs(value)
        if size == 0 { return "0" }
        if size < 0.0001 { return String(format: "%.2e", value) }
        return String(format: "%.\(size >= 1000 ? 0 : 3 - Int(log10(size).rounded(.down)))f", value)
    }

    private static func signedNumber(_ value: Double) -> String {
        value == 0 ? "0" : (value < 0 ? "−" : "+") + number(abs(value))
    }

    /// The heads of the figures of a variant, in tables.
    var figureNames: [String] {
        switch evaluation.task {
        case .classification: ["top-1", "top-5", "agrees"]
        case .detection: ["AP", "AP50", "AP75"]
        case .regression: ["MAE", "RMSE", "R²"]
        }
    }

    /// What `figureNames` names.
    /// - Parameter missing: stands for the agreement of the reference with itself.
    func figures(_ variant: Evaluation.Variant, missing: String) -> [String] {
        switch variant.quality {
        case .classification(let accuracy):
            [
                Self.accuracy(accuracy.top1), Self.accuracy(accuracy.top5),
                variant.comparison?.agreement.map { Self.accuracy($0.share) } ?? missing,
            ]
        case .detection(let precision):
            [precision.average, precision.at50, precision.at75].map(Self.accuracy)
        case .regression(let errors):
            [
                Self.number(errors.mae), Self.number(errors.rmse),
                errors.r2.map { String(format: "%.4f", $0) } ?? "–",
            ]
        }
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
