import Foundation
import HearthCompute
import HearthTestSupport
import Testing

@Suite("Convolutions and pooling", .timeLimit(.minutes(20)))
struct VisionConvolutionTests {
    /// Kernel, stride, dilation, padding (top, left, bottom, right), channels in and out, groups, height, width, and whether
    /// the input and the output are plain.
    struct Case: Sendable {
        var kernel = (3, 3)
        var stride = (1, 1)
        var dilation = (1, 1)
        var padding = (0, 0, 0, 0)
        var channels = (16, 16)
        var groups = 1
        var size = (9, 9)
        var batch = 1
        var plain = false
        var planes = false
    }

    static let cases: [Case] = [
        Case(kernel: (1, 1), channels: (24, 40), size: (7, 7)),
        Case(kernel: (1, 1), channels: (1, 1), size: (1, 1)),
        Case(kernel: (1, 1), stride: (2, 2), channels: (33, 17), size: (14, 15), batch: 2),
        Case(padding: (1, 1, 1, 1), channels: (20, 70), size: (14, 14)),
        Case(padding: (0, 1, 2, 0), channels: (16, 16), size: (5, 31)),
        Case(kernel: (3, 5), stride: (2, 1), padding: (1, 2, 1, 2), channels: (5, 3), size: (11, 8)),
        Case(dilation: (2, 3), padding: (2, 3, 2, 3), channels: (17, 18), size: (9, 12)),
        Case(stride: (3, 3), padding: (1, 1, 1, 1), channels: (16, 32), size: (20, 44)),
        Case(kernel: (7, 7), stride: (2, 2), padding: (3, 3, 3, 3), channels: (3, 20), size: (32, 60), plain: true),
        Case(stride: (2, 2), padding: (0, 0, 1, 1), channels: (3, 32), size: (23, 24), batch: 2, plain: true),
        Case(kernel: (4, 4), stride: (4, 4), channels: (3, 48), size: (16, 16), plain: true),
        Case(kernel: (1, 20), stride: (1, 2), padding: (0, 9, 0, 10), channels: (1, 2), size: (3, 40), plain: true),
        Case(kernel: (5, 5), dilation: (2, 2), padding: (4, 4, 4, 4), channels: (2, 5), size: (8, 9), plain: true),
        // Winograd's products: padding on all sides and on some, odd sizes, channels that fill no block, more than one group of
        // tiles and of blocks.
        Case(padding: (1, 1, 1, 1), channels: (32, 32), size: (14, 14), batch: 2),
        Case(padding: (1, 0, 0, 2), channels: (41, 75), size: (13, 19)),
        Case(padding: (2, 2, 2, 2), channels: (70, 33), size: (20, 31)),
        Case(channels: (100, 130), size: (17, 40)),
        Case(dilation: (2, 1), padding: (1, 1, 1, 1), channels: (33, 64), size: (23, 31)),
        Case(dilation: (3, 2), padding: (3, 2, 3, 2), channels: (40, 50), size: (24, 26)),
        // Groups: of whole blocks, of parts of a block, across blocks, depthwise and depthwise with a multiplier.
        Case(padding: (1, 1, 1, 1), channels: (64, 32), groups: 2, size: (6, 6)),
        Case(padding: (1, 1, 1, 1), channels: (32, 32), groups: 8, size: (7, 7)),
        Case(kernel: (1, 1), channels: (60, 30), groups: 3, size: (5, 5)),
        Case(padding: (1, 1, 1, 1), channels: (24, 24), groups: 24, size: (13, 20)),
        Case(stride: (2, 2), padding: (0, 0, 1, 1), channels: (40, 40), groups: 40, size: (15, 18), batch: 2),
        Case(kernel: (5, 5), stride: (2, 2), padding: (2, 2, 2, 2), channels: (16, 16), groups: 16, size: (14, 28)),
        Case(kernel: (7, 2), dilation: (1, 2), padding: (3, 1, 3, 1), channels: (9, 9), groups: 9, size: (7, 7)),
        Case(padding: (1, 1, 1, 1), channels: (10, 20), groups: 10, size: (6, 5)),
        // Rows of plain pictures with each stride, wider than the widest tile, and with more taps than are taken at once.
        Case(padding: (1, 1, 1, 1), channels: (3, 40), size: (6, 61), plain: true),
        Case(kernel: (3, 40), stride: (1, 3), padding: (1, 20, 1, 19), channels: (2, 17), size: (4, 150), plain: true),
        Case(kernel: (1, 18), stride: (1, 40), padding: (0, 3, 0, 9), channels: (1, 20), size: (1, 700), plain: true),
        // To planes: each number of outputs, strides whose phases differ, more rows and channels than are staged at once.
        Case(padding: (1, 1, 1, 1), channels: (20, 1), size: (9, 37), batch: 2, planes: true),
        Case(kernel: (5, 4), padding: (2, 2, 2, 1), channels: (3, 2), size: (30, 201), plain: true, planes: true),
        Case(kernel: (1, 256), stride: (1, 2), channels: (1, 3), size: (1, 900), plain: true, planes: true),
        Case(stride: (2, 3), dilation: (2, 2), padding: (2, 1, 3, 4), channels: (17, 5), size: (40, 90), planes: true),
        Case(kernel: (5, 3), stride: (3, 4), padding: (2, 1, 2, 0), channels: (24, 7), size: (25, 260), planes: true),
        Case(kernel: (1, 1), channels: (33, 8), size: (13, 17), batch: 2, planes: true),
    ]

