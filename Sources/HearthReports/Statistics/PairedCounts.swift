internal import Foundation

/// How often two classifiers were right on the same pictures: sufficient for comparing their accuracies.
package struct PairedCounts: Sendable, Equatable {
    /// Number of pictures that both classified.
    package var pictures: Int
    /// Number of pictures on which the reference was right and the variant wrong.
    package var lost: Int
    /// Number of pictures on which the variant was right and the reference wrong.
    package var gained: Int

    package init(pictures: Int, lost: Int, gained: Int) {
        (self.pictures, self.lost, self.gained) = (pictures, lost, gained)
    }

    /// Accuracy of the variant minus that of the reference, −1 to 1; 0 without pictures.
    package var difference: Double { pictures > 0 ? Double(gained - lost) / Double(pictures) : 0 }

    /// The score interval of the difference of two paired proportions: all differences that the score test does not reject.
    ///
    /// T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
    /// design", Statistics in Medicine 17 (1998) 891–908. It keeps its level with few pictures, and if the two never
    /// differ, where Wald's interval has zero width.
    package func interval(_ confidence: ConfidenceLevel) -> ClosedRange<Double> {
        guard pictures > 0 else { return -1...1 }
        let score = PairedScore(pictures: Double(pictures), lost: Double(lost), gained: Double(gained))
        return score.lowerLimit(confidence.quantile)...score.upperLimit(confidence.quantile)
    }

    /// The probability of at least this imbalance between lost and gained pictures if both models are equally accurate:
    /// McNemar's exact two-sided test (1947), a binomial test on the pictures for which they differ.
    package var probability: Double {
        let (total, least) = (lost + gained, min(lost, gained))
        guard total > 0 else { return 1 }
        // In logarithms: 2^-n underflows Double for many pictures.
        var term = -Double(total) * log(2)
        var terms = [term]
        for k in stride(from: 1, through: least, by: 1) {
            term += log(Double(total - k + 1) / Double(k))
            terms.append(term)
        }
        guard let greatest = terms.max() else { return 1 }
        return min(1, 2 * exp(greatest) * terms.reduce(0) { $0 + exp($1 - greatest) })
    }

    /// About how many pictures would put the lower limit at `-drop`, if the two kept differing at the same rate.
    /// - Returns: nil if no number would, because the measured loss is at least `drop`, or if it is above 10⁹.
    package func picturesNeeded(drop: Double, _ confidence: ConfidenceLevel) -> Int? {
        guard pictures > 0, difference > -drop else { return nil }
        let share = (lost: Double(lost) / Double(pictures), gained: Double(gained) / Double(pictures))
        func isEnough(_ count: Double) -> Bool {
            let score = PairedScore(pictures: count, lost: share.lost * count, gained: share.gained * count)
            return score.lowerLimit(confidence.quantile) >= -drop
        }
        var (low, high) = (0.0, 1.0)
        while !isEnough(high) {
            (low, high) = (high, high * 2)
            if high > 1e9 { return nil }
        }
        while high - low > max(0.5, high * 1e-4) {
            let middle = (low + high) / 2
            if isEnough(middle) { high = middle } else { low = middle }
        }
        return Int(high.rounded(.up))
    }
}
