internal import Foundation

/// How often an interval holds the true value, such as 0.95, and the quantile of the normal distribution that goes with it.
package struct ConfidenceLevel: Sendable, Equatable {
    /// Greater than 0, less than 1.
    package let level: Double
    /// A standard normal deviate lies within ± this with the probability `level`: 1.96 for 0.95.
    package let quantile: Double

    /// The usual level.
    package static let usual = ConfidenceLevel(checked: 0.95)

    /// nil for what is not between 0 and 1; levels beyond what Double tells from 1 are refused too.
    package init?(_ level: Double) {
        guard level > 0, level < 1 - 1e-12 else { return nil }
        self.init(checked: level)
    }

    private init(checked level: Double) {
        self.level = level
        // erfc falls, so halving finds where it is 1 - level; 2^-60 of the range is below the last digit.
        var (low, high) = (0.0, 10.0)
        for _ in 0..<64 {
            let middle = (low + high) / 2
            if erfc(middle / 2.0.squareRoot()) > 1 - level { low = middle } else { high = middle }
        }
        quantile = (low + high) / 2
    }

    /// The interval of Wilson for one proportion: "Probable inference, the law of succession, and statistical inference",
    /// Journal of the American Statistical Association 22 (1927) 209–212.
    /// - Parameters:
    ///   - successes: at most `trials`.
    ///   - trials: 0 gives 0 to 1.
    package func proportion(_ successes: Int, of trials: Int) -> ClosedRange<Double> {
        guard trials > 0, (0...trials).contains(successes) else { return 0...1 }
        let (n, square) = (Double(trials), quantile * quantile)
        let share = Double(successes) / n
        let centre = (share + square / (2 * n)) / (1 + square / n)
        let half = quantile * (share * (1 - share) / n + square / (4 * n * n)).squareRoot() / (1 + square / n)
        // Rounding must not leave a hair between the ends of the scale and an interval that begins there.
        let low = successes == 0 ? 0 : max(0, centre - half)
        let high = successes == trials ? 1 : min(1, centre + half)
        return low...high
    }
}
