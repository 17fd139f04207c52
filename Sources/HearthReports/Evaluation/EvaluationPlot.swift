internal import Foundation

/// A plot of size on disk against accuracy, precision or error (the least at the top): a dot for each model, and a whisker
/// for the confidence interval of its difference from the reference, drawn relative to the reference's measured score. A
/// whisker entirely above the dashed line means non-inferior.
package struct EvaluationPlot {
    private static let width = 760.0
    private static let height = 400.0
    private static let left = 62.0
    private static let right = 24.0
    private static let top = 18.0
    private static let bottom = 46.0
    /// Approximate width of a letter in the labels.
    private static let letter = 6.4

    let evaluation: Evaluation
    private let words: EvaluationWords
    /// Range of scores shown; lower ones are marked at the lower edge.
    let range: ClosedRange<Double>
    /// Prefix that makes the IDs of the plots on a page unique.
    let identifier: String

    private let sizes: ClosedRange<Double>
    private let names: [String]

    package init(_ evaluation: Evaluation, range: ClosedRange<Double>, identifier: String) {
        (self.evaluation, self.range, self.identifier) = (evaluation, range, identifier)
        words = EvaluationWords(evaluation)
        let bytes = evaluation.variants.map { log10(Double(max(1, $0.model.bytes))) }
        let (least, most) = (bytes.min() ?? 0, bytes.max() ?? 1)
        let margin = max(0.08, (most - least) * 0.12, (0.3 - (most - least)) / 2)
        sizes = least - margin...most + margin
        names = EvaluationWords.names(evaluation.variants.map(\.model.name)).map { name in
            let bare = name.hasSuffix(".mlpackage") ? String(name.dropLast(10)) : name
            return bare.count > 26 ? bare.prefix(25) + "…" : bare
        }
    }

    /// The best score that there is: no error, or all right.
    private static func best(_ evaluation: Evaluation) -> Double { evaluation.task == .regression ? 0 : 1 }

    /// The worst score that there is; of errors there is none.
    private static func worst(_ evaluation: Evaluation) -> Double { evaluation.task == .regression ? -.infinity : 0 }

    /// What shares are in proportion to: 1, or the error of the reference.
    private static func unit(_ evaluation: Evaluation) -> Double {
        guard evaluation.task == .regression else { return 1 }
        let scores = evaluation.variants.map { abs($0.quality.score) }
        return max(scores[evaluation.reference], (scores.max() ?? 0) * 0.01, 1e-9)
    }

    /// A range around the reference, in which the choice is made.
    package static func near(_ evaluation: Evaluation) -> ClosedRange<Double> {
        let reference = evaluation.variants[evaluation.reference].quality.score
        var reach = max(evaluation.maxDrop * 2.5, 0.004 * unit(evaluation))
        let ends = evaluation.variants.compactMap(\.comparison).filter { $0.difference >= -4 * reach }.map(\.interval)
        reach = min(max(reach, -(ends.map(\.lowerBound).min() ?? 0) * 1.1), 6 * reach)
        let above = min(max(reach / 3, (ends.map(\.upperBound).max() ?? 0) * 1.1), reach)
        return max(worst(evaluation), reference - reach)...min(best(evaluation) + reach / 12, reference + above)
    }

    /// A range that includes all scores.
    package static func all(_ evaluation: Evaluation) -> ClosedRange<Double> {
        let scores = evaluation.variants.map(\.quality.score)
        let (low, high) = (scores.min() ?? 0, scores.max() ?? 1)
        let margin = max(0.02 * unit(evaluation), (high - low) * 0.08)
        return max(worst(evaluation), low - margin)...min(best(evaluation) + margin / 2, high + margin)
    }

    // MARK: - Coordinates

    private var bottomEdge: Double { Self.height - Self.bottom }

    private func x(_ bytes: Double) -> Double {
        let share = (log10(max(1, bytes)) - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound)
        return Self.left + min(max(0, share), 1) * (Self.width - Self.left - Self.right)
    }

    private func y(_ accuracy: Double) -> Double {
        let share = (accuracy - range.lowerBound) / (range.upperBound - range.lowerBound)
        return bottomEdge - min(max(0, share), 1) * (bottomEdge - Self.top)
    }

    // MARK: - Drawing

    /// An SVG element.
    package var svg: String {
        let reference = evaluation.variants[evaluation.reference]
        let title = HTML.element(
            "title", ["id": "\(identifier)-title"],
            "Size on disk against \(words.metric) of \(evaluation.variants.count) models")
        let rows = zip(names, evaluation.variants).map { name, variant in
            "\(name): \(Figures.bytes(Double(variant.model.bytes))), \(words.score(variant.quality.score))"
        }
        let chosen = "Chosen: \(names[evaluation.chosen])."
        let description = HTML.element(
            "desc", ["id": "\(identifier)-desc"], HTML.text(rows.joined(separator: "; ") + ". " + chosen))
        let score = reference.quality.score
        let limit = score - evaluation.maxDrop
        // If two lines are too close, only one is labelled.
        let isNamed = y(limit) - y(score) >= 16
        let direction = evaluation.task == .regression ? "more" : "less"
        let lines =
            level(score, "reference", words.score(score))
            + level(
                limit, "limit", isNamed ? "\(words.maxDrop) \(direction) than \(names[evaluation.reference])" : "")
        return HTML.element(
            "svg",
            [
                "viewBox": "0 0 \(Int(Self.width)) \(Int(Self.height))", "role": "img",
                "aria-labelledby": "\(identifier)-title \(identifier)-desc",
            ], title + description + scoreAxis + sizeAxis + lines + whiskers + dots + labels)
    }

    private func line(_ name: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        HTML.element(
            "line",
            [
                "class": name, "x1": HTML.coordinate(x1), "y1": HTML.coordinate(y1), "x2": HTML.coordinate(x2),
                "y2": HTML.coordinate(y2),
            ], "")
    }

    private func text(_ name: String, _ x: Double, _ y: Double, _ anchor: String, _ text: String) -> String {
        HTML.element(
            "text",
            ["class": name, "x": HTML.coordinate(x), "y": HTML.coordinate(y), "style": "text-anchor:\(anchor)"],
            HTML.text(text))
    }

    private var scoreAxis: String {
        let span = range.upperBound - range.lowerBound
        let magnitude = pow(10, floor(log10(span / 5)))
        let step = ([1, 2, 5, 10].first { $0 * magnitude >= span / 5 } ?? 10) * magnitude
        let isRegression = evaluation.task == .regression
        let decimals =
            isRegression
            ? max(0, -Int((log10(step) + 1e-9).rounded(.down))) : step >= 0.0099 ? 0 : step >= 0.00099 ? 1 : 2
        let first = Int((range.lowerBound / step).rounded(.up))
        let last = Int((min(range.upperBound, Self.best(evaluation)) / step + 1e-9).rounded(.down))
        let ticks = (first <= last ? Array(first...last) : []).map { number in
            let value = Double(number) * step
            let label =
                isRegression
                ? String(format: "%.\(decimals)f", abs(value)) : String(format: "%.\(decimals)f %%", value * 100)
            return line("grid", Self.left, y(value), Self.width - Self.right, y(value))
                + text("tick", Self.left - 8, y(value) + 4, "end", label)
        }
        return ticks.joined() + line("base", Self.left, Self.top, Self.left, bottomEdge)
    }

    private var sizeAxis: String {
        let decades = Int(sizes.lowerBound.rounded(.down))...Int(sizes.upperBound.rounded(.up))
        let steps: [Double] = sizes.upperBound - sizes.lowerBound > 2.2 ? [1] : [1, 2, 5]
        let ticks = decades.flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
            .filter { $0 >= 1 && sizes.contains(log10($0)) }
        let marks = ticks.map { tick in
            line("grid", x(tick), Self.top, x(tick), bottomEdge)
                + text("tick", x(tick), bottomEdge + 17, "middle", Self.size(tick))
        }
        return marks.joined() + line("base", Self.left, bottomEdge, Self.width - Self.right, bottomEdge)
            + text("tick", (Self.left + Self.width - Self.right) / 2, Self.height - 8, "middle", "size on disk")
    }

    /// A round number of bytes, without decimals.
    private static func size(_ bytes: Double) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        let unit = min(max(0, Int(log10(max(1, bytes)) + 1e-9) / 3), units.count - 1)
        return "\(Int((bytes / pow(1000, Double(unit))).rounded())) \(units[unit])"
    }

    private func level(_ accuracy: Double, _ name: String, _ label: String) -> String {
        guard range.contains(accuracy) else { return "" }
        return line(name, Self.left, y(accuracy), Self.width - Self.right, y(accuracy))
            + (label.isEmpty ? "" : text("note", Self.left + 6, y(accuracy) - 5, "start", label))
    }

    private var whiskers: String {
        let reference = evaluation.variants[evaluation.reference].quality.score
        return evaluation.variants.map { variant in
            guard let interval = variant.comparison?.interval, variant.quality.score >= range.lowerBound else {
                return ""
            }
            let (low, high) = (
                reference + interval.lowerBound, min(Self.best(evaluation), reference + interval.upperBound)
            )
            let middle = x(Double(variant.model.bytes))
            let name = variant.comparison?.isNonInferior == true ? "whisker held" : "whisker"
            let ends = [low, high].filter(range.contains).map { line(name, middle - 5, y($0), middle + 5, y($0)) }
            return line(name, middle, y(low), middle, y(high)) + ends.joined()
        }.joined()
    }

    private var dots: String {
        evaluation.variants.enumerated().map { place, variant in
            let isNonInferior = variant.comparison?.isNonInferior ?? true
            let (across, down) = (x(Double(variant.model.bytes)), y(variant.quality.score))
            let note = HTML.element(
                "title",
                HTML.text(
                    "\(names[place]): \(words.score(variant.quality.score)), "
                        + Figures.bytes(Double(variant.model.bytes))))
            if variant.quality.score < range.lowerBound {
                let path = "M\(HTML.coordinate(across - 5)) \(HTML.coordinate(down - 9))h10l-5 8z"
                return HTML.element("path", ["class": "point", "d": path], note)
            }
            let dot = HTML.element(
                "circle",
                [
                    "class": isNonInferior ? "point held" : "point", "cx": HTML.coordinate(across),
                    "cy": HTML.coordinate(down), "r": "5",
                ], note)
            guard place == evaluation.chosen else { return dot }
            return dot
                + HTML.element(
                    "circle",
                    [
                        "class": "ring", "cx": HTML.coordinate(across), "cy": HTML.coordinate(down), "r": "10",
                    ], "")
        }.joined()
    }

    // MARK: - Labels

    private struct Box {
        var left: Double
        var top: Double
        var width: Double
        var height: Double

        func overlaps(_ other: Box) -> Bool {
            left < other.left + other.width && other.left < left + width && top < other.top + other.height
                && other.top < top + height
        }
    }

    /// The models' names next to their dots, each placed so that it covers as little as possible.
    private var labels: String {
        var taken = evaluation.variants.map { variant in
            Box(left: x(Double(variant.model.bytes)) - 7, top: y(variant.quality.score) - 7, width: 14, height: 14)
        }
        let reference = evaluation.variants[evaluation.reference].quality.score
        taken += [reference, reference - evaluation.maxDrop].filter(range.contains).map { accuracy in
            Box(left: Self.left, top: y(accuracy) - 15, width: 120, height: 13)
        }
        let order = evaluation.variants.indices.sorted { first, second in
            // The chosen model's label is placed first.
            (first == evaluation.chosen ? 0 : 1, first) < (second == evaluation.chosen ? 0 : 1, second)
        }
        return order.map { place in
            let variant = evaluation.variants[place]
            let isBelow = variant.quality.score < range.lowerBound
            let label = names[place] + (isBelow ? " " + words.score(variant.quality.score) : "")
            let width = Double(label.count) * Self.letter + 4
            let (across, down) = (x(Double(variant.model.bytes)), y(variant.quality.score))
            let inside = Self.left + 2...Self.width - Self.right - width
            let candidates = [9.0, -11, 24, -26, 39, -41, 54, -56, 69, 84].flatMap { (shift: Double) -> [Box] in
                let top: Double = down - 7 - shift - (isBelow ? 4 : 0)
                return [across + 13, across - 13 - width].map { Box(left: $0, top: top, width: width, height: 14) }
            }
            func cost(_ box: Box) -> Int {
                taken.count(where: box.overlaps) + (inside.contains(box.left) ? 0 : 3)
                    + (box.top < 2 || box.top + box.height > bottomEdge ? 3 : 0)
            }
            // `min` returns the first of equals, which is the nearest.
            guard let best = candidates.min(by: { cost($0) < cost($1) }) else { return "" }
            taken.append(best)
            let middle = best.top + best.height / 2
            // A label that is not level with its dot gets a leader line.
            let leader =
                abs(middle - down) < 10
                ? "" : line("leader", across, down, best.left > across ? best.left : best.left + width - 2, middle)
            return leader
                + text(place == evaluation.chosen ? "label chosen" : "label", best.left, best.top + 11, "start", label)
        }.joined()
    }
}
