import HearthCompute
import HearthTestSupport
import Testing

/// Every coding gives back what was written in it, bit for bit, on every kernel set; what is not a coding is refused.
@Suite("coded weights", .timeLimit(.minutes(20)))
struct WeightCodingTests {
    private static let blockRows = 96
    private static let rows = 5 * blockRows

    private func encoded(
        _ values: [Float], mask: [Float]? = nil, stretches: [Int] = [blockRows], linear: WeightEncoder.Linear? = nil
    ) throws -> (coding: WeightCoding, bytes: [UInt8]) {
        try WeightEncoder(values, mask: mask, stretches: stretches, linear: linear)
            .encoded(kernels: KernelSet.selected(by: nil))
    }

    private func expanded(
        _ coding: WeightCoding, _ bytes: [UInt8], rows: Int, _ kernels: KernelSet
    ) throws -> [Float] {
        let memory = try FloatRegion(count: (bytes.count + 3) / 4)
        memory.withMutableValues { span in
            span.withUnsafeMutableBufferPointer { UnsafeMutableRawBufferPointer($0).copyBytes(from: bytes) }
        }
        let weights = try CodedWeights(
            coding, rows: rows,
            bytes: UnsafeRawBufferPointer(start: memory.base, count: bytes.count), owner: memory.buffer)
        return try Compute(kernels: kernels, threads: 2).expanded(weights).values
    }

    private func expectSame(_ left: [Float], _ right: [Float], mask: [Float]? = nil) {
        #expect(left.count == right.count)
        let different = zip(left, right).enumerated().filter { place, pair in
            pair.0.bitPattern != pair.1.bitPattern && mask?[place] != 0
        }
        #expect(different.isEmpty)
    }

    @Test("palettes of every width, one for all or one for each block", arguments: 1...8, [false, true])
    func palettes(_ bits: Int, _ isPerBlock: Bool) throws {
        var random = SeededNumbers(seed: UInt64(bits))
        let tables = (0..<5).map { (table: Int) -> [Float] in
            (0..<1 << bits).map { (code: Int) -> Float in Float(code * 8 + (isPerBlock ? table : 0)) * 0.137 - 3 }
        }
        let values = (0..<Self.rows * 16).map { tables[$0 / 16 / Self.blockRows][random.below(1 << bits)] }
        let (coding, bytes) = try encoded(values)
        #expect(coding.kind == .palette && coding.bits == bits)
        #expect(coding.stretch == (isPerBlock ? Self.blockRows : Self.rows))
        #expect(bytes.count == coding.byteCount(rows: Self.rows))
        let tableBytes = (isPerBlock ? 5 : 1) * 4 << bits
        #expect(bytes.count <= Self.rows * 2 * bits + tableBytes + 128)
        for kernels in KernelSet.available {
            expectSame(try expanded(coding, bytes, rows: Self.rows, kernels), values)
        }
    }

    @Test(
        "linear codes with scales and offsets of their own for each lane of a stretch", arguments: [2, 4, 8],
        [true, false])
    func linear(_ bits: Int, _ rounds: Bool) throws {
        var random = SeededNumbers(seed: UInt64(bits))
        let stretch = 32
        let count = Self.rows * 16
        func perLane(_ make: () -> Float) -> [Float] {
            let lanes = (0..<Self.rows / stretch * 16).map { _ in make() }
            return (0..<count).map { lanes[$0 / 16 / stretch * 16 + $0 % 16] }
        }
        let scales = perLane { Float(Float16(Float(1 + random.below(1000)) * 1.3e-5)) }
        let offsets = perLane { Float(random.below(1 << bits)) }
        let codes = (0..<count).map { _ in Float(random.below(1 << bits)) }
        let values = (0..<count).map { index in
            let product = (codes[index] - offsets[index]) * scales[index]
            return rounds ? Float(Float16(product)) : product
        }
        let (coding, bytes) = try encoded(
            values, stretches: [Self.blockRows, stretch],
            linear: .init(codes: codes, scales: scales, offsets: offsets, bits: bits, roundsToHalf: rounds))
        #expect(coding.kind == .affine && coding.bits == bits && coding.stretch == stretch)
        #expect(coding.hasHalfParameters && coding.offset == nil)
        for kernels in KernelSet.available {
            expectSame(try expanded(coding, bytes, rows: Self.rows, kernels), values)
        }
    }

