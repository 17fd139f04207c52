internal import HearthCompute
package import HearthGPU
package import HearthRuntime
internal import Synchronization

extension TextModel {
    /// Compiles the model's pipelines and stores them with its artifact, so that the first start on the GPU need not. Copies no
    /// weights to the device.
    ///
    /// - Parameter cacheFolder: Hearth's cache folder.
    /// - Throws: `GPUError` if the device or a shader lacks something that the model needs; `FileFailure` if they cannot be
    ///   stored.
    package func compilePipelines(for info: GPUDeviceInfo, cacheFolder: String) throws -> GPUCompilation {
        try GemmaGPUWeights.check(configuration, weights)
        // Every format of keys and values, as it is chosen at the start, and adapters, as they are by a text.
        let keys = KVCacheFormat.allCases.reduce(into: GPUAdaptation.pipelines) {
            $0.formUnion(GemmaGPUPass.pipelines(configuration, weights, cacheFormat: $1))
        }
        return try GPUPipelineStore(artifactFolder: artifactFolder, cacheFolder: cacheFolder).compile(for: info) {
            try $0.prepare(keys)
        }
    }
}

extension RuntimeProfile {
    /// The profile of starts on a GPU: a change of the device or of its driver is a drift of `computeUnits`, one of the shaders
    /// a drift of `kernelSet`.
    /// - Parameter importsWeights: whether the device reads weights in place in the mapped file.
    package func onGPU(_ info: GPUDeviceInfo, importsWeights: Bool) -> RuntimeProfile {
        var profile = self
        let weights = importsWeights ? "in place" : "copied"
        profile.computeUnits = "\(info.computeUnits), weights: \(weights)"
        profile.kernelSet = info.kernelSet
        return profile
    }

    /// The profile of starts whose processor was chosen by measurement.
    /// - Parameter ground: why, in words that do not depend on figures; nil if nothing was measured.
    func chosen(_ ground: String?) -> RuntimeProfile {
        guard let ground else { return self }
        var profile = self
        profile.computeUnits += ", chosen: \(ground)"
        return profile
    }
}

/// What became of the weights when an engine last loaded its model onto a GPU; shared by the copies of the engine.
final class LoadedWeights: Sendable {
    private let state = Mutex<Bool?>(nil)

    /// Whether they are used in place in the mapped file; nil if the model has not been loaded.
    var areInPlace: Bool? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
