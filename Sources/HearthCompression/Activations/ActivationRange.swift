internal import CHearthCompression

/// The least and the largest value of an activation, and the integers that stand for it.
package struct ActivationRange: Sendable, Equatable {
    package private(set) var least: Float
    package private(set) var most: Float

    package init(least: Float, most: Float) { (self.least, self.most) = (least, most) }

    /// Widens the range to contain these numbers.
    package mutating func add(_ values: [Float]) {
        guard !values.isEmpty else { return }
        var (low, high) = (Float(0), Float(0))
        hc_range(values, values.count, &low, &high)
        (least, most) = (min(least, low), max(most, high))
    }

    /// value = scale · (code − zero point), with codes of −128 to 127.
    struct Code: Equatable {
        var scale: Float
        var zeroPoint: Int8
    }

    /// The codes over the range, widened to contain 0, so that 0 stays 0: paddings are zeros, and so is much behind a ReLU.
    /// - Parameter isHalf: whether the scale is a number of half precision.
    func code(isHalf: Bool) -> Code {
        let (low, high) = (Double(min(least, 0)), Double(max(most, 0)))
        guard high > low else { return Code(scale: 1, zeroPoint: 0) }
        let exact = (high - low) / 255
        // Devices divide by the scale, or multiply by its inverse: a subnormal number has none in half precision, and one beyond
        // its range is infinite.
        let scale =
            isHalf
            ? hc_half_to_float(hc_half_from_double(min(max(exact, 0x1p-14), 65504)))
            : max(Float(exact), .leastNormalMagnitude)
        let zero = (-128 - low / Double(scale)).rounded(.toNearestOrEven)
        return Code(scale: scale, zeroPoint: Int8(min(max(zero, -128), 127)))
    }
}