    static let epilogues: [Epilogue] = [
        Epilogue(), Epilogue(function: .clip(low: 0, high: 6)), Epilogue(function: .relu, residual: .beforeFunction),
        Epilogue(function: .silu, residual: .afterFunction),
        Epilogue(function: .hardSwish(scale: 1 / 6, offset: 0.5), residual: .beforeFunction),
        Epilogue(function: .relu, residual: .afterFunction),
    ]

    static func finish(_ value: Double, _ epilogue: Epilogue, residual: Double) -> Double {
        let sum = epilogue.residual == .beforeFunction ? value + residual : value
        let result: Double =
            switch epilogue.function {
            case .relu: max(0, sum)
            case .clip(let low, let high): min(max(sum, Double(low)), Double(high))
            case .silu: sum / (1 + exp(-sum))
            case .hardSwish: sum * min(max(sum / 6 + 0.5, 0), 1)
            default: sum
            }
        return epilogue.residual == .afterFunction ? result + residual : result
    }

    @Test("A convolution is the plain sum, whatever its shape", arguments: cases.indices)
    func convolutions(number: Int) throws {
        let item = Self.cases[number]
        var random = SeededNumbers(UInt64(11 + number))
        let window = ImageWindow(
            kernelHeight: item.kernel.0, kernelWidth: item.kernel.1, strideY: item.stride.0, strideX: item.stride.1,
            dilationY: item.dilation.0, dilationX: item.dilation.1, top: item.padding.0, left: item.padding.1,
            bottom: item.padding.2, right: item.padding.3)
        let input = try ImageShape(
            batch: item.batch, channels: item.channels.0, height: item.size.0, width: item.size.1)
        let shape = try ConvolutionShape(
            input: input, outputChannels: item.channels.1, window: window, groups: item.groups,
            inputIsPlain: item.plain, outputIsPlain: item.planes)
        #expect((shape.form == .depthwise) == (item.groups > 8 && item.channels.0 == item.channels.1))
        let x = Plain([item.batch, item.channels.0, item.size.0, item.size.1], &random)
        let w = Plain([item.channels.1, item.channels.0 / item.groups, item.kernel.0, item.kernel.1], &random)
        let output = shape.output
        let residual = Plain([output.batch, output.channels, output.height, output.width], &random)
        let bias = random.floats(output.channels)
        let epilogue = Self.epilogues[number % Self.epilogues.count]
        let convolution = try Convolution(
            shape, weights: shape.packed(w.values),
            bias: FloatWeights(bias + [Float](repeating: 0, count: shape.biasCount - bias.count)), epilogue: epilogue)
        var want = shape.reference(x, w)
        for index in want.indices {
            let sum = want[index] + Double(bias[index / output.positions % output.channels])
            want[index] = Self.finish(sum, epilogue, residual: Double(residual.values[index]))
        }
        for machine in VisionMachine.all {
            let added = try item.planes ? FloatRegion(residual.values) : residual.blocked()
            // A residual before the function may be the output itself.
            let inPlace = epilogue.residual == .beforeFunction && number % 2 == 0
            let count = item.planes ? output.plainCount : output.blockedCount
            let y = inPlace ? added : try FloatRegion(count: count)
            try machine.compute().convolve(
                convolution, item.plain ? FloatRegion(x.values) : x.blocked(), residual: added, into: y)
            let found = item.planes ? Array(y.values.prefix(count)) : Plain.unblocked(y, output).values
            // Winograd's transforms round two to three times as much as the sums of 1,000 products.
            close(found, want, within: convolution.scratchCount > 0 ? 6e-5 : 2e-5, "\(machine)")
        }
    }

