import Foundation
import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthTestSupport
import Testing

/// What runs over the kernels is what plain arithmetic says.
@Suite("vision sessions", .timeLimit(.minutes(20)))
struct VisionSessionTests {
    static let fixtures = VisionFixtures.folder

    static func packages(_ folder: String) -> [String] {
        let place = fixtures.appendingPathComponent(folder)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
        return names.filter { $0.hasSuffix(".mlpackage") || $0.hasSuffix(".mlmodel") }.sorted()
            .map { "\(folder)/\($0)" }
    }

    private func session(_ graph: CoreMLGraph, kernels: KernelSet? = nil, optimizes: Bool = true) throws
        -> CoreMLSession
    {
        let optimized = optimizes ? try GraphOptimizer.optimized(graph) : graph
        let (plan, requests) = try PlanBuilder(optimized).build()
        #expect(plan.problem() == nil)
        let weights = try PackedWeights(plan, requests, optimized)
        let interface = CoreMLInterface(
            inputs: graph.inputs.map { id in
                .init(name: graph.tensors[id].name, shape: graph.tensors[id].shape, image: nil, type: .float32)
            },
            outputs: graph.outputs.enumerated().map { place, id in
                .init(name: "out\(place)", kind: .tensor, shape: graph.tensors[id].shape, result: place)
            }, labels: nil, metadata: [:])
        return try CoreMLSession(
            PlanFile(plan: plan, interface: interface), ModelWeights(weights.floats),
            Compute(kernels: kernels ?? KernelSet.selected(by: nil), threads: 2))
    }

    @Test("random networks, optimized or not, twice in a row", arguments: 0..<8)
    func random(_ part: Int) async throws {
        for seed in (part * 25)..<(part * 25 + 25) {
            let graph = RandomGraphs.graph(seed: UInt64(seed))
            let samples = graph.sampleInputs(seed: UInt64(seed), range: -1...1)
            let expected = try graph.referenceOutputs(samples)
            let session = try session(graph, optimizes: seed % 4 != 0)
            let inputs = Dictionary(
                zip(graph.inputs.map { graph.tensors[$0].name }, samples), uniquingKeysWith: { first, _ in first })
            for _ in 0..<2 {
                let results = try await session.predict(inputs)
                let found = expected.indices.map { results["out\($0)"] ?? CoreMLTensor(shape: [], values: []) }
                expectSame(found, expected, tolerance: 3e-5, "seed \(seed)")
            }
        }
    }

    @Test("every kernel set computes the same", arguments: KernelSet.available)
    func kernelSets(_ kernels: KernelSet) async throws {
        for seed in 500..<512 {
            let graph = RandomGraphs.graph(seed: UInt64(seed))
            let samples = graph.sampleInputs(seed: UInt64(seed), range: -1...1)
            let expected = try graph.referenceOutputs(samples)
            let results = try await session(graph, kernels: kernels).predict(["x": samples[0]])
            let found = expected.indices.map { results["out\($0)"] ?? CoreMLTensor(shape: [], values: []) }
            expectSame(found, expected, tolerance: 3e-5, "seed \(seed) on \(kernels.name)")
        }
    }

    @Test("shares too small for a float32 have a logarithm, masked ones too", arguments: KernelSet.available)
    func logSoftmax(_ kernels: KernelSet) async throws {
        for axis in 0..<3 {
            let shape = [3, 5, 19]
            var maker = GraphMaker()
            let shares = maker.step(.softmax(axis: axis), [maker.input(shape)], shape)
            let graph = maker.finished(maker.unary(.log(epsilon: .leastNonzeroMagnitude), shares))
            let samples = graph.sampleInputs(range: -400...400)

            var plain = GraphMaker()
            let x = plain.input(shape)
            var single = shape
            single[axis] = 1
            let sum = plain.step(.reduce(.logSumExp, axes: [axis]), [x], single)
            let expected = try plain.finished(plain.binary(.subtract, x, sum)).referenceOutputs(samples)
            #expect(expected[0].values.contains { $0 < -400 })

            let session = try session(graph, kernels: kernels)
            #expect(session.plan.referenceSteps.isEmpty)
            let found = try #require(try await session.predict(["x": samples[0]])["out0"])
            expectSame([found], expected, tolerance: 1e-6, "axis \(axis) on \(kernels.name)")
        }

        var maker = GraphMaker()
        let masked = maker.binary(.add, maker.input([1, 3]), maker.constant([1, 3], [0, 0, -.infinity]))
        let shares = maker.step(.softmax(axis: 1), [masked], [1, 3])
        let graph = maker.finished(maker.unary(.log(epsilon: .leastNonzeroMagnitude), shares))
        let results = try await session(graph, kernels: kernels).predict([
            "x": CoreMLTensor(shape: [1, 3], values: [1, 1, 1])
        ])
        let found = try #require(results["out0"]).values
        expectSame(
            [CoreMLTensor(shape: [2], values: Array(found.prefix(2)))],
            [CoreMLTensor(shape: [2], values: [-0.6931472, -0.6931472])])
        #expect(found[2] < -100 && found[2].isFinite)
    }

