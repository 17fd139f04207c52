import HearthCompute
import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import Testing

/// Pictures enlarged and made smaller, beside plain loops in double precision.
@Suite("resizing", .timeLimit(.minutes(20)))
struct ResizeTests {
    /// Places of `output` elements among `input` ones, by coreml's way to lay the grid.
    private func grid(_ input: Int, _ output: Int, alignsCorners: Bool) -> (spacing: Double, offset: Double) {
        if alignsCorners { return (output > 1 ? Double(input - 1) / Double(output - 1) : 0, 0) }
        let spacing = Double(input) / Double(output)
        return (spacing, 0.5 * spacing - 0.5)
    }

    private func resized(
        _ maker: inout GraphMaker, _ x: Int, _ kind: GraphResize.Kind, to size: (Int, Int), alignsCorners: Bool
    ) -> Int {
        var shape = maker.graph.tensors[x].shape
        let last = shape.count - 1
        let down = grid(shape[last - 1], size.0, alignsCorners: alignsCorners)
        let across = grid(shape[last], size.1, alignsCorners: alignsCorners)
        shape[last - 1] = size.0
        shape[last] = size.1
        let resize = GraphResize(
            kind: kind, spacing: [down.spacing, across.spacing], offset: [down.offset, across.offset])
        return maker.step(.resize(resize), [x], shape)
    }

    @Test("between elements and at the nearest one, larger, smaller and to one element", arguments: [false, true])
    func sizes(_ alignsCorners: Bool) throws {
        for shape in [[2, 3, 5, 7], [1, 20, 4, 1], [6, 9], [3, 1, 1], [1, 2, 3, 4, 5]] {
            for size in [(10, 14), (3, 2), (1, 1), (5, 31), (40, 300)] {
                for kind in [GraphResize.Kind.linear, .nearest] {
                    var maker = GraphMaker()
                    let x = maker.input(shape)
                    let y = resized(&maker, x, kind, to: size, alignsCorners: alignsCorners)
                    let graph = maker.finished(y)
                    try expectPlanned(
                        graph, graph.sampleInputs(), tolerance: 1e-6, "\(shape) to \(size), \(kind)")
                }
            }
        }
    }

    @Test("between two convolutions a picture stays in blocks of channels")
    func blocked() throws {
        for shape in [[1, 5, 6, 7], [2, 20, 4, 9]] {
            for size in [(12, 14), (3, 5), (1, 1)] {
                var maker = GraphMaker()
                let x = maker.convolution(maker.input(shape), 24)
                let y = resized(&maker, x, .linear, to: size, alignsCorners: false)
                let graph = maker.finished(maker.convolution(y, 8))
                try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "\(shape) to \(size)")
                let names = try PlanBuilder(graph).build().plan.steps.map(\.kernel.name)
                let place = try #require(names.firstIndex(of: "resize"))
                #expect(names[place - 1].hasPrefix("conv") && names[place + 1].hasPrefix("conv"), "\(names)")
            }
        }
    }

    @Test("what has no share of an element does not reach it, even if it is infinite")
    func infinite() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 1, 2, 3])
        let graph = maker.finished(resized(&maker, x, .linear, to: (3, 5), alignsCorners: true))
        let input = CoreMLTensor(shape: [1, 1, 2, 3], values: [1, 2, .infinity, 4, 5, 6])
        let expected = try ReferenceExecutor { false }.run(graph, [input])[0]
        let (plan, requests) = try PlanBuilder(graph).build()
        let weights = try PackedWeights(plan, requests, graph)
        for kernels in KernelSet.available {
            let session = try CoreMLSession(
                PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
                ModelWeights(weights.floats), try Compute(kernels: kernels, threads: 1))
            let found = try session.run([input]) { false }[0]
            #expect(found.values[2] == 2 && found.values[10] == 4 && found.values[14] == 6)
            for (a, b) in zip(found.values, expected.values) { #expect(a == b || a.isNaN && b.isNaN) }
        }
    }

    @Test("sizes and places that cannot be are refused")
    func refused() {
        func make(_ planes: Int, _ rows: Int, _ offset: Double, _ spacing: Double) throws {
            _ = try PlaneResize(
                planes: planes, inner: .single, input: (rows, 2), output: (3, 3), offset: (offset, 0),
                spacing: (spacing, 1), isNearest: false)
        }
        #expect(throws: Never.self) { try make(1, 2, -1e9, 1e9) }
        for (planes, rows, offset, spacing) in [
            (0, 2, 0, 1), (1, 0, 0, 1), (Int.max, 2, 0, 1), (1, 2, Double.nan, 1), (1, 2, 0, Double.infinity),
        ] {
            #expect(throws: ComputeError.self) { try make(planes, rows, offset, spacing) }
        }
    }
}
