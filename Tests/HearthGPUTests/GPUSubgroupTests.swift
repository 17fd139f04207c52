import Foundation
import HearthGPU
import Testing

@Suite("Subgroups", .timeLimit(.minutes(20)))
struct GPUSubgroupTests {
    private static func noise(_ count: Int, _ seed: Int = 0) -> [Float] {
        (0..<count).map { Float(4 * sin(Double($0 * 37 + seed * 101))) }
    }

    @Test("The device decides, and the environment may forbid", .enabled(if: hasDevice, "no Vulkan device"))
    func choice() throws {
        let chosen = try GPUDeviceInfo.preferred(environment: [:])
        let portable = try GPUDeviceInfo.preferred(environment: ["HEARTH_GPU_SUBGROUPS": "0"])
        #expect(!portable.usesSubgroups && portable.subgroupSize == 0)
        #expect(portable == chosen.withoutSubgroups)
        #expect(chosen.subgroupSize == 0 || chosen.subgroupSize >= 4)
        // Mesa's device has them, so that both forms are tested where it is.
        if chosen.driver.hasPrefix("llvmpipe") { #expect(chosen.usesSubgroups) }
    }

    @Test("A key names its form, and only shaders that reduce have two")
    func keys() {
        for shader in GPUShader.allCases {
            let key = GPUPipelineKey(shader, [1])
            #expect(!key.usesSubgroups)
            #expect(key.withSubgroups.usesSubgroups == GPUShader.withSubgroups.contains(shader))
            #expect((key.withSubgroups == key) == !GPUShader.withSubgroups.contains(shader))
            #expect(key.withSubgroups.withSubgroups == key.withSubgroups)
        }
        // An order in which no two different keys are equal.
        let attention = GPUCommands.attentionKey(.float16)
        let keys = [GPUPipelineKey(.norm).withSubgroups, attention.withSubgroups, GPUPipelineKey(.norm), attention]
        #expect(keys.sorted() == [keys[3], keys[1], keys[2], keys[0]])
        #expect(GPUPipelineKey(.norm) < GPUPipelineKey(.norm).withSubgroups)
        #expect(!(GPUPipelineKey(.norm).withSubgroups < GPUPipelineKey(.norm)))
    }

    @Test(
        "Softmax, sums, means, maxima and minima of few and of many values",
        .enabled(if: hasDevice, "no Vulkan device"), arguments: devices,
        [(2, 70, 1), (2, 5, 3), (1, 300, 4), (3, 1, 1)] as [(Int, Int, Int)])
    func axes(info: GPUDeviceInfo, shape: (outer: Int, count: Int, stride: Int)) throws {
        let device = try GPUDevice(info)
        let (outer, count, stride) = shape
        let x = Self.noise(outer * count * stride)
        let input = try GPUBuffer(device, byteCount: 4 * x.count)
        try input.upload(x)
        for operation in GPUCommands.AxisOperation.allCases {
            let output = try GPUBuffer(device, byteCount: 4 * x.count)
            try device.submit { commands throws(GPUError) in
                try commands.over(
                    operation, input.place, outer: outer, count: count, stride: stride, into: output.place)
            }
            let found = try output.floats(count: x.count)
            for row in 0..<outer * stride {
                let start = row / stride * stride * count + row % stride
                let values = (0..<count).map { Double(x[start + $0 * stride]) }
                let highest = values.max()!, sum = values.reduce(0, +)
                switch operation {
                case .softmax:
                    let total = values.reduce(0) { $0 + exp($1 - highest) }
                    for (at, value) in values.enumerated() {
                        #expect(abs(Double(found[start + at * stride]) - exp(value - highest) / total) < 1e-5)
                    }
                // The order of additions is another in each form.
                case .sum: #expect(abs(Double(found[row]) - sum) < 1e-5 * values.reduce(1) { $0 + abs($1) })
                case .mean: #expect(abs(Double(found[row]) - sum / Double(count)) < 1e-5)
                case .maximum: #expect(Double(found[row]) == highest)
                case .minimum: #expect(Double(found[row]) == values.min()!)
                }
            }
        }
    }

    @Test(
        "Maxima and minima of negative numbers, infinities and NaN", .enabled(if: hasDevice, "no Vulkan device"),
        arguments: devices)
    func extremes(info: GPUDeviceInfo) throws {
        let device = try GPUDevice(info)
        let count = 70
        let rows: [[Float]] = [
            (0..<count).map { -1 - Float($0) }, [Float](repeating: -.infinity, count: count),
            [Float](repeating: -0.5, count: count - 1) + [.infinity], [.nan] + [Float](repeating: 1, count: count - 1),
            [Float](repeating: 1, count: count - 1) + [.nan],
        ]
        let input = try GPUBuffer(device, byteCount: 4 * rows.count * count)
        try input.upload(rows.flatMap { $0 })
        for (operation, expected) in [
            (.maximum, [-1, -.infinity, .infinity]), (.minimum, [-70, -.infinity, -0.5]),
        ] as [(GPUCommands.AxisOperation, [Float])] {
            let output = try GPUBuffer(device, byteCount: 4 * rows.count)
            try device.submit { commands throws(GPUError) in
                try commands.over(
                    operation, input.place, outer: rows.count, count: count, stride: 1, into: output.place)
            }
            let found = try output.floats(count: rows.count)
            #expect(Array(found.prefix(3)) == expected)
            #expect(found[3].isNaN && found[4].isNaN)
        }
    }

    @Test("Norms of layers", .enabled(if: hasDevice, "no Vulkan device"), arguments: devices, [3, 70, 512])
    func layers(info: GPUDeviceInfo, width: Int) throws {
        let device = try GPUDevice(info)
        let rows = 5
        let x = Self.noise(rows * width).map { $0 + 5 }
        let (gain, shift) = (Self.noise(width, 1), Self.noise(width, 2))
        let buffers = try [x, gain, shift].map { values in
            let buffer = try GPUBuffer(device, byteCount: 4 * values.count)
            try buffer.upload(values)
            return buffer
        }
        // In place.
        try device.submit { commands throws(GPUError) in
            try commands.normalizeLayers(
                buffers[0].place, rows: rows, width: width, gain: buffers[1].place, shift: buffers[2].place,
                epsilon: 1e-5, into: buffers[0].place)
        }
        let found = try buffers[0].floats(count: x.count)
        for row in 0..<rows {
            let values = x[row * width..<(row + 1) * width].map(Double.init)
            let mean = values.reduce(0, +) / Double(width)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(width)
            for (at, value) in values.enumerated() {
                let expected = (value - mean) / (variance + 1e-5).squareRoot() * Double(gain[at]) + Double(shift[at])
                #expect(abs(Double(found[row * width + at]) - expected) < 2e-5 * max(1, abs(expected)))
            }
        }
    }

    @Test(
        "Products of few rows and of many", .enabled(if: hasDevice, "no Vulkan device"),
        arguments: devices, [1, 13, 129])
    func products(info: GPUDeviceInfo, rows: Int) throws {
        let device = try GPUDevice(info)
        let (columns, tokens) = (648, 11)
        let weights = Self.noise(rows * columns, 1), x = Self.noise(tokens * columns, 2)
        let memory = GPUWeightMemory(device)
        let matrix = GPUMatrix(
            format: .f32, rows: rows, columns: columns, rowBytes: 4 * columns, at: try memory.keep(weights))
        let input = try GPUBuffer(device, byteCount: 4 * x.count)
        try input.upload(x)
        // One more column that nothing writes.
        let stride = rows + 1
        let outputs = try (0..<2).map { _ in
            let buffer = try GPUBuffer(device, byteCount: 4 * tokens * stride)
            try buffer.upload([Float](repeating: 7, count: tokens * stride))
            return buffer
        }
        let rowsOfX = GPURows(input.place, stride: columns)
        let places = outputs.map { GPURows($0.place, stride: stride) }
        try device.submit { commands throws(GPUError) in
            try commands.multiply(matrix, rowsOfX, count: tokens, into: places[0])
            for token in 0..<tokens {
                try commands.multiply(matrix, rowsOfX.rows(from: token), count: 1, into: places[1].rows(from: token))
            }
        }
        let found = try outputs.map { try $0.floats(count: tokens * stride) }
        // A token's bits do not depend on the others.
        #expect(found[0].map(\.bitPattern) == found[1].map(\.bitPattern))
        for token in 0..<tokens {
            for row in 0..<rows {
                let terms = (0..<columns).map {
                    Double(weights[row * columns + $0]) * Double(x[token * columns + $0])
                }
                let size = terms.reduce(0) { $0 + abs($1) }
                #expect(abs(Double(found[0][token * stride + row]) - terms.reduce(0, +)) <= 1e-6 * size)
            }
            #expect(found[0][token * stride + rows] == 7)
        }
    }
}
