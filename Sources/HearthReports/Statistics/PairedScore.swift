/// Tango's score statistic. Counts are real numbers, so that it can be evaluated for hypothetical samples.
struct PairedScore {
    let pictures: Double
    let lost: Double
    let gained: Double

    /// The score statistic for a true difference: decreases with `difference`, and is 0 at the measured one.
    func statistic(_ difference: Double) -> Double {
        let numerator = gained - lost - pictures * difference
        guard numerator != 0 else { return 0 }
        let variance = pictures * (2 * lostShare(difference) + difference * (1 - difference))
        guard variance > 0 else { return numerator > 0 ? .infinity : -.infinity }
        return numerator / variance.squareRoot()
    }

    /// The maximum likelihood estimate of the share of lost pictures given the true difference: the larger root of
    /// Tango's equation.
    private func lostShare(_ difference: Double) -> Double {
        let a = 2 * pictures
        let b = -(gained + lost) + (2 * pictures - gained + lost) * difference
        let c = -lost * difference * (1 - difference)
        let root = max(0, b * b - 4 * a * c).squareRoot()
        // The form of the root that avoids cancellation.
        let share = b > 0 ? (root + b > 0 ? -2 * c / (root + b) : 0) : (root - b) / (2 * a)
        return max(share, 0, -difference)
    }

    /// The difference at which the statistic is `quantile`.
    func lowerLimit(_ quantile: Double) -> Double {
        var (low, high) = (-1.0, (gained - lost) / pictures)
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if statistic(middle) > quantile { low = middle } else { high = middle }
        }
        return low + (high - low) / 2
    }

    /// The upper limit is the lower one with the roles exchanged.
    func upperLimit(_ quantile: Double) -> Double {
        -PairedScore(pictures: pictures, lost: gained, gained: lost).lowerLimit(quantile)
    }
}
