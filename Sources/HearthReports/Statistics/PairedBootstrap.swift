internal import HearthSystem

/// Percentile intervals of differences between models, by resampling pictures with replacement: each resample is the same
/// for all models. B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), chapter 13.
///
/// The seed is fixed: the same answers give the same interval.
package enum PairedBootstrap {
    /// Number of resamples.
    static let resamples = 2000
    /// With fewer pictures, resamples are too much alike to tell what others would show.
    package static let leastPictures = 30
    /// The highest level of confidence: 10 resamples remain beyond each end of the interval.
    package static let greatestLevel = 0.99
    private static let seed: UInt64 = 1

    /// The interval of each model's score minus that of the reference, 0 wide for the reference itself.
    /// - Parameters:
    ///   - pictures: at least 1.
    ///   - score: the score of a model on a resample, in which each picture has a weight; nil if it has none.
    package static func intervals(
        pictures: Int, models: Int, reference: Int, _ confidence: ConfidenceLevel,
        score: (_ model: Int, _ weights: [Int]) -> Double?
    ) -> [ClosedRange<Double>] {
        var random = SplitMix64(seed: seed)
        var differences = [[Double]](repeating: [], count: models)
        for _ in 0..<resamples {
            var weights = [Int](repeating: 0, count: pictures)
            for _ in 0..<pictures {
                weights[Int(random.next().multipliedFullWidth(by: UInt64(pictures)).high)] += 1
            }
            guard let base = score(reference, weights) else { continue }
            for model in 0..<models where model != reference {
                if let own = score(model, weights) { differences[model].append(own - base) }
            }
        }
        let tail = (1 - confidence.level) / 2
        return differences.map { values in
            let sorted = values.sorted()
            return Spread.quantile(tail, sorted)...Spread.quantile(1 - tail, sorted)
        }
    }

    /// About how many pictures would put the lower limit at `-drop`: the interval shrinks with the root of their number.
    /// - Returns: nil if no number would, because the measured loss is at least `drop`, or if it is above 10⁹.
    static func picturesNeeded(
        _ difference: Double, _ interval: ClosedRange<Double>, _ pictures: Int, drop: Double
    ) -> Int? {
        guard difference > -drop else { return nil }
        let excess = max(0, difference - interval.lowerBound) / (difference + drop)
        let count = Double(pictures) * excess * excess
        return count > 1e9 ? nil : max(leastPictures, Int(count.rounded(.up)))
    }
}
