import HearthCoreML
import HearthGraphProof
import Testing

/// What has a kernel along rows, along any axes: as networks of pictures use it, with their channels first.
@Suite("reductions and layer normalization along any axes", .timeLimit(.minutes(20)))
struct ReductionTests {
    @Test(
        "sums, means, extrema and norms along axes that are neighbours, apart or single",
        arguments: [GraphReduction.mean, .sum, .max, .min, .sumOfSquares, .l2Norm])
    func reductions(_ reduction: GraphReduction) throws {
        let shape = [2, 5, 1, 7, 3]
        for axes in [[0], [4], [1, 3], [0, 2, 4], [4, 1], [2], [0, 2], [1, 2, 3], [0, 1, 2, 3, 4]] {
            for keepsDimensions in [true, false] {
                let made = shape.indices.compactMap { axes.contains($0) ? keepsDimensions ? 1 : nil : shape[$0] }
                var maker = GraphMaker()
                let x = maker.input(shape)
                let graph = maker.finished(maker.step(.reduce(reduction, axes: axes), [x], made))
                try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-6, "\(reduction) along \(axes)")
            }
        }
    }

    @Test("means of the channels of several pictures, with their axes or without")
    func globalMeans() throws {
        for count in [1, 3] {
            for made in [[count, 20], [count, 20, 1, 1]] {
                var maker = GraphMaker()
                let x = maker.convolution(maker.input([count, 5, 6, 7]), 20)
                let mean = maker.step(.reduce(.mean, axes: [2, 3]), [x], made)
                let flat = maker.step(.reshape, [mean], [count, 20])
                let y = maker.step(.linear, [flat, maker.weights([4, 20]), nil], [count, 4])
                let graph = maker.finished(y)
                try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "\(made)")
                let names = try PlanBuilder(graph).build().plan.steps.map(\.kernel.name)
                #expect(names.contains("global mean"), "\(names)")
            }
        }
    }

    @Test("a norm of each channel of a picture, as global response normalization has it")
    func responses() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 8, 8, 24])
        let norm = maker.step(.reduce(.l2Norm, axes: [1, 2]), [x], [1, 1, 1, 24])
        let mean = maker.step(.reduce(.mean, axes: [3]), [norm], [1, 1, 1, 1])
        let graph = maker.finished(maker.binary(.multiply, x, maker.binary(.divide, norm, mean)))
        try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "global response normalization")
    }

    @Test("batch normalization of rows is two steps, not one for each element")
    func rows() throws {
        for shape in [[300, 40], [4, 7, 3], [2, 5, 2, 3], [1, 6, 1, 1, 1]] {
            var maker = GraphMaker()
            let x = maker.input(shape)
            let channels = [shape[1]]
            let variance = maker.constant(channels, (0..<shape[1]).map { 0.5 + Float($0) / 8 })
            let y = maker.step(
                .batchNorm(epsilon: 1e-3),
                [x, maker.weights(channels), variance, maker.weights(channels), maker.weights(channels)], shape)
            let graph = maker.finished(y)
            try expectPlanned(graph, graph.sampleInputs(), tolerance: 2e-6, "\(shape)")
            let names = try PlanBuilder(graph).build().plan.steps.map(\.kernel.name)
            #expect(names == ["binary", "binary"], "\(shape)")
        }
    }

    @Test("layer normalization along any axes, with gains and shifts in their order")
    func layers() throws {
        for shape in [[2, 20, 5, 4], [3, 7], [1, 18, 1, 1], [2, 3, 4, 5, 6]] {
            let rank = shape.count
            for axes in [[1], [0], [rank - 1], [rank - 1, rank - 2], [0, rank - 1], Array(1..<rank)] {
                let size = axes.map { shape[$0] }
                for isScaled in [false, true] {
                    var maker = GraphMaker()
                    let x = maker.input(shape)
                    let gain = isScaled ? maker.weights(size) : nil
                    let shift = isScaled ? maker.weights(size) : nil
                    let y = maker.step(.layerNorm(axes: axes, epsilon: 1e-3), [x, gain, shift], shape)
                    let graph = maker.finished(y)
                    try expectPlanned(
                        graph, graph.sampleInputs(), tolerance: 1e-5, "\(shape) along \(axes), scaled: \(isScaled)")
                }
            }
        }
    }

    @Test("layer normalization of channels that a network spells out is one step, with its gains and shifts")
    func channels() throws {
        for constants in [[16, 1, 1], [1, 16, 1, 1]] {
            var maker = GraphMaker()
            let x = maker.input([1, 16, 6, 5])
            let mean = maker.step(.reduce(.mean, axes: [1]), [x], [1, 1, 6, 5])
            let centred = maker.binary(.subtract, x, mean)
            let variance = maker.step(.reduce(.mean, axes: [1]), [maker.unary(.square, centred)], [1, 1, 6, 5])
            let root = maker.unary(.sqrt, maker.binary(.add, variance, maker.scalar(1e-6)))
            let scaled = maker.binary(.multiply, maker.binary(.divide, centred, root), maker.weights(constants))
            let graph = maker.finished(maker.binary(.add, scaled, maker.weights(constants)))
            let optimized = try GraphOptimizer.optimized(graph)
            #expect(optimized.operationNames == ["layerNorm"])
            let samples = graph.sampleInputs()
            expectSame(
                try optimized.referenceOutputs(samples), try graph.referenceOutputs(samples), tolerance: 1e-5)
            try expectPlanned(optimized, samples, tolerance: 1e-5, "\(constants)")
        }
    }

    @Test("a constant that is no number for each normalized element stays a step of its own")
    func otherConstants() throws {
        for constants in [[16, 6, 1], [6, 5], [5]] {
            var maker = GraphMaker()
            let x = maker.input([1, 16, 6, 5])
            let normal = maker.step(.layerNorm(axes: [1], epsilon: 1e-5), [x, nil, nil], [1, 16, 6, 5])
            let graph = maker.finished(maker.binary(.multiply, normal, maker.weights(constants)))
            let optimized = try GraphOptimizer.optimized(graph)
            #expect(optimized.operationNames == ["layerNorm", "binary"], "\(constants)")
        }
    }
}
