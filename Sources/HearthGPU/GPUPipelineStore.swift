internal import HearthSystem

/// The outcome of compiling a model's pipelines for a GPU, for reports.
package struct GPUCompilation: Sendable {
    /// The device's name.
    package let device: String
    /// The driver's name and version.
    package let driver: String
    /// Number of pipelines that the model needs.
    package let pipelines: Int
    /// What the driver stored, in bytes.
    package let bytes: Int
    /// Whether they were compiled already.
    package let reused: Bool
    /// Why earlier ones could not be used; nil if there were none, or if they were.
    package let drift: String?
}

/// Where the compiled pipelines of a model are stored: with its artifact, or in Hearth's cache folder if it has none.
package struct GPUPipelineStore {
    private let own: GPUPipelineCache?
    private let shared: GPUPipelineCache

    /// - Parameters:
    ///   - artifactFolder: the folder of the model's artifact; nil for a model without one.
    ///   - cacheFolder: Hearth's cache folder.
    package init(artifactFolder: String?, cacheFolder: String) {
        own = artifactFolder.map(GPUPipelineCache.init(artifactFolder:))
        shared = GPUPipelineCache(cacheFolder: cacheFolder)
    }

    /// What was found for a device.
    package struct Finding {
        /// What the driver stored; empty if there is nothing of use.
        package var bytes: [UInt8] = []
        /// Whether it is stored with the model's artifact.
        package var isOwn = false
        /// Why earlier pipelines are of no use; nil if there were none, or if they are.
        package var drift: String?

        package init(bytes: [UInt8] = [], isOwn: Bool = false, drift: String? = nil) {
            (self.bytes, self.isOwn, self.drift) = (bytes, isOwn, drift)
        }
    }

    /// Looks for the pipelines of a device.
    package func find(for info: GPUDeviceInfo) -> Finding {
        var drift: String?
        for (cache, isOwn) in [(own, true), (shared, false)] {
            guard let cache else { continue }
            switch cache.find(for: info) {
            case .used(let bytes): return Finding(bytes: bytes, isOwn: isOwn)
            case .refused(let reason): drift = drift ?? reason
            case .missing: drift = drift ?? cache.drift(for: info)
            }
        }
        return Finding(drift: drift)
    }

    /// Opens a device with the pipelines of earlier starts, and stores what is compiled in this one.
    /// - Parameters:
    ///   - artifactFolder: the folder of the model's artifact; nil for a model without one.
    ///   - cacheFolder: where pipelines of a model without an artifact are stored; nil to store none, not in the artifact either.
    ///   - prepare: puts the model on the device and compiles what it needs.
    /// - Throws: `GPUError`, and what `prepare` throws. That pipelines cannot be stored is not an error.
    package static func open(
        _ info: GPUDeviceInfo, artifactFolder: String?, cacheFolder: String?, _ prepare: (GPUDevice) throws -> Void
    ) throws {
        let store = cacheFolder.map { GPUPipelineStore(artifactFolder: artifactFolder, cacheFolder: $0) }
        let interval = Trace.shared.begin("gpu: open")
        defer { Trace.shared.end(interval) }
        let found = store?.find(for: info) ?? .init()
        if let reason = found.drift { Trace.shared.event("gpu: pipeline cache of no use", ["reason": reason]) }
        let device = try GPUDevice(info, cache: found.bytes)
        try prepare(device)
        Trace.shared.event(
            "gpu: pipelines",
            [
                "ms": "\(Int(device.pipelineMS.rounded()))", "kept": "\(found.bytes.count)",
                "subgroups": "\(info.subgroupSize)",
            ])
        // A full disk, or a driver that returns no cache, is not an error.
        if let store, let bytes = try? device.cacheBytes(), bytes.count != found.bytes.count {
            try? store.keep(bytes, for: info)
        }
    }

    /// Compiles pipelines ahead of the first start, and stores them.
    /// - Parameter prepare: compiles what the model needs.
    /// - Throws: `GPUError`, `FileFailure` if they cannot be stored, and what `prepare` throws.
    package func compile(for info: GPUDeviceInfo, _ prepare: (GPUDevice) throws -> Void) throws -> GPUCompilation {
        let found = find(for: info)
        let device = try GPUDevice(info, cache: found.bytes)
        try prepare(device)
        let bytes = try device.cacheBytes()
        let reused = found.isOwn && bytes.count == found.bytes.count
        if !reused { try keep(bytes, for: info) }
        return GPUCompilation(
            device: info.name, driver: info.driver, pipelines: device.pipelineCount, bytes: bytes.count, reused: reused,
            drift: found.drift)
    }

    /// Stores pipelines, and removes those with the artifact that no longer apply.
    /// - Throws: `FileFailure`.
    package func keep(_ bytes: [UInt8], for info: GPUDeviceInfo) throws {
        try (own ?? shared).keep(bytes, for: info)
        own?.removeOthers(of: info)
    }
}
