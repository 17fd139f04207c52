import Foundation
import HearthCoreML
import HearthGraphProof
import Testing

@Suite("plans", .timeLimit(.minutes(20)))
struct PlanBuilderTests {
    private func plan(_ graph: CoreMLGraph) throws -> CoreMLPlan {
        let plan = try PlanBuilder(GraphOptimizer.optimized(graph)).build().plan
        #expect(plan.problem() == nil)
        return plan
    }

    @Test("a residual block is three products that add and activate by themselves")
    func residual() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 32, 8, 8])
        var y = maker.unary(.relu, maker.convolution(x, 16, kernel: 1, pad: 0))
        y = maker.unary(.relu, maker.convolution(y, 16))
        y = maker.convolution(y, 32, kernel: 1, pad: 0)
        let plan = try plan(maker.finished(maker.unary(.relu, maker.binary(.add, y, x))))
        #expect(plan.steps.map(\.kernel.name) == ["reorder", "conv 1×1", "conv", "conv 1×1", "reorder"])
        guard case .convolution(let last) = plan.steps[3].kernel else { return }
        #expect(last.epilogue == PlanEpilogue(activation: .relu, addsResidual: true, residualIsFirst: true))
        // The sum is written where what was added lay.
        #expect(plan.tensors[plan.steps[3].outputs[0]].offset == plan.tensors[plan.steps[0].outputs[0]].offset)
    }

    @Test("of two products that are added, the later one adds")
    func projection() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 8, 8])
        let y = maker.convolution(x, 32)
        let shortcut = maker.convolution(x, 32, kernel: 1, pad: 0)
        let plan = try plan(maker.finished(maker.unary(.relu, maker.binary(.add, y, shortcut))))
        let products = plan.steps.compactMap { step in
            if case .convolution(let product) = step.kernel { product.epilogue.addsResidual } else { nil }
        }
        #expect(products == [false, true])
    }

    @Test("an activation in front of the sum stays in front of it")
    func order() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 4, 4])
        let y = maker.unary(.relu, maker.convolution(x, 16))
        let plan = try plan(maker.finished(maker.binary(.add, x, y)))
        guard case .convolution(let product) = plan.steps[1].kernel else {
            Issue.record("not a convolution")
            return
        }
        #expect(product.epilogue == PlanEpilogue(activation: .relu, addsResidual: true, residualIsFirst: false))
    }

    @Test("matrices that several products share, on either side, have no step without a kernel")
    func sharedMatrices() throws {
        let batches: [([Int], [Int], [Int])] = [
            ([], [3], [3]), ([3], [], [3]), ([1], [3], [3]), ([2, 4], [2, 1], [2, 4]), ([1, 4], [2, 1], [2, 4]),
            ([4], [2, 1], [2, 4]), ([1], [2, 4], [2, 4]), ([2, 4], [1, 1], [2, 4]), ([1, 1], [3], [1, 3]),
        ]
        for (left, right, made) in batches {
            for (transposeX, transposeY) in [(false, false), (true, false), (false, true), (true, true)] {
                var maker = GraphMaker()
                let x = maker.input(left + (transposeX ? [6, 5] : [5, 6]), "x")
                let y = maker.input(right + (transposeY ? [7, 6] : [6, 7]), "y")
                let product = maker.step(
                    .matmul(transposeX: transposeX, transposeY: transposeY), [x, y], made + [5, 7])
                let graph = maker.finished(product)
                try expectPlanned(
                    graph, graph.sampleInputs(), tolerance: 1e-6, "\(left) and \(right), \(transposeX), \(transposeY)")
            }
        }
    }

    @Test("matrices that would not fit into memory once they are repeated are left where they are")
    func largeSharedMatrices() throws {
        // One row for each of many matrices: 128 KB become 512 MB, or 16 bytes 2 GB once they are packed.
        let cases: [(left: [Int], right: [Int], made: [Int])] = [
            ([4096, 1, 1, 128], [1, 2, 128, 128], [4096, 2, 1, 128]),
            ([1 << 20, 1, 1, 2], [1, 2, 2, 1], [1 << 20, 2, 1, 1]),
        ]
        for (left, right, made) in cases {
            var maker = GraphMaker()
            let product = maker.step(
                .matmul(transposeX: false, transposeY: false), [maker.input(left, "x"), maker.input(right, "y")], made)
            let plan = try PlanBuilder(maker.finished(product)).build().plan
            #expect(plan.steps.map(\.kernel.name) == ["reference matmul"], "\(left) and \(right)")
            #expect(plan.arenaCount < 1 << 23)
        }
    }

    @Test("a picture of few channels is read as it lies; squeeze and excite stays with the picture")
    func squeeze() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 16, 16])
        let y = maker.unary(.hardSwish, maker.convolution(x, 32, stride: 2))
        let mean = maker.step(.reduce(.mean, axes: [2, 3]), [y], [1, 32, 1, 1])
        let small = maker.unary(.relu, maker.convolution(mean, 8, kernel: 1, pad: 0))
        let gate = maker.unary(
            .hardSigmoid(alpha: 1 / 6, beta: 0.5), maker.convolution(small, 32, kernel: 1, pad: 0))
        let z = maker.convolution(maker.binary(.multiply, y, gate), 16, kernel: 1, pad: 0)
        let plan = try plan(maker.finished(z))
        #expect(
            plan.steps.map(\.kernel.name) == [
                "conv first", "global mean", "linear", "linear", "channel scale", "conv 1×1", "reorder",
            ])
        #expect(plan.referenceSteps.isEmpty)
    }

    @Test("parts of whole blocks are written into the join, and cut out of it, without a copy")
    func joins() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 4, 4])
        let first = maker.convolution(x, 32)
        let second = maker.convolution(x, 20)
        let joined = maker.step(.concat(axis: 1, interleaved: false), [first, second], [1, 52, 4, 4])
        let parts = maker.steps(.split(axis: 1), [joined], [[1, 48, 4, 4], [1, 4, 4, 4]])
        let plan = try plan(maker.finished(maker.convolution(parts[0], 16), maker.convolution(parts[1], 16)))
        #expect(!plan.steps.contains { ["channels", "copy"].contains($0.kernel.name) })
        let tensor = { (name: String) in plan.tensors.first { $0.name == name } }
        let whole = try #require(tensor(maker.graph.tensors[joined].name))
        #expect(tensor(maker.graph.tensors[second].name)?.offset == whole.offset + 32 * 16)
        #expect(tensor(maker.graph.tensors[parts[1]].name)?.offset == whole.offset + 48 * 16)
    }

    @Test("a part that is an input, or stands in the join twice, is copied")
    func copiedParts() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 4, 4])
        let y = maker.convolution(x, 16)
        let joined = maker.step(.concat(axis: 1, interleaved: false), [y, y], [1, 32, 4, 4])
        let plan = try plan(maker.finished(maker.convolution(joined, 16)))
        #expect(plan.steps.filter { $0.kernel.name == "channels" }.count == 1)
    }

    @Test("few channels are computed as planes, from blocks or planes, with what is added to them")
    func planes() throws {
        var maker = GraphMaker()
        let x = maker.convolution(maker.input([1, 3, 12, 20]), 24)
        let y = maker.unary(.relu, maker.convolution(x, 2))
        let z = maker.binary(.add, maker.convolution(y, 2), y)
        let graph = maker.finished(z, maker.convolution(z, 20, stride: 3))
        let plan = try plan(graph)
        #expect(
            plan.steps.map(\.kernel.name) == ["conv first", "conv planes", "conv planes", "conv first", "reorder"])
        let residuals = plan.steps.map { $0.inputs.count > 1 ? $0.inputs[1] : nil }
        #expect(residuals[2] == plan.steps[1].outputs[0])
        try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "planes")
    }

    @Test("a convolution along one column is computed as one along a row, to few channels too")
    func column() throws {
        // A stride that only one of the two axes of planes takes.
        for stride in [3, 5] {
            for outputs in [2, 20] {
                var maker = GraphMaker()
                let x = maker.input([1, 3, 90, 1])
                let window = GraphConvolution(
                    kernel: [7, 1], strides: [stride, 1], dilations: [2, 1], before: [4, 0], after: [0, 0], groups: 1)
                let weights = maker.weights([outputs, 3, 7, 1])
                let y = maker.step(.convolution(window), [x, weights, nil], [1, outputs, (94 - 13) / stride + 1, 1])
                let graph = maker.finished(y)
                let names = try plan(graph).steps.map(\.kernel.name)
                #expect(names.contains("conv planes") == (outputs == 2 && stride == 3))
                try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "\(outputs), stride \(stride)")
            }
        }
    }

    @Test("a few plain channels join many that are in blocks there")
    func joinedPlanes() throws {
        for others in [32, 2] {
            var maker = GraphMaker()
            let x = maker.convolution(maker.input([1, 3, 12, 20]), others)
            let joined = maker.step(
                .concat(axis: 1, interleaved: false), [maker.convolution(x, 3), x], [1, others + 3, 12, 20])
            let graph = maker.finished(maker.convolution(joined, 20))
            let names = try plan(graph).steps.map(\.kernel.name)
            #expect(names.contains("channels") == (others == 32), "\(names)")
            #expect(names.filter { $0 == "reorder" }.count == (others == 32 ? 2 : 1), "\(names)")
            try expectPlanned(graph, graph.sampleInputs(), tolerance: 1e-5, "\(others)")
        }
    }

    @Test("work is counted in multiplications and additions")
    func work() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 8, 8])
        let y = maker.convolution(x, 16, stride: 2)
        let z = maker.convolution(y, 16, groups: 16)
        let plan = try plan(maker.finished(z))
        #expect(plan.multiplyAdds == 16 * 16 * 27 + 16 * 16 * 9)
    }

    @Test("a plan survives its file, with infinities in it")
    func coding() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 8, 8])
        let y = maker.unary(.clip(low: -.infinity, high: 4), maker.convolution(x, 16))
        let z = maker.unary(.sin, y)
        let plan = try plan(maker.finished(z))
        let encoder = PlanFile.encoder
        #expect(try PlanFile.decoder.decode(CoreMLPlan.self, from: encoder.encode(plan)) == plan)
    }

    @Test("a plan that points outside its memory, its weights or its tensors is refused")
    func damage() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 3, 8, 8])
        let whole = try plan(maker.finished(maker.convolution(x, 16)))
        func broken(_ change: (inout CoreMLPlan) -> Void) -> Bool {
            var plan = whole
            change(&plan)
            return plan.problem() != nil
        }
        #expect(broken { $0.tensors[0].offset = -16 })
        #expect(broken { $0.tensors[0].offset = 1 << 40 })
        #expect(broken { $0.tensors[0].shape = [1 << 40, 1 << 40] })
        #expect(broken { $0.tensors[0].shape = [-1, 3] })
        #expect(broken { $0.arenaCount = 16 })
        #expect(broken { $0.arenaCount = .max })
        #expect(broken { $0.weightCount = 0 })
        #expect(broken { $0.steps[0].inputs[0] = 99 })
        #expect(broken { $0.steps[0].outputs = [] })
        #expect(broken { $0.outputs[0].tensor = -1 })
    }
}