    @Test("codes that do not give the weights back are not used")
    func wrongCodes() throws {
        var random = SeededNumbers(seed: 3)
        let count = Self.rows * 16
        let codes = (0..<count).map { _ in Float(random.below(256)) }
        var values = codes.map { ($0 - 128) * 0.25 }
        let linear = WeightEncoder.Linear(
            codes: codes, scales: [Float](repeating: 0.25, count: count),
            offsets: [Float](repeating: 128, count: count), bits: 8, roundsToHalf: false)
        values[777] = 1.0e-3
        let (coding, bytes) = try encoded(values, linear: linear)
        #expect(coding.kind != .affine)
        expectSame(try expanded(coding, bytes, rows: Self.rows, KernelSet.selected(by: nil)), values)
    }

    @Test("halves, small and negative ones too; and numbers that nothing shorter holds")
    func numbers() throws {
        let halves = (0..<Self.rows * 16).map { index in
            Float(Float16(bitPattern: UInt16(truncatingIfNeeded: index * 7 % 0x7c00 | (index % 2) << 15)))
        }
        let (half, bytes) = try encoded(halves)
        #expect(half.kind == .half)
        for kernels in KernelSet.available {
            expectSame(try expanded(half, bytes, rows: Self.rows, kernels), halves)
        }
        var random = SeededNumbers(seed: 5)
        var floats = halves.map { _ in Float(random.below(1 << 24)) * 1e-7 - 0.7 }
        floats[9] = .nan
        floats[10] = -.infinity
        floats[11] = Float(bitPattern: 7)
        let (plain, numbers) = try encoded(floats)
        #expect(plain == .float32)
        expectSame(try expanded(plain, numbers, rows: Self.rows, KernelSet.selected(by: nil)), floats)
    }

    @Test("what fills up a block costs no code")
    func padding() throws {
        let mask = (0..<Self.rows * 16).map { $0 % 16 < 11 ? Float(1) : 0 }
        let values = mask.enumerated().map { index, needed in needed == 0 ? 0 : Float(index % 13 % 4) + 0.5 }
        let (coding, bytes) = try encoded(values, mask: mask)
        #expect(coding.kind == .palette && coding.bits == 2)
        let (strict, _) = try encoded(values)
        #expect(strict.bits == 3)
        let found = try expanded(coding, bytes, rows: Self.rows, KernelSet.selected(by: nil))
        expectSame(found, values, mask: mask)
    }

    @Test("codings that make no sense, and too few bytes, are refused")
    func refused() throws {
        let memory = try FloatRegion(count: 4096)
        func open(_ coding: WeightCoding, rows: Int, bytes: Int) throws {
            _ = try CodedWeights(
                coding, rows: rows, bytes: UnsafeRawBufferPointer(start: memory.base, count: bytes),
                owner: memory.buffer)
        }
        let good = WeightCoding(kind: .palette, bits: 4, stretch: 64)
        try open(good, rows: 64, bytes: good.byteCount(rows: 64))
        #expect(throws: ComputeError.self) { try open(good, rows: 64, bytes: good.byteCount(rows: 64) - 1) }
        #expect(throws: ComputeError.self) { try open(good, rows: 1 << 40, bytes: 16384) }
        #expect(throws: ComputeError.self) { try open(good, rows: -1, bytes: 16384) }
        for (bits, stretch) in [(0, 64), (9, 64), (-4, 64), (.max, 64), (4, 0), (4, -1), (4, 65), (4, .max)] {
            let bad = WeightCoding(kind: .palette, bits: bits, stretch: stretch)
            #expect(bad.problem(rows: 64) != nil)
            #expect(throws: ComputeError.self) { try open(bad, rows: 64, bytes: 16384) }
        }
    }
}
