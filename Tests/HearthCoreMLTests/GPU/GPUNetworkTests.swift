import Foundation
import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthGPU
import HearthGraphProof
import HearthSystem
import HearthTestSupport
import Synchronization
import Testing

/// Networks on a GPU, against the goldens of the CPU. Products are summed in another order there, so a result may be twice as far
/// from a golden as the CPU's.
@Suite("Networks on a GPU", .timeLimit(.minutes(20)))
struct GPUNetworkTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)

    private static func tolerance(_ ofCPU: Float) -> Float { 2 * ofCPU + 1e-5 }

    private func onGPU(
        _ session: CoreMLSession, cacheFolder: String? = nil,
        _ failed: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws -> CoreMLSession {
        try await session.useGPU(#require(Self.device), cacheFolder: cacheFolder, onFailure: failed)
        return session
    }

    @Test(
        "Whole networks give PyTorch's results", .enabled(if: device != nil, "no Vulkan device"),
        arguments: NetworkTests.networks)
    func networks(_ network: NetworkTests.Network) async throws {
        let model = try CoreMLModel(path: VisionFixtures.path("networks/\(network.file)"))
        let input = CoreMLTensor(
            shape: network.shape, values: try VisionFixtures.floats("networks/\(network.network).in.f32"))
        let expected = try VisionFixtures.floats("networks/\(network.network).out.f32")
        let session = try await onGPU(CoreMLSession(model: model, threads: 2))
        let name = try #require(model.inputs.first?.name), output = try #require(model.outputs.first?.name)
        // Twice: memory that steps share is written again.
        for _ in 0..<2 {
            let found = try #require(try await session.predict([name: input])[output])
            let difference = VisionFixtures.difference(found.values, expected)
            #expect(difference <= Self.tolerance(network.tolerance), "\(difference)")
        }
        #expect(try #require(await session.gpuSteps) > 0)
    }

    @Test(
        "Small networks", .enabled(if: device != nil, "no Vulkan device"), arguments: ModelFixtureTests.networks)
    func small(_ network: ModelFixtureTests.Network) async throws {
        let model = try CoreMLModel(path: VisionFixtures.path("ops/\(network.name).mlpackage"))
        let input = CoreMLTensor(
            shape: network.input_shape, values: try VisionFixtures.floats("ops/\(network.name).in.f32"))
        let expected = try VisionFixtures.floats("ops/\(network.name).out.f32")
        let session = try CoreMLSession(model: model, threads: 2)
        do {
            try await session.useGPU(#require(Self.device), cacheFolder: nil)
        } catch GPUError.notCovered {
            // Nothing of it has a shader, which is told.
            #expect(await session.gpuSteps == nil)
            return
        }
        let result = try #require(try await session.predict([network.input: input])[network.output])
        #expect(result.shape == network.output_shape)
        let difference = VisionFixtures.difference(result.values, expected)
        #expect(difference <= Self.tolerance(network.tol_abs), "\(difference)")
    }

    @Test(
        "A network of convolutions runs on the device from end to end",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["mobilenet2_fp32_ios16", "mobilenet2_fp16_ios15"])
    func whole(name: String) async throws {
        let session = try await onGPU(
            CoreMLSession(model: CoreMLModel(path: VisionFixtures.path("ops/\(name).mlpackage")), threads: 1))
        #expect(await session.gpuSteps == session.plan.steps.count)
    }

    private func session(_ graph: CoreMLGraph) throws -> CoreMLSession {
        let optimized = try GraphOptimizer.optimized(graph)
        let (plan, requests) = try PlanBuilder(optimized).build()
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
            Compute(kernels: KernelSet.selected(by: nil), threads: 2))
    }

    @Test(
        "Random networks, of which parts run on the CPU", .enabled(if: device != nil, "no Vulkan device"),
        arguments: 0..<4)
    func random(_ part: Int) async throws {
        var onDevice = 0
        for seed in (part * 10)..<(part * 10 + 10) {
            let graph = RandomGraphs.graph(seed: UInt64(seed))
            let samples = graph.sampleInputs(seed: UInt64(seed), range: -1...1)
            let expected = try graph.referenceOutputs(samples)
            let session = try session(graph)
            do {
                try await session.useGPU(#require(Self.device), cacheFolder: nil)
            } catch GPUError.notCovered {
                continue
            }
            onDevice += await session.gpuSteps ?? 0
            let inputs = Dictionary(
                zip(graph.inputs.map { graph.tensors[$0].name }, samples), uniquingKeysWith: { first, _ in first })
            for _ in 0..<2 {
                let results = try await session.predict(inputs)
                let found = expected.indices.map { results["out\($0)"] ?? CoreMLTensor(shape: [], values: []) }
                expectSame(found, expected, tolerance: 6e-5, "seed \(seed)")
            }
        }
        #expect(onDevice > 10)
    }

    @Test(
        "A device that fails is a note, and the CPU computes that inference and the next ones",
        .enabled(if: device != nil, "no Vulkan device"))
    func failure() async throws {
        let model = try CoreMLModel(path: VisionFixtures.path("ops/mobilenet2_fp32_ios16.mlpackage"))
        let cpu = try CoreMLSession(model: model, threads: 1)
        let expected = try await cpu.predict(cpu.dummyInputs())
        let failures = Mutex<[GPUError]>([])
        let session = try await onGPU(CoreMLSession(model: model, threads: 1)) { error in
            failures.withLock { $0.append(error) }
        }
        _ = try await session.predict(session.dummyInputs())
        #expect(failures.withLock { $0 } == [])
        await session.failGPU()
        for _ in 0..<2 { #expect(try await session.predict(session.dummyInputs()) == expected) }
        #expect(failures.withLock { $0 } == [.timedOut(milliseconds: 0)])
        #expect(await session.gpuSteps == nil)
    }

    @Test(
        "Pipelines are compiled once, and kept where those of texts are",
        .enabled(if: device != nil, "no Vulkan device"))
    func pipelines() async throws {
        let folder = try TemporaryFolder()
        let info = try #require(Self.device)
        let model = try CoreMLModel(path: VisionFixtures.path("ops/mobilenet2_fp32_ios16.mlpackage"))
        _ = try await onGPU(CoreMLSession(model: model, threads: 1), cacheFolder: folder.url.path)
        let cache = GPUPipelineCache(cacheFolder: folder.url.path)
        guard case .used(let bytes) = cache.find(for: info) else {
            Issue.record("no pipelines were kept")
            return
        }
        _ = try await onGPU(CoreMLSession(model: model, threads: 1), cacheFolder: folder.url.path)
        #expect(cache.find(for: info) == .used(bytes))
    }

    @Test(
        "Pipelines are compiled ahead of the first start, and kept with the artifact",
        .enabled(if: device != nil, "no Vulkan device"))
    func compiledAhead() async throws {
        let folder = try TemporaryFolder(), info = try #require(Self.device)
        let folders = HearthFolders(data: folder["data"], cache: folder["cache"])
        let kernels = try KernelSet.selected(by: nil)
        let artifact = try CoreMLCompiler(folders: folders, kernels: kernels)
            .compile(VisionFixtures.path("digits/fp16.mlpackage")).artifact
        func session() throws -> CoreMLSession {
            try CoreMLSession(artifact: artifact, threads: 1, kernels: kernels)
        }
        let first = try await session().compilePipelines(for: info, cacheFolder: folders.cache)
        #expect(!first.reused && first.drift == nil)
        #expect(first.pipelines == GPUCommands.networkPipelines.count)
        let cache = GPUPipelineCache(artifactFolder: artifact.path)
        guard case .used(let bytes) = cache.find(for: info) else {
            Issue.record("no pipelines were kept")
            return
        }
        #expect(bytes.count == first.bytes)
        let again = try await session().compilePipelines(for: info, cacheFolder: folders.cache)
        #expect(again.reused && again.drift == nil)
        // A start uses these, and stores none elsewhere.
        #expect(try await onGPU(session(), cacheFolder: folders.cache).gpuSteps != nil)
        #expect(cache.find(for: info) == .used(bytes))
        #expect(GPUPipelineCache(cacheFolder: folders.cache).entries().isEmpty)

        // A damaged file is named, and replaced.
        let path = cache.path(for: info)
        var damaged = try Data(contentsOf: URL(fileURLWithPath: path))
        damaged[damaged.count - 1] ^= 1
        try damaged.write(to: URL(fileURLWithPath: path))
        let anew = try await session().compilePipelines(for: info, cacheFolder: folders.cache)
        #expect(!anew.reused && anew.drift == "it is damaged")
        guard case .used = cache.find(for: info) else {
            Issue.record("the damaged file was not replaced")
            return
        }
    }
}

@Suite("Memory that two processors have a copy of")
struct FreshRangesTests {
    @Test("What the other side wrote last is copied, once")
    func brings() {
        var fresh = FreshRanges()
        #expect(fresh.bring(0..<10, to: .device) == [])
        fresh.write(0..<10, on: .host)
        #expect(fresh.bring(0..<10, to: .host) == [])
        #expect(fresh.bring(4..<20, to: .device) == [4..<10])
        #expect(fresh.bring(4..<20, to: .device) == [])
        #expect(fresh.bring(0..<6, to: .device) == [0..<4])
        fresh.write(2..<6, on: .device)
        #expect(fresh.bring(0..<10, to: .host) == [2..<6])
        #expect(fresh.bring(0..<10, to: .host) == [])
    }

    @Test("What was written over is not copied")
    func overwritten() {
        var fresh = FreshRanges()
        fresh.write(0..<8, on: .host)
        fresh.write(2..<4, on: .device)
        fresh.write(6..<12, on: .device)
        #expect(Set(fresh.bring(0..<16, to: .device)) == [0..<2, 4..<6])
        #expect(Set(fresh.bring(0..<16, to: .host)) == [2..<4, 6..<12])
        fresh.write(0..<16, on: .host)
        #expect(fresh.bring(0..<16, to: .device) == [0..<16])
    }

    /// Against a block whose values say who wrote them last.
    @Test("At random, every read finds what was written last", arguments: 0..<20)
    func random(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var fresh = FreshRanges()
        var last = [Int](repeating: 0, count: 40)
        var copies: [FreshRanges.Side: [Int]] = [.host: last, .device: last]
        for step in 1...200 {
            let first = Int.random(in: 0..<39, using: &random)
            let range = first..<Int.random(in: first + 1...40, using: &random)
            let side: FreshRanges.Side = Bool.random(using: &random) ? .host : .device
            if Bool.random(using: &random) {
                fresh.write(range, on: side)
                for at in range { (last[at], copies[side]![at]) = (step, step) }
            } else {
                let other: FreshRanges.Side = side == .host ? .device : .host
                for part in fresh.bring(range, to: side) {
                    for at in part { copies[side]![at] = copies[other]![at] }
                }
                #expect(Array(copies[side]![range]) == Array(last[range]))
            }
        }
    }
}
