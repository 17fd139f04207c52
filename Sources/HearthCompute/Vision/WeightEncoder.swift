internal import CHearthKernels

/// Finds the shortest coding of packed weights and encodes them.
///
/// It tries tables for all rows, for an output block and for a part of one; the model's own codes with their scales; and half
/// precision. The kernels expand the result again, and it is accepted only if it equals the original bit for bit; uncoded
/// values are the fallback.
package struct WeightEncoder {
    /// The model's linear codes, packed like the weights: a code, scale and offset for each lane of each row.
    package struct Linear {
        /// Codes, which are integers from 0 on.
        package var codes: [Float]
        /// Scales of the weights.
        package var scales: [Float]
        /// Offsets of the codes.
        package var offsets: [Float]
        /// Bits per code.
        package var bits: Int
        /// Whether products are rounded to half precision.
        package var roundsToHalf: Bool

        /// Creates linear codes; all arrays must be as long as that of the weights.
        package init(codes: [Float], scales: [Float], offsets: [Float], bits: Int, roundsToHalf: Bool) {
            (self.codes, self.scales, self.offsets) = (codes, scales, offsets)
            (self.bits, self.roundsToHalf) = (bits, roundsToHalf)
        }
    }

    /// Packed weights, in whole rows of 16.
    let values: [Float]
    /// Nonzero for weights that matter; padding of a block may take any value. nil if all matter.
    let mask: [Float]?
    /// Number of rows of an output block, and possibly of a part of one.
    let stretches: [Int]
    let linear: Linear?
    private var rows: Int { values.count / 16 }

    /// - Parameters:
    ///   - values: packed weights, in whole rows of 16.
    ///   - mask: one value per weight, nonzero if it matters; nil if all matter.
    ///   - stretches: numbers of rows that may share a table or scales.
    ///   - linear: the model's own codes, if there are any.
    package init(_ values: [Float], mask: [Float]?, stretches: [Int], linear: Linear? = nil) {
        self.values = values
        self.mask = mask.flatMap { $0.count == values.count && $0.contains(0) ? $0 : nil }
        var seen: Set<Int> = []
        self.stretches = stretches.filter { $0 > 0 && seen.insert($0).inserted }
        let isWhole = linear.map { $0.codes.count == values.count && $0.scales.count == values.count }
        self.linear = isWhole == true && linear?.offsets.count == values.count ? linear : nil
    }

    /// With fewer rows, weights are left uncoded and mapped.
    private static let leastRows = 64

    /// Returns the coding and the encoded bytes.
    package func encoded(kernels: KernelSet) throws(ComputeError) -> (coding: WeightCoding, bytes: [UInt8]) {
        for coding in rows < Self.leastRows ? [] : candidates() {
            guard let bytes = written(coding), try isExact(coding, bytes, kernels) else { continue }
            return (coding, bytes)
        }
        return uncoded()
    }

    /// The values as they are.
    package func uncoded() -> (coding: WeightCoding, bytes: [UInt8]) { (.float32, written(.float32) ?? []) }

    /// Codings that may represent the weights in fewer bytes than their values, shortest first.
    private func candidates() -> [WeightCoding] {
        var found: [WeightCoding] = []
        for stretch in Set([rows] + stretches.filter { $0 < rows }) {
            guard let bits = paletteBits(stretch) else { continue }
            found.append(WeightCoding(kind: .palette, bits: bits, stretch: stretch))
        }
        for stretch in stretches where stretch <= rows { affine(stretch).map { found.append($0) } }
        found.append(WeightCoding(kind: .half))
        let plain = WeightCoding.float32.byteCount(rows: rows)
        // Of codings with the same size, prefer the one with fewer tables.
        return found.map { ($0, $0.byteCount(rows: rows)) }.filter { $0.1 < plain }
            .sorted { ($0.1, $1.0.stretch) < ($1.1, $0.0.stretch) }.map(\.0)
    }

    private func isNeeded(_ index: Int) -> Bool { mask.map { $0[index] != 0 } ?? true }

    // MARK: - Palettes

    /// Bits needed to index the distinct values of every stretch; nil if more than 8.
    private func paletteBits(_ stretch: Int) -> Int? {
        var most = 1
        for first in Swift.stride(from: 0, to: rows, by: stretch) {
            guard let table = table(first, stretch) else { return nil }
            most = max(most, table.values.count)
        }
        return max(Int.bitWidth - (most - 1).leadingZeroBitCount, 1)
    }

    /// The distinct values of a stretch; nil if more than 256.
    private func table(_ first: Int, _ stretch: Int) -> DistinctValues? {
        var table = DistinctValues()
        for index in first * 16..<min(first + stretch, rows) * 16 where isNeeded(index) {
            if table.place(of: values[index]) == nil { return nil }
        }
        return table
    }

    // MARK: - Linear codes

    /// The model's codes with scales and offsets for each lane of a stretch; nil if these vary within a stretch.
    private func affine(_ stretch: Int) -> WeightCoding? {
        guard let linear, (1...8).contains(linear.bits), let (scales, offsets) = parameters(stretch) else { return nil }
        var coding = WeightCoding(
            kind: .affine, bits: linear.bits, stretch: stretch, roundsToHalf: linear.roundsToHalf)
        let isOne = offsets.allSatisfy { $0.bitPattern == offsets[0].bitPattern } && offsets[0].isFinite
        if isOne { coding.offset = offsets[0] }
        coding.hasHalfParameters = scales.allSatisfy(HalfBits.holds) && (isOne || offsets.allSatisfy(HalfBits.holds))
        return coding
    }

    /// Scale and offset of each lane of each stretch; unused lanes take those of any other.
    private func parameters(_ stretch: Int) -> (scales: [Float], offsets: [Float])? {
        guard let linear else { return nil }
        let count = (rows + stretch - 1) / stretch * 16
        var owners = [Int](repeating: -1, count: count)
        var some = 0
        for index in values.indices where isNeeded(index) {
            let place = index / 16 / stretch * 16 + index % 16
            let owner = owners[place]
            if owner < 0 {
                owners[place] = index
                some = index
            } else if linear.scales[owner].bitPattern != linear.scales[index].bitPattern
                || linear.offsets[owner].bitPattern != linear.offsets[index].bitPattern
            {
                return nil
            }
        }
        let sources = owners.map { $0 < 0 ? some : $0 }
        return (sources.map { linear.scales[$0] }, sources.map { linear.offsets[$0] })
    }

    // MARK: - Bytes

    /// Encodes the weights; nil if they do not fit the coding.
    private func written(_ coding: WeightCoding) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: coding.byteCount(rows: rows))
        let start = coding.codesOffset(rows: rows)
        switch coding.kind {
        case .float32:
            bytes.withUnsafeMutableBytes { target in values.withUnsafeBytes { target.copyMemory(from: $0) } }
        case .half:
            for index in values.indices where isNeeded(index) {
                guard let half = HalfBits.of(values[index]) else { return nil }
                bytes[start + 2 * index] = UInt8(truncatingIfNeeded: half)
                bytes[start + 2 * index + 1] = UInt8(truncatingIfNeeded: half >> 8)
            }
        case .palette:
            for (number, first) in Swift.stride(from: 0, to: rows, by: coding.stretch).enumerated() {
                guard var table = table(first, coding.stretch) else { return nil }
                for (place, value) in table.values.enumerated() {
                    Self.store(value, false, (number << coding.bits) + place, 0, &bytes)
                }
                writeCodes(coding, first..<min(first + coding.stretch, rows), &bytes) { index in
                    isNeeded(index) ? table.place(of: values[index]) ?? 0 : 0
                }
            }
        case .affine:
            guard let linear, let (scales, offsets) = parameters(coding.stretch) else { return nil }
            for (place, scale) in scales.enumerated() { Self.store(scale, coding.hasHalfParameters, place, 0, &bytes) }
            if coding.offset == nil {
                let first = coding.offsetsOffset(rows: rows)
                for (place, offset) in offsets.enumerated() {
                    Self.store(offset, coding.hasHalfParameters, place, first, &bytes)
                }
            }
            let most = Float((1 << coding.bits) - 1)
            writeCodes(coding, 0..<rows, &bytes) { index in
                let code = linear.codes[index]
                return isNeeded(index) && code >= 0 && code <= most ? Int(code) : 0
            }
        }
        return bytes
    }

    private func writeCodes(
        _ coding: WeightCoding, _ rows: Range<Int>, _ bytes: inout [UInt8], _ code: (Int) -> Int
    ) {
        let start = coding.codesOffset(rows: self.rows)
        for half in 2 * rows.lowerBound..<2 * rows.upperBound {
            // Eight codes take as many bytes as a code has bits.
            var word: UInt64 = 0
            for lane in 0..<8 { word |= UInt64(code(half * 8 + lane)) << UInt64(lane * coding.bits) }
            for byte in 0..<coding.bits {
                bytes[start + half * coding.bits + byte] = UInt8(truncatingIfNeeded: word >> UInt64(8 * byte))
            }
        }
    }

    private static func store(_ value: Float, _ isHalf: Bool, _ place: Int, _ first: Int, _ bytes: inout [UInt8]) {
        let (size, word) = isHalf ? (2, UInt32(HalfBits.of(value) ?? 0)) : (4, value.bitPattern)
        for byte in 0..<size {
            bytes[first + place * size + byte] = UInt8(truncatingIfNeeded: word >> UInt32(8 * byte))
        }
    }

    /// Whether the kernels decode these bytes to the original weights.
    private func isExact(_ coding: WeightCoding, _ bytes: [UInt8], _ kernels: KernelSet) throws(ComputeError) -> Bool {
        let owner = BytesOwner(bytes)
        let weights = try CodedWeights(coding, rows: rows, bytes: UnsafeRawBufferPointer(owner.bytes), owner: owner)
        var numbers = [Float](repeating: 0, count: values.count)
        numbers.withUnsafeMutableBufferPointer { numbers in
            guard let base = numbers.baseAddress else { return }
            kernels.vision.expand(weights.kernel, 0, rows, base)
        }
        return values.indices.allSatisfy { numbers[$0].bitPattern == values[$0].bitPattern || !isNeeded($0) }
    }
}

/// A copy of bytes, aligned to 64.
private final class BytesOwner: @unchecked Sendable {
    // Sendable: written only by `init`.
    let bytes: UnsafeMutableRawBufferPointer

    init(_ content: [UInt8]) {
        bytes = .allocate(byteCount: content.count, alignment: 64)
        bytes.copyBytes(from: content)
    }

    deinit { bytes.deallocate() }
}
