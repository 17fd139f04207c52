import Foundation
import HearthGPU
import Testing

@Suite("Keys and values on a device", .timeLimit(.minutes(20)))
struct GPUKeyValueTests {
    private static func noise(_ count: Int, _ seed: Int) -> [Float] {
        (0..<count).map { Float(sin(Double($0 * 37 + seed * 101))) }
    }

    /// Blocks of 32 values as the kernels of the CPU pack them: the values that they stand for.
    private static func packed(_ x: [Float], heads: Int, width: Int, _ format: GPUKeyValueFormat) -> [Float] {
        var result: [Float] = []
        for start in stride(from: 0, to: x.count, by: width) {
            for first in stride(from: 0, to: width, by: 32) {
                let values = Array(x[start + first..<start + min(first + 32, width)])
                switch format {
                case .float32: result += values
                case .float16: result += values.map { Float(Float16($0)) }
                case .int8:
                    let scale = Float(Float16((values.map(abs).max() ?? 0) / 127))
                    result += values.map { scale > 0 ? ($0 / scale).rounded(.toNearestOrEven) * scale : 0 }
                case .int4:
                    let extreme = values.reduce(0) { abs($1) > abs($0) ? $1 : $0 }
                    let scale = Float(Float16(extreme / -8))
                    let quants = values.map {
                        scale != 0 ? min(max(($0 / scale).rounded(.toNearestOrEven), -8), 7) : 0
                    }
                    let squares = quants.reduce(0) { $0 + $1 * $1 }
                    let products = zip(quants, values).reduce(0) { $0 + $1.0 * $1.1 }
                    let best = squares > 0 ? Float(Float16(products / squares)) : scale
                    result += quants.map { $0 * best }
                }
            }
        }
        return result
    }

    @Test("The size of a position", arguments: [(1, 256), (4, 64), (3, 48), (1, 32), (5, 20)])
    func sizes(heads: Int, width: Int) {
        func size(_ format: GPUKeyValueFormat) -> Int { format.byteCount(heads: heads, width: width) }
        #expect(size(.float32) == 4 * heads * width)
        #expect(size(.float16) == 2 * heads * width)
        // As on the CPU, but for an odd block.
        let blocks = heads * ((width + 31) / 32), even = (blocks + 1) / 2 * 2
        #expect(size(.int8) == 34 * even)
        #expect(size(.int4) == 18 * even)
    }

    @Test(
        "Attention over a window and a cap, with keys and values in every format",
        .enabled(if: hasDevice, "no Vulkan device"), arguments: GPUKeyValueFormat.allCases,
        [(24, nil), (24, 5), (64, 100), (96, nil)] as [(Int, Int?)])
    func attention(format: GPUKeyValueFormat, shape: (width: Int, window: Int?)) throws {
        for info in devices { try attention(on: GPUDevice(info), format, shape) }
    }

    private func attention(
        on device: GPUDevice, _ format: GPUKeyValueFormat, _ shape: (width: Int, window: Int?)
    ) throws {
        let (width, window) = shape
        let (heads, cacheHeads, positions, first) = (4, 2, 150, 147)
        let (scale, cap) = (Float(0.3), Float(20))
        let row = cacheHeads * width
        let given = (1...2).map { Self.noise(positions * row, $0) }
        let queries = Self.noise((positions - first) * heads * width, 3)
        let inputs = try given.map { values in
            let buffer = try GPUBuffer(device, byteCount: 4 * values.count)
            try buffer.upload(values)
            return buffer
        }
        let bytes = positions * format.byteCount(heads: cacheHeads, width: width)
        let caches = try given.map { _ in
            let buffer = try GPUBuffer(device, byteCount: bytes)
            // What is not written shows.
            try buffer.upload([Float](repeating: .nan, count: bytes / 4))
            return buffer
        }
        let (q, out) = (
            try GPUBuffer(device, byteCount: 4 * queries.count), try GPUBuffer(device, byteCount: 4 * queries.count)
        )
        try q.upload(queries)
        let stride = heads * width
        try device.submit { commands throws(GPUError) in
            for (from, to) in zip(inputs, caches) {
                // In two steps: the second one goes behind the first.
                for (start, count) in [(0, 100), (100, positions - 100)] {
                    try commands.store(
                        GPURows(from.place, stride: row).rows(from: start), count: count, heads: cacheHeads,
                        width: width, position: start, format: format, in: to.place)
                }
            }
            try commands.attend(
                GPURows(q.place, stride: stride), count: positions - first, heads: heads, width: width, position: first,
                window: window, scale: scale, cap: cap,
                over: .init(keys: caches[0].place, values: caches[1].place, heads: cacheHeads, format: format),
                into: GPURows(out.place, stride: stride))
        }
        let found = try out.floats(count: queries.count)
        let keys = Self.packed(given[0], heads: cacheHeads, width: width, format)
        let values = Self.packed(given[1], heads: cacheHeads, width: width, format)
        for (query, position) in (first..<positions).enumerated() {
            for head in 0..<heads {
                let column = head / (heads / cacheHeads) * width
                let seen = max(0, window.map { position + 1 - $0 } ?? 0)...position
                let scores = seen.map { at in
                    let dot = (0..<width).reduce(0.0) {
                        $0 + Double(queries[query * stride + head * width + $1]) * Double(keys[at * row + column + $1])
                    }
                    return Double(cap) * tanh(dot * Double(scale) / Double(cap))
                }
                let weights = scores.map { exp($0 - (scores.max() ?? 0)) }
                let total = weights.reduce(0, +)
                for i in 0..<width {
                    let sum = zip(seen, weights).reduce(0.0) { $0 + $1.1 * Double(values[$1.0 * row + column + i]) }
                    // A quotient next to a half may be rounded to the other side.
                    let tolerance = format == .float32 || format == .float16 ? 2e-5 : 2e-3
                    #expect(abs(Double(found[query * stride + head * width + i]) - sum / total) < tolerance)
                }
            }
        }
    }

