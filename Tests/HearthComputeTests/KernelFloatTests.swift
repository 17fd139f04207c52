import CHearthKernels
import Foundation
import HearthTestSupport
import Testing

@Suite("Kernel float operations", .timeLimit(.minutes(20)))
struct KernelFloatTests {
    static let counts = [1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 64, 100, 640, 2051]

    @Test("Norms agree with Double", arguments: KernelTable.available)
    func norms(set: KernelTable) {
        var random = SeededNumbers(3)
        for count in Self.counts {
            let x = random.floats(count, within: 30), gain = random.floats(count, within: 2), h = random.floats(count)
            let mean = x.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(count)
            let scale = 1 / (mean + 1e-6).squareRoot()
            var plain = x, scaled = x, added = h, sum = h
            set.table.rms_norm(x, nil, count, 1e-6, &plain)
            // In place.
            scaled.withUnsafeMutableBufferPointer {
                set.table.rms_norm($0.baseAddress, gain, count, 1e-6, $0.baseAddress)
            }
            set.table.add_rms_norm(&added, x, gain, count, 1e-6)
            set.table.add(&sum, x, count)
            for i in 0..<count {
                let norm = Double(x[i]) * scale
                #expect(isClose(plain[i], norm, relative: 2e-6))
                #expect(isClose(scaled[i], norm * Double(gain[i]), relative: 2e-6))
                #expect(isClose(added[i], Double(h[i]) + norm * Double(gain[i]), relative: 2e-6, absolute: 1e-5))
                #expect(sum[i] == h[i] + x[i])
            }
        }
    }

    @Test("Plain arithmetic and sizes agree with Double", arguments: KernelTable.available)
    func arithmetic(set: KernelTable) {
        var random = SeededNumbers(6)
        for count in Self.counts {
            let x = random.floats(count, within: 30), y = random.floats(count, within: 2)
            var added = y, scaled = x, product = x, matched = x, cut = x
            set.table.add_scaled(&added, x, 0.75, count)
            set.table.scale(&scaled, -0.3, count)
            product.withUnsafeMutableBufferPointer { set.table.multiply_each($0.baseAddress, y, count, $0.baseAddress) }
            set.table.match_rms(&matched, y, count, 1e-5)
            set.table.cut_below(&cut, count, 0.5)

            let n = Double(count)
            let size = (x.reduce(0.0) { $0 + Double($1) * Double($1) } / n).squareRoot()
            let target = (y.reduce(0.0) { $0 + Double($1) * Double($1) } / n).squareRoot()
            let mean = x.reduce(0.0) { $0 + Double($1) } / n
            let deviation = (x.reduce(0.0) { $0 + (Double($1) - mean) * (Double($1) - mean) } / n).squareRoot()
            for i in 0..<count {
                #expect(isClose(added[i], Double(y[i]) + 0.75 * Double(x[i]), relative: 2e-6, absolute: 1e-6))
                #expect(scaled[i] == x[i] * -0.3 && product[i] == x[i] * y[i])
                #expect(isClose(matched[i], Double(x[i]) * target / size, relative: 4e-6))
                #expect(isClose(cut[i], max(0, Double(x[i]) - mean - 0.5 * deviation), relative: 2e-6, absolute: 2e-5))
            }
            // Too small to be brought to a size: only as far as the floor lets it.
            var tiny = [Float](repeating: 1e-6, count: count)
            set.table.match_rms(&tiny, y, count, 1e-5)
            #expect(isClose(tiny[0], 1e-6 * target / 1e-5.squareRoot(), relative: 4e-6))
            // Equal values have no deviation and nothing above their mean.
            var equal = [Float](repeating: 3, count: count)
            set.table.cut_below(&equal, count, 1)
            #expect(equal.allSatisfy { isClose($0, 0, relative: 0, absolute: 1e-5) })
        }
    }

    @Test("Activation functions agree with Double over their whole range", arguments: KernelTable.available)
    func functions(set: KernelTable) {
        let x = (0...4000).map { Float($0 - 2000) * 0.01 } + [1e-8, -1e-8, 1e-20, 0, 100, -100, 1e10, -1e10]
        let up = x.indices.map { Float($0 % 7) - 3 }
        var gated = x, capped = x
        gated.withUnsafeMutableBufferPointer { set.table.gated_gelu($0.baseAddress, up, x.count, $0.baseAddress) }
        set.table.soft_cap(&capped, x.count, 3)
        for i in x.indices {
            let z = Double(x[i])
            let gelu = 0.5 * z * (1 + tanh(0.7978845608028654 * (z + 0.044715 * z * z * z))) * Double(up[i])
            #expect(isClose(gated[i], gelu, relative: 2e-6, absolute: 1e-7), "gelu(\(z))")
            #expect(isClose(capped[i], 3 * tanh(z / 3), relative: 1e-6), "tanh(\(z))")
        }
    }

