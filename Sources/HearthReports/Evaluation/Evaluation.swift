/// How good, how large and how fast the variants of a model are, and which of them may be shipped.
package struct Evaluation: Sendable, Equatable {
    /// What a variant costs against the reference, on the same pictures.
    package struct Comparison: Sendable, Equatable {
        /// Share of pictures for which both name the same class first, right or wrong.
        package var agreement: Double
        /// On how many pictures one of them is right alone.
        package var counts: PairedCounts
        /// Accuracy of the variant less that of the reference.
        package var difference: Double
        /// Where the true difference lies.
        package var interval: ClosedRange<Double>
        /// McNemar's exact probability.
        package var probability: Double
        /// Whether the interval does not reach below the greatest drop that is accepted.
        package var isNonInferior: Bool
        /// Where it is not: about how many pictures would do; nil where the loss itself is too great.
        package var picturesNeeded: Int?
    }

    /// A model, and what came out.
    package struct Variant: Sendable, Equatable {
        /// What it is.
        package var model: EvaluationHeader.Model
        /// Pictures whose best class is right.
        package var correct: Int
        /// Pictures with the right class among the best five.
        package var correctInFive: Int
        /// Share of pictures whose best class is right.
        package var top1: Double
        /// Share of pictures with the right class among the best five.
        package var top5: Double
        /// Where the true share of right pictures lies (Wilson).
        package var top1Interval: ClosedRange<Double>
        /// Milliseconds of an inference: half of them take no longer.
        package var median: Double
        /// A tenth of them take no longer.
        package var p10: Double
        /// Nine tenths of them take no longer.
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

    /// In the order of the models.
    package let variants: [Variant]
    /// Which of them the others are compared with.
    package let reference: Int
    /// The smallest that is non-inferior; the reference itself always is.
    package let chosen: Int
    /// Pictures that were evaluated.
    package let pictures: Int
    /// The greatest loss of accuracy that is accepted.
    package let maxDrop: Double
    /// How sure the intervals are.
    package let confidence: ConfidenceLevel
    /// Pictures that could not be read.
    package let unreadable: [Unreadable]

    /// - Parameters:
    ///   - answers: of pictures under `header`, each once.
    ///   - reference: place of the model that the others are compared with; nil for the header's.
    /// - Returns: nil without a picture, or where there is no such model.
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
                // Of equal sizes the better one; of equals the reference.
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
        // The last digits of a limit that was searched for do not decide.
        let isNonInferior = interval.lowerBound >= -maxDrop - 1e-12
        return Comparison(
            agreement: Double(same) / Double(seen.count), counts: counts, difference: counts.difference,
            interval: interval, probability: counts.probability, isNonInferior: isNonInferior,
            picturesNeeded: isNonInferior ? nil : counts.picturesNeeded(drop: maxDrop, confidence))
    }
}
