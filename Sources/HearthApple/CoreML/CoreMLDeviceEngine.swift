internal import Foundation
public import HearthCoreML
internal import HearthDelivery
public import HearthRuntime
public import HearthSystem

/// The engine of Core ML models on any device: the system's Core ML where it is there and meant, else Hearth's kernels.
///
///     let runner = ModelRunner(engine: try CoreMLDeviceEngine(path: "Digits.mlpackage", folders: folders))
///     let frames = FrameClassifier(runner: runner, …)      // the same frames, budget and fallbacks with either
///
/// Which of the two runs is decided by a policy (docs/apple.md). The model is compiled once for a device and the version of
/// its system.
public struct CoreMLDeviceEngine: ModelEngine {
    /// What is loaded.
    public struct Source: Sendable {
        fileprivate enum Kind: Sendable {
            case hearth(CoreMLEngine.Source)
            case system(SystemCoreMLCompiler.Compiled)
        }
        fileprivate var kind: Kind
    }

    /// What runs the model.
    public let backend: CoreMLBackend
    private let path: String
    private let own: CoreMLEngine?
    private let system: (any SystemCoreML)?
    private let compiler: SystemCoreMLCompiler?
    private let units: SystemComputeUnits
    private let onDrift: (@Sendable ([String]) -> Void)?

    /// - Parameters:
    ///   - path: a package, a bare model, or, on Apple systems, a folder `.mlmodelc`.
    ///   - backend: nil leaves it to the policy: the system's Core ML on devices, Hearth's kernels elsewhere.
    ///   - units: what of the device computes.
    ///   - folders: where artifacts are kept; nil keeps none, and compiles at each start.
    ///   - onDrift: told, before the model loads, which fields of the profile changed since its latest artifact.
    public init(
        path: String, backend: CoreMLBackend? = nil, units: ComputeUnits = .all, folders: HearthFolders?,
        onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws {
        try self.init(
            path: path, backend: backend, units: units, folders: folders, system: SystemCoreMLLibrary.current,
            isSimulator: SystemCoreMLLibrary.isSimulator, device: .current(), onDrift: onDrift)
    }

    /// - Parameters:
    ///   - system: nil where there is no Core ML.
    ///   - device: what compiled work is filed under.
    package init(
        path: String, backend: CoreMLBackend?, units: ComputeUnits, folders: HearthFolders?,
        system: (any SystemCoreML)?, isSimulator: Bool, device: DeviceIdentity,
        onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws {
        let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        let facts = CoreMLBackendPolicy.Situation(
            hasSystem: system != nil, isSimulator: isSimulator, isCompiled: path.hasSuffix(".mlmodelc"))
        self.backend = CoreMLBackendPolicy(preference: backend).decide(facts).backend
        self.path = path
        self.system = system
        self.units = SystemComputeUnits(units)
        self.onDrift = onDrift
        if self.backend == .hearth {
            own = try CoreMLEngine(path: path, units: units, folders: folders, onDrift: onDrift)
            compiler = nil
        } else {
            own = nil
            let kept = folders ?? Self.temporaryFolders
            compiler = system.map {
                SystemCoreMLCompiler(folders: kept, system: $0, units: SystemComputeUnits(units), device: device)
            }
        }
    }

    private static var temporaryFolders: HearthFolders {
        let folder = NSTemporaryDirectory() + "hearth"
        return HearthFolders(data: folder, cache: folder)
    }

    /// Reads all files of the model the first time, to know their digest.
    public func profile() async throws -> RuntimeProfile {
        if let own { return try await own.profile() }
        return try await systemParts().compiler.profile(path)
    }

    /// Compiling reads the model and writes its artifact; the first inference reads all weights.
    public func workload() async throws -> Workload {
        if let own { return try await own.workload() }
        let bytes = ModelFiles(path: path)?.identity.bytes ?? 0
        let isCompiled = try path.hasSuffix(".mlmodelc") || systemParts().compiler.isCompiled(path)
        return Workload(compile: isCompiled ? 0 : bytes, load: bytes / 2, warmUp: bytes / 2)
    }

    /// Finds the artifact, or makes it.
    public func compile(_ progress: WorkProgress) async throws -> Compilation<Source> {
        if let own {
            let made = try await own.compile(progress)
            return Compilation(Source(kind: .hearth(made.compiled)), reused: made.reused)
        }
        let made = try await systemParts().compiler.compile(path)
        if !made.driftedFields.isEmpty { onDrift?(made.driftedFields) }
        progress(.max)
        return Compilation(Source(kind: .system(made)), reused: made.reused)
    }

    /// Loads what was compiled.
    public func load(_ source: Source, _ progress: WorkProgress) async throws -> any CoreMLPredictor {
        switch source.kind {
        case .hearth(let source):
            guard let own else { throw CancellationError() }
            return try await own.load(source, progress)
        case .system(let compiled):
            let model = try await systemParts().library.load(compiled.path, units: units)
            progress(.max)
            return try SystemCoreMLSession(model, path: path, owner: compiled)
        }
    }

    /// One inference on a grey picture; its results have to be numbers.
    public func warmUp(_ model: any CoreMLPredictor, _ progress: WorkProgress) async throws {
        _ = try await model.predict(model.dummyInputs)
        // What the try left in a state is no part of anybody's work.
        (model as? SystemCoreMLSession)?.resetState()
        progress(.max)
    }

    /// Ends what runs, and lets nothing begin.
    public func interrupt(_ model: any CoreMLPredictor) {
        (model as? CoreMLSession)?.close()
        (model as? SystemCoreMLSession)?.close()
    }

    /// Returns when nothing runs any more.
    public func unload(_ model: any CoreMLPredictor) async {
        interrupt(model)
        await (model as? CoreMLSession)?.waitUntilIdle()
        await (model as? SystemCoreMLSession)?.waitUntilIdle()
    }

    private func systemParts() throws -> (library: any SystemCoreML, compiler: SystemCoreMLCompiler) {
        guard let system, let compiler else {
            throw CoreMLError.unsupportedModel(.init(file: path, field: "backend"), kind: "compiled for Core ML")
        }
        return (system, compiler)
    }
}