    @Test("packages of every operation", arguments: packages("ops"))
    func operations(_ name: String) async throws {
        let model = try CoreMLModel(path: Self.fixtures.appendingPathComponent(name).path)
        let session = try CoreMLSession(model: model, threads: 2)
        var random = SeededNumbers(seed: 5)
        for _ in 0..<2 {
            let inputs = Dictionary(
                model.inputs.map { input in
                    (
                        input.name,
                        CoreMLTensor(
                            shape: input.shape, values: (0..<input.shape.reduce(1, *)).map { _ in random.next(-2, 2) })
                    )
                }, uniquingKeysWith: { first, _ in first })
            let expected = try model.predict(inputs)
            let found = try await session.predict(inputs)
            #expect(found.keys.sorted() == expected.keys.sorted())
            for (key, value) in expected {
                expectSame([try #require(found[key])], [value], tolerance: 1e-4, "\(name): \(key)")
            }
        }
    }

    @Test("the digits classifier, however its weights are stored", arguments: packages("digits"))
    func digits(_ name: String) async throws {
        let model = try CoreMLModel(path: Self.fixtures.appendingPathComponent(name).path)
        let session = try CoreMLSession(model: model, threads: 2)
        #expect(session.plan.referenceSteps.isEmpty)
        var random = SeededNumbers(seed: 9)
        let input = try #require(model.inputs.first)
        let pixels = (0..<input.shape.reduce(1, *)).map { _ in random.next(0, 255).rounded() }
        let inputs = [input.name: CoreMLTensor(shape: input.shape, values: pixels)]
        let expected = try model.predict(inputs)
        let found = try await session.predict(inputs)
        for (key, value) in expected {
            expectSame([try #require(found[key])], [value], tolerance: 1e-5, "\(name): \(key)")
        }
    }

    @Test("a closed session computes nothing more")
    func closing() async throws {
        let session = try session(RandomGraphs.graph(seed: 1))
        session.close()
        await #expect(throws: CancellationError.self) { try await session.predict(session.dummyInputs()) }
        await session.waitUntilIdle()
    }

    @Test("inputs that are missing, unknown, of another shape or not finite are refused")
    func inputs() async throws {
        let graph = RandomGraphs.graph(seed: 2)
        let session = try session(graph)
        let sample = graph.sampleInputs()[0]
        await #expect(throws: CoreMLError.missingInput(name: "x")) { try await session.predict([:]) }
        await #expect(throws: CoreMLError.self) { try await session.predict(["x": sample, "z": sample]) }
        await #expect(throws: CoreMLError.self) {
            try await session.predict(["x": CoreMLTensor(shape: [1], values: [1])])
        }
        var broken = sample
        broken.values[0] = .nan
        await #expect(throws: CoreMLError.nonFiniteInput(name: "x", index: 0)) {
            try await session.predict(["x": broken])
        }
    }

    @Test("a plan whose steps do not fit their tensors is refused when it is prepared")
    func foreignPlan() throws {
        var maker = GraphMaker()
        let x = maker.input([1, 16, 8, 8])
        let graph = maker.finished(maker.convolution(x, 32))
        let (plan, requests) = try PlanBuilder(graph).build()
        let weights = try PackedWeights(plan, requests, graph)
        let interface = CoreMLInterface(inputs: [], outputs: [], labels: nil, metadata: [:])
        for change in 0..<4 {
            var broken = plan
            guard case .convolution(var convolution) = broken.steps[1].kernel else { continue }
            switch change {
            case 0: convolution.window.kernel = [5, 5]
            case 1: convolution.window.strides = [0, 1]
            case 2: convolution.weights.count = 16
            default: convolution.groups = 3
            }
            broken.steps[1].kernel = .convolution(convolution)
            let error = #expect(throws: CoreMLError.self) {
                try CoreMLSession(
                    PlanFile(plan: broken, interface: interface), ModelWeights(weights.floats),
                    Compute(kernels: KernelSet.selected(by: nil), threads: 1), path: "m.mlpackage")
            }
            #expect(error?.errorDescription?.contains("(m.mlpackage: ") == true)
        }
    }
}
