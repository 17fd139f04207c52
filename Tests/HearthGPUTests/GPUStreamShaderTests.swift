import Foundation
import HearthGPU
import HearthSystem
import Testing

@Suite("Shaders of parallel streams and gates", .timeLimit(.minutes(20)))
struct GPUStreamShaderTests {
    private let width = 70
    private let count = 2

    /// Rows of values in a buffer, with some room after each row.
    private func rows(
        _ device: GPUDevice, stride: Int, _ value: (Int) -> Double
    ) throws -> (values: [Float], buffer: GPUBuffer, rows: GPURows) {
        let values = (0..<count * stride).map { Float(value($0)) }
        let buffer = try GPUBuffer(device, byteCount: 4 * values.count)
        try buffer.upload(values)
        return (values, buffer, GPURows(buffer.place, stride: stride))
    }

    private func device() throws -> GPUDevice {
        try GPUDevice(.preferred(environment: ProcessInfo.processInfo.environment))
    }

    private func expect(_ found: [Float], _ expected: [Double], within tolerance: Double) {
        #expect(found.count == expected.count)
        for (at, (a, b)) in zip(found, expected).enumerated() {
            #expect(abs(Double(a) - b) <= tolerance * max(1, abs(b)), "at \(at)")
        }
    }

    @Test(
        "Rows are copied, scaled and added, and nothing behind them is touched",
        .enabled(if: hasDevice, "no Vulkan device"))
    func blends() throws {
        let device = try device()
        let x = try rows(device, stride: 75) { sin(Double($0)) }
        let gains = (0..<width).map { 1 + Float($0) / 100 }
        let gain = try GPUBuffer(device, byteCount: 4 * width)
        try gain.upload(gains)
        for (scale, kept, hasGain) in [(1, 0, false), (-0.5, 2, false), (3, 1, true)] as [(Float, Float, Bool)] {
            // What is not read may be anything.
            let y = try rows(device, stride: 80) { kept == 0 ? .nan : cos(Double($0)) }
            try device.submit { commands throws(GPUError) in
                try commands.blend(
                    x.rows, count: count, width: width, scale: scale, gain: hasGain ? gain.place : nil, kept: kept,
                    into: y.rows)
            }
            let found = try y.buffer.floats(count: count * 80)
            for row in 0..<count {
                let expected = (0..<width).map { at in
                    let value = Double(scale * x.values[row * 75 + at]) * (hasGain ? Double(gains[at]) : 1)
                    return value + (kept == 0 ? 0 : Double(kept) * Double(y.values[row * 80 + at]))
                }
                expect(Array(found[row * 80..<row * 80 + width]), expected, within: 1e-6)
                let rest = row * 80 + width..<(row + 1) * 80
                #expect(found[rest].map(\.bitPattern) == y.values[rest].map(\.bitPattern))
            }
        }
    }

    @Test(
        "What lies far below the mean of its row becomes zero", .enabled(if: hasDevice, "no Vulkan device"),
        arguments: devices)
    func cuts(info: GPUDeviceInfo) throws {
        let device = try GPUDevice(info)
        let x = try rows(device, stride: 75) { 5 * sin(Double($0 * $0)) + 1 }
        try device.submit { commands throws(GPUError) in
            try commands.cut(x.rows, count: count, width: width, belowDeviations: 0.7)
        }
        let found = try x.buffer.floats(count: count * 75)
        for row in 0..<count {
            let values = x.values[row * 75..<row * 75 + width].map(Double.init)
            let mean = values.reduce(0, +) / Double(width)
            let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(width)).squareRoot()
            let expected = values.map { max(0, $0 - mean - Double(Float(0.7)) * deviation) }
            expect(Array(found[row * 75..<row * 75 + width]), expected, within: 1e-5)
            #expect(expected.contains(0) && expected.contains { $0 > 0 })
        }
    }

    @Test(
        "Rows get the size of others, unless they are next to nothing", .enabled(if: hasDevice, "no Vulkan device"),
        arguments: devices)
    func matches(info: GPUDeviceInfo) throws {
        let device = try GPUDevice(info)
        let x = try rows(device, stride: 80) { sin(Double($0)) * ($0 < 80 ? 1 : 1e-6) }
        let target = try rows(device, stride: 75) { 9 * cos(Double($0)) }
        try device.submit { commands throws(GPUError) in
            try commands.match(x.rows, count: count, width: width, toSizeOf: target.rows, floor: 1e-5)
        }
        let found = try x.buffer.floats(count: count * 80)
        for row in 0..<count {
            func square(_ values: ArraySlice<Float>) -> Double {
                values.reduce(0) { $0 + Double($1) * Double($1) } / Double(width)
            }
            let values = x.values[row * 80..<row * 80 + width]
            let wanted = square(target.values[row * 75..<row * 75 + width])
            let factor = (wanted / max(square(values), Double(Float(1e-5)))).squareRoot()
            expect(
                Array(found[row * 80..<row * 80 + width]), values.map { Double($0) * factor }, within: 1e-5)
        }
    }

    @Test(
        "Streams are predicted from all, and corrected by the active one", .enabled(if: hasDevice, "no Vulkan device"))
    func streams() throws {
        let device = try device()
        let (n, active) = (3, 1)
        let stride = n * width + 5
        let x = try rows(device, stride: stride) { sin(Double($0)) }
        let routed = try rows(device, stride: n + 1) { cos(Double($0)) }
        let h = try rows(device, stride: width + 3) { cos(Double(3 * $0)) }
        let matrix = (0..<n * n * n).map { Float(sin(Double(2 * $0 + 1))) }
        let weights = try GPUBuffer(device, byteCount: 4 * matrix.count)
        try weights.upload(matrix)
        let outputs = try (0..<2).map { _ in try rows(device, stride: stride) { _ in 7 } }
        let streams = GPUCommands.Streams(count: n, width: width, active: active, routed: routed.rows)
        try device.submit { commands throws(GPUError) in
            try commands.predict(x.rows, rows: count, streams, weights: weights.place, into: outputs[0].rows)
            try commands.correct(
                x.rows, rows: count, streams, weights: weights.place, by: h.rows, into: outputs[1].rows)
        }
        let found = try outputs.map { try $0.buffer.floats(count: count * stride) }
        for row in 0..<count {
            let factors = (0..<n * n).map { index in
                (0..<n).reduce(0.0) { $0 + Double(matrix[index * n + $1]) * Double(routed.values[row * (n + 1) + $1]) }
            }
            func stream(_ index: Int, _ column: Int) -> Double {
                Double(x.values[row * stride + index * width + column])
            }
            for index in 0..<n {
                let part = row * stride + index * width..<row * stride + (index + 1) * width
                let predicted = (0..<width).map { column in
                    (0..<n).reduce(stream(index, column)) { $0 + factors[index * n + $1] * stream($1, column) }
                }
                expect(Array(found[0][part]), predicted, within: 1e-5)
                let corrected = (0..<width).map { column in
                    let change = Double(h.values[row * (width + 3) + column]) - stream(active, column)
                    return stream(index, column) + (1 + factors[index]) * change
                }
                expect(Array(found[1][part]), corrected, within: 1e-5)
            }
            for output in found {
                #expect(output[row * stride + n * width..<(row + 1) * stride].allSatisfy { $0 == 7 })
            }
        }
    }
}
