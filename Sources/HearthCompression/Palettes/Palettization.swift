internal import CHearthCompression
internal import HearthCoreMLFormat

/// A weight as indices into palettes: one palette for the whole weight, or one for each group of channels.
public struct Palettization: Sendable, Equatable {
    /// Bits of an index, 1 to 8.
    package var bits: Int
    /// Channels that share a palette; nil for one palette for all. Where it does not divide the channels, the largest
    /// smaller number that does is taken.
    package var groupSize: Int?
    /// Whether levels are multiplied by a scale of the element's channel.
    package var hasChannelScales = false
    /// Output channels side by side that have one index, to a level of as many elements: 1 for levels of single elements. A weight
    /// whose channels are no multiple of it has these.
    package var vectorSize = 1

    /// - Parameters:
    ///   - bits: bits per index, clamped to 1...8. Core ML stores palettes of 1, 2, 3, 4, 6 and 8 bits; compressing with 5 or 7
    ///     throws ``CompressionError/invalidSetting(name:problem:)``.
    ///   - groupSize: output channels that share a palette; nil for one palette for the whole weight.
    public init(bits: Int, groupSize: Int? = nil) {
        self.bits = min(max(bits, 1), 8)
        self.groupSize = groupSize
    }

    /// Elements between two looks at whether the work is still wanted.
    static let piece = 1 << 20

    /// Palettes and indices of least squared error.
    /// - Parameters:
    ///   - elements: finite numbers, `shape`'s product of them.
    ///   - axis: along which channels are counted.
    ///   - importance: one weight an element, for the choice of levels; not with scales of channels.
    /// - Throws: `CancellationError`; `CompressionError.outOfMemory`.
    package func encode(
        _ elements: WeightElements, shape: [Int], axis: Int = 0, importance: [Float]? = nil,
        isCancelled: () -> Bool = { false }
    ) throws -> PalettizedWeight {
        if vectorSize > 1,
            let weight = try encodeVectors(elements, shape: shape, axis: axis, isCancelled: isCancelled)
        {
            return weight
        }
        if hasChannelScales { return try encodeScaled(elements, shape: shape, axis: axis, isCancelled: isCancelled) }
        let layout = layout(shape, axis: axis)
        let grid: PaletteSolver.Grid = if case .half = elements { .float16 } else { .float32 }
        let solver = PaletteSolver(levels: 1 << bits, grid: grid)
        var weight = PalettizedWeight(
            bits: bits, groups: layout.blocks, palettes: [], codes: [UInt8](repeating: 0, count: elements.count),
            quality: SignalRatio())
        for group in 0..<layout.count {
            let runs = layout.runs(group)
            let part = elements.gathered(runs)
            let importance = importance.map { all in runs.flatMap { all[$0] } }
            let palette = try solver.solve(part, importance: importance, isCancelled: isCancelled)
            let (codes, quality) = try Self.assign(part, palette, isCancelled)
            weight.quality = weight.quality + quality
            weight.palettes.append(palette + [Float](repeating: 0, count: 1 << bits - palette.count))
            if layout.count == 1 {
                weight.codes = codes
            } else {
                var start = 0
                for run in runs {
                    weight.codes.replaceSubrange(run, with: codes[start..<start + run.count])
                    start += run.count
                }
            }
        }
        return weight
    }

    func layout(_ shape: [Int], axis: Int) -> BlockLayout {
        guard let groupSize, groupSize > 0, shape.indices.contains(axis) else { return BlockLayout(whole: shape) }
        let channels = shape[axis]
        let size = (1...max(1, min(groupSize, channels))).last { channels % $0 == 0 } ?? 1
        return BlockLayout(shape, axis: axis, size: size)
    }

    /// The index of the nearest level for each element, and the error.
    /// - Parameter palette: ascending, each level once.
    static func assign(
        _ elements: WeightElements, _ palette: [Float], _ isCancelled: () -> Bool
    ) throws -> (codes: [UInt8], quality: SignalRatio) {
        guard elements.count > 0 else { return ([], SignalRatio()) }
        let limits = limits(palette)
        var table: [UInt8] = []
        if case .half = elements {
            let bits = (0..<UInt32(1 << 16)).map { UInt16($0) }
            var values = [Float](repeating: 0, count: bits.count)
            hc_halves_to_floats(bits, bits.count, &values)
            table = [UInt8](repeating: 0, count: bits.count)
            hc_assign(values, values.count, limits, palette.count, &table)
        }
        var quality = SignalRatio()
        var failure: CancellationError?
        let codes = [UInt8](unsafeUninitializedCapacity: elements.count) { buffer, initialized in
            guard let base = buffer.baseAddress else { return }
            var scratch: [Float] = []
            for start in stride(from: 0, to: elements.count, by: piece) {
                if isCancelled() {
                    failure = CancellationError()
                    return
                }
                let count = min(piece, elements.count - start)
                switch elements {
                case .half(let values):
                    scratch = elements.floats([start..<start + count])
                    values.withBase { hc_assign_halves($0 + start, count, table, base + start) }
                    hc_palette_error(scratch, base + start, count, palette, &quality.signal, &quality.noise)
                case .single(let values):
                    values.withBase {
                        hc_assign($0 + start, count, limits, palette.count, base + start)
                        hc_palette_error($0 + start, base + start, count, palette, &quality.signal, &quality.noise)
                    }
                }
                initialized = start + count
            }
        }
        if let failure { throw failure }
        return (codes, quality)
    }

    /// Half-way between neighbours: above it the next level is nearer.
    static func limits(_ palette: [Float]) -> [Float] {
        zip(palette, palette.dropFirst()).map { Float((Double($0) + Double($1)) / 2) }
    }
}

/// A weight as indices into palettes.
package struct PalettizedWeight: Sendable {
    /// Bits of an index.
    package let bits: Int
    /// Groups along each axis: `[1, 1]` where there is one palette.
    package let groups: [Int]
    /// A palette a group of 1 << bits levels: ascending, with zeros at the end where there are fewer; levels that are vectors
    /// one after the other.
    package internal(set) var palettes: [[Float]]
    /// The index of each element, or of each vector, in the order of the elements.
    package internal(set) var codes: [UInt8]
    /// The error.
    package internal(set) var quality: SignalRatio
    /// Which elements have a level; the others are 0. Nil where all have.
    package internal(set) var mask: SparseMask?
    /// What the levels of each channel are multiplied by, and how the channels lie along the axes; nil for levels as they are.
    package internal(set) var scales: (values: [Float], blocks: [Int])?

    /// Elements of a level, and the axis along which they lie; nil for levels of single elements.
    package internal(set) var vector: (size: Int, axis: Int)?

    /// The indices packed, the first in the lowest bits of the first byte.
    package var packedCodes: [UInt8] { Self.packed(codes, bits: bits) }

    static func packed(_ codes: [UInt8], bits: Int) -> [UInt8] {
        let bytes = BitPacking.byteCount(codes.count, bits: bits)
        return [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
            if let base = buffer.baseAddress { hc_pack(codes, codes.count, UInt32(bits), base) }
            count = bytes
        }
    }
}
