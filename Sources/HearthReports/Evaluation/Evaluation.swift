/// Accuracy, size and speed of a model's variants, and which of them is accurate enough to ship.
package struct Evaluation: Sendable, Equatable {
    /// Classes that a variant and the reference predict for the same pictures.
    package struct Agreement: Sendable, Equatable {
        /// Share of pictures for which both predict the same class, right or wrong.
        package var share: Double
        /// Number of pictures on which only one of them is right.
        package var counts: PairedCounts
        /// p-value of McNemar's exact test.
        package var probability: Double
    }

    /// A variant compared with the reference on the same pictures.
    package struct Comparison: Sendable, Equatable {
        /// nil unless they are classifiers.
        package var agreement: Agreement?
        /// Score of the variant minus that of the reference: below 0 if the variant is worse.
        package var difference: Double
        /// Confidence interval of the difference.
        package var interval: ClosedRange<Double>
        /// Whether the interval's lower bound is within the maximum drop.
        package var isNonInferior: Bool
        /// If it is not, about how many pictures would show non-inferiority; nil if the measured loss itself is too
        /// large.
        package var picturesNeeded: Int?
    }

    /// The predictions of a classifier, counted.
    package struct Accuracy: Sendable, Equatable {
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
    }

    /// How well a model does what it is for.
    package enum Quality: Sendable, Equatable {
        case classification(Accuracy)
        case detection(AveragePrecision)
        case regression(RegressionErrors)

        /// What models are compared by; more is better.
        package var score: Double {
            switch self {
            case .classification(let accuracy): accuracy.top1
            case .detection(let precision): precision.average
            case .regression(let errors): 0 - errors.mae
            }
        }
    }

    /// A model and its results.
    package struct Variant: Sendable, Equatable {
        /// The model.
        package var model: EvaluationHeader.Model
        package var quality: Quality
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

    /// What the models are for.
    package let task: EvaluationTask
    /// The names of a detector's classes, or of a regressor's numbers.
    package let names: [String]
    /// In the order of the header's models.
    package let variants: [Variant]
    /// Index of the variant that the others are compared with.
    package let reference: Int
    /// Index of the smallest non-inferior variant; the reference counts as non-inferior.
    package let chosen: Int
    /// Number of pictures evaluated.
    package let pictures: Int
    /// The maximum accepted drop in accuracy or precision, or rise of the mean absolute error.
    package let maxDrop: Double
    /// Confidence level of the intervals.
    package let confidence: ConfidenceLevel
    /// Pictures that could not be read.
    package let unreadable: [Unreadable]

    /// - Parameters:
    ///   - answers: for pictures of the evaluation that `header` describes, each once.
    ///   - reference: index of the model that the others are compared with; nil for the header's.
    /// - Returns: nil if there are no pictures, no such model, or no labelled box in any picture.
    package init?(
        _ header: EvaluationHeader, _ answers: [PictureAnswers], reference: Int? = nil, maxDrop: Double,
        confidence: ConfidenceLevel = .usual
    ) {
        let reference = reference ?? header.reference
        let seen = answers.filter { $0.answers.count == header.models.count }
        guard !seen.isEmpty, header.models.indices.contains(reference) else { return nil }
        let models = header.models.indices
        let measured: (qualities: [Quality], comparisons: [Comparison])?
        switch header.task ?? .classification {
        case .classification:
            measured = (
                models.map { .classification(Self.accuracy($0, seen, confidence)) },
                models.map { Self.comparison($0, with: reference, seen, maxDrop, confidence) }
            )
        case .detection:
            measured = Self.detection(header, seen, reference, maxDrop, confidence)
        case .regression:
            measured = Self.regression(header, seen, reference, maxDrop, confidence)
        }
        guard let measured else { return nil }
        let variants = models.map { place in
            let times = seen.map { $0.answers[place].ms }.sorted()
            return Variant(
                model: header.models[place], quality: measured.qualities[place],
                median: Spread.quantile(0.5, times), p10: Spread.quantile(0.1, times),
                p90: Spread.quantile(0.9, times),
                comparison: place == reference ? nil : measured.comparisons[place])
        }
        self.variants = variants
        unreadable = answers.compactMap { answer in
            answer.unreadable.map { Unreadable(picture: answer.picture, reason: $0) }
        }
        (task, names) = (header.task ?? .classification, header.names ?? [])
        (self.reference, self.maxDrop, self.confidence, pictures) = (reference, maxDrop, confidence, seen.count)
        let defended = variants.indices.filter { variants[$0].comparison?.isNonInferior ?? true }
        chosen =
            defended.min { first, second in
                let (a, b) = (variants[first], variants[second])
                // Among equal sizes the more accurate one; among equals the reference.
                return (a.model.bytes, -a.quality.score, first == reference ? 0 : 1, first)
                    < (b.model.bytes, -b.quality.score, second == reference ? 0 : 1, second)
            } ?? reference
    }

    /// A comparison in the direction of its metric: of errors, more is worse.
    package func shown(_ comparison: Comparison) -> (difference: Double, low: Double, high: Double) {
        let interval = comparison.interval
        return task == .regression
            ? (0 - comparison.difference, 0 - interval.upperBound, 0 - interval.lowerBound)
            : (comparison.difference, interval.lowerBound, interval.upperBound)
    }

    /// Tolerance for the limit, which is found numerically.
    private static func isNonInferior(_ interval: ClosedRange<Double>, _ maxDrop: Double) -> Bool {
        interval.lowerBound >= -maxDrop - 1e-12
    }
}

// MARK: - Classifiers

extension Evaluation {
    private static func accuracy(
        _ place: Int, _ seen: [PictureAnswers], _ confidence: ConfidenceLevel
    ) -> Accuracy {
        let correct = seen.count { $0.answers[place].top?.first == $0.label }
        let inFive = seen.count { picture in picture.label.map { picture.answers[place].top?.contains($0) } == true }
        return Accuracy(
            correct: correct, correctInFive: inFive, top1: Double(correct) / Double(seen.count),
            top5: Double(inFive) / Double(seen.count), top1Interval: confidence.proportion(correct, of: seen.count))
    }

    private static func comparison(
        _ place: Int, with reference: Int, _ seen: [PictureAnswers], _ maxDrop: Double, _ confidence: ConfidenceLevel
    ) -> Comparison {
        var (same, lost, gained) = (0, 0, 0)
        for picture in seen {
            let (own, other) = (picture.answers[place].top?.first, picture.answers[reference].top?.first)
            if own == other { same += 1 }
            if other == picture.label, own != picture.label { lost += 1 }
            if own == picture.label, other != picture.label { gained += 1 }
        }
        let counts = PairedCounts(pictures: seen.count, lost: lost, gained: gained)
        let interval = counts.interval(confidence)
        let isNonInferior = isNonInferior(interval, maxDrop)
        return Comparison(
            agreement: Agreement(
                share: Double(same) / Double(seen.count), counts: counts, probability: counts.probability),
            difference: counts.difference, interval: interval, isNonInferior: isNonInferior,
            picturesNeeded: isNonInferior ? nil : counts.picturesNeeded(drop: maxDrop, confidence))
    }
}

// MARK: - Detectors and regressors

extension Evaluation {
    private static func detection(
        _ header: EvaluationHeader, _ seen: [PictureAnswers], _ reference: Int, _ maxDrop: Double,
        _ confidence: ConfidenceLevel
    ) -> (qualities: [Quality], comparisons: [Comparison])? {
        let matches = header.models.indices.map { place in
            DetectionMatches(seen.map { ($0.boxes ?? [], $0.answers[place].boxes ?? []) }, classes: header.classes)
        }
        let qualities = matches.compactMap { $0.precision().map(Quality.detection) }
        guard qualities.count == matches.count else { return nil }
        let intervals = PairedBootstrap.intervals(
            pictures: seen.count, models: matches.count, reference: reference, confidence
        ) { matches[$0].precision(weights: $1)?.average }
        return (qualities, comparisons(qualities, intervals, reference, seen.count, maxDrop))
    }

    private static func regression(
        _ header: EvaluationHeader, _ seen: [PictureAnswers], _ reference: Int, _ maxDrop: Double,
        _ confidence: ConfidenceLevel
    ) -> (qualities: [Quality], comparisons: [Comparison]) {
        let labels = seen.map { $0.values ?? [] }
        let answers = header.models.indices.map { place in seen.map { $0.answers[place].values ?? [] } }
        let errors = answers.map { values in
            zip(labels, values).map { label, value in RegressionErrors.mean(zip(label, value).map { abs($1 - $0) }) }
        }
        let qualities = answers.map { Quality.regression(RegressionErrors(labels: labels, answers: $0)) }
        let intervals = PairedBootstrap.intervals(
            pictures: seen.count, models: answers.count, reference: reference, confidence
        ) { place, weights in
            -zip(errors[place], weights).reduce(0) { $0 + $1.0 * Double($1.1) } / Double(seen.count)
        }
        return (qualities, comparisons(qualities, intervals, reference, seen.count, maxDrop))
    }

    private static func comparisons(
        _ qualities: [Quality], _ intervals: [ClosedRange<Double>], _ reference: Int, _ pictures: Int,
        _ maxDrop: Double
    ) -> [Comparison] {
        zip(qualities, intervals).map { quality, interval in
            let difference = quality.score - qualities[reference].score
            let isNonInferior =
                pictures >= PairedBootstrap.leastPictures && isNonInferior(interval, maxDrop)
            return Comparison(
                difference: difference, interval: interval, isNonInferior: isNonInferior,
                picturesNeeded: isNonInferior
                    ? nil : PairedBootstrap.picturesNeeded(difference, interval, pictures, drop: maxDrop))
        }
    }
}
