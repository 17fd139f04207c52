/// Accuracy, size and speed of a model's variants, and which of them is accurate enough to ship.
package struct Evaluation: Sendable, Equatable {
    /// A variant compared with the reference on the same pictures.
    package struct Comparison: Sendable, Equatable {
        /// Share of pictures for which both predict the same class, right or wrong.
        package var agreement: Double
        /// Number of pictures on which only one of them is right.
        package var counts: PairedCounts
        /// Accuracy of the variant minus that of the reference.
        package var difference: Double
        /// Confidence interval of the difference.
        package var interval: ClosedRange<Double>
        /// p-value of McNemar's exact test.
        package var probability: Double
        /// Whether the interval's lower bound is within the maximum drop.
        package var isNonInferior: Bool
        /// If it is not, about how many pictures would show non-inferiority; nil if the measured loss itself is too
        /// large.
        package var picturesNeeded: Int?
    }

    /// A model and its results.
    package struct Variant: Sendable, Equatable {
        /// The model.
        package var model: EvaluationHeader.Model
        /// Number of pictures whose top-1 class is right.
        package var correct: Int
        /// Number of pictures with the right class in the top 5.
        package var correctInFive: Int
        /// Top-1 accuracy.
        package var top1: Double
        /// Top-5 accuracy.
        package var top5: Double
        /// Confidence interval of the top-1 accuracy (Wilson).
        package var top1Interval: ClosedRange<Double>
        /// Median inference time in milliseconds.
        package var median: Double
        /// 10th percentile of the inference time in milliseconds.
        package var p10: Double
        /// 90th percentile of the inference time in milliseconds.
        package var p90: Double
        /// nil for the reference.
        package var comparison: Comparison?
    }

    /// A picture that could not be read.
    package struct Unreadable: Sendable, Equatable {
        /// The file, as the list names it.
        package var picture: String
        /// Why.
        package var reason: String

        package init(picture: String, reason: String) {
            self.picture = picture
            self.reason = reason
        }
    }

    /// In the order of the header's models.
    package let variants: [Variant]
    /// Index of the variant that the others are compared with.
    package let reference: Int
    /// Index of the smallest non-inferior variant; the reference counts as non-inferior.
    package let chosen: Int
    /// Number of pictures evaluated.
    package let pictures: Int
    /// The maximum accepted drop in accuracy.
    package let maxDrop: Double
    /// Confidence level of the intervals.
    package let confidence: ConfidenceLevel
    /// Pictures that could not be read.
    package let unreadable: [Unreadable]

    /// - Parameters:
    ///   - answers: for pictures of the evaluation that `header` describes, each once.
    ///   - reference: index of the model that the others are compared with; nil for the header's.
    /// - Returns: nil if there are no pictures, or no such model.
    package init?(
        _ header: EvaluationHeader, _ answers: [PictureAnswers], reference: Int? = nil, maxDrop: Double,
        confidence: ConfidenceLevel = .usual
    ) {
        let reference = reference ?? header.reference
        let seen = answers.filter { $0.answers.count == header.models.count }
        guard !seen.isEmpty, header.models.indices.contains(reference) else { return nil }
        let variants = header.models.indices.map { place in
            var variant = Self.variant(header.models[place], place, seen, confidence)
            if place != reference {
                variant.comparison = Self.comparison(place, with: reference, seen, maxDrop, confidence)
            }
            return variant
        }
        self.variants = variants
        unreadable = answers.compactMap { answer in
            answer.unreadable.map { Unreadable(picture: answer.picture, reason: $0) }
        }
        (self.reference, self.maxDrop, self.confidence, pictures) = (reference, maxDrop, confidence, seen.count)
        let defended = variants.indices.filter { variants[$0].comparison?.isNonInferior ?? true }
        chosen =
            defended.min { first, second in
                let (a, b) = (variants[first], variants[second])
                // Among equal sizes the more accurate one; among equals the reference.
                return (a.model.bytes, -a.correct, first == reference ? 0 : 1, first)
                    < (b.model.bytes, -b.correct, second == reference ? 0 : 1, second)
            } ?? reference
    }

    private static func variant(
        _ model: EvaluationHeader.Model, _ place: Int, _ seen: [PictureAnswers], _ confidence: ConfidenceLevel
    ) -> Variant {
        let correct = seen.count { $0.answers[place].top.first == $0.label }
        let inFive = seen.count { $0.answers[place].top.contains($0.label) }
        let times = seen.map { $0.answers[place].ms }.sorted()
        return Variant(
            model: model, correct: correct, correctInFive: inFive, top1: Double(correct) / Double(seen.count),
            top5: Double(inFive) / Double(seen.count), top1Interval: confidence.proportion(correct, of: seen.count),
            median: Spread.quantile(0.5, times), p10: Spread.quantile(0.1, times), p90: Spread.quantile(0.9, times))
    }

    private static func comparison(
        _ place: Int, with reference: Int, _ seen: [PictureAnswers], _ maxDrop: Double, _ confidence: ConfidenceLevel
    ) -> Comparison {
        var (same, lost, gained) = (0, 0, 0)
        for picture in seen {
            let (own, other) = (picture.answers[place].top.first, picture.answers[reference].top.first)
            if own == other { same += 1 }
            if other == picture.label, own != picture.label { lost += 1 }
            if own == picture.label, other != picture.label { gained += 1 }
        }
        let counts = PairedCounts(pictures: seen.count, lost: lost, gained: gained)
        let interval = counts.interval(confidence)
        // Tolerance for the limit, which is found numerically.
        let isNonInferior = interval.lowerBound >= -maxDrop - 1e-12
        return Comparison(
            agreement: Double(same) / Double(seen.count), counts: counts, difference: counts.difference,
            interval: interval, probability: counts.probability, isNonInferior: isNonInferior,
            picturesNeeded: isNonInferior ? nil : counts.picturesNeeded(drop: maxDrop, confidence))
    }
}
