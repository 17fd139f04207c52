import CHearthKernels
import HearthTestSupport
import Testing

@Suite("Kernel products", .timeLimit(.minutes(20)))
struct KernelMultiplyTests {
    @Test("Every set agrees with Double and with the portable set", arguments: KernelTable.available, KernelFormat.all)
    func shapes(set: KernelTable, format: KernelFormat) throws {
        var random = SeededNumbers(UInt64(format.bytes) << 8 | UInt64(format.values))
        let reference = try #require(KernelTable.available.last)
        for round in 0..<24 {
            let rows = round % 9 + 1, tokens = round % 4 == 0 ? 1 : round * 5 % 9 + 1
            let limit = format.values == 1 ? 131 : format.values < 256 ? 19 : 3
            let columns = format.values * (round == 0 ? 1 : Int.random(in: 1...limit, using: &random))
            let weights = format.randomBlocks(rows * columns / format.values, &random)
            let x = random.floats(tokens * columns, within: 2)
            let got = set.multiply(format, weights, rows: rows, columns: columns, x, tokens: tokens)
            let portable = reference.multiply(format, weights, rows: rows, columns: columns, x, tokens: tokens)
            let exact = reference.dequantize(format, weights, count: rows * columns)
            for token in 0..<tokens {
                for row in 0..<rows {
                    var sum = 0.0, magnitude = 0.0
                    for column in 0..<columns {
                        let product = Double(exact[row * columns + column]) * Double(x[token * columns + column])
                        sum += product
                        magnitude += abs(product)
                    }
                    let value = Double(got[token * rows + row])
                    // Activations carry 16 bits where weights are quantized.
                    #expect(abs(value - sum) <= magnitude * (format.values == 1 ? 2e-6 : 1e-4))
                    #expect(abs(value - Double(portable[token * rows + row])) <= 4e-6 * magnitude)
                }
            }
        }
    }

    @Test(
        "A token's results are the same bits alone and in a batch, a row's alone and beside others",
        arguments: KernelTable.available, KernelFormat.all)
    func batches(set: KernelTable, format: KernelFormat) throws {
        var random = SeededNumbers(UInt64(format.bytes) << 16 | UInt64(format.values))
        // Whole tiles, remains of tiles, and more tokens and more rows than a panel holds, and than are held at once.
        let shapes = [
            (1, 2), (3, 3), (4, 4), (33, 5), (16, 31), (150, 33), (1, 64), (3, 65), (33, 49),
            (47, 261), (150, 65), (300, 48),
        ]
        for (rows, tokens) in shapes {
            let limit = format.values == 1 ? 150 : format.values < 256 ? 19 : 3
            let columns = format.values * Int.random(in: 1...limit, using: &random)
            let weights = format.randomBlocks(rows * columns / format.values, &random)
            let x = random.floats(tokens * columns, within: 2)
            let prepared = set.prepared(x, tokens: tokens, columns: columns, for: format)
            let together = set.multiply(format, weights, rows: rows, prepared)
            let rowBytes = columns / format.values * format.bytes
            for token in 0..<tokens {
                let input = Array(x[token * columns..<(token + 1) * columns])
                let alone = set.multiply(format, weights, rows: rows, columns: columns, input, tokens: 1)
                #expect(Array(together[token * rows..<(token + 1) * rows]) == alone, "\(rows)x\(columns), \(token)")
            }
            for row in 0..<rows {
                let single = Array(weights[row * rowBytes..<(row + 1) * rowBytes])
                let alone = set.multiply(format, single, rows: 1, prepared)
                #expect((0..<tokens).allSatisfy { alone[$0] == together[$0 * rows + row] }, "\(rows)x\(columns)")
            }
        }
    }

