internal import Foundation

/// A linear scale from zero, with ticks at round numbers.
package struct PlotScale {
    /// Values of the ticks, from zero to the first that is not below the largest value.
    package let ticks: [Double]
    /// In pixels.
    let length: Double

    /// - Parameter count: approximate number of steps.
    package init(largest: Double, length: Double, count: Int = 4) {
        let largest = largest.isFinite && largest > 0 ? largest : 1
        let rough = largest / Double(max(1, count))
        let magnitude = pow(10, floor(log10(rough)))
        let step = ([1, 2, 2.5, 5, 10].first { $0 * magnitude >= rough } ?? 10) * magnitude
        let steps = max(1, Int((largest / step).rounded(.up)))
        ticks = (0...steps).map { Double($0) * step }
        self.length = length
    }

    var top: Double { ticks.last ?? 1 }

    /// Distance from zero in pixels.
    func position(_ value: Double) -> Double { min(max(0, value / top), 1) * length }

    /// A tick's label, with as many decimals as the step needs.
    package func label(_ tick: Double) -> String {
        let inSeconds = top >= 1000
        let value = inSeconds ? tick / 1000 : tick
        let step = (ticks.count > 1 ? ticks[1] : 1) / (inSeconds ? 1000 : 1)
        let decimals = step >= 1 && step == step.rounded() ? 0 : step * 10 == (step * 10).rounded() ? 1 : 2
        return String(format: "%.\(decimals)f", value) + (inSeconds ? " s" : " ms")
    }
}
