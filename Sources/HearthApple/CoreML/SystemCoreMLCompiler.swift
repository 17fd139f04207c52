internal import Foundation
internal import HearthCoreML
internal import HearthDelivery
package import HearthRuntime
package import HearthSystem

/// Manages models compiled by the system's Core ML: each is compiled once per device and system version, and kept among the
/// artifacts as a folder `Model.mlmodelc`.
package struct SystemCoreMLCompiler: Sendable {
    /// The content of `artifact.json` for this engine.
    package struct Content: Codable, Sendable {
        var profile: RuntimeProfile
    }

    /// A compiled model to load.
    package struct Compiled: Sendable {
        /// The `.mlmodelc` folder.
        package var path: String
        /// Whether it existed already.
        package var reused: Bool
        /// For a new artifact, the fields of the profile that differ from the latest earlier artifact of the same model.
        package var driftedFields: [String]
        /// Holds the artifact, so that it is not removed.
        fileprivate var artifact: Artifact<Content>?
    }

    package static let kind = "coreml"
    private static let folder = "Model.mlmodelc"
    /// The format version of these artifacts.
    package static let runtimeVersion = "\(HearthVersion.number)/coreml-1"

    private let cache: ArtifactCache
    private let memo: SourceMemo
    private let system: any SystemCoreML
    private let device: DeviceIdentity
    private let units: SystemComputeUnits

    package init(
        folders: HearthFolders, system: any SystemCoreML, units: SystemComputeUnits, device: DeviceIdentity = .current()
    ) {
        cache = ArtifactCache(folder: folders.artifacts)
        memo = SourceMemo(path: folders.cache + "/coreml-sources.json")
        self.system = system
        self.units = units
        self.device = device
    }

    /// The profile of a model's artifact. Reads all files of the model the first time, to compute their digest.
    package func profile(_ path: String) async throws -> RuntimeProfile {
        let entry = try await OwnThread.run { [self] isCancelled in
            try identify(path) { _ in if isCancelled() { throw CancellationError() } }
        }
        return profile(entry)
    }

    /// Whether an artifact exists. Does not read the model.
    package func isCompiled(_ path: String) -> Bool {
        guard let source = ModelFiles(path: path)?.identity, let entry = memo.entry(of: source) else { return false }
        return open(profile(entry)) != nil
    }

    /// Finds the artifact, or compiles it.
    /// - Throws: `CoreMLError` for a path that is not a model, errors of the system's compiler, `DeliveryError.storage`,
    ///   `CancellationError`.
    package func compile(_ path: String) async throws -> Compiled {
        // Already compiled by Xcode: used in place.
        if path.hasSuffix(".mlmodelc") { return Compiled(path: path, reused: true, driftedFields: []) }
        let entry = try await OwnThread.run { [self] isCancelled in
            try identify(path) { _ in if isCancelled() { throw CancellationError() } }
        }
        let profile = profile(entry)
        if let found = open(profile) { return found }
        let drift = drift(profile)
        let made = try await system.compile(path)
        defer { try? FileManager.default.removeItem(atPath: made) }
        try Task.checkCancellation()
        guard ModelFiles(path: path)?.identity == entry.source else {
            throw CoreMLError.invalid(
                .init(file: path, field: "files"), problem: "the model was changed while it was read")
        }
        return try await OwnThread.run { [self] isCancelled in
            guard let files = ModelFiles(path: made) else {
                throw CoreMLError.invalid(
                    .init(file: path, field: "mlmodelc"), problem: "Core ML produced no compiled files")
            }
            let result: (artifact: Artifact<Content>, reused: Bool) = try cache.publish(
                profile.digest, kind: Self.kind, profile: Self.fields(profile), source: entry.source
            ) { writer in
                for (name, file) in files.paths {
                    if isCancelled() { throw CancellationError() }
                    let map = try MappedFile(path: file)
                    try withExtendedLifetime(map) {
                        let bytes = UnsafeRawBufferPointer(start: map.base, count: map.count)
                        try writer.write("\(Self.folder)/\(name)", bytes) { _ in
                            if isCancelled() { throw CancellationError() }
                        }
                    }
                    try map.checkIntact()
                }
                return Content(profile: profile)
            }
            return Compiled(
                path: "\(result.artifact.path)/\(Self.folder)", reused: result.reused, driftedFields: drift,
                artifact: result.artifact)
        }
    }

    private func open(_ profile: RuntimeProfile) -> Compiled? {
        cache.open(profile.digest, kind: Self.kind, Content.self).map {
            Compiled(path: "\($0.path)/\(Self.folder)", reused: true, driftedFields: [], artifact: $0)
        }
    }

    private func profile(_ entry: SourceMemo.Entry) -> RuntimeProfile {
        RuntimeProfile(
            model: entry.name, modelSHA256: entry.sha256, quantization: entry.quantization, contextLength: 0,
            computeUnits: units.name, kernelSet: "coreml", runtimeVersion: Self.runtimeVersion,
            osBuild: "\(device.osVersion) \(device.osBuild)", device: device.model)
    }

    private func drift(_ profile: RuntimeProfile) -> [String] {
        let earlier = cache.list().first {
            $0.kind == Self.kind && $0.digest != profile.digest && $0.profile["modelSHA256"] == profile.modelSHA256
        }
        guard let earlier else { return [] }
        return profile.fields.filter { earlier.profile[$0.name] != $0.value }.map(\.name)
    }

    /// The memo's entry of a model, or a new one from reading all of it.
    private func identify(_ path: String, progress: (Int) throws -> Void) throws -> SourceMemo.Entry {
        guard let files = ModelFiles(path: path) else {
            throw FileError.unreadable(.init(file: path, field: "file"), reason: "there is no model")
        }
        if let known = memo.entry(of: files.identity) { return known }
        let sha256 = try files.sha256(progress: progress)
        let name = files.identity.path.split(separator: "/").last.map(String.init) ?? ""
        // The weight format is not recorded separately: the digest covers it.
        let entry = SourceMemo.Entry(
            source: files.identity, sha256: sha256, name: name, quantization: "", contextLength: 0)
        memo.remember(entry)
        return entry
    }

    private static func fields(_ profile: RuntimeProfile) -> [String: String] {
        Dictionary(profile.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
