import Foundation
import HearthApple
import HearthCoreML
import HearthDelivery
import HearthImages
import HearthRuntime
import HearthSystem
import HearthVision
import Synchronization
import Testing

@Suite("Core ML models by whichever engine is there", .timeLimit(.minutes(20)))
struct CoreMLDeviceEngineTests {
    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/cards")
    static let model = fixtures.appendingPathComponent("WishCards.mlpackage").path

    private let place = FileManager.default.temporaryDirectory.appendingPathComponent(
        "hearth-apple-\(UUID().uuidString)")
    private var folders: HearthFolders { HearthFolders(data: place.path, cache: place.path) }
    private let system = StandInCoreML()

    private func engine(
        _ backend: CoreMLBackend?, path: String = model, system: (any SystemCoreML)?, isSimulator: Bool = false,
        osBuild: String = "22A100", units: ComputeUnits = .all, onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws -> CoreMLDeviceEngine {
        try CoreMLDeviceEngine(
            path: path, backend: backend, units: units, folders: folders, system: system, isSimulator: isSimulator,
            device: DeviceIdentity(model: "iPhone17,1", osVersion: "iOS 18.1", osBuild: osBuild, processors: 6),
            onDrift: onDrift)
    }

    private func classify(_ engine: CoreMLDeviceEngine, _ name: String) async throws -> [Classification] {
        let picture = try ImageDecoder().picture(at: Self.fixtures.appendingPathComponent("heldout/\(name)").path)
        let runner = ModelRunner(engine: engine)
        return try await runner.withModel { model in
            let classifier = try ImageClassifier(model.interface)
            return try classifier.results(of: try await model.predict(classifier.inputs(for: picture)))
        }
    }

    @Test("Both engines see the same in a picture")
    func sameResults() async throws {
        defer { try? FileManager.default.removeItem(at: place) }
        for name in ["0000.jpg", "0010.jpg", "0021.jpg"] {
            let own = try await classify(engine(.hearth, system: system), name)
            let other = try await classify(engine(nil, system: system), name)
            #expect(own.map(\.label) == other.map(\.label) && !own.isEmpty)
            for (left, right) in zip(own, other) { #expect(abs(left.confidence - right.confidence) < 1e-4) }
        }
        #expect(system.compiled == 1)
    }

    @Test(
        "Compiled once for a device and the version of its system, again where either is another or the files are damaged"
    )
    func compiledOnce() async throws {
        defer { try? FileManager.default.removeItem(at: place) }
        let drift = Drift()
        let first = try engine(nil, system: system) { drift.note($0) }
        #expect(try await first.workload().compile > 0)
        let made = try await first.compile(WorkProgress { _ in })
        #expect(!made.reused && system.compiled == 1)
        #expect(try await first.workload().compile == 0)
        #expect(try await engine(nil, system: system).compile(WorkProgress { _ in }).reused)
        #expect(system.compiled == 1 && drift.fields.isEmpty)

        let updated = try engine(nil, system: system, osBuild: "22A200") { drift.note($0) }
        #expect(try await !updated.compile(WorkProgress { _ in }).reused)
        #expect(system.compiled == 2 && drift.fields == ["osBuild"])
        // The processor alone is another choice of the system's.
        #expect(try await !engine(nil, system: system, units: .cpuOnly).compile(WorkProgress { _ in }).reused)
        #expect(try await engine(nil, system: system, units: .cpuSingle).compile(WorkProgress { _ in }).reused)
        #expect(system.compiled == 3)

        let artifact = try await first.profile().digest
        let manifest = "\(folders.artifacts)/\(artifact)/Model.mlmodelc/Manifest.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: manifest)
        try Data("{".utf8).write(to: URL(fileURLWithPath: manifest))
        #expect(try await !first.compile(WorkProgress { _ in }).reused)
        #expect(system.compiled == 4)
        // What the system's compiler left was taken over or removed.
        #expect(try FileManager.default.contentsOfDirectory(atPath: system.folder.path).isEmpty)
    }

    @Test("Units reach the system by its own names")
    func units() async throws {
        defer { try? FileManager.default.removeItem(at: place) }
        for units in ComputeUnits.allCases {
            let runner = ModelRunner(engine: try engine(nil, system: system, units: units))
            try await runner.prepare()
            await runner.release()
        }
        #expect(system.units == [.all, .cpuOnly, .cpuOnly])
        #expect(try await engine(nil, system: system, units: .cpuOnly).profile().computeUnits == "coreml-cpuOnly")
    }

    @Test("A released model ends what runs, and begins its state anew with each load")
    func lifecycle() async throws {
        defer { try? FileManager.default.removeItem(at: place) }
        let model = StandInModel(try CoreMLSession(model: CoreMLModel(path: Self.model), threads: 1))
        let session = try SystemCoreMLSession(model, path: Self.model)
        let engine = try engine(nil, system: system)
        try await engine.warmUp(session, WorkProgress { _ in })
        // What the warm-up wrote into the state is gone.
        #expect(model.count == 0)
        _ = try await session.predict(session.dummyInputs)
        #expect(model.count == 1)
        await engine.unload(session)
        await #expect(throws: CancellationError.self) { _ = try await session.predict(session.dummyInputs) }
        await #expect(throws: CoreMLError.self) { _ = try await session.predict([:]) }
    }

    @Test("A path that is no model is said to be none by either engine")
    func missing() async throws {
        for backend in CoreMLBackend.allCases {
            let engine = try engine(backend, path: "/nowhere/Some.mlpackage", system: system)
            await #expect(throws: (any Error).self) { _ = try await engine.profile() }
            await #expect(throws: (any Error).self) { _ = try await engine.compile(WorkProgress { _ in }) }
        }
        #expect(system.compiled == 0)
    }

    @Test("Which engine runs is a policy")
    func policy() {
        typealias Situation = CoreMLBackendPolicy.Situation
        func decide(_ preference: CoreMLBackend?, _ facts: Situation) -> CoreMLBackend {
            CoreMLBackendPolicy(preference: preference).decide(facts).backend
        }
        #expect(decide(nil, Situation(hasSystem: false)) == .hearth)
        #expect(decide(.system, Situation(hasSystem: false)) == .hearth)
        #expect(decide(nil, Situation(hasSystem: true)) == .system)
        #expect(decide(nil, Situation(hasSystem: true, isSimulator: true)) == .hearth)
        #expect(decide(.system, Situation(hasSystem: true, isSimulator: true)) == .system)
        #expect(decide(.hearth, Situation(hasSystem: true)) == .hearth)
        #expect(decide(.hearth, Situation(hasSystem: true, isSimulator: true, isCompiled: true)) == .system)
    }
}

private final class Drift: Sendable {
    private let noted = Mutex<[String]>([])
    func note(_ fields: [String]) { noted.withLock { $0 += fields } }
    var fields: [String] { noted.withLock { $0 } }
}
