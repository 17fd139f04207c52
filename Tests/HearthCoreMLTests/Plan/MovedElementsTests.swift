import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import Testing

/// Steps that are planned as convolutions, copies and slopes, beside plain loops in double precision.
@Suite("transposed convolutions, padding, repetition, slopes", .timeLimit(.minutes(20)))
struct MovedElementsTests {
    /// Runs a graph on every kernel set; fast says that no step may be left to plain loops.
    private func check(_ graph: CoreMLGraph, isFast: Bool = true, _ comment: Comment) throws {
        let shape = graph.tensors[graph.inputs[0]].shape
        var random = SeededNumbers(seed: 5)
        let input = CoreMLTensor(shape: shape, values: (0..<shape.reduce(1, *)).map { _ in random.next(-1, 1) })
        try expectPlanned(graph, [input], tolerance: 4e-6, isFast: isFast, comment)
    }

    @Test("transposed convolutions of random shapes", arguments: 0..<8)
    func transposed(_ round: Int) throws {
        var random = SeededNumbers(seed: UInt64(100 + round))
        for _ in 0..<12 {
            let isFlat = random.below(4) == 0
            let axes = isFlat ? 1 : 2
            let kernel = (0..<axes).map { _ in 1 + random.below(5) }
            let strides = (0..<axes).map { _ in 1 + random.below(3) }
            let groups = [1, 1, 1, 2, 0][random.below(5)]
            let channels = groups == 0 ? 3 + random.below(40) : 2 * (1 + random.below(20))
            let perGroup = groups == 0 ? 1 : 1 + random.below(24)
            let count = groups == 0 ? channels : groups
            // No more is cut off than the window covers.
            let before = (0..<axes).map { min(random.below(3), kernel[$0] - 1) }
            let after = (0..<axes).map { min(random.below(3), kernel[$0] - 1) }
            let input = (0..<axes).map { _ in 3 + random.below(6) }
            let extra = (0..<axes).map { random.below(strides[$0]) }
            var output = extra
            for axis in 0..<axes {
                output[axis] += (input[axis] - 1) * strides[axis]
                output[axis] += kernel[axis] - before[axis] - after[axis]
            }
            var maker = GraphMaker(seed: UInt64(round))
            var x = maker.input([1 + random.below(2), channels] + input)
            // In the layout of convolutions, or as it lies.
            if random.below(2) == 0, !isFlat { x = maker.convolution(x, channels) }
            let batch = maker.graph.tensors[x].shape[0]
            let geometry = GraphConvolution(
                kernel: kernel, strides: strides, dilations: kernel.map { _ in 1 }, before: before, after: after,
                groups: count)
            let weight = maker.weights([channels, perGroup] + kernel)
            let bias = random.below(2) == 0 ? maker.weights([perGroup * count]) : nil
            var y = maker.step(
                .transposedConvolution(geometry), [x, weight, bias], [batch, perGroup * count] + output)
            if random.below(2) == 0 { y = maker.unary(.relu, y) }
            if random.below(3) == 0 { y = maker.binary(.add, y, maker.unary(.abs, y)) }
            try check(maker.finished(y), "\(geometry), \(channels) to \(perGroup * count), \(input) to \(output)")
        }
    }

    @Test("convolutions of pictures that are one column wide")
    func columns() throws {
        var random = SeededNumbers(seed: 41)
        for round in 0..<24 {
            let (kernel, stride, dilation) = (1 + random.below(7), 1 + random.below(3), 1 + random.below(2))
            let (before, after) = (random.below(4), random.below(4))
            let height = dilation * (kernel - 1) + 1 + random.below(40)
            let (channels, filters) = (1 + random.below(40), 1 + random.below(40))
            var maker = GraphMaker(seed: UInt64(round))
            var x = maker.input([1 + random.below(2), channels, height, 1])
            // In the layout of convolutions, or as it lies.
            if random.below(2) == 0 { x = maker.convolution(x, channels) }
            let geometry = GraphConvolution(
                kernel: [kernel, 1], strides: [stride, 1 + random.below(2)], dilations: [dilation, 1],
                before: [before, 0], after: [after, 0], groups: 1)
            let output = (height + before + after - dilation * (kernel - 1) - 1) / stride + 1
            let y = maker.step(
                .convolution(geometry), [x, maker.weights([filters, channels, kernel, 1]), maker.weights([filters])],
                [maker.graph.tensors[x].shape[0], filters, output, 1])
            try check(maker.finished(maker.unary(.relu, y)), "\(geometry), \(channels) to \(filters), \(height) high")
        }
    }

    @Test("one that is dilated is left to plain loops")
    func dilated() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 4, 3, 3])
        let geometry = GraphConvolution(
            kernel: [2, 2], strides: [1, 1], dilations: [2, 2], before: [0, 0], after: [0, 0], groups: 1)
        let y = maker.step(.transposedConvolution(geometry), [x, maker.weights([4, 5, 2, 2])], [1, 5, 5, 5])
        try check(maker.finished(y), isFast: false, "dilated")
    }

    @Test("padding of every kind, in both layouts", arguments: [GraphPadMode.constant(0.5), .reflect, .replicate])
    func padding(_ mode: GraphPadMode) throws {
        for isBlocked in [false, true] {
            let sides = [
                ([0, 0, 1, 2], [0, 0, 3, 0]), ([0, 0, 0, 2], [0, 0, 0, 1]), ([0, 1, 0, 0], [0, 2, 1, 0]),
            ]
            for (before, after) in sides {
                var maker = GraphMaker()
                let x = maker.input([2, 20, 5, 4])
                let y = isBlocked ? maker.convolution(x, 20) : x
                var shape = [2, 20, 5, 4]
                for axis in shape.indices { shape[axis] += before[axis] + after[axis] }
                let z = maker.step(.pad(before: before, after: after, mode), [y], shape)
                try check(maker.finished(maker.unary(.relu, z)), "\(mode) \(before) \(after)")
            }
        }
    }

    @Test("repetition, in both layouts")
    func repetition() throws {
        for isBlocked in [false, true] {
            var maker = GraphMaker()
            let x = maker.input([1, 20, 3, 4])
            let y = isBlocked ? maker.convolution(x, 20) : x
            let tiled = maker.step(.tile, [y], [2, 20, 9, 4])
            try check(maker.finished(tiled), "blocked: \(isBlocked)")
        }
    }

    @Test("a slope a channel, in both layouts")
    func slopes() throws {
        for shape in [[2, 20, 5, 4], [1, 3, 7, 1], [3, 18]] {
            for isBlocked in [false, true] where !isBlocked || shape.count == 4 {
                var maker = GraphMaker()
                let x = maker.input(shape)
                let y = isBlocked ? maker.convolution(x, shape[1]) : x
                let z = maker.step(.prelu, [y, maker.weights([shape[1]])], shape)
                try check(maker.finished(z), "\(shape)")
            }
        }
    }
}
