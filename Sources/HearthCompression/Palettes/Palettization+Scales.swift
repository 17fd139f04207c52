internal import CHearthCompression

/// Palettes for weights whose channels differ in magnitude: an element is a level times the scale of its channel.
extension Palettization {
    private static let rounds = 4

    /// Palettes for the elements over the scales of their channels, and these scales.
    ///
    /// The error that is made least is the weight's own: an element counts as much as the square of its scale. Scales begin as
    /// the largest magnitude of each channel; then scales and levels are fitted to each other in turns, as long as that helps.
    func encodeScaled(
        _ elements: WeightElements, shape: [Int], axis: Int, isCancelled: () -> Bool
    ) throws -> PalettizedWeight {
        var plain = self
        plain.hasChannelScales = false
        let channels = ScaledChannels(elements, BlockLayout(shape, axis: axis, size: 1))
        var scales = channels.magnitudes
        var best: PalettizedWeight?
        for _ in 0..<Self.rounds {
            let (parts, importance) = channels.divided(by: scales)
            var weight = try plain.encode(
                parts, shape: shape, axis: axis, importance: importance, isCancelled: isCancelled)
            if isCancelled() { throw CancellationError() }
            let fit = channels.fit(weight, scales)
            weight.scales = (scales, channels.layout.blocks)
            weight.quality = fit.quality
            // Smaller steps are not worth another round.
            if let best, weight.quality.noise >= best.quality.noise * (1 - 1e-4) { break }
            best = weight
            scales = fit.scales
        }
        guard let best else { throw CancellationError() }
        return best
    }
}

/// A weight by its channels.
private struct ScaledChannels {
    let layout: BlockLayout
    private let values: [Float]
    private let isHalf: Bool

    init(_ elements: WeightElements, _ layout: BlockLayout) {
        self.layout = layout
        values = elements.floats([0..<elements.count])
        isHalf = if case .half = elements { true } else { false }
    }

    /// The largest magnitude of each channel: a channel of zeros stays zero, whatever its levels are.
    var magnitudes: [Float] {
        (0..<layout.count).map { channel in
            layout.runs(channel).reduce(Float(0)) { most, run in values[run].reduce(most) { max($0, abs($1)) } }
        }
    }

    /// Each element over its channel's scale, and how much its error counts.
    func divided(by scales: [Float]) -> (elements: WeightElements, importance: [Float]) {
        var (parts, importance) = (values, values)
        let most = max(scales.max() ?? 1, .leastNormalMagnitude)
        for (channel, scale) in scales.enumerated() {
            // Never nothing: levels are means, which something has to count in.
            let square = max(scale / most * (scale / most), 1e-12)
            for run in layout.runs(channel) {
                for place in run {
                    parts[place] = scale > 0 ? values[place] / scale : 0
                    importance[place] = square
                }
            }
        }
        return (isHalf ? WeightElements(halving: parts) : WeightElements(parts), importance)
    }

    /// The error with these scales, and the scales of least squared error for the levels.
    func fit(_ weight: PalettizedWeight, _ scales: [Float]) -> (quality: SignalRatio, scales: [Float]) {
        var quality = SignalRatio()
        var better = scales
        for (channel, scale) in scales.enumerated() {
            // Groups are of as many neighbouring channels each.
            let levels = weight.palettes[channel * weight.palettes.count / max(scales.count, 1)]
            let made = levels.map { rounded(Double($0) * Double(scale)) }
            var (product, square) = (0.0, 0.0)
            for run in layout.runs(channel) {
                for place in run {
                    let (value, code) = (Double(values[place]), Int(weight.codes[place]))
                    let (level, off) = (Double(levels[code]), value - Double(made[code]))
                    quality.signal += value * value
                    quality.noise += off * off
                    product += value * level
                    square += level * level
                }
            }
            let fitted = square > 0 ? rounded(product / square) : 0
            if fitted > 0 { better[channel] = fitted }
        }
        return (quality, better)
    }

    /// As a number of the weight's own type.
    private func rounded(_ value: Double) -> Float {
        isHalf ? hc_half_to_float(hc_half_from_double(value)) : Float(value)
    }
}