    @Test("What is not finite passes through", arguments: KernelTable.available)
    func notFinite(set: KernelTable) {
        let x: [Float] = [.nan, .infinity, -.infinity, 1]
        var capped = x, gated = x
        set.table.soft_cap(&capped, 4, 5)
        set.table.gated_gelu(x, [1, 1, 1, 1], 4, &gated)
        var matched = x, cut = x, scaled = x
        set.table.match_rms(&matched, [1, 1, 1, 1], 4, 1e-5)
        set.table.cut_below(&cut, 4, 1)
        set.table.scale(&scaled, 2, 4)
        #expect(matched.allSatisfy { $0.isNaN } && cut.allSatisfy { $0.isNaN })
        #expect(scaled[0].isNaN && scaled[1] == .infinity && scaled[3] == 2)
        #expect(capped[0].isNaN && capped[1] == 5 && capped[2] == -5 && capped[3].isFinite)
        #expect(gated[0].isNaN && gated[1] == .infinity && gated[3].isFinite)
        let task = AttentionTask(heads: 1, width: 8, capacity: 3, first: 0, count: 3, seed: 1)
        var broken = task
        broken.keys[0] = .nan
        #expect(broken.run(set).allSatisfy { $0.isNaN })
    }

    @Test("Attention agrees with a plain softmax in Double", arguments: KernelTable.available)
    func attention(set: KernelTable) {
        var random = SeededNumbers(5)
        for (round, width) in [8, 16, 24, 32, 64, 128, 256, 512, 7, 13, 40].enumerated() {
            for count in [1, 2, 31, 32, 33, 70] {
                var task = AttentionTask(
                    heads: Int.random(in: 1...11, using: &random), width: width,
                    capacity: count + Int.random(in: 0...20, using: &random),
                    first: Int.random(in: 0...999, using: &random), count: count, seed: UInt64(round * 100 + count))
                task.softCap = round % 2 == 0 ? 2 : 0
                for (got, expected) in zip(task.run(set), task.reference()) {
                    #expect(isClose(got, expected, relative: 1e-5, absolute: 2e-6))
                }
            }
        }
    }

    @Test("Large scores neither overflow nor vanish", arguments: KernelTable.available)
    func largeScores(set: KernelTable) {
        for magnitude: Float in [1e3, 1e5, 1e15] {
            var task = AttentionTask(heads: 3, width: 16, capacity: 100, first: 5, count: 90, seed: 9)
            task.keys = task.keys.map { $0 * magnitude }
            let got = task.run(set)
            #expect(got.allSatisfy { abs($0) <= 1 })
            // The winner takes all: its value is the result.
            let expected = task.reference()
            if magnitude > 1e4 {
                #expect(zip(got, expected).allSatisfy { isClose($0, $1, relative: 1e-3, absolute: 1e-3) })
            }
        }
    }
}

/// One attention problem with random queries, keys and values.
struct AttentionTask {
    var heads: Int
    var width: Int
    var capacity: Int
    var first: Int
    var count: Int
    var softCap: Float = 0
    var queries: [Float]
    var keys: [Float]
    var values: [Float]

    init(heads: Int, width: Int, capacity: Int, first: Int, count: Int, seed: UInt64) {
        var random = SeededNumbers(seed)
        (self.heads, self.width, self.capacity, self.first, self.count) = (heads, width, capacity, first, count)
        queries = random.floats(heads * width)
        keys = random.floats(capacity * width)
        values = random.floats(capacity * width)
    }

    func run(_ set: KernelTable) -> [Float] {
        // NaN shows any read of the output before it is written.
        var output = [Float](repeating: .nan, count: heads * width)
        var maximum = [Float](repeating: .nan, count: heads)
        var total = [Float](repeating: .nan, count: heads)
        queries.withUnsafeBufferPointer { queries in
            keys.withUnsafeBufferPointer { keys in
                values.withUnsafeBufferPointer { values in
                    output.withUnsafeMutableBufferPointer { output in
                        var task = hk_attention(
                            queries: queries.baseAddress, heads: heads, width: width, format: HK_F32,
                            keys: keys.baseAddress, values: values.baseAddress, row_bytes: 4 * width,
                            capacity: capacity, first: first, count: count, scale: 0.5, soft_cap: softCap,
                            output: output.baseAddress, maximum: nil, total: nil)
                        maximum.withUnsafeMutableBufferPointer { maximum in
                            total.withUnsafeMutableBufferPointer { total in
                                (task.maximum, task.total) = (maximum.baseAddress, total.baseAddress)
                                set.table.attend(&task)
                            }
                        }
                    }
                }
            }
        }
        return output.indices.map { output[$0] / total[$0 / width] }
    }

    func reference() -> [Double] {
        (0..<heads).flatMap { head -> [Double] in
            let scores = (0..<count).map { p -> Double in
                let row = (first + p) % capacity
                let dot = (0..<width).reduce(0.0) {
                    $0 + Double(queries[head * width + $1]) * Double(keys[row * width + $1])
                }
                let cap = Double(softCap)
                return cap > 0 ? cap * tanh(dot * 0.5 / cap) : dot * 0.5
            }
            let peak = scores.max() ?? 0
            let weights = scores.map { exp($0 - peak) }
            let total = weights.reduce(0, +)
            return (0..<width).map { c in
                let sum = (0..<count).reduce(0.0) {
                    $0 + weights[$1] * Double(values[(first + $1) % capacity * width + c])
                }
                return sum / total
            }
        }
    }
}
