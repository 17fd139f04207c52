/// The rule for when a shift of medians is more than noise.
///
/// All of these must hold; they were fixed before any data was seen:
/// 1. Each side has at least three values.
/// 2. The median rose by at least 10 %, and by at least `smallestShift`, below which a user would not notice.
/// 3. If the counts allow it (four and five values, or more), the one-sided rank-sum test (`RankTest`) gives p ≤ 0.01:
///    at most one false alarm in a hundred comparisons of equal starts. With fewer values the test cannot reach that
///    p-value; then the shift has to be unmistakable: every value above every earlier one, the median higher by half,
///    and by five robust standard deviations of either side.
package struct ShiftRule {
    static let smallestCount = 3
    static let smallestRatio = 1.1
    static let highestProbability = 0.01

    /// In the unit of the values.
    var smallestShift: Double

    package init(smallestShift: Double) {
        self.smallestShift = smallestShift
    }

    /// A significant shift.
    package struct Shift: Equatable {
        var before: Double
        var after: Double
        var probability: Double
    }

    /// The shift from the first values to the second; nil if it may be noise.
    package func shift(from before: [Double], to after: [Double]) -> Shift? {
        guard min(before.count, after.count) >= Self.smallestCount, let old = Spread(before), let new = Spread(after),
            new.median >= old.median * Self.smallestRatio, new.median - old.median >= smallestShift
        else { return nil }
        let probability = RankTest.probability(of: after, above: before)
        if Self.canDecide(before.count, after.count) {
            guard probability <= Self.highestProbability else { return nil }
        } else {
            let noise = max(Spread.robustDeviation(before), Spread.robustDeviation(after))
            guard new.min > old.max, new.median >= old.median * 1.5, new.median - old.median >= 5 * noise else {
                return nil
            }
        }
        return Shift(before: old.median, after: new.median, probability: probability)
    }

    /// Whether the test's smallest possible p-value, one over the number of assignments, is low enough.
    private static func canDecide(_ first: Int, _ second: Int) -> Bool {
        var choices = 1.0
        for step in 1...min(first, second) {
            choices *= Double(first + second - step + 1) / Double(step)
            if choices >= 1 / highestProbability { return true }
        }
        return false
    }
}
