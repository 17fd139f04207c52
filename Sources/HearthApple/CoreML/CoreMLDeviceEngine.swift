internal import Foundation
public import HearthCoreML
internal import HearthDelivery
public import HearthRuntime
public import HearthSystem

/// An engine for Core ML models on any device. It uses the system's Core ML if available and appropriate, otherwise Hearth's
/// kernels.
///
///     let runner = ModelRunner(engine: try CoreMLDeviceEngine(path: "Digits.mlpackage", folders: folders))
///     let frames = FrameClassifier(runner: runner, …)      // the same frames, budget and fallbacks with either
///
/// A policy chooses the backend (docs/apple.md). The model is compiled once per device and system version.
public struct CoreMLDeviceEngine: ModelEngine {
    /// The compiled model to load.
    public struct Source: Sendable {
        fileprivate enum Kind: Sendable {
            case hearth(CoreMLEngine.Source)
            case system(SystemCoreMLCompiler.Compiled)
        }
        fileprivate var kind: Kind
    }

    /// The backend that runs the model.
    public let backend: CoreMLBackend
    private let path: String
    private let own: CoreMLEngine?
    private let system: (any SystemCoreML)?
    private let compiler: SystemCoreMLCompiler?
    private let units: SystemComputeUnits
    private let onDrift: (@Sendable ([String]) -> Void)?

    /// Creates an engine.
    /// - Parameters:
    ///   - path: a package, a bare model, or, on Apple systems, an `.mlmodelc` folder.
    ///   - backend: nil to let the policy decide: the system's Core ML on devices, Hearth's kernels elsewhere.
    ///   - units: the compute units to use.
    ///   - folders: where artifacts are kept; nil to compile at each start.
    ///   - onDrift: called before the model loads, with the fields of the profile that changed since its latest artifact.
    public init(
        path: String, backend: CoreMLBackend? = nil, units: ComputeUnits = .all, folders: HearthFolders?,
        onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws {
        try self.init(
            path: path, backend: backend, units: units, folders: folders, system: SystemCoreMLLibrary.current,
            isSimulator: SystemCoreMLLibrary.isSimulator, device: .current(), onDrift: onDrift)
    }

    /// Creates an engine with a given system.
    /// - Parameters:
    ///   - system: nil if there is no Core ML.
    ///   - device: the device identity under which compiled artifacts are stored.
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

    /// Returns the profile. Reads all files of the model the first time, to compute their digest.
    public func profile() async throws -> RuntimeProfile {
        if let own { return try await own.profile() }
        return try await systemParts().compiler.profile(path)
    }

    /// Returns the work of a start: compiling reads the model and writes its artifact; the first inference reads all weights.
    public func workload() async throws -> Workload {
        if let own { return try await own.workload() }
        let bytes = ModelFiles(path: path)?.identity.bytes ?? 0
        let isCompiled = try path.hasSuffix(".mlmodelc") || systemParts().compiler.isCompiled(path)
        return Workload(compile: isCompiled ? 0 : bytes, load: bytes / 2, warmUp: bytes / 2)
    }

    /// Finds the artifact, or creates it.
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

    /// Loads the compiled model.
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

    /// Runs one inference on a gray image; its results must be finite.
    public func warmUp(_ model: any CoreMLPredictor, _ progress: WorkProgress) async throws {
        _ = try await model.predict(model.dummyInputs)
        // The trial run must not affect later predictions.
        (model as? SystemCoreMLSession)?.resetState()
        progress(.max)
    }

    /// Cancels running inferences and rejects new ones.
    public func interrupt(_ model: any CoreMLPredictor) {
        (model as? CoreMLSession)?.close()
        (model as? SystemCoreMLSession)?.close()
    }

    /// Unloads the model; returns when no inference is running.
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
