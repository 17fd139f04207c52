internal import Foundation

/// A confidence level, such as 0.95, and the corresponding two-sided quantile of the normal distribution.
package struct ConfidenceLevel: Sendable, Equatable {
    /// Between 0 and 1, exclusive.
    package let level: Double
    /// A standard normal variable is within ± this value with probability `level`: 1.96 for 0.95.
    package let quantile: Double

    /// The default level, 0.95.
    package static let usual = ConfidenceLevel(checked: 0.95)

    /// nil unless between 0 and 1; levels too close to 1 for Double are rejected too.
    package init?(_ level: Double) {
        guard level > 0, level < 1 - 1e-12 else { return nil }
        self.init(checked: level)
    }

    private init(checked level: Double) {
        self.level = level
        // Bisection, as erfc decreases: after 64 halvings the error is below the last digit.
        var (low, high) = (0.0, 10.0)
        for _ in 0..<64 {
            let middle = (low + high) / 2
            if erfc(middle / 2.0.squareRoot()) > 1 - level { low = middle } else { high = middle }
        }
        quantile = (low + high) / 2
    }

    /// The Wilson interval for a proportion: "Probable inference, the law of succession, and statistical inference",
    /// Journal of the American Statistical Association 22 (1927) 209–212.
    /// - Parameters:
    ///   - successes: at most `trials`.
    ///   - trials: 0 gives the interval from 0 to 1.
    package func proportion(_ successes: Int, of trials: Int) -> ClosedRange<Double> {
        guard trials > 0, (0...trials).contains(successes) else { return 0...1 }
        let (n, square) = (Double(trials), quantile * quantile)
        let share = Double(successes) / n
        let centre = (share + square / (2 * n)) / (1 + square / n)
        let half = quantile * (share * (1 - share) / n + square / (4 * n * n)).squareRoot() / (1 + square / n)
        // The bounds have to be exactly 0 and 1 here, despite rounding.
        let low = successes == 0 ? 0 : max(0, centre - half)
        let high = successes == trials ? 1 : min(1, centre + half)
        return low...high
    }
}
