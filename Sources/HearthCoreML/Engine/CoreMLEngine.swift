internal import Foundation
public import HearthCompute
internal import HearthDelivery
package import HearthGPU
public import HearthRuntime
public import HearthSystem

/// The engine for Core ML packages: lets a ``ModelRunner`` take a package from delivered to answering.
///
///     let runner = ModelRunner(engine: try CoreMLEngine(path: "Digits.mlpackage", folders: folders))
///     let results = try await runner.withModel { session in try await session.predict(inputs) }
public struct CoreMLEngine: ModelEngine {
    /// What is loaded: an artifact, or the package itself if artifacts are not stored.
    public struct Source: Sendable {
        fileprivate var artifact: CoreMLArtifact?
        /// Fields of the profile that made a new artifact necessary.
        package var driftedFields: [String] = []
        /// Whether the model comes from its artifact.
        package var isCompiled: Bool { artifact != nil }
    }

    /// Path of the package or model, or of the folder of a compiled artifact.
    public let path: String
    /// What has to live as long as the engine: the lease of an installed model.
    package var owner: (any Sendable)?
    /// Which processors compute.
    public let units: ComputeUnits
    private let threads: Int
    private let kernels: KernelSet
    private let compiler: CoreMLCompiler?
    private let onDrift: (@Sendable ([String]) -> Void)?
    /// The GPU that runs the network; nil for the CPU.
    package var gpu: GPUDeviceInfo?
    /// Whether the CPU may take its place at the start.
    package var requiresGPU = true
    /// Whether it is an error if the artifact cannot be stored. Where starts are measured, none would be warm.
    package var requiresArtifact = false
    /// Called with the reason when the CPU takes over from a failed GPU.
    package var onGPUFailure: @Sendable (String) -> Void = { _ in }
    private let cacheFolder: String?

    /// - Parameters:
    ///   - path: a package, a model file, or the folder of a compiled artifact.
    ///   - units: which processors compute; part of the profile.
    ///   - threads: nil for as many as `units` says.
    ///   - kernels: nil for the fastest set.
    ///   - folders: where artifacts are stored; nil stores none.
    ///   - onDrift: called before the model loads, with the names of the fields of the profile that changed since its latest
    ///     artifact.
    public init(
        path: String, units: ComputeUnits = .all, threads: Int? = nil, kernels: KernelSet? = nil,
        folders: HearthFolders?, onDrift: (@Sendable ([String]) -> Void)? = nil
    ) throws {
        self.path = path
        self.units = units
        self.threads = max(threads ?? units.threads, 1)
        self.kernels = try kernels ?? KernelSet.selected(by: nil)
        self.onDrift = onDrift
        cacheFolder = folders?.cache
        compiler = folders.map { [kernels = self.kernels] in CoreMLCompiler(folders: $0, kernels: kernels) }
    }

    private var isArtifact: Bool { CoreMLArtifact.isArtifact(path) }

    /// The profile. Reads all files of the model the first time, to compute their digest.
    public func profile() async throws -> RuntimeProfile {
        let compiler = compiler ?? CoreMLCompiler(folders: HearthFolders(data: "/", cache: "/"), kernels: kernels)
        var profile = try await OwnThread.run { [path, units, isArtifact] isCancelled in
            if isArtifact { return try CoreMLCompiler.open(folder: path).profile }
            return try compiler.profile(path, units: units) { _ in
                if isCancelled() { throw CancellationError() }
            }
        }
        if let gpu {
            profile.computeUnits = gpu.computeUnits
            profile.kernelSet = gpu.kernelSet
        }
        return profile
    }

    /// Compiling reads the model and writes its artifact, loading maps that, and the first inference reads all weights.
    public func workload() async throws -> Workload {
        if isArtifact {
            let bytes = try CoreMLCompiler.open(folder: path).bytes
            return Workload(compile: 0, load: 0, warmUp: bytes)
        }
        let size = ModelFiles(path: path)?.identity.bytes ?? 0
        let isCompiled = compiler?.find(path, units: units) != nil
        return Workload(compile: isCompiled ? 0 : size, load: 0, warmUp: size)
    }

    /// Finds the artifact, or compiles it. Where it cannot be stored, on a full or read-only disk, the model is compiled in
    /// memory when it is loaded.
    public func compile(_ progress: WorkProgress) async throws -> Compilation<Source> {
        if isArtifact {
            return Compilation(Source(artifact: try CoreMLCompiler.open(folder: path)), reused: true)
        }
        guard let compiler else { return Compilation(Source(), reused: false) }
        let made: CoreMLCompilation
        do {
            made = try await OwnThread.run { [path, units] isCancelled in
                try compiler.compile(path, units: units, progress: { progress($0) }, isCancelled: isCancelled)
            }
        } catch is DeliveryError where !requiresArtifact {
            return Compilation(Source(), reused: false)
        }
        if !made.driftedFields.isEmpty { onDrift?(made.driftedFields) }
        return Compilation(
            Source(artifact: made.artifact, driftedFields: made.driftedFields), reused: made.reused)
    }

    /// Maps the artifact; without one, compiles in memory.
    public func load(_ source: Source, _ progress: WorkProgress) async throws -> CoreMLSession {
        let session = try await OwnThread.run { [path, threads, kernels] isCancelled in
            if let artifact = source.artifact {
                return try CoreMLSession(artifact: artifact, threads: threads, kernels: kernels)
            }
            return try CoreMLSession(
                model: CoreMLModel(path: path), threads: threads, kernels: kernels, isCancelled: isCancelled)
        }
        if let gpu {
            do {
                try await session.useGPU(gpu, cacheFolder: cacheFolder) { [onGPUFailure] in
                    onGPUFailure($0.localizedDescription)
                }
            } catch let error as GPUError where !requiresGPU {
                onGPUFailure(error.localizedDescription)
            }
        }
        return session
    }

    /// Runs one inference on a grey image, whose results must be finite.
    public func warmUp(_ session: CoreMLSession, _ progress: WorkProgress) async throws {
        _ = try await session.predict(session.dummyInputs())
        progress(.max)
    }

    /// Ends the inference in progress, and prevents further ones.
    public func interrupt(_ session: CoreMLSession) { session.close() }

    /// Returns when nothing is running any more.
    public func unload(_ session: CoreMLSession) async {
        session.close()
        await session.waitUntilIdle()
    }
}
