import HearthReports

/// An evaluation in the format of `--json`. Shares are from 0 to 1, differences of shares from −1 to 1.
struct EvaluationJSON: Encodable {
    /// A model, the figures of its task, and the comparison with the reference.
    struct Variant: Encodable {
        struct Common: Encodable {
            var model: String
            var sha256: String
            var bytes: Int
            @ExplicitNull var downloadBytes: Int?
            var msMedian: Double
            var msP10: Double
            var msP90: Double
            var isReference: Bool
            var defended: Bool
            /// The following fields compare with the reference, and are null for the reference itself.
            @ExplicitNull var difference: Double?
            @ExplicitNull var interval: [Double]?
            @ExplicitNull var picturesNeeded: Int?
        }

        struct Classification: Encodable {
            var correct: Int
            var correctInFive: Int
            var top1: Double
            var top5: Double
            var top1Interval: [Double]
            /// The following fields are null for the reference.
            @ExplicitNull var agreement: Double?
            @ExplicitNull var lost: Int?
            @ExplicitNull var gained: Int?
            @ExplicitNull var probability: Double?
        }

        struct Detection: Encodable {
            struct Class: Encodable {
                var name: String
                /// null without labelled boxes.
                @ExplicitNull var ap: Double?
            }

            var ap: Double
            var ap50: Double
            var ap75: Double
            var classes: [Class]
        }

        struct Regression: Encodable {
            struct Column: Encodable {
                var name: String
                var mae: Double
                var rmse: Double
                @ExplicitNull var r2: Double?
            }

            var mae: Double
            var rmse: Double
            /// null if all labels are equal.
            @ExplicitNull var r2: Double?
            var columns: [Column]
        }

        var common: Common
        /// One of the three structures above.
        var quality: any Encodable

        func encode(to encoder: any Encoder) throws {
            try common.encode(to: encoder)
            try quality.encode(to: encoder)
        }
    }

    struct Unreadable: Encodable {
        var picture: String
        var reason: String
    }

    var task: EvaluationTask
    var variants: [Variant]
    /// null if a part has nothing to report.
    @ExplicitNull var chosen: String?
    var reason: String
    var reference: String
    var maxDrop: Double
    var confidence: Double
    var pictures: Int
    var unreadable: [Unreadable]
    @ExplicitNull var shard: String?
    var missingPictures: Int
    var missingShards: [String]

    init(_ evaluation: Evaluation, shard: EvaluationShard?, missing: EvaluationResults.Merged?) {
        task = evaluation.task
        variants = evaluation.variants.map { Variant($0, in: evaluation) }
        chosen = evaluation.variants[evaluation.chosen].model.name
        reason = EvaluationWords(evaluation).reason
        reference = evaluation.variants[evaluation.reference].model.name
        maxDrop = evaluation.maxDrop
        confidence = evaluation.confidence.level
        pictures = evaluation.pictures
        unreadable = evaluation.unreadable.map { Unreadable(picture: $0.picture, reason: $0.reason) }
        self.shard = shard?.description
        missingPictures = missing?.missing ?? 0
        missingShards = missing?.missingShards.map(\.description) ?? []
    }
}

extension EvaluationJSON {
    /// A part that has nothing to report, for the reason given: without variants.
    init(
        nothing reason: String, _ header: EvaluationHeader, _ answers: [PictureAnswers], reference: Int?,
        maxDrop: Double, confidence: Double, shard: EvaluationShard
    ) {
        task = header.task ?? .classification
        variants = []
        chosen = nil
        self.reason = reason
        self.reference = header.models[reference ?? header.reference].name
        (self.maxDrop, self.confidence) = (maxDrop, confidence)
        pictures = answers.count { $0.unreadable == nil }
        unreadable = answers.compactMap { answer in
            answer.unreadable.map { Unreadable(picture: answer.picture, reason: $0) }
        }
        self.shard = shard.description
        (missingPictures, missingShards) = (0, [])
    }
}

extension EvaluationJSON.Variant {
    init(_ variant: Evaluation.Variant, in evaluation: Evaluation) {
        let (model, comparison) = (variant.model, variant.comparison)
        let shown = comparison.map(evaluation.shown)
        common = Common(
            model: model.name, sha256: model.sha256, bytes: model.bytes, downloadBytes: model.downloadBytes,
            msMedian: variant.median, msP10: variant.p10, msP90: variant.p90, isReference: comparison == nil,
            defended: comparison?.isNonInferior ?? true, difference: shown?.difference,
            interval: shown.map { [$0.low, $0.high] }, picturesNeeded: comparison?.picturesNeeded)
        switch variant.quality {
        case .classification(let accuracy):
            let agreement = comparison?.agreement
            quality = Classification(
                correct: accuracy.correct, correctInFive: accuracy.correctInFive, top1: accuracy.top1,
                top5: accuracy.top5,
                top1Interval: [accuracy.top1Interval.lowerBound, accuracy.top1Interval.upperBound],
                agreement: agreement?.share, lost: agreement?.counts.lost, gained: agreement?.counts.gained,
                probability: agreement?.probability)
        case .detection(let precision):
            quality = Detection(
                ap: precision.average, ap50: precision.at50, ap75: precision.at75,
                classes: zip(evaluation.names, precision.classes).map { Detection.Class(name: $0, ap: $1) })
        case .regression(let errors):
            quality = Regression(
                mae: errors.mae, rmse: errors.rmse, r2: errors.r2,
                columns: zip(evaluation.names, errors.columns).map {
                    Regression.Column(name: $0, mae: $1.mae, rmse: $1.rmse, r2: $1.r2)
                })
        }
    }
}
