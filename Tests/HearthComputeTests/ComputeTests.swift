import Foundation
import HearthCompute
import Testing

/// The operations against plain loops in Double, on every kernel set.
@Suite(.timeLimit(.minutes(20))) struct ComputeTests {
    /// Repeatable values in −1 ... 1.
    struct Noise {
        var state: UInt64
        mutating func next() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int32(truncatingIfNeeded: state >> 32)) / Float(Int32.max)
        }
    }

    private func rows(_ count: Int, _ width: Int, _ noise: inout Noise) throws -> Rows {
        let rows = try Rows(count: count, width: width)
        for row in 0..<count { rows.set(row, to: (0..<width).map { _ in noise.next() }) }
        return rows
    }

    private func matrix(_ rows: Int, _ columns: Int, _ noise: inout Noise) throws -> WeightMatrix {
        let buffer = try FloatBuffer(count: rows * columns)
        for index in 0..<rows * columns { buffer.base[index] = noise.next() }
        return try WeightMatrix(
            format: .f32, rows: rows, columns: columns, base: UnsafeRawPointer(buffer.base),
            byteCount: rows * columns * 4, owner: buffer)
    }

    @Test(arguments: KernelSet.available.map(\.name), [1, 2])
    func groupsComputeTheirMatricesSideBySide(set: String, threads: Int) throws {
        var noise = Noise(state: 7)
        let compute = try Compute(
            kernels: KernelSet.selected(by: set), threads: threads, maximumRows: 9, maximumColumns: 64)
        for (heights, columns, tokens) in [([5], 7, 1), ([300, 17, 40], 33, 3), ([64, 64], 64, 9)] {
            let matrices = try heights.map { try matrix($0, columns, &noise) }
            let group = try MatrixGroup(matrices)
            let x = try rows(tokens, columns, &noise)
            let y = try Rows(count: tokens, width: group.rows)
            compute.multiply(group, x, into: y)
            for token in 0..<tokens {
                let expected = matrices.flatMap { matrix in
                    (0..<matrix.rows).map { row in
                        zip(matrix.row(row, kernels: compute.kernels), x.row(token))
                            .reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
                    }
                }
                for (found, wanted) in zip(y.row(token), expected) {
                    #expect(abs(Double(found) - wanted) < 1e-4)
                }
            }
        }
    }

    @Test(
        "A matrix that takes words has the bits of 16-bit activations beside matrices with 8",
        arguments: KernelSet.available)
    func wordsAmongBytes(set: KernelSet) throws {
        var noise = Noise(state: 11)
        let (columns, height, tokens) = (288, 40, 7)
        // Q8_0: a half of 1.0 as the scale, then 32 signed bytes.
        let memory = try FloatBuffer(count: height * columns / 32 * 34 / 4 + 1)
        let bytes = UnsafeMutableRawPointer(memory.base).assumingMemoryBound(to: UInt8.self)
        for index in 0..<height * columns / 32 * 34 {
            let place = index % 34
            bytes[index] = place == 0 ? 0 : place == 1 ? 0x3c : UInt8(bitPattern: Int8(127 * noise.next()))
        }
        let matrix = try WeightMatrix(
            format: .q8_0, rows: height, columns: columns, base: UnsafeRawPointer(memory.base),
            byteCount: height * columns / 32 * 34, owner: memory)
        let x = try rows(tokens, columns, &noise)
        func products(_ kernels: KernelSet, takesWords: Bool) throws -> [Float] {
            let compute = try Compute(kernels: kernels, threads: 2, maximumRows: tokens, maximumColumns: columns)
            let y = try Rows(count: tokens, width: height)
            // What the one form leaves in the scratch memory must not matter to the other.
            let other = try Rows(count: tokens, width: height)
            compute.multiply(try MatrixGroup([matrix], takesWords: !takesWords), x, into: other)
            compute.multiply(try MatrixGroup([matrix], takesWords: takesWords), x, into: y)
            return (0..<tokens).flatMap { y.row($0) }
        }
        let words = try products(set, takesWords: false)
        let coarse = set.withActivations(bits: 8)
        #expect(coarse.activationBits == 8 && coarse.withActivations(bits: 16) == set && coarse.key != set.key)
        #expect(try products(coarse, takesWords: true) == words)
        let close = try products(coarse, takesWords: false)
        #expect(close != words)
        let largest = words.map(abs).max() ?? 0
        for (a, b) in zip(close, words) { #expect(abs(a - b) < 0.02 * largest) }
    }

    @Test func cancellingReturnsAtOnceAndCanBeTakenBack() throws {
        var noise = Noise(state: 3)
        let compute = try Compute(
            kernels: KernelSet.selected(by: "portable"), threads: 2, maximumRows: 1, maximumColumns: 64)
        let group = try MatrixGroup([matrix(100, 8, &noise)])
        let x = try rows(1, 8, &noise)
        let y = try Rows(count: 1, width: 100)
        compute.cancel()
        compute.multiply(group, x, into: y)
        #expect(y.row(0).allSatisfy { $0 == 0 })
        compute.resume()
        compute.multiply(group, x, into: y)
        #expect(y.row(0).contains { $0 != 0 })
    }

    @Test func piecesCoverEveryRowOnce() throws {
        for (format, columns) in [(TensorFormat.q4_0, 2048), (.f32, 8), (.q6_K, 256), (.q8_0, 32)] {
            for rows in [1, 15, 16, 17, 1000, 16384] {
                let bytes = rows * columns / format.blockElements * format.blockBytes
                let memory = try FloatBuffer(count: bytes / 4 + 1)
                let matrix = try WeightMatrix(
                    format: format, rows: rows, columns: columns, base: UnsafeRawPointer(memory.base),
                    byteCount: bytes, owner: memory)
                let group = try MatrixGroup([matrix, matrix])
                for tokens in [1, 64] {
                    var covered: [Int] = []
                    group.withPieces(tokens: tokens) { pieces in
                        covered = pieces.flatMap { $0.column..<$0.column + $0.rowCount }
                    }
                    #expect(covered == Array(0..<2 * rows))
                }
            }
        }
    }

    @Test func sizesThatDoNotFitAreRefused() throws {
        let memory = try FloatBuffer(count: 64)
        let base = UnsafeRawPointer(memory.base)
        #expect(throws: ComputeError.self) {
            try WeightMatrix(format: .q4_0, rows: 1, columns: 33, base: base, byteCount: 18, owner: memory)
        }
        #expect(throws: ComputeError.self) {
            try WeightMatrix(format: .f32, rows: 2, columns: 8, base: base, byteCount: 60, owner: memory)
        }
        #expect(throws: ComputeError.self) { try FloatBuffer(count: Int.max / 2) }
        #expect(throws: ComputeError.self) { try KernelSet.selected(by: "mmx") }
    }
}