    @Test("Few output channels over whole vectors of columns are fastest as planes")
    func fastestForm() throws {
        func isPlanes(
            _ outputs: Int, _ height: Int, _ width: Int, kernel: Int = 3, stride: Int = 1, groups: Int = 1
        ) throws -> Bool {
            let window = ImageWindow(kernel: kernel, stride: stride, padding: kernel / 2)
            let input = try ImageShape(channels: 16, height: height, width: width)
            return try ConvolutionShape(input: input, outputChannels: outputs, window: window, groups: groups)
                .isFastestAsPlanes
        }
        #expect(try isPlanes(1, 4, 64) && isPlanes(8, 4, 64) && !isPlanes(9, 4, 64))
        // A quarter of a vector is used; the rows of a pointwise convolution are one.
        #expect(try isPlanes(2, 4, 4) && !isPlanes(4, 4, 4) && isPlanes(4, 4, 4, kernel: 1))
        #expect(try isPlanes(2, 64, 64, stride: 4) && !isPlanes(2, 64, 64, stride: 5))
        #expect(try !isPlanes(8, 4, 64, groups: 2))
        // Rows that are too long to be staged.
        #expect(throws: ComputeError.self) {
            try ConvolutionShape(
                input: ImageShape(channels: 1, height: 1, width: 1 << 16), outputChannels: 1,
                window: ImageWindow(kernelHeight: 1, kernelWidth: 1 << 15), outputIsPlain: true)
        }
    }

    @Test("Pooling is the plain maximum and mean of what lies inside", arguments: VisionMachine.all)
    func pooling(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(12)
        let windows = [
            ImageWindow(kernel: 3, stride: 2, padding: 1), ImageWindow(kernel: 2, stride: 2),
            ImageWindow(kernelHeight: 3, kernelWidth: 2, strideX: 3, dilationY: 2, top: 1, bottom: 2, right: 1),
        ]
        for (number, window) in windows.enumerated() {
            for (average, countsPadding) in [(false, false), (true, false), (true, true)] {
                let input = try ImageShape(batch: 2, channels: 21, height: 9, width: 13)
                let x = Plain([2, 21, 9, 13], &random, within: 5)
                // A column more than fits: a size rounded up.
                let fitting = try window.output(height: 9, width: 13)
                let more = number == 1 ? 1 : 0
                let pooling = try Pooling(
                    input: input, window: window, outputHeight: fitting.height, outputWidth: fitting.width + more,
                    average: average, countsPadding: countsPadding)
                let y = try FloatRegion(count: pooling.output.blockedCount)
                try compute.pool(pooling, x.blocked(), into: y)
                var want: [Double] = []
                for plane in 0..<42 {
                    for row in 0..<pooling.output.height {
                        for column in 0..<pooling.output.width {
                            want.append(
                                Self.pooled(
                                    x, plane, row, column, window, average: average, countsPadding: countsPadding))
                        }
                    }
                }
                close(Plain.unblocked(y, pooling.output).values, want, within: 1e-5, "window \(number)")
            }
        }
    }

    static func pooled(
        _ x: Plain, _ plane: Int, _ row: Int, _ column: Int, _ window: ImageWindow, average: Bool,
        countsPadding: Bool
    ) -> Double {
        var inside: [Double] = []
        var padded = 0
        for ky in 0..<window.kernelHeight {
            for kx in 0..<window.kernelWidth {
                let y = row * window.strideY + ky * window.dilationY - window.top
                let at = column * window.strideX + kx * window.dilationX - window.left
                if y < 9 + window.bottom && at < 13 + window.right { padded += 1 }
                if (0..<9).contains(y), (0..<13).contains(at) {
                    inside.append(Double(x.values[(plane * 9 + y) * 13 + at]))
                }
            }
        }
        guard average else { return inside.max() ?? -.infinity }
        return inside.reduce(0, +) / Double(max(countsPadding ? padded : inside.count, 1))
    }

    @Test("Means, channel scales and layouts", arguments: VisionMachine.all)
    func channels(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(13)
        let shape = try ImageShape(batch: 2, channels: 37, height: 5, width: 70)
        let x = Plain([2, 37, 5, 70], &random)
        let blocked = try FloatRegion(count: shape.blockedCount)
        try compute.toBlocked(shape, FloatRegion(x.values), into: blocked)
        #expect(Plain.unblocked(blocked, shape).values == x.values)
        let back = try FloatRegion(count: shape.plainCount)
        try compute.fromBlocked(shape, blocked, into: back)
        #expect(back.values == x.values)

        let means = try FloatRegion(count: 2 * 48)
        try compute.average(shape, x.blocked(), into: means)
        for plane in 0..<74 {
            let mean = x.values[plane * 350..<(plane + 1) * 350].reduce(0.0) { $0 + Double($1) } / 350
            #expect(isClose(means.values[plane / 37 * 48 + plane % 37], mean, relative: 0, absolute: 1e-6))
        }

        let scale = random.floats(96)
        let shift = random.floats(48)
        for perPicture in [false, true] {
            let y = try FloatRegion(count: shape.blockedCount)
            try compute.scaleChannels(
                shape, x.blocked(), scale: FloatWeights(scale), shift: FloatWeights(shift),
                scalePerPicture: perPicture, function: .sigmoid, into: y)
            let want = x.values.indices.map { index in
                let channel = index / 350 % 37
                let factor = scale[channel + (perPicture ? index / 350 / 37 * 48 : 0)]
                return 1 / (1 + exp(-Double(x.values[index]) * Double(factor) - Double(shift[channel])))
            }
            close(Plain.unblocked(y, shape).values, want, within: 1e-6, "scale")
        }
    }

    @Test("Channels are joined, split and shuffled", arguments: VisionMachine.all)
    func channelCopies(machine: VisionMachine) throws {
        let compute = try machine.compute()
        var random = SeededNumbers(14)
        let source = try ImageShape(batch: 2, channels: 45, height: 3, width: 7)
        let target = try ImageShape(batch: 2, channels: 100, height: 3, width: 7)
        for (from, count, to, step) in [(0, 32, 0, 1), (16, 16, 32, 1), (3, 20, 7, 1), (0, 40, 1, 2), (5, 13, 60, 3)] {
            let x = Plain([2, 45, 3, 7], &random)
            var want = Plain([2, 100, 3, 7], &random)
            let y = try want.blocked()
            try compute.copyChannels(
                of: source, x.blocked(), from: from, count: count, to: to, step: step, of: target, y)
            for index in 0..<2 * count {
                let start = (index / count * 100 + to + index % count * step) * 21
                let origin = (index / count * 45 + from + index % count) * 21
                want.values.replaceSubrange(start..<start + 21, with: x.values[origin..<origin + 21])
            }
            #expect(Plain.unblocked(y, target).values == want.values, "\(count) from \(from) to \(to) by \(step)")
        }
    }

    @Test("Sizes that do not fit are refused")
    func refusals() throws {
        let shape = try ImageShape(channels: 20, height: 8, width: 8)
        #expect(throws: ComputeError.self) { try ImageShape(channels: 0, height: 8, width: 8) }
        #expect(throws: ComputeError.self) { try ImageShape(channels: 1 << 40, height: 1 << 40, width: 8) }
        #expect(throws: ComputeError.self) {
            try ConvolutionShape(input: shape, outputChannels: 7, window: ImageWindow(kernel: 1), groups: 3)
        }
        #expect(throws: ComputeError.self) {
            try ConvolutionShape(input: shape, outputChannels: 7, window: ImageWindow(kernel: 9))
        }
        #expect(throws: ComputeError.self) {
            try ConvolutionShape(input: shape, outputChannels: 7, window: ImageWindow(kernel: 1, stride: 0))
        }
        let convolution = try ConvolutionShape(input: shape, outputChannels: 7, window: ImageWindow(kernel: 3))
        #expect(throws: ComputeError.self) { try Convolution(convolution, weights: FloatWeights([1, 2, 3])) }
        let weights = try FloatWeights([Float](repeating: 0, count: convolution.packedCount))
        let ready = try Convolution(convolution, weights: weights, epilogue: Epilogue(residual: .beforeFunction))
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        let x = try FloatRegion(count: shape.blockedCount)
        let y = try FloatRegion(count: convolution.output.blockedCount)
        #expect(throws: ComputeError.self) { try compute.convolve(ready, x.part(16, 64), residual: y, into: y) }
        #expect(throws: ComputeError.self) { try compute.convolve(ready, x, residual: nil, into: y) }
        #expect(throws: ComputeError.self) { try compute.convolve(ready, x, residual: y, into: y.part(0, 16)) }
        #expect(throws: ComputeError.self) { try x.part(shape.blockedCount, 1) }
        #expect(throws: ComputeError.self) {
            try Pooling(
                input: shape, window: ImageWindow(kernel: 2, stride: 2), outputHeight: 5, outputWidth: 5,
                average: false)
        }
    }
}
