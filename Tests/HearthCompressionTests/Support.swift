import Foundation
import HearthCompression
import HearthSystem
import HearthTestSupport
import Testing

enum Fixture {
    static func digits(_ name: String) -> String { TestFixtures.url("coreml/digits/\(name).mlpackage").path }
    static func ops(_ name: String) -> String { TestFixtures.url("coreml/ops/\(name).mlpackage").path }
}

extension WeightElements {
    /// Halves of values that are numbers of half precision.
    static func halves(_ values: [Float]) -> WeightElements { .half(FlatArray(values.map { Half.bits($0) })) }
}

extension CompressionReport {
    /// The weights that stay because the form would not make them smaller.
    var unchangedBySize: [String] { skipped.filter { $0.reason == "it would not be smaller in this form" }.map(\.name) }
}

/// Half precision written down a second time, by search in a table of all numbers.
enum Half {
    static let table: [(value: Float, bits: UInt16)] = (0..<UInt16(0x7c00)).map { bits in
        let (exponent, fraction) = (Int(bits >> 10), Float(bits & 0x3ff))
        let value =
            exponent == 0
            ? fraction * 0x1p-24 : (1 + fraction / 1024) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
        return (value, bits)
    }

    /// The nearest number's bits; ties to the even one.
    static func bits(_ value: Float) -> UInt16 {
        let magnitude = abs(value)
        var (low, high) = (0, table.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if table[middle].value < magnitude { low = middle + 1 } else { high = middle }
        }
        var best = table[low]
        if low > 0 {
            let below = table[low - 1]
            let (up, down) = (Double(best.value) - Double(magnitude), Double(magnitude) - Double(below.value))
            if down < up || down == up && below.bits & 1 == 0 { best = below }
        }
        return best.bits | (value.sign == .minus ? 0x8000 : 0)
    }

    static func rounded(_ value: Float) -> Float {
        let bits = bits(value)
        let magnitude = table[Int(bits & 0x7fff)].value
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}

/// The squared error of values at their nearest levels.
func squaredError(_ values: [Float], _ levels: [Float], _ weights: [Float]? = nil) -> Double {
    values.enumerated().reduce(0) { sum, item in
        let least = levels.map { pow(Double(item.element) - Double($0), 2) }.min() ?? .infinity
        return sum + least * Double(weights?[item.offset] ?? 1)
    }
}

extension SeededNumbers {
    init(_ seed: UInt64) { self.init(seed: seed) }

    /// A normal deviate by Box and Muller.
    mutating func normal() -> Double {
        let radius = (-2 * log(Double.random(in: Double.leastNormalMagnitude..<1, using: &self))).squareRoot()
        return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
    }
}
