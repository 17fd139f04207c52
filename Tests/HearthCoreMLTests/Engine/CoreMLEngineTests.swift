import Foundation
import HearthCompute
import HearthCoreML
import HearthRuntime
import HearthSystem
import Testing

/// A model for images has the life of any model: the same runner, states and rules.
@Suite("vision engine", .timeLimit(.minutes(20)))
final class VisionEngineTests {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-engine-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private var path: String { VisionSessionTests.fixtures.appendingPathComponent("digits/fp16.mlpackage").path }

    private func engine() throws -> CoreMLEngine {
        try CoreMLEngine(path: path, threads: 2, folders: HearthFolders(data: root, cache: root))
    }

    @Test("many callers, one load; the second life starts from the artifact")
    func singleFlight() async throws {
        for life in 0..<2 {
            let runner = ModelRunner(engine: try engine())
            let labels = try await withThrowingTaskGroup(of: Float?.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await runner.withModel { session in
                            try await session.predict(session.dummyInputs())["classLabel"]?.values.first
                        }
                    }
                }
                return try await group.reduce(into: Set<Float?>()) { $0.insert($1) }
            }
            #expect(labels.count == 1 && labels.first != .some(nil))
            #expect(runner.state == .ready)
            #expect(try await engine().workload().compile == 0, "life \(life)")
            await runner.release()
            #expect(runner.state == .cold)
        }
    }

    @Test("released and suspended, it comes back and says the same")
    func resumption() async throws {
        let runner = ModelRunner(engine: try engine())
        func answer() async throws -> [String: CoreMLTensor] {
            try await runner.withModel { session in try await session.predict(session.dummyInputs()) }
        }
        let first = try await answer()
        await runner.suspend("heat")
        await #expect(throws: RunnerError.self) { try await answer() }
        await runner.resume()
        #expect(try await answer() == first)
        await runner.release()
    }

    @Test("an interrupted session ends, and says so")
    func interruption() async throws {
        let engine = try engine()
        let silent = WorkProgress { _ in }
        let source = try await engine.compile(silent)
        let session = try await engine.load(source.compiled, silent)
        try await engine.warmUp(session, silent)
        engine.interrupt(session)
        await #expect(throws: CancellationError.self) { try await session.predict(session.dummyInputs()) }
        await engine.unload(session)
    }

    @Test("a model whose results are no numbers is never ready")
    func nonFinite() async throws {
        let copy = "\(root)/Broken.mlpackage"
        try FileManager.default.copyItem(
            atPath: VisionSessionTests.fixtures.appendingPathComponent("digits/fp32.mlpackage").path, toPath: copy)
        let weights = URL(fileURLWithPath: "\(copy)/Data/com.apple.CoreML/weights/weight.bin")
        var bytes = try Data(contentsOf: weights)
        // The last values of the last blob: weights or biases of the last layer.
        for index in (bytes.count - 40)..<bytes.count where index % 4 == 3 { bytes[index] = 0x7F }
        for index in (bytes.count - 40)..<bytes.count where index % 4 == 2 { bytes[index] = 0xC0 }
        try bytes.write(to: weights)
        let runner = ModelRunner(engine: try CoreMLEngine(path: copy, folders: HearthFolders(data: root, cache: root)))
        await #expect(throws: RunnerError.self) { try await runner.prepare() }
        #expect(runner.state.name == "failed")
        let model = try CoreMLModel(path: copy)
        let inputs = model.interface.inputs.map { ($0.name, CoreMLTensor(shape: $0.shape, repeating: 127)) }
        let error = #expect(throws: CoreMLError.self) {
            try model.predict(Dictionary(inputs, uniquingKeysWith: { first, _ in first }))
        }
        #expect(error?.errorDescription?.contains("is not a finite number (\(copy): ") == true)
    }

    @Test("without a place for artifacts it compiles in memory; from an artifact's folder it needs no package")
    func places() async throws {
        let silent = WorkProgress { _ in }
        let inMemory = try CoreMLEngine(path: path, units: .cpuSingle, folders: nil)
        let source = try await inMemory.compile(silent)
        #expect(!source.compiled.isCompiled)
        let session = try await inMemory.load(source.compiled, silent)
        #expect(session.threads == 1)
        let first = try await session.predict(session.dummyInputs())
        let compiler = CoreMLCompiler(
            folders: HearthFolders(data: root, cache: root), kernels: try KernelSet.selected(by: nil))
        let artifact = try compiler.compile(path).artifact
        let second = try CoreMLEngine(path: artifact.path, folders: nil)
        let found = try await second.compile(silent)
        #expect(found.reused && found.compiled.isCompiled)
        #expect(try await second.profile() == artifact.profile)
        let other = try await second.load(found.compiled, silent)
        #expect(try await other.predict(other.dummyInputs()) == first)
    }

    @Test("where artifacts cannot be stored it compiles in memory, too")
    func unwritablePlace() async throws {
        let file = root + "/file"
        try Data("x".utf8).write(to: URL(fileURLWithPath: file))
        let runner = ModelRunner(
            engine: try CoreMLEngine(path: path, threads: 1, folders: HearthFolders(data: file, cache: file)))
        let results = try await runner.withModel { session in try await session.predict(session.dummyInputs()) }
        #expect(!results.isEmpty)
        // Where starts are measured, such a start would count as cold for ever.
        var measured = try CoreMLEngine(path: path, threads: 1, folders: HearthFolders(data: file, cache: file))
        measured.requiresArtifact = true
        let refused = ModelRunner(engine: measured)
        await #expect(throws: RunnerError.self) { try await refused.prepare() }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "x")
    }

    @Test("a thread for each processor, for each core, or one")
    func units() {
        #expect(ComputeUnits.cpuSingle.threads == 1 && ComputeUnits.all.threads >= ComputeUnits.cpuOnly.threads)
    }
}
