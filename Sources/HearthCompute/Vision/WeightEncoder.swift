internal import CHearthKernels

/// Finds the shortest coding of packed weights and writes them in it.
///
/// What is tried: tables over all rows, over an output block, over a part of one; the model's own codes with their scales;
/// half precision. What comes out is expanded again by the kernels and compared bit for bit with the numbers before it
/// is taken; numbers themselves are the last resort.
package struct WeightEncoder {
    /// Linear codes of the model, packed like the weights: each lane of each row with its code, scale and offset.
    package struct Linear {
        /// Whole numbers from 0 on.
        package var codes: [Float]
        /// Of the weights.
        package var scales: [Float]
        /// Of codes from 0 on.
        package var offsets: [Float]
        /// Of a code.
        package var bits: Int
        /// Whether products are rounded to half precision.
        package var roundsToHalf: Bool

        /// All of one length, that of the weights.
        package init(codes: [Float], scales: [Float], offsets: [Float], bits: Int, roundsToHalf: Bool) {
            (self.codes, self.scales, self.offsets) = (codes, scales, offsets)
            (self.bits, self.roundsToHalf) = (bits, roundsToHalf)
        }
    }

    /// Packed weights, whole rows of 16.
    let values: [Float]
    /// Not 0 where a weight matters; what pads a block may become anything. Nil where all do.
    let mask: [Float]?
    /// Rows of an output block, and perhaps of a part of one.
    let stretches: [Int]
    let linear: Linear?
    private var rows: Int { values.count / 16 }

    /// - Parameters:
    ///   - values: packed weights, whole rows of 16.
    ///   - mask: as many; not 0 where a weight matters. Nil where all do.
    ///   - stretches: numbers of rows that may share a table or scales.
    ///   - linear: the model's own codes, if it has any.
    package init(_ values: [Float], mask: [Float]?, stretches: [Int], linear: Linear? = nil) {
        self.values = values
        self.mask = mask.flatMap { $0.count == values.count && $0.contains(0) ? $0 : nil }
        var seen: Set<Int> = []
        self.stretches = stretches.filter { $0 > 0 && seen.insert($0).inserted }
        let isWhole = linear.map { $0.codes.count == values.count && $0.scales.count == values.count }
        self.linear = isWhole == true && linear?.offsets.count == values.count ? linear : nil
    }

    /// Fewer rows than this are left as numbers, which are mapped.
    private static let leastRows = 64

    /// The coding, and the bytes in it.
    package func encoded(kernels: KernelSet) throws(ComputeError) -> (coding: WeightCoding, bytes: [UInt8]) {
        for coding in rows < Self.leastRows ? [] : candidates() {
            guard let bytes = written(coding), try isExact(coding, bytes, kernels) else { continue }
            return (coding, bytes)
        }
        return (.float32, written(.float32) ?? [])
    }

    /// Codings that may hold the weights in fewer bytes than the numbers take, the shortest first.
    private func candidates() -> [WeightCoding] {
        var found: [WeightCoding] = []
        for stretch in Set([rows] + stretches.filter { $0 < rows }) {
            guard let bits = paletteBits(stretch) else { continue }
            found.append(WeightCoding(kind: .palette, bits: bits, stretch: stretch))
        }
        for stretch in stretches where stretch <= rows { affine(stretch).map { found.append($0) } }
        found.append(WeightCoding(kind: .half))
        let plain = WeightCoding.float32.byteCount(rows: rows)
        // Of equal ones that with fewer tables.
        return found.map { ($0, $0.byteCount(rows: rows)) }.filter { $0.1 < plain }
            .sorted { ($0.1, $1.0.stretch) < ($1.1, $0.0.stretch) }.map(\.0)
    }

    private func isNeeded(_ index: Int) -> Bool { mask.map { $0[index] != 0 } ?? true }

    // MARK: - Palettes

    /// Bits that tell the numbers of every stretch apart; nil for more than 8.
    private func paletteBits(_ stretch: Int) -> Int? {
        var most = 1
        for first in Swift.stride(from: 0, to: rows, by: stretch) {
            guard let table = table(first, stretch) else { return nil }
            most = max(most, table.values.count)
        }
        return max(Int.bitWidth - (most - 1).leadingZeroBitCount, 1)
    }

    /// The numbers of a stretch; nil for more than 256.
    private func table(_ first: Int, _ stretch: Int) -> DistinctValues? {
        var table = DistinctValues()
        for index in first * 16..<min(first + stretch, rows) * 16 where isNeeded(index) {
            if table.place(of: values[index]) == nil { return nil }
        }
        return table
    }

    // MARK: - Linear codes

    /// The model's codes with scales and offsets for each lane of a stretch; nil where these differ within one.
    private func affine(_ stretch: Int) -> WeightCoding? {
        guard let linear, (1...8).contains(linear.bits), let (scales, offsets) = parameters(stretch) else { return nil }
        var coding = WeightCoding(
            kind: .affine, bits: linear.bits, stretch: stretch, roundsToHalf: linear.roundsToHalf)
        let isOne = offsets.allSatisfy { $0.bitPattern == offsets[0].bitPattern } && offsets[0].isFinite
        if isOne { coding.offset = offsets[0] }
        coding.hasHalfParameters = scales.allSatisfy(HalfBits.holds) && (isOne || offsets.allSatisfy(HalfBits.holds))
        return coding
    }

    /// Scale and offset of each lane of each stretch; lanes that nothing needs take those of any other.
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

    /// The weights in a coding; nil where they do not fit.
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
            // Eight codes are as many bytes as a code has bits.
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

    /// Whether the kernels make of these bytes what was written.
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

/// Bytes on a border of 64, for as long as somebody looks at them.
private final class BytesOwner: @unchecked Sendable {
    // Sendable: written by `init` alone.
    let bytes: UnsafeMutableRawBufferPointer

    init(_ content: [UInt8]) {
        bytes = .allocate(byteCount: content.count, alignment: 64)
        bytes.copyBytes(from: content)
    }

    deinit { bytes.deallocate() }
}
