import Foundation
import HearthCompute
import HearthCoreML
import HearthGraphProof
import Testing

/// Networks whose activations and weights are 8-bit integers (Tests/Fixtures/coreml/make_bytes.py).
@Suite("networks of 8-bit integers", .timeLimit(.minutes(20)))
struct ByteNetworkTests {
    private func model() throws -> CoreMLModel { try CoreMLModel(path: VisionFixtures.path("bytes/w8a8.mlpackage")) }

    private func plan(_ graph: CoreMLGraph) throws -> CoreMLPlan {
        let plan = try PlanBuilder(graph).build().plan
        #expect(plan.problem() == nil)
        return plan
    }

    @Test("products take codes and make them; floats are made only for what has no kernel for codes")
    func kernels() throws {
        let plan = try plan(GraphOptimizer.optimized(model().graph))
        #expect(
            plan.steps.map(\.kernel.name) == [
                "quantize", "conv int8", "depthwise int8", "conv 1×1 int8", "conv int8",
                "conv 1×1 int8",
                "sum int8", "dequantize", "pool", "quantize", "conv grouped int8", "dequantize",
                "global mean", "quantize",
                "conv 1×1 int8",
            ])
    }

    @Test("results are numpy's on every kernel set")
    func results() async throws {
        let model = try model()
        let shape = try #require(model.inputs.first?.shape)
        let input = CoreMLTensor(shape: shape, values: try VisionFixtures.floats("bytes/w8a8.in.f32"))
        let expected = try VisionFixtures.floats("bytes/w8a8.out.f32")
        #expect(expected.count == 10 && (expected.max() ?? 0) - (expected.min() ?? 0) > 0.5)
        // Plain loops over floats: the same codes, none of which is near a half.
        let plain = try #require(try model.predict(["x": input])["scores"])
        #expect(VisionFixtures.difference(plain.values, expected) <= 1e-5)
        var first: [UInt32]?
        for kernels in KernelSet.available {
            let session = try CoreMLSession(model: model, threads: 2, kernels: kernels)
            for _ in 0..<2 {
                let found = try #require(try await session.predict(["x": input])["scores"])
                let difference = VisionFixtures.difference(found.values, expected)
                #expect(difference <= 1e-5, "\(kernels.name): \(difference)")
                #expect(first == nil || first == found.values.map(\.bitPattern), "\(kernels.name)")
                first = found.values.map(\.bitPattern)
            }
        }
    }

    @Test("a scale that differs between rounding and back leaves the steps as they are")
    func differentScales() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 4, 4])
        func rounded(_ back: Float) -> Int {
            var y = maker.unary(.round, maker.binary(.divide, x, maker.scalar(0.1)))
            y = maker.unary(.clip(low: -128, high: 127), maker.binary(.add, y, maker.scalar(3)))
            return maker.binary(.multiply, maker.binary(.subtract, y, maker.scalar(3)), maker.scalar(back))
        }
        let graph = maker.finished(rounded(0.1), rounded(0.2))
        let names = try plan(graph).steps.map(\.kernel.name)
        #expect(names.filter { $0 == "quantize" }.count == 1 && names.filter { $0 == "dequantize" }.count == 1)
        let samples = graph.sampleInputs()
        let expected = try graph.referenceOutputs(samples)
        let (plan, requests) = try PlanBuilder(graph).build()
        let session = try CoreMLSession(
            PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
            ModelWeights(PackedWeights(plan, requests, graph).floats),
            Compute(kernels: KernelSet.selected(by: nil), threads: 1))
        let found = try session.run(samples) { false }
        expectSame(found, expected, tolerance: 1e-6, "two scales")
    }

    @Test("values half way between two codes go to the even one, also between layers in floating point")
    func halves() throws {
        var maker = GraphMaker()
        let identity = (0..<256).map { Float($0 % 17 == 0 ? 1 : 0) }
        func layer(_ x: Int) -> Int {
            let geometry = GraphConvolution(
                kernel: [1, 1], strides: [1, 1], dilations: [1, 1], before: [0, 0], after: [0, 0], groups: 1)
            return maker.step(
                .convolution(geometry), [x, maker.constant([16, 16, 1, 1], identity), nil], [1, 16, 4, 4])
        }
        // A product with its reciprocal is not the quotient.
        let scale: Float = 2.0625
        let before = layer(maker.input([1, 16, 4, 4]))
        let codes = maker.unary(.round, maker.binary(.divide, before, maker.scalar(scale)))
        let limited = maker.unary(.clip(low: -128, high: 127), codes)
        let graph = try GraphOptimizer.optimized(
            maker.finished(layer(maker.binary(.multiply, limited, maker.scalar(scale)))))
        let values = (0..<256).map { Float($0 - 128) * scale / 2 }
        let expected = (0..<256).map { (Float($0 - 128) / 2).rounded(.toNearestOrEven) * scale }
        let (plan, requests) = try PlanBuilder(graph).build()
        #expect(plan.steps.contains { $0.kernel.name == "quantize" })
        for kernels in KernelSet.available {
            let session = try CoreMLSession(
                PlanFile(plan: plan, interface: CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])),
                ModelWeights(PackedWeights(plan, requests, graph).floats),
                Compute(kernels: kernels, threads: 1))
            let found = try session.run([CoreMLTensor(shape: [1, 16, 4, 4], values: values)]) { false }
            #expect(found[0].values == expected, "\(kernels.name)")
        }
    }
}
