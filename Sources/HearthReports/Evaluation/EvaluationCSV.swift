internal import Foundation

/// An evaluation as CSV (RFC 4180): a header, then a line for each model. Shares are from 0 to 1.
package enum EvaluationCSV {
    private typealias Cell = (name: String, value: String)

    /// - Parameter evaluation: its models keep their order.
    package static func text(_ evaluation: Evaluation) -> String {
        let lines = evaluation.variants.indices.map { cells(evaluation, $0) }
        let header = (lines.first ?? []).map(\.name)
        return ([header] + lines.map { $0.map(\.value) }).map { $0.joined(separator: ",") }.joined(separator: "\r\n")
            + "\r\n"
    }

    private static func cells(_ evaluation: Evaluation, _ place: Int) -> [Cell] {
        let variant = evaluation.variants[place]
        let comparison = variant.comparison
        let shown = comparison.map(evaluation.shown)
        let model: [Cell] = [
            ("model", StartupCSV.cell(variant.model.name)), ("sha256", variant.model.sha256),
            ("bytes", String(variant.model.bytes)),
            ("downloadBytes", variant.model.downloadBytes.map(String.init) ?? ""),
            ("pictures", String(evaluation.pictures)),
        ]
        let times: [Cell] = [
            ("msMedian", number(variant.median)), ("msP10", number(variant.p10)), ("msP90", number(variant.p90)),
        ]
        let agreement = comparison?.agreement
        let paired: [Cell] = [
            ("agreement", agreement.map { number($0.share) } ?? ""),
            ("lost", agreement.map { String($0.counts.lost) } ?? ""),
            ("gained", agreement.map { String($0.counts.gained) } ?? ""),
        ]
        let text = evaluation.task == .regression ? exact : number
        let difference: [Cell] = [
            ("difference", shown.map { text($0.difference) } ?? ""),
            ("differenceLow", shown.map { text($0.low) } ?? ""),
            ("differenceHigh", shown.map { text($0.high) } ?? ""),
        ]
        let probability: Cell = (
            "probability", agreement.map { String(format: "%.6g", $0.probability) } ?? ""
        )
        let verdict: [Cell] = [
            ("defended", comparison?.isNonInferior ?? true ? "true" : "false"),
            ("picturesNeeded", comparison?.picturesNeeded.map(String.init) ?? ""),
            ("chosen", place == evaluation.chosen ? "true" : "false"),
        ]
        let isClassification = evaluation.task == .classification
        return model + quality(variant.quality) + times + (isClassification ? paired : []) + difference
            + (isClassification ? [probability] : []) + verdict
    }

    private static func quality(_ quality: Evaluation.Quality) -> [Cell] {
        switch quality {
        case .classification(let accuracy):
            [
                ("correct", String(accuracy.correct)), ("top1", number(accuracy.top1)),
                ("top1Low", number(accuracy.top1Interval.lowerBound)),
                ("top1High", number(accuracy.top1Interval.upperBound)), ("top5", number(accuracy.top5)),
            ]
        case .detection(let precision):
            [
                ("ap", number(precision.average)), ("ap50", number(precision.at50)), ("ap75", number(precision.at75)),
            ]
        case .regression(let errors):
            [
                ("mae", exact(errors.mae)), ("rmse", exact(errors.rmse)), ("r2", errors.r2.map(number) ?? ""),
            ]
        }
    }

    private static func number(_ value: Double) -> String { String(format: "%.6f", value) }

    /// The unit of labels may be of any size.
    private static func exact(_ value: Double) -> String { String(format: "%.9g", value) }
}
