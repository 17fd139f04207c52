import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGraphProof
import HearthRuntime
import HearthSystem
import HearthTestSupport
import Testing

/// A start from an artifact is a start from the package, only faster; and nothing damaged, foreign or outdated is used.
@Suite("vision artifacts", .timeLimit(.minutes(20)))
final class VisionArtifactTests {
    let root: String
    static let device = DeviceIdentity(model: "a device", osVersion: "an OS", osBuild: "1", processors: 2)

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-vision-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private func compiler(kernels: String? = nil, boot: String = "first") throws -> CoreMLCompiler {
        CoreMLCompiler(
            folders: HearthFolders(data: root, cache: root), kernels: try KernelSet.selected(by: kernels),
            device: Self.device, boot: boot)
    }

    /// A copy of a fixture that a test may spoil.
    private func copy(_ name: String = "digits/pal4.mlpackage") throws -> String {
        let path = "\(root)/Model.mlpackage"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(
            atPath: VisionSessionTests.fixtures.appendingPathComponent(name).path, toPath: path)
        return path
    }

    /// Writes over a file of an artifact, which nobody is meant to write to.
    private func spoil(_ artifact: CoreMLArtifact, _ name: String, _ change: (inout Data) -> Void) throws {
        let path = "\(artifact.path)/\(name)"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        change(&bytes)
        try FileManager.default.removeItem(atPath: path)
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func picture(_ interface: CoreMLInterface) throws -> [String: CoreMLTensor] {
        let input = try #require(interface.inputs.first)
        var random = SeededNumbers(seed: 4)
        let values = (0..<input.shape.reduce(1, *)).map { _ in random.next(0, 255) }
        return [input.name: CoreMLTensor(shape: input.shape, values: values)]
    }

    @Test("is made once, found again, and computes what the package does")
    func reuse() async throws {
        let path = try copy()
        #expect(try compiler().find(path) == nil)
        let first = try compiler().compile(path)
        #expect(!first.reused && first.artifact.bytes > 0)
        let second = try compiler().compile(path)
        #expect(second.reused && second.artifact.digest == first.artifact.digest)
        #expect(first.artifact.profile.quantization == "palette4")
        let found = try #require(try compiler().find(path))
        let session = try CoreMLSession(artifact: found, threads: 1)
        let model = try CoreMLModel(path: path)
        #expect(session.interface == model.interface)
        let inputs = try picture(model.interface)
        let (left, right) = (try await session.predict(inputs), try model.predict(inputs))
        #expect(left.keys.sorted() == right.keys.sorted())
        for (name, value) in right { expectSame([try #require(left[name])], [value], tolerance: 1e-5) }
    }

    @Test("by its folder too, without the package")
    func folder() async throws {
        let path = try copy()
        let artifact = try compiler().compile(path).artifact
        try FileManager.default.removeItem(atPath: path)
        let opened = try CoreMLCompiler.open(folder: artifact.path)
        let session = try CoreMLSession(artifact: opened, threads: 1)
        #expect(try await session.predict(session.dummyInputs())["classLabel"] != nil)
        #expect(throws: CoreMLError.self) { try CoreMLCompiler.open(folder: root) }
    }

    @Test("of a model with states it opens, and its states go on as the package's do")
    func states() async throws {
        let path = try copy("flow/state.mlpackage")
        let session = try CoreMLSession(artifact: try compiler().compile(path).artifact, threads: 1)
        let model = try CoreMLSession(model: try CoreMLModel(path: path), threads: 1)
        #expect(session.interface == model.interface && !session.interface.states.isEmpty)
        var (left, right): ([CoreMLTensor], [CoreMLTensor]) = ([], [])
        for step in 1...3 {
            let x = ["x": CoreMLTensor(shape: [1, 3], values: [1, -2, 0.5].map { $0 * Float(step) })]
            let (found, wanted) = (
                try await session.predict(x, state: &left), try await model.predict(x, state: &right)
            )
            #expect(found == wanted && left == right && left.count == model.interface.states.count)
        }
        // The first state is 0, so later results differ if it is kept.
        #expect(left[0].values.contains { $0 != 0 })
    }

    @Test("units, kernel sets and the package's bytes each have their own, and what drifted is named")
    func drift() throws {
        let path = try copy()
        let first = try compiler().compile(path)
        let single = try compiler().compile(path, units: .cpuSingle)
        #expect(!single.reused && single.driftedFields == ["computeUnits"])
        let portable = try compiler(kernels: "portable").compile(path)
        #expect(portable.artifact.digest != first.artifact.digest || KernelSet.available.count == 1)
        let weights = "\(path)/Data/com.apple.CoreML/weights/weight.bin"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: weights))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: weights))
        #expect(try compiler().find(path) == nil)
        #expect(try compiler().compile(path).driftedFields.contains("modelSHA256"))
    }

