internal import HearthSystem

/// What drivers compiled of the shaders, in files of their own: one for each device, driver and set of shaders.
///
/// A file is checked before a driver sees it, and replaced whole: processes that start at the same time read the old one or the
/// new one.
package struct GPUPipelineCache: Sendable {
    /// A file of a folder of caches.
    package struct Entry: Sendable, Equatable {
        package let path: String
        /// The device's name, as it was when the file was written.
        package let device: String
        /// `GPUDeviceInfo.identity`.
        package let identity: String
        /// `GPUShader.digest`.
        package let shaders: String
        package let byteCount: Int
        /// Whether the shaders are those of this program.
        package var isCurrent: Bool { shaders == GPUShader.digest }
    }

    /// What became of a file that was looked for.
    package enum Finding: Sendable, Equatable {
        case missing
        case used([UInt8])
        /// It is there and not what was written, for the reason given.
        case refused(reason: String)
    }

    private static let title = "hearth pipeline cache 1"
    private static let mostBytes = 256 << 20
    private let folder: String

    /// - Parameter folder: the cache folder of Hearth (`HearthFolders.cache`).
    package init(cacheFolder: String) { folder = cacheFolder + "/GPU" }

    /// Where the cache of a device lies.
    package func path(for info: GPUDeviceInfo) -> String {
        "\(folder)/\(info.identity)-\(GPUShader.digest.prefix(16)).pipelines"
    }

    /// What is kept for a device.
    package func find(for info: GPUDeviceInfo) -> Finding {
        let path = path(for: info)
        guard let bytes = try? WholeFile.read(path, limit: Self.mostBytes) else { return .missing }
        guard let (entry, payload, digest) = Self.parse(bytes, path) else { return .refused(reason: "it is damaged") }
        if entry.identity != info.identity { return .refused(reason: "the driver changed") }
        if entry.shaders != GPUShader.digest { return .refused(reason: "the shaders changed") }
        guard SHA256.digest(of: payload) == digest else { return .refused(reason: "it is damaged") }
        return .used(Array(payload))
    }

    /// Why there is none though there was one for this device: what changed since. nil for a device that is new here.
    package func drift(for info: GPUDeviceInfo) -> String? {
        let others = entries().filter { $0.device == info.name && $0.path != path(for: info) }
        if others.contains(where: { $0.identity == info.identity }) { return "the shaders changed" }
        return others.isEmpty ? nil : "the driver changed"
    }

    /// Keeps what a driver compiled.
    /// - Throws: `FileFailure`.
    package func keep(_ payload: [UInt8], for info: GPUDeviceInfo) throws {
        let head = [
            Self.title, info.name.filter { !$0.isNewline }, info.identity, GPUShader.digest,
            SHA256.digest(of: payload), "",
        ].joined(separator: "\n")
        try SystemFiles().makeFolders(folder)
        try SystemFiles().replaceFile(path(for: info), with: Array(head.utf8) + payload)
    }

    /// Every cache that is kept.
    package func entries() -> [Entry] {
        SmallFile.names(in: folder).filter { $0.hasSuffix(".pipelines") }.compactMap { name in
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
