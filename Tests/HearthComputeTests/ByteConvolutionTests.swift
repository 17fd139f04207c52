import Foundation
import HearthCompute
import HearthTestSupport
import Testing

@Suite("Convolutions of 8-bit codes", .timeLimit(.minutes(20)))
struct ByteConvolutionTests {
    /// Kernel, stride, padding, dilation, channels in and out, height, width, groups, codes out.
    struct Case: Sendable {
        var kernel = 3
        var stride = 1
        var padding = 1
        var dilation = 1
        var channels = (16, 16)
        var size = (9, 9)
        var batch = 1
        var groups = 1
        var makesCodes = true
    }

    static let cases: [Case] = [
        Case(kernel: 1, padding: 0, channels: (24, 40), size: (14, 15)),
        Case(kernel: 1, padding: 0, channels: (1, 1), size: (1, 1), makesCodes: false),
        Case(kernel: 1, stride: 2, padding: 0, channels: (33, 17), size: (14, 15), batch: 2, makesCodes: false),
        Case(channels: (20, 70), size: (14, 14)),
        Case(dilation: 2, channels: (7, 18), size: (9, 12), makesCodes: false),
        Case(kernel: 7, stride: 2, padding: 3, channels: (3, 20), size: (32, 60), batch: 2),
        Case(channels: (64, 96), size: (7, 7)),
        Case(channels: (24, 24), size: (13, 70), groups: 24),
        Case(stride: 2, channels: (40, 40), size: (15, 18), batch: 2, groups: 40, makesCodes: false),
        Case(kernel: 5, padding: 2, channels: (6, 6), size: (7, 9), groups: 6),
        // Blocks of outputs in several groups, in parts of groups, and in exactly one.
        Case(channels: (32, 32), size: (9, 14), groups: 8),
        Case(kernel: 1, padding: 0, channels: (30, 50), size: (6, 7), batch: 2, groups: 2, makesCodes: false),
        Case(stride: 2, dilation: 2, channels: (9, 21), size: (17, 20), groups: 3),
        Case(channels: (64, 32), size: (7, 9), groups: 2, makesCodes: false),
    ]

    private static let functions: [ElementFunction] = [.identity, .relu, .clip(low: 0, high: 6), .silu]

    /// The codes of a tensor as they are in memory, without the border.
    private func codes(_ region: FloatRegion, _ shape: CodeShape) -> [Int] {
        let (image, border) = (shape.image, shape.border)
        let bytes = region.values.flatMap { (value: Float) -> [Int] in
            [0, 8, 16, 24].map { (shift: UInt32) -> Int in Int(value.bitPattern >> shift & 255) }
        }
        let channels = (image.channels + 3) / 4 * 4
        let (rows, columns) = (border.top + image.height + border.bottom, border.left + image.width + border.right)
        return (0..<image.plainCount).map { index in
            let (column, row) = (index % image.width, index / image.width % image.height)
            let (plane, channel) = (index / image.positions / image.channels, index / image.positions % image.channels)
            let position = (plane * rows + row + border.top) * columns + column + border.left
            return bytes[position * channels + channel]
        }
    }

