/// Summary statistics of a set of values.
package struct Spread: Sendable, Equatable, Codable {
    /// The 50th percentile.
    package var median: Double
    /// The 90th percentile.
    package var p90: Double
    /// The minimum.
    package var min: Double
    /// The maximum.
    package var max: Double

    /// nil for no values.
    package init?(_ values: some Collection<Double>) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        median = Self.quantile(0.5, sorted)
        p90 = Self.quantile(0.9, sorted)
        min = first
        max = last
    }

    /// A quantile by definition 7 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996): linear
    /// interpolation.
    package static func quantile(_ fraction: Double, _ sorted: [Double]) -> Double {
        guard let last = sorted.indices.last else { return 0 }
        let place = fraction * Double(last)
        let below = Int(place)
        let above = Swift.min(below + 1, last)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    /// The median absolute deviation times 1.4826: a robust estimate of the standard deviation with a breakdown point
    /// of 50 % (Rousseeuw and Croux, "Alternatives to the median absolute deviation", 1993).
    package static func robustDeviation(_ values: [Double]) -> Double {
        let median = quantile(0.5, values.sorted())
        return 1.4826 * quantile(0.5, values.map { abs($0 - median) }.sorted())
    }
}
