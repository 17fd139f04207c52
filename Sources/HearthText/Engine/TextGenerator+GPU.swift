package import HearthGPU
internal import HearthSystem

extension TextGenerator {
    /// Runs the model on a GPU from now on.
    ///
    /// If the device fails later, the CPU continues the text from the next token.
    ///
    /// - Parameters:
    ///   - cacheFolder: where compiled pipelines of a model without an artifact are stored for the next start; nil to store
    ///     none, not in the artifact either.
    ///   - importsWeights: whether to use weights in place in the mapped file where the device can; nil for devices that share the
    ///     processor's memory.
    ///   - onFailure: called with the reason when the CPU takes over.
    /// - Throws: `GPUError` if the device or a shader lacks a required feature; `FileError.changed`. The model then still runs on
    ///   the CPU.
    package func useGPU(
        _ info: GPUDeviceInfo, cacheFolder: String?, importsWeights: Bool? = nil,
        onFailure: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws {
        try await onSession { [self] session in
            try GemmaGPUWeights.check(model.configuration, model.weights)
            try GPUPipelineStore.open(info, artifactFolder: model.artifactFolder, cacheFolder: cacheFolder) { device in
                let pass = try session.use(
                    device, configuration: model.configuration, weights: model.weights, cacheFormat: cacheFormat,
                    importsWeights: importsWeights ?? info.importsWeights, adapters: usualAdapters(),
                    onFailure: onFailure)
                Trace.shared.event(
                    "gpu: weights", ["imported": "\(pass.importedBytes)", "copied": "\(pass.copiedBytes)"])
                if let more = pass.furtherTexts { batch?.limit(texts: 1 + more) }
            }
        }
    }

    /// Whether the model currently runs on a GPU.
    package var isOnGPU: Bool {
        get async { await gpuImportedBytes != nil }
    }

    /// Bytes of the weights that a GPU reads in place in the mapped file; nil if the model does not run on one.
    package var gpuImportedBytes: Int? {
        get async { (try? await onSession { $0.gpu?.pass.importedBytes }) ?? nil }
    }
}
