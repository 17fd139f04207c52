/// Resampling of an image along one axis: for each new pixel, a run of original pixels with their weights.
///
/// The filter is a triangle of two new pixels' width for downscaling, and of two original pixels' width for upscaling. Weights
/// at the image's edge are normalised, so that it does not get darker. Original pixels outside the region are used if the
/// filter reaches them and they exist.
package struct ResamplingAxis: Sendable, Equatable {
    /// Number of original pixels.
    package let count: Int
    /// Number of new pixels.
    package var newCount: Int { firsts.count }
    /// The first original pixel of each run.
    package let firsts: [Int32]
    /// Index of the first weight of each run, and the total number of weights at the end.
    package let starts: [Int32]
    /// The weights of all runs, concatenated; those of a run add up to 1.
    package let weights: [Float]

    /// - Parameters:
    ///   - count: number of original pixels, at least 1.
    ///   - begin: start of the region in original pixels; 0 is the outer edge of the first.
    ///   - size: size of the region in original pixels, more than 0.
    ///   - newCount: number of new pixels, at least 1.
    package init(count: Int, from begin: Double, size: Double, to newCount: Int) {
        let scale = size / Double(newCount)
        let support = max(scale, 1)
        var firsts: [Int32] = []
        var starts: [Int32] = [0]
        var weights: [Float] = []
        firsts.reserveCapacity(newCount)
        for index in 0..<newCount {
            let center = begin + (Double(index) + 0.5) * scale
            // Pixels whose centre is within the filter. Rounding must not make a run empty or exceed the image.
            let first = min(max(Int((center - support + 0.5).rounded(.down)), 0), count - 1)
            let end = min(max(Int((center + support + 0.5).rounded(.down)), first + 1), count)
            let run = (first..<end).map { (pixel: Int) -> Double in
                let distance = abs(Double(pixel) + 0.5 - center)
                return max(0, 1 - distance / support)
            }
            let sum: Double = run.reduce(0, +)
            firsts.append(Int32(first))
            weights += run.map { sum > 0 ? Float($0 / sum) : 1 / Float(run.count) }
            starts.append(Int32(weights.count))
        }
        (self.count, self.firsts, self.starts, self.weights) = (count, firsts, starts, weights)
    }
}