    @Test("one that is damaged is made again: cut off, another byte, another version")
    func damage() throws {
        let path = try copy()
        let whole = try compiler().compile(path).artifact
        let digest = whole.digest
        try spoil(whole, "weights.bin") { $0.removeLast(16) }
        #expect(try !compiler().compile(path).reused)
        try spoil(whole, "plan.bin") { $0[$0.count / 2] ^= 0x55 }
        #expect(try !compiler().compile(path, isVerifying: true).reused)
        try spoil(whole, "weights.bin") { $0[$0.count / 2] ^= 0x55 }
        #expect(try !compiler().compile(path, isVerifying: true).reused)
        // The version, in bytes 8 to 11; the record still has the length.
        try spoil(whole, "plan.bin") { $0[8] ^= 0x40 }
        #expect(throws: FileError.self) { try PlanFile(path: "\(whole.path)/plan.bin") }
        let again = try compiler().compile(path)
        #expect(!again.reused && again.artifact.digest == digest)
        #expect(try compiler().compile(path, isVerifying: true).reused)
    }

    @Test("plans with any byte changed are refused, or run without a crash")
    func mutations() async throws {
        let path = try copy("ops/attention_fp32_ios18.mlpackage")
        let artifact = try compiler().compile(path).artifact
        let (file, weights) = try artifact.open()
        let text = try PlanFile.encoder.encode(file)
        let floats = FloatWeights(
            base: weights.base.assumingMemoryBound(to: Float.self), count: file.plan.weightCount, owner: weights)
        let compute = try Compute(kernels: KernelSet.selected(by: nil), threads: 1)
        var random = SeededNumbers(seed: 11)
        var refused = 0
        let digits = text.indices.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[$0]) }
        for _ in 0..<30 {
            var bytes = text
            for _ in 0...Int.random(in: 0...2, using: &random) {
                bytes[digits[Int.random(in: digits.indices, using: &random)]] = UInt8.random(
                    in: UInt8(ascii: "0")...UInt8(ascii: "9"), using: &random)
            }
            guard let changed = try? PlanFile.decoder.decode(PlanFile.self, from: bytes),
                changed.problem() == nil,
                !changed.plan.steps.contains(where: { if case .reference = $0.kernel { true } else { false } }),
                let session = try? CoreMLSession(changed, ModelWeights(floats), compute)
            else {
                refused += 1
                continue
            }
            _ = try? await session.predict(session.dummyInputs())
        }
        #expect(refused > 0)
    }

    @Test("stopping leaves nothing behind")
    func cancellation() throws {
        let path = try copy()
        #expect(throws: CancellationError.self) { try compiler().compile(path, isCancelled: { true }) }
        var calls = 0
        #expect(throws: CancellationError.self) {
            try compiler().compile(
                path,
                isCancelled: {
                    calls += 1
                    return calls > 5
                })
        }
        #expect(try compiler().find(path) == nil)
        #expect((try? FileManager.default.contentsOfDirectory(atPath: "\(root)/Artifacts"))?.isEmpty ?? true)
    }

    @Test("a package that is malformed is refused before anything is written", arguments: ["bad", "ops"])
    func malformed(_ folder: String) throws {
        guard folder == "bad" else {
            #expect(throws: (any Error).self) { try compiler().compile("\(root)/none.mlpackage") }
            return
        }
        for name in VisionSessionTests.packages("bad") {
            let path = VisionSessionTests.fixtures.appendingPathComponent(name).path
            #expect(throws: (any Error).self) { try compiler().compile(path) }
        }
    }
}