    @Test("Every set makes the results of plain whole-number sums, bit for bit", arguments: cases.indices)
    func convolutions(number: Int) throws {
        let item = Self.cases[number]
        var random = SeededNumbers(UInt64(31 + number))
        let window = ImageWindow(
            kernel: item.kernel, stride: item.stride, dilation: item.dilation, padding: item.padding)
        let image = try ImageShape(
            batch: item.batch, channels: item.channels.0, height: item.size.0, width: item.size.1)
        let input = try CodeShape(
            image, border: (item.padding, item.padding + 1, item.padding, item.padding), scale: 0.05,
            zero: [128, 0, 255, 93][number % 4])
        let shape = try ByteConvolutionShape(
            inputChannels: item.channels.0, outputChannels: item.channels.1, window: window,
            groups: item.groups)
        let x = Plain([item.batch, item.channels.0, item.size.0, item.size.1], &random, within: 8)
        let inputs = item.channels.0 / item.groups
        let weights = random.floats(shape.weightCount, within: 128).map { Int8(max(-128, min(127, $0.rounded()))) }
        let each = inputs * item.kernel * item.kernel
        func perChannel(_ value: (Int) -> Float) -> [Float] {
            (0..<shape.channelCount).map { $0 < item.channels.1 ? value($0) : 0 }
        }
        let sums = perChannel { output in Float(weights[output * each..<(output + 1) * each].reduce(0) { $0 + Int($1) })
        }
        let scales = perChannel { 0.05 * 0.002 * Float($0 % 5 + 1) }
        let bias = perChannel { Float($0 % 7) - 3 }
        var packed = [Float](repeating: 0, count: shape.packedCount)
        try packed.withUnsafeMutableBufferPointer { try shape.pack(weights, into: $0) }
        let size = try window.output(height: item.size.0, width: item.size.1)
        let result = try ImageShape(
            batch: item.batch, channels: item.channels.1, height: size.height, width: size.width)
        let made = try CodeShape(result, border: (1, 0, 2, 1), scale: 0.03, zero: 17)
        let function = Self.functions[number % 4]
        let convolution = try ByteConvolution(
            shape, input: input, output: item.makesCodes ? .codes(made) : .blocked, weights: FloatWeights(packed),
            sums: FloatWeights(sums), scales: FloatWeights(scales), bias: FloatWeights(bias),
            epilogue: Epilogue(function: function))
        // Whole-number sums of the very codes, in Double: exact.
        let plain = try ConvolutionShape(
            input: image, outputChannels: item.channels.1, window: window,
            groups: item.groups)
        var first: [UInt32]?
        for machine in VisionMachine.all {
            let compute = try machine.compute()
            let region = try FloatRegion(count: input.floatCount)
            try compute.quantize(input, x.blocked(), .blocked, into: region)
            let found = codes(region, input)
            let wanted = x.values.map { value in
                Int(min(max((value / 0.05).rounded(.toNearestOrEven) + Float(input.zero), 0), 255))
            }
            #expect(found == wanted, "\(machine)")
            let exact = plain.reference(
                Plain(x.shape, found.map { Float($0 - input.zero) }), Plain([weights.count], weights.map { Float($0) }))
            let y = try FloatRegion(count: item.makesCodes ? made.floatCount : result.blockedCount)
            try compute.convolve(convolution, region, into: y)
            let results = item.makesCodes ? codes(y, made).map(Float.init) : Plain.unblocked(y, result).values
            for index in exact.indices {
                let channel = index / result.positions % result.channels
                // One rounding each: the sum to a float, its product with the scale, the sum with the bias.
                let value = Float(exact[index]) * scales[channel] + bias[channel]
                let slack = 4e-7 * (abs(exact[index] * Double(scales[channel])) + Double(abs(bias[channel])))
                let activated = VisionConvolutionTests.finish(Double(value), Epilogue(function: function), residual: 0)
                let want =
                    item.makesCodes ? min(max(activated / 0.03 + 17, 0), 255) : activated
                let bound = item.makesCodes ? 0.5 + 1e-4 : slack + (function == .silu ? 4e-6 * (1 + abs(activated)) : 0)
                guard abs(Double(results[index]) - want) <= bound else {
                    Issue.record("\(machine) [\(index)]: \(results[index]) instead of \(want)")
                    break
                }
            }
            let bits = results.map(\.bitPattern)
            if function != .silu {
                #expect(first == nil || first == bits, "\(machine) differs from \(VisionMachine.all[0])")
                first = bits
            }
        }
    }

    @Test("Rows of codes times a matrix", arguments: VisionMachine.all)
    func matrices(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(41)
        for (rows, inner, columns) in [(1, 70, 33), (19, 32, 100), (5, 3, 1)] {
            let input = try CodeShape(
                ImageShape(channels: inner, height: 1, width: rows), scale: 0.02, zero: 140)
            let shape = try ByteConvolutionShape(
                inputChannels: inner, outputChannels: columns, window: ImageWindow(kernel: 1))
            let x = random.floats(rows * inner, within: 2)
            let weights = random.floats(inner * columns, within: 127).map { Int8($0.rounded()) }
            var packed = [Float](repeating: 0, count: shape.packedCount)
            try packed.withUnsafeMutableBufferPointer { try shape.pack(weights, into: $0) }
            let sums = (0..<shape.channelCount).map { column in
                column < columns
                    ? Float(weights[column * inner..<(column + 1) * inner].reduce(0) { $0 + Int($1) }) : 0
            }
            let scales = [Float](repeating: 0.02 * 0.01, count: shape.channelCount)
            let product = try ByteConvolution(
                shape, input: input, output: .rows, weights: FloatWeights(packed), sums: FloatWeights(sums),
                scales: FloatWeights(scales))
            let region = try FloatRegion(count: input.floatCount)
            try compute.quantize(input, FloatRegion(x), .channelsLast, into: region)
            let back = try FloatRegion(count: x.count)
            try compute.dequantize(input, region, isBlocked: false, into: back)
            let y = try FloatRegion(count: rows * columns)
            try compute.convolve(product, region, into: y)
            let want = (0..<rows * columns).map { index in
                (0..<inner).reduce(0.0) { sum, i in
                    sum + Double(back.values[index / columns * inner + i])
                        * Double(weights[index % columns * inner + i])
                        * 0.01
                }
            }
            close(y.values, want, within: 1e-4, "\(rows) × \(inner) × \(columns)")
        }
    }

