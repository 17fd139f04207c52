package import HearthGPU
package import HearthRuntime
internal import HearthSystem

extension TextGenerator {
    /// Runs the model on a GPU from now on. Weights may still be on their way there: the first step waits for those of a layer in
    /// front of it.
    ///
    /// If the device fails later, the CPU continues the text from the next token.
    ///
    /// - Parameters:
    ///   - cacheFolder: where compiled pipelines of a model without an artifact are stored for the next start; nil to store
    ///     none, not in the artifact either.
    ///   - way: how weights come to the device; nil for its usual one.
    ///   - onFailure: called with the reason when the CPU takes over.
    ///   - beforePart: called on the copying thread before it copies a part of the weights, for tests.
    /// - Throws: `GPUError` if the device or a shader lacks a required feature; `FileError.changed`. The model then still runs on
    ///   the CPU.
    package func useGPU(
        _ info: GPUDeviceInfo, cacheFolder: String?, way: GPUWeightWay? = nil,
        onFailure: @escaping @Sendable (GPUError) -> Void = { _ in },
        beforePart: @escaping @Sendable (Int) -> Void = { _ in }
    ) async throws {
        try await onSession { [self] session in
            try GemmaGPUWeights.check(model.configuration, model.weights)
            try GPUPipelineStore.open(info, artifactFolder: model.artifactFolder, cacheFolder: cacheFolder) { device in
                let pass = try session.use(
                    device, configuration: model.configuration, weights: model.weights, cacheFormat: cacheFormat,
                    way: way ?? info.weights, beforePart: beforePart, adapters: usualAdapters(), onFailure: onFailure)
                let transfer = pass.transfer
                Trace.shared.event(
                    "gpu: weights",
                    [
                        "imported": "\(transfer.importedBytes)", "copied": "\(transfer.copiedBytes)",
                        "way": transfer.way,
                    ])
                if let more = pass.furtherTexts { batch?.limit(texts: 1 + more) }
            }
        }
    }

    /// How the weights came to a GPU, and what waited for them so far; nil if the model does not run on one.
    package var weightTransfer: WeightTransfer? {
        get async { (try? await onSession { $0.gpu?.pass.transfer }) ?? nil }
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
