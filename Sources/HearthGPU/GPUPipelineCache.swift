package import HearthSystem

/// Files with the pipelines that drivers compiled from the shaders: one for each device, driver and set of shaders, in the folder
/// of a model's artifact, or in one for all models without an artifact.
///
/// A file is verified before it is passed to a driver, and replaced atomically, so that concurrent processes read either the
/// old file or the new one.
package struct GPUPipelineCache: Sendable {
    /// A file in the folder.
    package struct Entry: Sendable, Equatable {
        package let path: String
        /// The device's name when the file was written.
        package let device: String
        /// The device's `GPUDeviceInfo.identity`.
        package let identity: String
        /// The device's `GPUDeviceInfo.shaderDigest`.
        package let shaders: String
        package let byteCount: Int
        /// Whether the shaders are those of this build.
        package var isCurrent: Bool { GPUShader.digests.contains(shaders) }
    }

    /// The result of looking for a file.
    package enum Finding: Sendable, Equatable {
        case missing
        case used([UInt8])
        /// The file exists but cannot be used, for the given reason.
        case refused(reason: String)
    }

    private static let title = "hearth pipeline cache 1"
    private static let mostBytes = 256 << 20
    private static let ending = ".pipelines"
    private let folder: String

    /// - Parameter cacheFolder: Hearth's cache folder (`HearthFolders.cache`), for models without an artifact.
    package init(cacheFolder: String) { folder = cacheFolder + "/GPU" }

    /// - Parameter artifactFolder: the folder of a model's artifact. Its pipelines are removed together with it.
    package init(artifactFolder: String) { folder = artifactFolder }

    /// Path of a device's cache file.
    package func path(for info: GPUDeviceInfo) -> String {
        "\(folder)/\(info.identity)-\(info.shaderDigest.prefix(16))\(Self.ending)"
    }

    /// Looks for the cache of a device.
    package func find(for info: GPUDeviceInfo) -> Finding {
        let path = path(for: info)
        guard let bytes = try? WholeFile.read(path, limit: Self.mostBytes) else { return .missing }
        guard let (entry, payload, digest) = Self.parse(bytes, path) else { return .refused(reason: "it is damaged") }
        if entry.identity != info.identity { return .refused(reason: "the driver changed") }
        if entry.shaders != info.shaderDigest { return .refused(reason: "the shaders changed") }
        guard SHA256.digest(of: payload) == digest else { return .refused(reason: "it is damaged") }
        return .used(Array(payload))
    }

    /// Why an earlier cache of this device no longer applies; nil if the device is new.
    package func drift(for info: GPUDeviceInfo) -> String? {
        let others = entries().filter { $0.device == info.name && $0.path != path(for: info) }
        if others.contains(where: { $0.identity == info.identity }) { return "the shaders changed" }
        return others.isEmpty ? nil : "the driver changed"
    }

    /// Stores the pipelines that a driver compiled.
    /// - Throws: `FileFailure`.
    package func keep(_ payload: [UInt8], for info: GPUDeviceInfo) throws {
        let head = [
            Self.title, info.name.filter { !$0.isNewline }, info.identity, info.shaderDigest,
            SHA256.digest(of: payload), "",
        ].joined(separator: "\n")
        try SystemFiles().makeFolders(folder)
        try SystemFiles().replaceFile(path(for: info), with: Array(head.utf8) + payload)
    }

    /// Removes the files of this device that no longer apply, because its driver or the shaders changed.
    package func removeOthers(of info: GPUDeviceInfo) {
        for entry in entries() where entry.device == info.name && entry.path != path(for: info) {
            try? SystemFiles().unlink(entry.path)
        }
    }

    /// All cache files of Hearth: those of models without an artifact, then those with the artifacts.
    package static func all(folders: HearthFolders) -> [Entry] {
        let artifacts = SmallFile.names(in: folders.artifacts).map {
            GPUPipelineCache(artifactFolder: "\(folders.artifacts)/\($0)")
        }
        return ([GPUPipelineCache(cacheFolder: folders.cache)] + artifacts).flatMap { $0.entries() }
    }

    /// All cache files in the folder.
    package func entries() -> [Entry] {
        SmallFile.names(in: folder).filter { $0.hasSuffix(Self.ending) }.compactMap { name in
            let path = "\(folder)/\(name)"
            guard let bytes = try? WholeFile.read(path, limit: Self.mostBytes) else { return nil }
            return Self.parse(bytes, path)?.entry
        }
    }

    private static func parse(
        _ bytes: [UInt8], _ path: String
    ) -> (entry: Entry, payload: ArraySlice<UInt8>, digest: String)? {
        var lines: [String] = []
        var start = 0
        while lines.count < 5 {
            guard let end = bytes[start...].prefix(1024).firstIndex(of: 0x0a) else { return nil }
            lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        guard lines[0] == title else { return nil }
        let payload = bytes[start...]
        let entry = Entry(
            path: path, device: lines[1], identity: lines[2], shaders: lines[3], byteCount: payload.count)
        return (entry, payload, lines[4])
    }
}
