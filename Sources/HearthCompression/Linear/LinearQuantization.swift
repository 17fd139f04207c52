internal import CHearthCompression
internal import Foundation

/// A weight as integers with a scale: value = scale · (code − zero point).
///
/// Symmetric codes run from −127 to 127 (−7 to 7), the zero point is 0, and the scale is the largest magnitude over
/// 127. Asymmetric ones run from 0 to 255 (0 to 15) over the range of the values, widened to contain 0, so that a
/// weight of 0 stays 0. Scales are rounded to the weight's own type before codes are chosen.
public struct LinearQuantization: Sendable, Equatable {
    /// What shares a scale.
    package enum Granularity: Sendable, Equatable {
        /// The whole weight.
        case tensor
        /// Each output channel.
        case channel
        /// This many input channels of an output channel.
        case block(Int)
    }

    /// Bits of a code, 8 or 4.
    package var bits: Int
    /// What shares a scale.
    package var granularity: Granularity
    /// Whether codes have a zero point of their own.
    package var isAsymmetric: Bool
    /// Whether the scale of least squared error is searched for, instead of taking the one that reaches the largest value.
    package var searchesScale: Bool

    package init(
        bits: Int = 8, granularity: Granularity = .channel, isAsymmetric: Bool = false, searchesScale: Bool = false
    ) {
        self.bits = bits
        self.granularity = granularity
        self.isAsymmetric = isAsymmetric
        self.searchesScale = searchesScale
    }

    /// Integers with one scale for each output channel.
    /// - Parameters:
    ///   - bits: 8 or 4; compressing with another number throws ``CompressionError/invalidSetting(name:problem:)``.
    ///   - isAsymmetric: whether codes have a zero point, for weights that are mostly of one sign.
    public init(bits: Int, isAsymmetric: Bool = false) {
        self.init(bits: bits, granularity: .channel, isAsymmetric: isAsymmetric, searchesScale: false)
    }

    private var low: Int { isAsymmetric ? 0 : -high }
    private var high: Int { isAsymmetric ? 1 << bits - 1 : 1 << (bits - 1) - 1 }

    /// Codes and scales.
    /// - Parameters:
    ///   - elements: finite numbers, `shape`'s product of them.
    ///   - axis: along which output channels are counted.
    ///   - inputAxis: along which blocks are cut.
    /// - Throws: `CancellationError`.
    package func encode(
        _ elements: WeightElements, shape: [Int], axis: Int = 0, inputAxis: Int = 1,
        isCancelled: () -> Bool = { false }
    ) throws -> LinearWeight {
        let layout = layout(shape, axis, inputAxis)
        let isHalf = if case .half = elements { true } else { false }
        var weight = LinearWeight(
            bits: bits, isSigned: !isAsymmetric, blocks: layout.blocks,
            codes: [Int8](repeating: 0, count: elements.count),
            scales: [], zeroPoints: [], quality: SignalRatio())
        weight.scales.reserveCapacity(layout.count)
        for block in 0..<layout.count {
            if block & 63 == 0 || layout.blockSize > 1 << 14, isCancelled() { throw CancellationError() }
            let runs = layout.runs(block)
            let values = elements.floats(runs)
            let choice = choose(values, isHalf: isHalf, isCancelled)
            weight.scales.append(choice.scale)
            weight.zeroPoints.append(choice.zero)
            var codes = [Int8](repeating: 0, count: values.count)
            hc_linear_codes(values, values.count, choice.scale, Int32(choice.zero), Int32(low), Int32(high), &codes)
            weight.quality.noise += error(values, choice, isHalf)
            weight.quality.signal += values.reduce(0) { $0 + Double($1) * Double($1) }
            var start = 0
            for run in runs {
                weight.codes.replaceSubrange(run, with: codes[start..<start + run.count])
                start += run.count
            }
        }
        return weight
    }

