import HearthCompute
import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import Testing

/// Comparisons and truth values, casts, places of extremes, running sums, orders and repetitions: on every kernel set the bits of
/// plain loops, for NaN, infinities, both zeros and many equal values too.
@Suite("comparisons, orders, running sums", .timeLimit(.minutes(20)))
struct OrderedElementsTests {
    /// Anything that a float can be, or few different numbers.
    private func values(_ shape: [Int], _ random: inout SeededNumbers) -> CoreMLTensor {
        let odd: [Float] = [
            .nan, .infinity, -.infinity, 0, -0.0, 1, -1, .leastNonzeroMagnitude, -0.25, 0x1p24,
            -.greatestFiniteMagnitude,
        ]
        let kind = random.below(3)
        let values = (0..<shape.reduce(1, *)).map { _ -> Float in
            switch kind {
            case 0: random.below(3) == 0 ? odd[random.below(odd.count)] : random.next(-2, 2)
            case 1: Float(random.below(5) - 2)
            default: random.next(-2, 2)
            }
        }
        return CoreMLTensor(shape: shape, values: values)
    }

    private func shape(_ random: inout SeededNumbers, mostElements: Int = 4000) -> [Int] {
        while true {
            let shape = (0..<(1 + random.below(5))).map { _ in 1 + random.below([4, 9, 40, 300][random.below(4)]) }
            if shape.reduce(1, *) <= mostElements { return shape }
        }
    }

