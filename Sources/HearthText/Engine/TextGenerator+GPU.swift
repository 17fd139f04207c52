package import HearthGPU
internal import HearthSystem

extension TextGenerator {
    /// Has a GPU run the model from now on.
    ///
    /// Where the device fails later, the text goes on by the CPU, token for token.
    ///
    /// - Parameters:
    ///   - cacheFolder: where pipelines are kept for the next start; nil keeps none.
    ///   - onFailure: told why the CPU goes on.
    /// - Throws: `GPUError` where the device or a shader lacks something; `FileError.changed`.
    package func useGPU(
        _ info: GPUDeviceInfo, cacheFolder: String?, onFailure: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws {
        try await onSession { [model, cacheFormat] session in
            try GemmaGPUWeights.check(model.configuration, model.weights, cacheFormat)
            let cache = cacheFolder.map(GPUPipelineCache.init(cacheFolder:))
            let interval = Trace.shared.begin("gpu: open")
            defer { Trace.shared.end(interval) }
            var kept: [UInt8] = []
            switch cache?.find(for: info) {
            case .used(let bytes): kept = bytes
            case .refused(let reason): Trace.shared.event("gpu: pipeline cache of no use", ["reason": reason])
            case .missing:
                if let reason = cache?.drift(for: info) {
                    Trace.shared.event("gpu: pipeline cache of no use", ["reason": reason])
                }
            case nil: break
            }
            let device = try GPUDevice(info, cache: kept)
            try session.use(
                device, configuration: model.configuration, weights: model.weights, cacheFormat: cacheFormat,
                onFailure: onFailure)
            Trace.shared.event(
                "gpu: pipelines", ["ms": "\(Int(device.pipelineMS.rounded()))", "kept": "\(kept.count)"])
            // A disk that is full, or a driver that gives nothing, is no reason not to run.
            if let cache, let bytes = try? device.cacheBytes(), bytes.count != kept.count {
                try? cache.keep(bytes, for: info)
            }
        }
    }

    /// Whether a GPU runs the model now.
    package var isOnGPU: Bool {
        get async { (try? await onSession { $0.gpu != nil }) ?? false }
    }
}