    @Test("Results land where the stride says and nowhere else", arguments: KernelTable.available)
    func outputStride(set: KernelTable) throws {
        var random = SeededNumbers(7)
        let format = try #require(KernelFormat.all.first { $0.name == "Q8_0" })
        let weights = format.randomBlocks(3, &random), x = random.floats(5 * 32)
        let pairs = (0..<5).flatMap { (token: Int) in set.quantize(Array(x[32 * token..<32 * token + 32])) }
        var y = [Float](repeating: 42, count: 5 * 7)
        set.table.multiply(format.value, weights, 34, 3, 32, pairs, 1, 4, 5, &y, 7)
        let expected = set.multiply(format, weights, rows: 3, columns: 32, x, tokens: 5)
        for token in 0..<5 {
            for row in 0..<7 { #expect(y[token * 7 + row] == (row < 3 ? expected[token * 3 + row] : 42)) }
        }
    }

    @Test("Activations are equal in all sets and close to their floats", arguments: KernelTable.available)
    func activations(set: KernelTable) throws {
        var random = SeededNumbers(11)
        let reference = try #require(KernelTable.available.last)
        for limit: Float in [0, .leastNonzeroMagnitude * 700, 1e-36, 1e-30, 1e-3, 1, 1e5, 1e38] {
            let x = limit == 0 ? [Float](repeating: 0, count: 96) : random.floats(96, within: limit)
            let got = set.activations(x)
            #expect(got.map(\.values) == reference.activations(x).map(\.values))
            #expect(got.map(\.scale) == reference.activations(x).map(\.scale))
            #expect(got.map(\.totals) == reference.activations(x).map(\.totals))
            for (i, value) in x.enumerated() {
                let pair = got[i / 64], scale = pair.scale
                #expect(abs(scale * Float(pair.values[i % 64]) - value) <= 0.51 * scale + 1e-33)
            }
            #expect(got[1].values[32...].allSatisfy { $0 == 0 })
            #expect(got.allSatisfy { $0.sumsAreRight })
        }
    }

    @Test(
        "The largest integer products that blocks can have are exact", arguments: KernelTable.available,
        KernelFormat.all)
    func largestProducts(set: KernelTable, format: KernelFormat) throws {
        let columns = max(256, format.values), count = 2 * columns / format.values
        var random = SeededNumbers(19)
        let scales = format.randomBlocks(1, &random)
        // Blocks of the same scales whose values are anyway, and extreme.
        let fills: [UInt8] = [0x00, 0x77, 0x7f, 0x80, 0x88, 0xff]
        let blocks = fills.map { fill in (0..<count).flatMap { _ in format.filled(with: fill, scales: scales) } }
        let reference = try #require(KernelTable.available.last)
        let exact = blocks.map { reference.dequantize(format, $0, count: columns) }
        let largest = Double(exact.joined().map(abs).max() ?? 0)
        for (weights, exact) in zip(blocks, exact) {
            for signs: [Float] in [[1, 1], [-1, -1], [1, -1]] {
                let x = (0..<7 * columns).map { signs[$0 % 2] }
                let sum = zip(exact, x).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
                for tokens in [1, 7] {
                    let input = Array(x[..<(tokens * columns)])
                    let got = set.multiply(format, weights, rows: 2, columns: columns, input, tokens: tokens)
                    #expect(
                        got.allSatisfy { abs(Double($0) - sum) <= 1e-7 * Double(columns) * largest }, "\(weights[20])")
                }
            }
        }
    }

    @Test("What is not finite reaches the result as NaN, and only there", arguments: KernelTable.available)
    func notFinite(set: KernelTable) throws {
        var random = SeededNumbers(13)
        for format in KernelFormat.all {
            let columns = max(256, format.values)
            let weights = format.randomBlocks(2 * columns / format.values, &random)
            for bad in [Float.nan, .infinity, -.infinity] {
                var x = random.floats(3 * columns)
                x[columns + 17] = bad
                let y = set.multiply(format, weights, rows: 2, columns: columns, x, tokens: 3)
                #expect(y[0].isFinite && y[1].isFinite && y[4].isFinite && y[5].isFinite)
                #expect(!y[2].isFinite && !y[3].isFinite)
            }
        }
    }
}

/// A pair of blocks as Swift arrays.
private struct Activation {
    let values: [Int32]
    let scale: Float
    let totals: [Float]
    /// What the form keeps of groups of values says what they say.
    let sumsAreRight: Bool

    init(_ pair: hk_activation_planes) {
        let high = withUnsafeBytes(of: pair.hi) { $0.map { Int32(Int8(bitPattern: $0)) } }
        let low = withUnsafeBytes(of: pair.lo) { $0.map { Int32(Int8(bitPattern: $0)) } }
        let values = zip(high, low).map { 256 * $0 + $1 }
        let sums = withUnsafeBytes(of: pair.sums) { Array($0.bindMemory(to: Int32.self)) }
        self.values = values
        scale = pair.scale
        totals = [pair.totals.0, pair.totals.1]
        sumsAreRight = (0..<16).allSatisfy { sums[$0] == Self.sum(values, 4 * $0, 4) }
    }

    init(_ pair: hk_activation_words) {
        let order = [0, 2, 1, 3]
        let words = withUnsafeBytes(of: pair.words) { Array($0.bindMemory(to: Int16.self)) }
        let values = (0..<64).map { (index: Int) -> Int32 in Int32(words[index / 4 * 4 + order[index % 4]]) }
        let starts = withUnsafeBytes(of: pair.starts) { Array($0.bindMemory(to: Int32.self)) }
        self.values = values
        scale = pair.scale
        totals = [pair.totals.0, pair.totals.1]
        let offsets: [Int32] = [0, 0, 8, 8, 16, 16], firsts = [0, 0, Int32(HK_START_8), Int32(HK_START_8), 0, 0]
        sumsAreRight =
            offsets.indices.allSatisfy { starts[$0] == firsts[$0] - offsets[$0] * Self.sum(values, $0 % 2 * 32, 32) }
            && (0..<4).allSatisfy { starts[6 + $0] == -32 * Self.sum(values, 16 * $0, 16) }
    }

    private static func sum(_ values: [Int32], _ first: Int, _ count: Int) -> Int32 {
        values[first..<first + count].reduce(0, +)
    }
}

extension KernelTable {
    fileprivate func activations(_ x: [Float]) -> [Activation] {
        quantize(x).withUnsafeBytes { bytes in
            table.pair_bytes == MemoryLayout<hk_activation_words>.stride
                ? bytes.bindMemory(to: hk_activation_words.self).map(Activation.init)
                : bytes.bindMemory(to: hk_activation_planes.self).map(Activation.init)
        }
    }
}
