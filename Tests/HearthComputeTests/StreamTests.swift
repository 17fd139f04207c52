import Foundation
import HearthCompute
import Testing

/// Operations between rows against plain loops in Double, on every kernel set, alone and spread over threads.
@Suite(.timeLimit(.minutes(20))) struct StreamTests {
    private func rows(_ count: Int, _ width: Int, _ noise: inout ComputeTests.Noise) throws -> Rows {
        let rows = try Rows(count: count, width: width)
        for row in 0..<count { rows.set(row, to: (0..<width).map { _ in noise.next() }) }
        return rows
    }

    private func compute(_ set: String, threads: Int = 2) throws -> Compute {
        try Compute(kernels: KernelSet.selected(by: set), threads: threads, maximumRows: 16, maximumColumns: 64)
    }

    private func isClose(_ found: [Float], _ wanted: [Double]) -> Bool {
        found.count == wanted.count && zip(found, wanted).allSatisfy { abs(Double($0) - $1) < 1e-5 * max(1, abs($1)) }
    }

    @Test(arguments: KernelSet.available.map(\.name), [1, 3, 9])
    func streamsAreMixedAndCorrected(set: String, count: Int) throws {
        let n = 4, width = 21
        var noise = ComputeTests.Noise(state: 5)
        let compute = try compute(set)
        let x = try rows(count, n * width, &noise), factors = try rows(count, n * n, &noise)
        let change = try rows(count, width, &noise), out = try Rows(count: count, width: n * width)
        compute.mix(x, factors: factors, streams: n, into: out)
        for row in 0..<count {
            let source = x.row(row).map(Double.init), factor = factors.row(row).map(Double.init)
            let wanted = (0..<n * width).map { at in
                source[at] + (0..<n).reduce(0) { $0 + factor[at / width * n + $1] * source[$1 * width + at % width] }
            }
            #expect(isClose(out.row(row), wanted))
        }
        let few = factors.columns(0..<n)
        compute.add(change, factors: few, toStreams: x, into: out)
        for row in 0..<count {
            let source = x.row(row), factor = few.row(row), step = change.row(row)
            let wanted = (0..<n * width).map {
                Double(source[$0]) + (1 + Double(factor[$0 / width])) * Double(step[$0 % width])
            }
            #expect(isClose(out.row(row), wanted))
        }
    }

    @Test(arguments: KernelSet.available.map(\.name))
    func rowsAreComputedEachByItself(set: String) throws {
        var noise = ComputeTests.Noise(state: 6)
        let compute = try compute(set)
        let x = try rows(9, 30, &noise), target = try rows(9, 30, &noise), gain = try rows(1, 30, &noise)
        let out = try Rows(count: 9, width: 30), alone = try Rows(count: 1, width: 30)
        let operations: [(String, (Rows, Rows, Rows) -> Void)] = [
            ("copy", { compute.copy($0, into: $2) }),
            ("elements", { compute.multiply($0, elements: gain, into: $2) }),
            (
                "match",
                {
                    compute.copy($0, into: $2); compute.match($2, toSizeOf: $1, floor: 1e-5)
                }
            ),
            (
                "cut",
                {
                    compute.copy($0, into: $2); compute.cut($2, belowDeviations: 0.3)
                }
            ),
            (
                "scale",
                {
                    compute.copy($0, into: $2); compute.scale($2, by: 1.7)
                }
            ),
            (
                "times",
                {
                    compute.copy($0, into: $2); compute.add($1, times: -1, to: $2)
                }
            ),
            (
                "heads",
                {
                    compute.copy($0, into: $2)
                    compute.normalizeHeads($2, width: 10, gain: nil, epsilon: 1e-6)
                }
            ),
        ]
        for (name, operation) in operations {
            operation(x, target, out)
            for row in 0..<9 {
                operation(x.rows(row, 1), target.rows(row, 1), alone)
                #expect(alone.row(0) == out.row(row), "\(name)")
            }
        }
        compute.copy(x, into: out)
        compute.match(out, toSizeOf: target, floor: 1e-5)
        for row in 0..<9 {
            func size(_ values: [Float]) -> Double { values.reduce(0) { $0 + Double($1) * Double($1) }.squareRoot() }
            let factor = size(target.row(row)) / size(x.row(row))
            #expect(isClose(out.row(row), x.row(row).map { Double($0) * factor }))
        }
    }

    @Test func stretchesOfATableAreReadAndTokensBeyondItTakeTheFirstRow() throws {
        let compute = try compute("portable")
        let memory = try FloatBuffer(count: 5 * 12)
        for index in 0..<60 { memory.base[index] = Float(index) }
        let table = try WeightMatrix(
            format: .f32, rows: 5, columns: 12, base: UnsafeRawPointer(memory.base), byteCount: 240, owner: memory)
        let out = try Rows(count: 3, width: 6)
        compute.embed([4, 9, 0], columns: 3..<7, from: table, scale: 2, into: out)
        #expect(out.row(0)[..<4] == [102, 104, 106, 108])
        #expect(out.row(1)[..<4] == [6, 8, 10, 12] && out.row(2)[..<4] == [6, 8, 10, 12])

        let part = try table.rows(2..<4)
        #expect(part.rows == 2 && part.row(1, kernels: compute.kernels) == (36..<48).map(Float.init))
        #expect(throws: ComputeError.self) { try table.rows(4..<6) }
        #expect(throws: ComputeError.self) { try table.rows(2..<2) }
    }

    @Test func dividedFrequenciesLeavePairsAloneOrSlowThem() throws {
        let compute = try compute("portable")
        let plain = try RotaryTable(width: 8, base: 100, positionScale: 1, capacity: 4)
        let divided = try RotaryTable(
            width: 8, base: 100, positionScale: 1, divisors: [1, 2, 1e30, .infinity], capacity: 4)
        plain.prepare(first: 6, count: 4)
        divided.prepare(first: 12, count: 4)
        let x = try Rows(count: 1, width: 8), y = try Rows(count: 1, width: 8)
        let values: [Float] = [1, 2, 3, 4, 5, 6, 7, 8]
        x.set(0, to: values)
        y.set(0, to: values)
        // Twice the position at half the frequency: row 1 is position 7, row 2 position 14.
        compute.rotate(x, by: plain, firstRow: 1, headWidth: 8)
        compute.rotate(y, by: divided, firstRow: 2, headWidth: 8)
        #expect(abs(x.row(0)[1] - y.row(0)[1]) < 1e-6 && abs(x.row(0)[5] - y.row(0)[5]) < 1e-6)
        #expect(x.row(0)[0] != y.row(0)[0])
        for pair in [2, 3] { #expect(y.row(0)[pair] == values[pair] && y.row(0)[pair + 4] == values[pair + 4]) }
        #expect(throws: ComputeError.self) {
            try RotaryTable(width: 8, base: 100, positionScale: 1, divisors: [1], capacity: 4)
        }
    }
}