    @Test("A head times a Hadamard matrix", .enabled(if: hasDevice, "no Vulkan device"), arguments: [64, 96, 50, 512])
    func spreading(width: Int) throws {
        let device = try GPUDevice(.preferred(environment: ProcessInfo.processInfo.environment))
        let (count, heads) = (2, 3)
        let x = Self.noise(count * heads * width, 1)
        let buffer = try GPUBuffer(device, byteCount: 4 * x.count)
        try buffer.upload(x)
        let rows = GPURows(buffer.place, stride: heads * width)
        try device.submit { commands throws(GPUError) in
            try commands.spread(rows, count: count, heads: heads, width: width)
        }
        let found = try buffer.floats(count: x.count)
        let size = width & -width
        for at in x.indices {
            let first = at / size * size
            let sum = (0..<size).reduce(0.0) {
                $0 + Double(x[first + $1]) * (($1 & (at - first)).nonzeroBitCount % 2 == 0 ? 1 : -1)
            }
            #expect(abs(Double(found[at]) - sum / Double(size).squareRoot()) < 1e-5)
        }
        try device.submit { commands throws(GPUError) in
            try commands.spread(rows, count: count, heads: heads, width: width)
        }
        #expect(zip(try buffer.floats(count: x.count), x).allSatisfy { abs($0 - $1) < 1e-5 })
    }

    @Test(
        "Low-rank changes are added to the products of a group, in front of its cap",
        .enabled(if: hasDevice, "no Vulkan device"), arguments: devices, [1, 3])
    func adaptation(info: GPUDeviceInfo, tokens: Int) throws {
        let device = try GPUDevice(info)
        let memory = GPUWeightMemory(device)
        let (columns, rank) = (24, 8)
        let weights = [(10, 1), (6, 2), (7, 3)].map { Self.noise($0.0 * columns, $0.1) }
        let matrices = try weights.map {
            GPUMatrix(
                format: .f32, rows: $0.count / columns, columns: columns, rowBytes: 4 * columns, at: try memory.keep($0)
            )
        }
        // Two of the first matrix, one of some rows of the last.
        let changes = [(0, 0, 10, Float(0.5)), (0, 0, 10, -2), (2, 3, 4, 1)]
        var terms: [GPUAdaptation.Term] = []
        var halves: [(down: [Float], up: [Float])] = []
        for (index, change) in changes.enumerated() {
            let down = Self.noise(rank * columns, 10 + index), up = Self.noise(change.2 * rank, 20 + index)
            halves.append((down, up))
            terms.append(
                try .init(
                    of: matrices[change.0], firstRow: change.1, factor: change.3, rank: rank, down: down, up: up,
                    in: memory))
        }
        let x = Self.noise(tokens * columns, 30), width = 23
        let input = try GPUBuffer(device, byteCount: 4 * x.count)
        try input.upload(x)
        let outputs = try (0..<3).map { _ in try GPUBuffer(device, byteCount: 4 * tokens * width) }
        let adaptation = try GPUAdaptation(terms, together: 3, maximumRows: tokens, on: device)
        try device.submit { commands throws(GPUError) in
            let rows = GPURows(input.place, stride: columns)
            try commands.multiply(matrices, rows, count: tokens, into: GPURows(outputs[0].place, stride: width))
            var changed = commands
            changed.adaptation = adaptation
            try changed.multiply(matrices, rows, count: tokens, into: GPURows(outputs[1].place, stride: width))
            try changed.multiply(
                [matrices[0]], rows, count: tokens, into: GPURows(outputs[2].place, stride: width), cap: 3)
        }
        let found = try outputs.map { try $0.floats(count: tokens * width) }
        func product(_ a: [Float], _ row: Int, _ b: some Collection<Double>) -> Double {
            zip(a[row * b.count..<(row + 1) * b.count], b).reduce(0) { $0 + Double($1.0) * $1.1 }
        }
        for token in 0..<tokens {
            let input = x[token * columns..<(token + 1) * columns].map(Double.init)
            var column = 0
            for (index, matrix) in weights.enumerated() {
                for row in 0..<matrix.count / columns {
                    let plain = product(matrix, row, input)
                    var expected = plain
                    for (change, half) in zip(changes, halves) where change.0 == index {
                        guard (change.1..<change.1 + change.2).contains(row) else { continue }
                        let inner = (0..<rank).map { product(half.down, $0, input) }
                        expected += Double(change.3) * product(half.up, row - change.1, inner)
                    }
                    let at = token * width + column + row
                    #expect(abs(Double(found[0][at]) - plain) < 1e-4)
                    #expect(abs(Double(found[1][at]) - expected) < 1e-4)
                    if index == 0 { #expect(abs(Double(found[2][at]) - 3 * tanh(expected / 3)) < 1e-4) }
                }
                column += matrix.count / columns
            }
        }
    }
}