    @Test("Sums of codes", arguments: VisionMachine.all)
    func sums(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(42)
        let image = try ImageShape(batch: 2, channels: 21, height: 5, width: 6)
        let left = try CodeShape(image, border: (1, 1, 1, 1), scale: 0.04, zero: 128)
        let right = try CodeShape(image, scale: 0.03, zero: 12)
        let made = try CodeShape(image, border: (0, 2, 1, 0), scale: 0.05, zero: 3)
        let values = [Plain([2, 21, 5, 6], &random, within: 4), Plain([2, 21, 5, 6], &random, within: 4)]
        var regions: [FloatRegion] = []
        var rounded: [[Float]] = []
        for (plain, shape) in zip(values, [left, right]) {
            let region = try FloatRegion(count: shape.floatCount)
            try compute.quantize(shape, plain.blocked(), .blocked, into: region)
            let back = try FloatRegion(count: image.blockedCount)
            try compute.dequantize(shape, region, isBlocked: true, into: back)
            regions.append(region)
            rounded.append(Plain.unblocked(back, image).values)
        }
        let y = try FloatRegion(count: made.floatCount)
        try compute.addCodes((left, regions[0]), (right, regions[1]), function: .relu, made, into: y)
        let want = zip(rounded[0], rounded[1]).map { sum in
            min(max(Double(max(0, sum.0 + sum.1)) / 0.05 + 3, 0), 255)
        }
        for (found, want) in zip(codes(y, made), want) { #expect(abs(Double(found) - want) <= 0.5 + 1e-4) }
    }

    @Test("Planes become the codes that blocks become", arguments: VisionMachine.all)
    func planes(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(43)
        for (channels, width) in [(1, 5), (3, 37), (4, 16), (21, 6)] {
            let image = try ImageShape(batch: 2, channels: channels, height: 5, width: width)
            let shape = try CodeShape(image, border: (1, 2, 0, 3), scale: 0.04, zero: 7)
            let values = Plain([2, channels, 5, width], &random, within: 6)
            let found = try FloatRegion(count: shape.floatCount), expected = try FloatRegion(count: shape.floatCount)
            try compute.quantize(shape, FloatRegion(values.values), .planes, into: found)
            try compute.quantize(shape, values.blocked(), .blocked, into: expected)
            #expect(codes(found, shape) == codes(expected, shape), "\(channels) channels")
        }
    }

    @Test("What does not fit is refused before anything is computed")
    func refusals() throws {
        let image = try ImageShape(channels: 16, height: 8, width: 8)
        #expect(throws: ComputeError.self) { try CodeShape(image, scale: 0, zero: 0) }
        #expect(throws: ComputeError.self) { try CodeShape(image, scale: .nan, zero: 0) }
        #expect(throws: ComputeError.self) { try CodeShape(image, scale: 1, zero: 256) }
        #expect(throws: ComputeError.self) { try CodeShape(image, border: (0, -1, 0, 0), scale: 1, zero: 0) }
        let window = ImageWindow(kernel: 3, padding: 1)
        // Sums of more products might not fit 32 bits.
        #expect(throws: ComputeError.self) {
            try ByteConvolutionShape(inputChannels: 1 << 13, outputChannels: 1, window: window)
        }
        #expect(throws: ComputeError.self) {
            try ByteConvolutionShape(inputChannels: 16, outputChannels: 24, window: window, groups: 3)
        }
        let shape = try ByteConvolutionShape(inputChannels: 16, outputChannels: 16, window: window)
        let weights = try FloatWeights([Float](repeating: 0, count: shape.packedCount))
        let ones = try FloatWeights([Float](repeating: 1, count: 16))
        // Without a border there are no zeros to read.
        #expect(throws: ComputeError.self) {
            try ByteConvolution(
                shape, input: CodeShape(image, scale: 1, zero: 0), output: .blocked, weights: weights, sums: ones,
                scales: ones)
        }
        let input = try CodeShape(image, border: (1, 1, 1, 1), scale: 1, zero: 0)
        let convolution = try ByteConvolution(
            shape, input: input, output: .blocked, weights: weights, sums: ones, scales: ones)
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        #expect(throws: ComputeError.self) {
            try compute.convolve(
                convolution, FloatRegion(count: input.floatCount - 1), into: FloatRegion(count: 16 * 64))
        }
        #expect(throws: ComputeError.self) {
            try compute.convolve(
                convolution, FloatRegion(count: input.floatCount), into: FloatRegion(count: 16 * 64 - 1))
        }
    }
}
