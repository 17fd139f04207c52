internal import Foundation

/// An evaluation as CSV (RFC 4180): a header, then a line for each model. Shares are from 0 to 1.
package enum EvaluationCSV {
    private static let header = [
        "model", "sha256", "bytes", "downloadBytes", "pictures", "correct", "top1", "top1Low", "top1High", "top5",
        "msMedian", "msP10", "msP90", "agreement", "lost", "gained", "difference", "differenceLow", "differenceHigh",
        "probability", "defended", "picturesNeeded", "chosen",
    ]

    /// - Parameter evaluation: its models keep their order.
    package static func text(_ evaluation: Evaluation) -> String {
        let lines = evaluation.variants.enumerated().map { place, variant in
            let own: [String] = [
                StartupCSV.cell(variant.model.name), variant.model.sha256, String(variant.model.bytes),
                variant.model.downloadBytes.map(String.init) ?? "", String(evaluation.pictures),
                String(variant.correct), number(variant.top1), number(variant.top1Interval.lowerBound),
                number(variant.top1Interval.upperBound), number(variant.top5), number(variant.median),
                number(variant.p10), number(variant.p90),
            ]
            return (own + comparison(variant.comparison) + [place == evaluation.chosen ? "true" : "false"])
                .joined(separator: ",")
        }
        return ([header.joined(separator: ",")] + lines).joined(separator: "\r\n") + "\r\n"
    }

    private static func comparison(_ comparison: Evaluation.Comparison?) -> [String] {
        guard let comparison else { return [String](repeating: "", count: 7) + ["true", ""] }
        return [
            number(comparison.agreement), String(comparison.counts.lost), String(comparison.counts.gained),
            number(comparison.difference), number(comparison.interval.lowerBound),
            number(comparison.interval.upperBound), String(format: "%.6g", comparison.probability),
            comparison.isNonInferior ? "true" : "false", comparison.picturesNeeded.map(String.init) ?? "",
        ]
    }

    private static func number(_ value: Double) -> String { String(format: "%.6f", value) }
}
