import HearthCompute
import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import Testing

/// What networks of words and pictures do between their products: rows of tables, masks, normalised planes; on every kernel
/// set, beside plain loops.
@Suite("lookups, choices, instance normalization", .timeLimit(.minutes(20)))
struct ChosenElementsTests {
    private func indices(_ shape: [Int], of size: Int, _ random: inout SeededNumbers) -> CoreMLTensor {
        let values = (0..<shape.reduce(1, *)).map { _ in Float(random.below(2 * size) - size) }
        return CoreMLTensor(shape: shape, values: values)
    }

    @Test("rows of constants and of tensors that are computed, along every axis")
    func lookups() throws {
        var random = SeededNumbers(seed: 11)
        for shape in [[7], [30, 20], [3, 5, 4], [2, 3, 4, 5], [2, 9000]] {
            for axis in shape.indices {
                for places in [[6], [2, 3], []] {
                    for isConstant in [false, true] {
                        var maker = GraphMaker(seed: 3)
                        let x = maker.input(shape)
                        let index = maker.input(places, "i")
                        let table = isConstant ? maker.weights(shape) : maker.unary(.abs, x)
                        let made = Array(shape[..<axis]) + places + Array(shape[(axis + 1)...])
                        let graph = maker.finished(maker.step(.gather(axis: axis), [table, index], made))
                        let values = (0..<shape.reduce(1, *)).map { _ in random.next(-1, 1) }
                        try expectPlanned(
                            graph,
                            [CoreMLTensor(shape: shape, values: values), indices(places, of: shape[axis], &random)],
                            "\(shape), axis \(axis), \(places), constant: \(isConstant)")
                    }
                }
            }
        }
    }

    @Test("indices that are outside a table, or no numbers, mean its ends")
    func outside() throws {
        var maker = GraphMaker()
        let index = maker.input([6], "i")
        let graph = maker.finished(maker.step(.gather(axis: 0), [maker.weights([4, 3]), index], [6, 3]))
        let values: [Float] = [4, -5, 1e30, -.infinity, .nan, 3]
        try expectPlanned(graph, [CoreMLTensor(shape: [6], values: values)], "outside")
    }

    @Test("a table is read where it is, without a copy for each session")
    func tableInPlace() throws {
        var maker = GraphMaker()
        let index = maker.input([2], "i")
        let graph = maker.finished(maker.step(.gather(axis: 0), [maker.weights([1000, 64]), index], [2, 64]))
        let (plan, requests) = try PlanBuilder(graph).build()
        let weights = try PackedWeights(plan, requests, graph)
        let session = try CoreMLSession(
            PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
            ModelWeights(weights.floats), try Compute(kernels: KernelSet.selected(by: nil), threads: 1))
        #expect(session.memoryBytes < 64 * 1000)
        // Another index of the same session is another row.
        let rows = try [1, 999].map { row in
            try session.run([CoreMLTensor(shape: [2], values: [Float(row), 0])]) { false }[0].values
        }
        #expect(rows[0].prefix(64) != rows[1].prefix(64))
        #expect(rows[0].suffix(64) == rows[1].suffix(64))
    }

    @Test("choices with every kind of broadcasting")
    func choices() throws {
        let shapes: [([Int], [Int], [Int])] = [
            ([1, 1, 1, 40], [2, 3, 40, 40], []), ([2, 1, 40, 40], [], [2, 3, 40, 40]), ([40, 1], [1, 40], [3, 1, 1]),
            ([], [5, 4], [5, 4]), ([5, 4], [5, 4], [5, 4]), ([1], [1], []), ([2, 9000], [2, 9000], [9000]),
            ([3, 1, 2, 1, 2], [1, 4, 2, 3, 1], [3, 4, 1, 3, 2]), ([1, 6], [6, 1], [1, 1]),
        ]
        var random = SeededNumbers(seed: 12)
        for (condition, x, y) in shapes {
            let made = try #require(GraphShape.broadcast(condition, x).flatMap { GraphShape.broadcast($0, y) })
            var maker = GraphMaker()
            let operands = [maker.input(condition, "c"), maker.input(x, "x"), maker.input(y, "y")]
            let graph = maker.finished(maker.step(.select, operands, made))
            let inputs = [condition, x, y].enumerated().map { place, shape in
                let values = (0..<shape.reduce(1, *)).map { _ in
                    place == 0 ? Float(random.below(3) - 1) : random.next(-1, 1)
                }
                return CoreMLTensor(shape: shape, values: values)
            }
            try expectPlanned(graph, inputs, "\(condition) chooses of \(x) and \(y)")
        }
    }

    @Test("instance normalization, with gains and shifts or without, in both layouts")
    func instances() throws {
        for shape in [[2, 20, 5, 4], [1, 3, 7], [1, 18, 2, 3, 4], [1, 4, 1, 1]] {
            for isScaled in [false, true] {
                for isBlocked in [false, true] where !isBlocked || shape.count == 4 {
                    var maker = GraphMaker()
                    let x = maker.input(shape)
                    let y = isBlocked ? maker.convolution(x, shape[1]) : x
                    let gain = isScaled ? maker.weights([shape[1]]) : nil
                    let shift = isScaled ? maker.weights([shape[1]]) : nil
                    let z = maker.step(.instanceNorm(epsilon: 1e-3), [y, gain, shift], shape)
                    let graph = maker.finished(maker.unary(.relu, z))
                    try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "\(shape), scaled: \(isScaled)")
                }
            }
        }
    }

    @Test("gains that are computed are left to plain loops")
    func computedGains() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 4, 4])
        let gain = maker.unary(.abs, maker.input([3], "g"))
        let graph = maker.finished(maker.step(.instanceNorm(epsilon: 1e-3), [x, gain, nil], [1, 3, 4, 4]))
        try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, isFast: false, "computed gains")
    }
}