    @Test("comparisons and logical operations, with every kind of broadcasting")
    func comparisons() throws {
        let functions: [GraphBinary] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .and, .or,
        ]
        var random = SeededNumbers.fresh("comparisons")
        for function in functions {
            for round in 0..<8 {
                let made = round == 0 ? [2, 9000] : shape(&random)
                // Some sizes are 1, and leading ones are left out.
                func operand() -> [Int] {
                    let sizes = made.map { random.below(3) == 0 ? 1 : $0 }
                    return random.below(4) == 0 ? Array(sizes.dropFirst(random.below(sizes.count + 1))) : sizes
                }
                let (left, right) = random.below(2) == 0 ? (made, operand()) : (operand(), operand())
                var maker = GraphMaker()
                let (x, y) = (maker.input(left), maker.input(right, "y"))
                let graph = maker.finished(maker.binary(function, x, y))
                try expectPlanned(
                    graph, [values(left, &random), values(right, &random)], isExact: true,
                    "\(function) of \(left) and \(right)")
            }
        }
    }

    @Test("more dimensions than a kernel has: those that are broadcast alike count as one")
    func manyDimensions() throws {
        var random = SeededNumbers.fresh("many dimensions")
        for (left, right, isFast) in [
            ([2, 1, 2, 3, 2, 1, 3, 2], [2, 1, 2, 3, 2, 1, 3, 2], true),
            ([1, 1, 1, 2, 2, 2, 3, 2], [2, 2, 2, 1, 1, 1, 3, 2], true),
            ([2, 1, 2, 1, 2, 1, 2], [1, 2, 1, 2, 1, 2, 1], false),
        ] {
            var maker = GraphMaker()
            let (x, y) = (maker.input(left), maker.input(right, "y"))
            let graph = maker.finished(maker.binary(.less, x, y))
            try expectPlanned(
                graph, [values(left, &random), values(right, &random)], isFast: isFast, isExact: true,
                "\(left) and \(right)")
        }
    }

    @Test("not, and casts to whole numbers and truth values, of what lies as it is and in blocks of channels")
    func casts() throws {
        var random = SeededNumbers.fresh("casts")
        let operations: [GraphOperation] = [
            .unary(.not), .cast(.integer), .cast(.boolean), .cast(.float32), .cast(.float16),
        ]
        for operation in operations {
            for shape in [[1], [7, 1000], [2, 20, 5, 4], [1, 3, 2, 1, 2, 3]] {
                var maker = GraphMaker()
                let graph = maker.finished(maker.step(operation, [maker.input(shape)], shape))
                try expectPlanned(graph, [values(shape, &random)], isExact: true, "\(operation) of \(shape)")
            }
            // A pooling makes blocks, and leaves numbers as they are.
            let shape = [1, 18, 6, 5]
            var maker = GraphMaker()
            let pool = GraphPooling(
                kind: .max, kernel: [2, 2], strides: [1, 1], before: [0, 0], after: [0, 0], countsPadding: false)
            let pooled = maker.step(.pool(pool), [maker.input(shape)], [1, 18, 5, 4])
            let graph = maker.finished(maker.step(operation, [pooled], [1, 18, 5, 4]))
            let numbers = (0..<shape.reduce(1, *)).map { _ in Float(random.below(9) - 6) / 2 }
            try expectPlanned(
                graph, [CoreMLTensor(shape: shape, values: numbers)], isExact: true, "\(operation) of blocks")
        }
    }

    @Test("places of the greatest and the least, along every axis and several that follow each other")
    func extremes() throws {
        var random = SeededNumbers.fresh("extremes")
        var shapes = [[1], [5000], [3, 700], [700, 3], [2, 21, 2000], [4, 4, 4, 4, 4]]
        for _ in 0..<20 { shapes.append(shape(&random)) }
        for shape in shapes {
            for first in shape.indices {
                for last in Set([first, min(first + 1, shape.count - 1), shape.count - 1]).sorted() {
                    var left = shape
                    left.replaceSubrange(first...last, with: [Int](repeating: 1, count: last - first + 1))
                    for reduction in [GraphReduction.argMax, .argMin] {
                        var maker = GraphMaker()
                        let x = maker.input(shape)
                        let graph = maker.finished(
                            maker.step(.reduce(reduction, axes: Array(first...last)), [x], left))
                        try expectPlanned(
                            graph, [values(shape, &random)], isExact: true,
                            "\(reduction) of \(shape), \(first)...\(last)")
                    }
                }
            }
        }
    }

    @Test("a search that begins with NaN, or meets nothing else, ends at the first place")
    func startsWithNaN() throws {
        let rows: [[Float]] = [
            [.nan, 5, 9], [.nan, .nan, .nan], [3, .nan, 9], [-0.0, 0, 0], [.infinity, .infinity, .nan],
        ]
        for row in rows {
            for repeats in [1, 50] {
                let values = row + [Float](repeating: row[2], count: repeats * 3)
                for (shape, axis) in [([values.count, 1], 0), ([1, values.count], 1)] {
                    for reduction in [GraphReduction.argMax, .argMin] {
                        var maker = GraphMaker()
                        let x = maker.input(shape)
                        let graph = maker.finished(maker.step(.reduce(reduction, axes: [axis]), [x], [1, 1]))
                        try expectPlanned(
                            graph, [CoreMLTensor(shape: shape, values: values)], isExact: true,
                            "\(reduction) of \(row)")
                    }
                }
            }
        }
    }

    @Test("axes that do not follow each other, or come in another order, are left to plain loops")
    func scatteredAxes() throws {
        var random = SeededNumbers.fresh("scattered axes")
        for axes in [[0, 2], [2, 1]] {
            var maker = GraphMaker()
            let x = maker.input([3, 4, 5])
            let left = (0..<3).map { axes.contains($0) ? 1 : [3, 4, 5][$0] }
            let graph = maker.finished(maker.step(.reduce(.argMax, axes: axes), [x], left))
            try expectPlanned(graph, [values([3, 4, 5], &random)], isFast: false, isExact: true, "axes \(axes)")
        }
    }

    @Test("running sums along every axis, with and without the element itself, from both ends, in place or not")
    func runningSums() throws {
        var random = SeededNumbers.fresh("running sums")
        var shapes = [[1], [5000], [3, 700], [700, 3], [2, 21, 2000], [9, 1, 5]]
        for _ in 0..<12 { shapes.append(shape(&random)) }
        for shape in shapes {
            for axis in shape.indices {
                for (exclusive, reverse) in [(false, false), (true, false), (false, true), (true, true)] {
                    var maker = GraphMaker()
                    let x = maker.input(shape)
                    let y = random.below(2) == 0 ? maker.unary(.abs, x) : x
                    let graph = maker.finished(
                        maker.step(.cumulativeSum(axis: axis, exclusive: exclusive, reverse: reverse), [y], shape))
                    try expectPlanned(
                        graph, [values(shape, &random)], isExact: true,
                        "\(shape), axis \(axis), exclusive: \(exclusive), reverse: \(reverse)")
                }
            }
        }
    }

    @Test("the first in order along every axis: one, some, all")
    func orders() throws {
        var random = SeededNumbers.fresh("orders")
        var shapes = [[1], [3000], [3, 700], [700, 3], [20, 50], [2, 300, 5]]
        for _ in 0..<16 { shapes.append(shape(&random)) }
        for shape in shapes {
            for axis in shape.indices {
                for count in Set([1, 1 + random.below(shape[axis]), min(5, shape[axis]), shape[axis]]).sorted() {
                    var made = shape
                    made[axis] = count
                    let ascending = random.below(2) == 0
                    var maker = GraphMaker()
                    let x = maker.input(shape)
                    let results = maker.steps(.topK(axis: axis, ascending: ascending), [x], [made, made])
                    let graph = maker.finished(results[0], results[1])
                    try expectPlanned(
                        graph, [values(shape, &random)], isExact: true,
                        "\(count) of \(shape), axis \(axis), ascending: \(ascending)")
                }
            }
        }
    }

    @Test("orders of rows that are sorted already, forwards and backwards, and of one number")
    func sortedRows() throws {
        let count = 2000
        let rows: [[Float]] = [
            (0..<count).map { Float($0) }, (0..<count).map { Float(-$0) }, [Float](repeating: 1, count: count),
            (0..<count).map { $0 % 2 == 0 ? 0 : -0.0 }, [Float](repeating: .nan, count: count),
        ]
        for (place, row) in rows.enumerated() {
            for kept in [1, 7, 300, 1500, count] {
                for ascending in [false, true] {
                    var maker = GraphMaker()
                    let x = maker.input([1, count])
                    let made = [1, kept]
                    let results = maker.steps(.topK(axis: 1, ascending: ascending), [x], [made, made])
                    let graph = maker.finished(results[0], results[1])
                    try expectPlanned(
                        graph, [CoreMLTensor(shape: [1, count], values: row)], isExact: true,
                        "\(kept) of row \(place), ascending: \(ascending)")
                }
            }
        }
    }

    @Test("tensors of any rank are repeated along all axes")
    func repetitions() throws {
        var random = SeededNumbers.fresh("repetitions")
        let cases = [
            ([], []), ([3], [3]), ([2, 3, 2, 3, 2], [4, 6, 6, 3, 4]), ([2, 3, 2, 3, 2], [4, 6, 6, 9, 4]),
            ([2, 1, 2, 3, 2, 2, 3], [4, 3, 4, 6, 4, 4, 6]), ([1, 1, 1, 1, 1], [2, 3, 2, 2, 2]),
        ]
        for (shape, made) in cases {
            var maker = GraphMaker()
            let x = maker.input(shape)
            let graph = maker.finished(maker.unary(.abs, maker.step(.tile, [x], made)))
            try expectPlanned(graph, [values(shape, &random)], isExact: true, "\(shape) to \(made)")
        }
    }

    @Test("one-hot vectors, as importers spell them, along every axis")
    func oneHot() throws {
        var random = SeededNumbers.fresh("one-hot")
        for (on, off) in [(Float(1), Float(0)), (0.75, -0.5)] {
            for axis in 0...2 {
                let classes = 37
                var shape = [4, 5]
                shape.insert(1, at: axis)
                var made = shape
                made[axis] = classes
                var maker = GraphMaker()
                let x = maker.input(shape)
                let numbers = maker.constant(
                    [classes] + [Int](repeating: 1, count: 2 - axis), (0..<classes).map { Float($0) })
                let hot = maker.unary(.linear(alpha: on - off, beta: off), maker.binary(.equal, x, numbers))
                let graph = maker.finished(hot)
                let indices = (0..<20).map { _ in Float(random.below(classes + 4) - 2) }
                try expectPlanned(
                    graph, [CoreMLTensor(shape: shape, values: indices)], isExact: true, "\(on), \(off), axis \(axis)")
            }
        }
    }

    @Test("a search of an order that is cancelled ends, and the next one is whole")
    func cancelled() throws {
        var maker = GraphMaker()
        let x = maker.input([4, 5000])
        let results = maker.steps(.topK(axis: 1, ascending: false), [x], [[4, 50], [4, 50]])
        let sums = maker.step(.cumulativeSum(axis: 1, exclusive: false, reverse: false), [x], [4, 5000])
        let graph = maker.finished(results[0], results[1], sums)
        let (plan, requests) = try PlanBuilder(graph).build()
        let session = try CoreMLSession(
            PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
            ModelWeights(PackedWeights(plan, requests, graph).floats),
            try Compute(kernels: KernelSet.selected(by: nil), threads: 2))
        let inputs = graph.sampleInputs()
        #expect(throws: CancellationError.self) { try session.run(inputs) { true } }
        expectBits(try session.run(inputs) { false }, try ReferenceExecutor { false }.run(graph, inputs))
    }
}
