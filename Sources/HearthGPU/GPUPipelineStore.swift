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

    /// Stores pipelines, and removes those with the artifact that no longer apply.
    /// - Throws: `FileFailure`.
    package func keep(_ bytes: [UInt8], for info: GPUDeviceInfo) throws {
        try (own ?? shared).keep(bytes, for: info)
        own?.removeOthers(of: info)
    }
}
