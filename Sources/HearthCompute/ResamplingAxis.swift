/// How the pixels along one axis of an image become pixels of another size: for each new pixel a run of old ones, and the
/// weight of each.
///
/// The filter is a triangle as wide as two new pixels where the image is made smaller, and as two old ones where it is
/// made larger; weights at the edge of the image are normalised, so that nothing darkens there. Old pixels outside the
/// region count where the filter reaches them, as long as the image has them.
package struct ResamplingAxis: Sendable, Equatable {
    /// Old pixels.
    package let count: Int
    /// New pixels.
    package var newCount: Int { firsts.count }
    /// The first old pixel of each run.
    package let firsts: [Int32]
    /// Where the weights of each run begin; one more at the end.
    package let starts: [Int32]
    /// The weights, run after run; those of a run add up to 1.
    package let weights: [Float]

    /// - Parameters:
    ///   - count: old pixels, at least 1.
    ///   - begin: where the region begins, in old pixels; 0 is the outer edge of the first.
    ///   - size: of the region, in old pixels, more than 0.
    ///   - newCount: new pixels, at least 1.
    package init(count: Int, from begin: Double, size: Double, to newCount: Int) {
        let scale = size / Double(newCount)
        let support = max(scale, 1)
        var firsts: [Int32] = []
        var starts: [Int32] = [0]
        var weights: [Float] = []
        firsts.reserveCapacity(newCount)
        for index in 0..<newCount {
            let center = begin + (Double(index) + 0.5) * scale
            // Pixels whose own centre the filter reaches. Rounding must not leave a run empty or outside.
            let first = min(max(Int((center - support + 0.5).rounded(.down)), 0), count - 1)
            let end = min(max(Int((center + support + 0.5).rounded(.down)), first + 1), count)
            let run = (first..<end).map { max(0, 1 - abs(Double($0) + 0.5 - center) / support) }
            let sum = run.reduce(0, +)
            firsts.append(Int32(first))
            weights += run.map { sum > 0 ? Float($0 / sum) : 1 / Float(run.count) }
            starts.append(Int32(weights.count))
        }
        (self.count, self.firsts, self.starts, self.weights) = (count, firsts, starts, weights)
    }
}
