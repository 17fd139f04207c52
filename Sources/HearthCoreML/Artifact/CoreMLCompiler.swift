package import HearthCompute
package import HearthDelivery
package import HearthRuntime
package import HearthSystem

/// The outcome of compiling, for a log.
package struct CoreMLCompilation: Sendable {
    /// The artifact to start from.
    package var artifact: CoreMLArtifact
    /// Whether it was there already.
    package var reused: Bool
    /// Fields of the profile that differ from the newest earlier artifact of the same model, when a new one was made.
    package var driftedFields: [String]
}

/// Finds and makes the compiled artifacts of models for images.
///
///     let compiler = CoreMLCompiler(folders: folders, kernels: kernels)
///     let artifact = try compiler.compile("Digits.mlpackage").artifact
package struct CoreMLCompiler: Sendable {
    /// Where artifacts are kept.
    package let cache: ArtifactCache
    let memo: SourceMemo
    let kernels: KernelSet
    private let fixedDevice: DeviceIdentity?
    private let storage: WeightStorage?

    /// Version of this runtime and of what an artifact holds: a new one makes new artifacts.
    package static let runtimeVersion = "\(HearthVersion.number)/vision-\(CoreMLPlan.version)"

    /// - Parameters:
    ///   - folders: where Hearth stores things.
    ///   - kernels: the set that will run the model.
    ///   - storage: how weights are kept; nil for what suits the model (`WeightStorage.automatic`).
    ///   - device: nil for this one.
    package init(
        folders: HearthFolders, kernels: KernelSet, storage: WeightStorage? = nil, device: DeviceIdentity? = nil,
        files: any FileOperations = SystemFiles(), boot: String = BootIdentity.current
    ) {
        cache = ArtifactCache(folder: folders.artifacts, files: files, boot: boot)
        memo = SourceMemo(path: folders.cache + "/sources.json", files: files)
        self.kernels = kernels
        fixedDevice = device
        self.storage = storage
    }

    /// The artifact of a model in its present state; nil if it would have to be compiled first. Does not read the model.
    package func find(_ path: String, units: ComputeUnits = .all) -> CoreMLArtifact? {
        guard let source = ModelFiles(path: path)?.identity, let known = memo.entry(of: source) else { return nil }
        return open(profile(known, units), source)
    }

    /// An artifact by its folder.
    ///
    /// - Throws: `CoreMLError.invalid` if it is not an artifact, or damaged.
    package static func open(folder path: String) throws -> CoreMLArtifact {
        guard let artifact = ArtifactCache.open(folder: path, kind: CoreMLArtifact.kind, CoreMLArtifact.Content.self)
        else {
            throw CoreMLError.invalid(
                .init(file: path, field: "artifact.json"),
                problem: "it is not a compiled Core ML model, or is damaged")
        }
        return CoreMLArtifact(artifact: artifact, source: artifact.record.source)
    }

    /// The profile of a model's artifact. Reads all files of the model the first time, to compute their digest.
    package func profile(
        _ path: String, units: ComputeUnits = .all, progress: (Int) throws -> Void = { _ in }
    ) throws -> RuntimeProfile {
        profile(try identify(path, isVerifying: false, progress: progress).entry, units)
    }

    /// How many bytes compiling touches, for progress.
    package func workload(_ path: String) -> Int { ModelFiles(path: path)?.identity.bytes ?? 0 }

    /// Makes the artifact, or finds it.
    ///
    /// Blocks: call it on a thread of its own. Stopping at any point, the hard way too, leaves nothing that would be used.
    ///
    /// - Parameters:
    ///   - isVerifying: first reads every byte again, of the model and of an artifact that is there. A damaged artifact is
    ///     rebuilt.
    ///   - progress: called with bytes done, up to `workload`.
    ///   - isCancelled: asked between steps, at least every 50 ms.
    /// - Throws: `CancellationError`; `FileError`, `CoreMLError` for a model that is malformed or does not run;
    ///   `DeliveryError.storage`; what `progress` throws.
    package func compile(
        _ path: String, units: ComputeUnits = .all, isVerifying: Bool = false,
        progress: (Int) throws -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws -> CoreMLCompilation {
        func step(_ done: Int) throws {
            if isCancelled() { throw CancellationError() }
            try progress(done)
        }
        try step(0)
        cache.sweep()
        let (known, opened) = try identify(path, isVerifying: isVerifying, progress: step)
        let profile = profile(known, units)
        if isVerifying { _ = cache.verify(profile.digest) }
        if let found = open(profile, known.source), (try? found.open()) != nil {
            return CoreMLCompilation(artifact: found, reused: true, driftedFields: [])
        }
        // What has the right digests and cannot be used was made by another version of the program.
        cache.remove(profile.digest)
        let drift = drift(profile)
        let model = try opened ?? CoreMLModel(path: path)
        let compiled = try CompiledModel(
            model, storage: storage(known), kernels: kernels, isCancelled: isCancelled)
        guard ModelFiles(path: path)?.identity == known.source else { throw Self.changed(path) }
        let result: (artifact: Artifact<CoreMLArtifact.Content>, reused: Bool) = try cache.publish(
            profile.digest, kind: CoreMLArtifact.kind, profile: Self.fields(profile), source: known.source
        ) { writer in
            let plan = try compiled.file.encoded()
            try plan.withUnsafeBytes { try writer.write(CoreMLArtifact.planFile, $0) }
            try compiled.withWeightBytes { bytes in
                try writer.write(CoreMLArtifact.weightsFile, bytes) { _ in try step(known.source.bytes) }
            }
            return CoreMLArtifact.Content(
                profile: profile, multiplyAdds: compiled.file.plan.multiplyAdds, weights: compiled.summary)
        }
        return CoreMLCompilation(
            artifact: CoreMLArtifact(artifact: result.artifact, source: known.source), reused: result.reused,
            driftedFields: drift)
    }

    /// Names of the fields that differ between a profile and the artifact of the same model that was used last.
    package func drift(_ profile: RuntimeProfile) -> [String] {
        let earlier = cache.list().first {
            $0.kind == CoreMLArtifact.kind && $0.digest != profile.digest
                && ($0.profile["modelSHA256"] == profile.modelSHA256 || $0.profile["model"] == profile.model)
        }
        guard let earlier else { return [] }
        return profile.fields.filter { earlier.profile[$0.name] != $0.value }.map(\.name)
    }

    private func profile(_ known: SourceMemo.Entry, _ units: ComputeUnits) -> RuntimeProfile {
        let device = fixedDevice ?? .current()
        return RuntimeProfile(
            model: known.name, modelSHA256: known.sha256, quantization: known.quantization, contextLength: 0,
            computeUnits: units.rawValue, kernelSet: kernels.name,
            runtimeVersion: "\(Self.runtimeVersion)-\(storage(known))",
            osBuild: "\(device.osVersion) \(device.osBuild)", device: device.model)
    }

    private func storage(_ known: SourceMemo.Entry) -> WeightStorage {
        storage ?? .automatic(weightFormat: known.quantization)
    }

    private func open(_ profile: RuntimeProfile, _ source: SourceIdentity) -> CoreMLArtifact? {
        cache.open(profile.digest, kind: CoreMLArtifact.kind, CoreMLArtifact.Content.self)
            .map { CoreMLArtifact(artifact: $0, source: source) }
    }

    /// The memo's entry of a model, or a new one from reading all of it; and the model, if it had to be opened.
    private func identify(
        _ path: String, isVerifying: Bool, progress: (Int) throws -> Void
    ) throws -> (entry: SourceMemo.Entry, model: CoreMLModel?) {
        let files = ModelFiles(path: path)
        if let files, let known = memo.entry(of: files.identity), !isVerifying { return (known, nil) }
        // First check whether it runs at all, before spending time on the digest.
        let model = try CoreMLModel(path: path)
        guard let files else { throw Self.changed(path) }
        let sha256 = try files.sha256(progress: progress)
        guard ModelFiles(path: path)?.identity == files.identity else { throw Self.changed(path) }
        // The package of an installed model is called by its digest.
        let name =
            ModelLibrary.modelName(ofPackage: files.identity.path)
            ?? files.identity.path.split(separator: "/").last.map(String.init) ?? ""
        let entry = SourceMemo.Entry(
            source: files.identity, sha256: sha256, name: name, quantization: model.weightFormat, contextLength: 0)
        memo.remember(entry)
        return (entry, model)
    }

    private static func changed(_ path: String) -> CoreMLError {
        .invalid(.init(file: path, field: "files"), problem: "the model was changed while it was read")
    }

    private static func fields(_ profile: RuntimeProfile) -> [String: String] {
        Dictionary(profile.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
