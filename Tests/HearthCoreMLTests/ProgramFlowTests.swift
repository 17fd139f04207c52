import HearthCompute
import HearthCoreML
import HearthCoreMLFormat
import HearthGraphProof
import HearthTestSupport
import Testing

/// Loops, branches, lists, states and functions of programs that coremltools wrote (`make_flow.py`), and recurrent layers
/// over the kernels.
@Suite("programs with loops and states", .timeLimit(.minutes(20)))
struct ProgramFlowTests {
    struct Case: Decodable {
        struct Tensor: Decodable {
            var shape: [Int]
            var values: [Float]
        }

        struct Step: Decodable {
            var inputs: [String: Tensor]
            var outputs: [String: Tensor]
        }

        var model: String
        var function: String?
        var tolerance: Float
        var steps: [Step]
    }

    static let cases = (try? VisionFixtures.json("flow.json", as: [Case].self)) ?? []

    private static func package(_ item: Case) throws -> CoreMLPackage {
        let package = try CoreMLPackage(path: VisionFixtures.path("flow/\(item.model).mlpackage"))
        return try item.function.map { try package.running($0) } ?? package
    }

    private static func tensors(_ tensors: [String: Case.Tensor]) -> [String: CoreMLTensor] {
        tensors.mapValues { CoreMLTensor(shape: $0.shape, values: $0.values) }
    }

    @Test("what PyTorch and numpy compute, one prediction after the other", arguments: 0..<11)
    func goldens(_ index: Int) async throws {
        try #require(Self.cases.count == 11)
        let item = Self.cases[index]
        let model = try CoreMLModel(try Self.package(item))
        let session = try CoreMLSession(model: model, threads: 2)
        var state: [CoreMLTensor] = []
        for step in item.steps {
            let results = try await session.predict(Self.tensors(step.inputs), state: &state)
            for (name, expected) in step.outputs {
                let found = try #require(results[name])
                #expect(found.shape == expected.shape)
                let difference = VisionFixtures.difference(found.values, expected.values)
                #expect(difference <= item.tolerance, "\(item.model) \(name): \(found.values), not \(expected.values)")
            }
        }
        #expect(state.count == model.interface.states.count)
    }

    @Test("a state is what a prediction left, and can be taken back")
    func stateIsAValue() async throws {
        let item = try #require(Self.cases.first { $0.model == "state" })
        let model = try CoreMLModel(try Self.package(item))
        #expect(model.interface.states.map(\.name).sorted() == ["cache", "total"])
        #expect(model.inputs.map(\.name) == ["x"])
        let session = try CoreMLSession(model: model, threads: 1)
        var state: [CoreMLTensor] = []
        let inputs = Self.tensors(item.steps[0].inputs)
        let first = try await session.predict(inputs, state: &state)
        let kept = state
        let second = try await session.predict(inputs, state: &state)
        #expect(first != second)
        state = kept
        #expect(try await session.predict(inputs, state: &state) == second)
        // Without a state each prediction begins anew, by plain arithmetic too.
        #expect(try await session.predict(inputs) == first)
        let plain = try model.predict(inputs)
        for (name, tensor) in first {
            #expect(VisionFixtures.difference(plain[name]?.values ?? [], tensor.values) <= 1e-4)
        }
        var wrong = [CoreMLTensor(shape: [1])]
        await #expect(throws: CoreMLError.self) { try await session.predict(inputs, state: &wrong) }
    }

    @Test("functions are listed, the one that runs first; another one is refused by name")
    func functions() throws {
        let package = try CoreMLPackage(path: VisionFixtures.path("flow/functions.mlpackage"))
        #expect(package.functionNames == ["small", "wide"])
        #expect(try CoreMLModel(package).outputs.first?.shape == [1, 16])
        #expect(try CoreMLModel(package.running("wide")).outputs.first?.shape == [1, 5])
        #expect { try package.running("other") } throws: { "\($0)".contains("other") }
    }

    @Test("a loop of a network is refused by name, not as a damaged file")
    func networkLoop() throws {
        let package = try CoreMLPackage(path: VisionFixtures.path("flow/loop.mlmodel"))
        #expect { try CoreMLModel(package) } throws: { error in
            guard case .unsupportedOperations(_, let operations)? = error as? CoreMLError else { return false }
            return operations.contains { $0.hasPrefix("loop '") }
        }
    }

    @Test("recurrent layers over the kernels", arguments: KernelSet.available)
    func kernels(_ kernels: KernelSet) async throws {
        let folder = try TemporaryFolder()
        let cases = OperationTests.cases.filter { ["lstm", "gru", "rnn"].contains($0.operation) }
        #expect(cases.count >= 14)
        for item in cases {
            let model = try OperationTests.model(item, in: folder)
            let session = try CoreMLSession(model: model, threads: 2, kernels: kernels)
            #expect(session.plan.referenceSteps.isEmpty, "\(item.operation) runs in plain loops")
            let inputs = Dictionary(uniqueKeysWithValues: item.inputs.map { ($0.name, OperationTests.tensor($0)) })
            for _ in 0..<2 {
                let results = try await session.predict(inputs)
                for output in item.outputs {
                    let expected = OperationTests.tensor(output)
                    let difference = VisionFixtures.difference(results[output.name]?.values ?? [], expected.values)
                    let scale = expected.values.reduce(1) { max($0, abs($1)) }
                    #expect(
                        difference <= 2 * item.tolerance * scale,
                        "\(item.operation) \(output.name), off by \(difference)")
                }
            }
        }
    }

    @Test("drawn numbers repeat by their seed, and fill their range")
    func random() throws {
        let executor = ReferenceExecutor.stoppedByTask
        func draw(_ name: String, _ seed: UInt64?) throws -> [Float] {
            let distribution: GraphRandom.Distribution =
                switch name {
                case "uniform": .uniform(low: 1, high: 3)
                case "normal": .normal(mean: -1, deviation: 2)
                default: .bernoulli(probability: 0.25)
                }
            let random = GraphRandom(distribution: distribution, seed: seed)
            return try executor.run(.random(random), [], shapes: [[4000]])[0].values
        }
        for name in ["uniform", "normal", "bernoulli"] {
            #expect(try draw(name, 7) == draw(name, 7))
            #expect(try draw(name, 7) != draw(name, 8))
            #expect(try draw(name, nil) != draw(name, nil))
            let values = try draw(name, 7)
            let mean = values.reduce(0, +) / 4000
            let expected: Float = name == "uniform" ? 2 : name == "normal" ? -1 : 0.25
            #expect(abs(mean - expected) < 0.1, "\(name): \(mean)")
        }
        #expect(try draw("uniform", 7).allSatisfy { (1..<3).contains($0) })
    }
}
