package import HearthCompute
package import HearthDelivery
package import HearthRuntime
package import HearthSystem
import HearthTokenizer

/// Finds and makes compiled artifacts of text models.
///
///     let compiler = TextCompiler(folders: folders)
///     if let artifact = compiler.find(path) { model = try TextModel(artifact: artifact) }
///     else { model = try TextModel(path: path) }   // and compile off the user's path
package struct TextCompiler: Sendable {
    /// Where artifacts are stored.
    package let cache: ArtifactCache
    let memo: SourceMemo
    let kernels: KernelSet
    private let fixedDevice: DeviceIdentity?

    /// Version of this runtime and of the artifact's content; a change makes new artifacts.
    package static let runtimeVersion = "\(HearthVersion.number)/text-\(Vocabulary.flatVersion).3"

    /// - Parameters:
    ///   - folders: where Hearth stores its files.
    ///   - kernels: the kernel set that will run the model.
    ///   - device: nil for this device, which is determined only when a profile is needed.
    package init(
        folders: HearthFolders, kernels: KernelSet, device: DeviceIdentity? = nil,
        files: any FileOperations = SystemFiles(), boot: String = BootIdentity.current
    ) {
        cache = ArtifactCache(folder: folders.artifacts, files: files, boot: boot)
        memo = SourceMemo(path: folders.cache + "/sources.json", files: files)
        self.kernels = kernels
        fixedDevice = device
    }

    /// The artifact for a model's file in its current state; nil if one has to be compiled from the file first.
    ///
    /// Never reads the model: what is known of the file comes from the memo. If only the profile changed (another context
    /// length, kernel set or system), the vocabulary of the earlier artifact is reused.
    ///
    /// - Parameters:
    ///   - path: the model's file.
    ///   - contextLength: nil for the default, limited to the context length the model was trained for.
    package func find(_ path: String, contextLength: Int? = nil) -> TextCompilation? {
        guard let source = SourceIdentity(path: path), let known = memo.entry(of: source) else { return nil }
        // A context that the model does not have is an error wherever it is used, and gets no artifact.
        if let contextLength, contextLength < 1 || contextLength > known.contextLength { return nil }
        let profile = profile(known, contextLength: contextLength)
        if let found = open(profile, source) {
            return TextCompilation(artifact: found, reused: true, driftedFields: [])
        }
        let drift = drift(profile)
        guard !drift.isEmpty, let derived = try? derive(profile, known) else { return nil }
        return TextCompilation(artifact: derived, reused: false, driftedFields: drift)
    }

    /// Opens an artifact by its folder.
    ///
    /// - Throws: ``TextError/staleArtifact(path:reason:)`` if it is not an artifact, or is damaged.
    package static func open(folder path: String) throws -> TextArtifact {
        guard let artifact = ArtifactCache.open(folder: path, kind: TextArtifact.kind, TextArtifact.Content.self)
        else {
            throw TextError.staleArtifact(
                path: path, reason: "the folder holds no compiled text model, or a damaged one")
        }
        return TextArtifact(artifact: artifact, source: artifact.record.source)
    }

    /// The profile for a file's artifact. The first call for a file reads all of it to compute its digest.
    package func profile(
        _ path: String, contextLength: Int? = nil, progress: (Int) throws -> Void = { _ in }
    ) throws -> RuntimeProfile {
        profile(try identify(path, progress: progress).entry, contextLength: contextLength)
    }

    func profile(_ known: SourceMemo.Entry, contextLength: Int?) -> RuntimeProfile {
        let device = fixedDevice ?? .current()
        return RuntimeProfile(
            model: known.name, modelSHA256: known.sha256, quantization: known.quantization,
            contextLength: contextLength ?? min(known.contextLength, TextGenerator.defaultContextLength),
            computeUnits: "cpu", kernelSet: kernels.key, runtimeVersion: Self.runtimeVersion,
            osBuild: "\(device.osVersion) \(device.osBuild)", device: device.model)
    }

    /// An artifact is tied to a model's content, not to a particular file.
    func open(_ profile: RuntimeProfile, _ source: SourceIdentity) -> TextArtifact? {
        cache.open(profile.digest, kind: TextArtifact.kind, TextArtifact.Content.self)
            .map { TextArtifact(artifact: $0, source: source) }
    }
}