    private func layout(_ shape: [Int], _ axis: Int, _ inputAxis: Int) -> BlockLayout {
        guard shape.indices.contains(axis) else { return BlockLayout(whole: shape) }
        switch granularity {
        case .tensor: return BlockLayout(whole: shape)
        case .channel: return BlockLayout(shape, axis: axis, size: 1)
        case .block(let size):
            guard shape.indices.contains(inputAxis), inputAxis != axis else {
                return BlockLayout(shape, axis: axis, size: 1)
            }
            var blocks = shape.map { _ in 1 }
            blocks[axis] = shape[axis]
            blocks[inputAxis] = Self.blockCount(shape[inputAxis], size: size)
            return BlockLayout(shape, blocks: blocks)
        }
    }

    /// Blocks of `size` along `channels`; of the largest smaller size that divides them where `size` does not.
    static func blockCount(_ channels: Int, size: Int) -> Int {
        guard channels > 0 else { return 1 }
        return channels / ((1...max(1, min(size, channels))).last { channels % $0 == 0 } ?? 1)
    }

    private struct Choice {
        var scale: Float
        var zero: Int
    }

    private func choose(_ values: [Float], isHalf: Bool, _ isCancelled: () -> Bool) -> Choice {
        guard !values.isEmpty else { return Choice(scale: 1, zero: 0) }
        var (least, most) = (Float(0), Float(0))
        hc_range(values, values.count, &least, &most)
        let full =
            isAsymmetric
            ? choice(min(least, 0), max(most, 0), isHalf: isHalf)
            : choice(-max(abs(least), abs(most)), max(abs(least), abs(most)), isHalf: isHalf)
        guard searchesScale else { return full }
        var best = full
        var bestError = error(values, full, isHalf)
        // Narrower ranges cut the largest values off and resolve all others better.
        for step in 1...48 {
            if isCancelled() { break }
            let part = 1 - Float(step) / 80
            let next =
                isAsymmetric
                ? choice(min(least, 0) * part, max(most, 0) * part, isHalf: isHalf)
                : choice(-max(abs(least), abs(most)) * part, max(abs(least), abs(most)) * part, isHalf: isHalf)
            let nextError = error(values, next, isHalf)
            if nextError < bestError {
                best = next
                bestError = nextError
            }
        }
        return best
    }

    /// Scale and zero point for a range that contains 0.
    private func choice(_ least: Float, _ most: Float, isHalf: Bool) -> Choice {
        let width = isAsymmetric ? Double(most) - Double(least) : Double(most)
        let exact = width / Double(high)
        var scale = isHalf ? hc_half_to_float(hc_half_from_double(exact)) : Float(exact)
        // A weight of zeros only, or of numbers so small that their scale vanishes.
        if !(scale > 0) { scale = width > 0 ? (isHalf ? 0x1p-24 : .leastNonzeroMagnitude) : 1 }
        guard isAsymmetric else { return Choice(scale: scale, zero: 0) }
        let zero = (-Double(least) / Double(scale)).rounded(.toNearestOrEven)
        return Choice(scale: scale, zero: Int(min(max(zero, 0), Double(high))))
    }

    private func error(_ values: [Float], _ choice: Choice, _ isHalf: Bool) -> Double {
        hc_linear_error(values, values.count, choice.scale, Int32(choice.zero), Int32(low), Int32(high), isHalf)
    }
}

/// A weight as integers of a scale.
package struct LinearWeight: Sendable {
    /// Bits of a code, 8 or 4.
    package let bits: Int
    /// Whether codes are below zero too; otherwise they have a zero point.
    package let isSigned: Bool
    /// Blocks along each axis that have a scale of their own.
    package let blocks: [Int]
    /// The codes in the order of the elements, unsigned ones by their bits.
    package internal(set) var codes: [Int8]
    /// A scale a block.
    package internal(set) var scales: [Float]
    /// A zero point a block; 0 for signed codes.
    package internal(set) var zeroPoints: [Int]
    /// The error.
    package internal(set) var quality: SignalRatio

    /// The codes as bytes; those of 4 bits packed, the first in the lower half.
    package var packedCodes: [UInt8] {
        let bytes = codes.map { UInt8(bitPattern: $0) }
        return bits == 8 ? bytes : PalettizedWeight.packed(bytes, bits: bits)
    }
}
