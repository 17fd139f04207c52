import HearthReports

/// An evaluation in the format of `--json`. Shares are from 0 to 1, differences from −1 to 1.
struct EvaluationJSON: Encodable {
    struct Variant: Encodable {
        var model: String
        var sha256: String
        var bytes: Int
        @ExplicitNull var downloadBytes: Int?
        var correct: Int
        var correctInFive: Int
        var top1: Double
        var top5: Double
        var top1Interval: [Double]
        var msMedian: Double
        var msP10: Double
        var msP90: Double
        var isReference: Bool
        var defended: Bool
        /// The following fields compare with the reference, and are null for the reference itself.
        @ExplicitNull var agreement: Double?
        @ExplicitNull var lost: Int?
        @ExplicitNull var gained: Int?
        @ExplicitNull var difference: Double?
        @ExplicitNull var interval: [Double]?
        @ExplicitNull var probability: Double?
        @ExplicitNull var picturesNeeded: Int?
    }

    struct Unreadable: Encodable {
        var picture: String
        var reason: String
    }

    var variants: [Variant]
    var chosen: String
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
        variants = evaluation.variants.map(Variant.init)
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

extension EvaluationJSON.Variant {
    init(_ variant: Evaluation.Variant) {
        let (model, comparison) = (variant.model, variant.comparison)
        self.init(
            model: model.name, sha256: model.sha256, bytes: model.bytes, downloadBytes: model.downloadBytes,
            correct: variant.correct, correctInFive: variant.correctInFive, top1: variant.top1, top5: variant.top5,
            top1Interval: [variant.top1Interval.lowerBound, variant.top1Interval.upperBound],
            msMedian: variant.median, msP10: variant.p10, msP90: variant.p90, isReference: comparison == nil,
            defended: comparison?.isNonInferior ?? true, agreement: comparison?.agreement,
            lost: comparison?.counts.lost,
            gained: comparison?.counts.gained, difference: comparison?.difference,
            interval: comparison.map { [$0.interval.lowerBound, $0.interval.upperBound] },
            probability: comparison?.probability, picturesNeeded: comparison?.picturesNeeded)
    }
}
