internal import HearthCompute
internal import HearthGPU
internal import HearthTokenizer

extension GemmaSession {
    /// A GPU in use by a session.
    package struct GPUUse {
        package let pass: GemmaGPUPass
        /// Called if the device fails and the CPU takes over.
        let onFailure: @Sendable (GPUError) -> Void
        /// Start position and wanted rows of the last step.
        var step = 0
        var wanted = 0..<0
    }

    /// Computes on a GPU from now on; discards the session's tokens.
    /// - Throws: `GPUError`, `FileError.changed`.
    func use(
        _ device: GPUDevice, configuration: GemmaConfiguration, weights: GemmaWeights, cacheFormat: KVCacheFormat,
        onFailure: @escaping @Sendable (GPUError) -> Void
    ) throws {
        resetToOwnMemory()
        let pass = try GemmaGPUPass(
            configuration: configuration, weights: weights, device: device, context: context, maximumStep: maximumStep,
            logitRows: mostChecked, cacheFormat: cacheFormat)
        gpu = GPUUse(pass: pass, onFailure: onFailure)
    }

    /// Runs one step through the layers, on the device if there is one.
    func push(_ tokens: ArraySlice<TokenID>, wanted: Range<Int>) throws {
        if var use = gpu {
            (use.step, use.wanted) = (position, wanted)
            gpu = use
            do {
                return try use.pass.run(tokens, position: position, wanted: wanted) { compute.isCancelled }
            } catch let error as GPUError {
                try goOnWithoutGPU(error, through: position)
            }
        }
        try pass.run(tokens, position: position, caches: kv, wanted: wanted)
    }

    /// Computes the logits of rows of the last step.
    func head(_ rows: Range<Int>, into logits: Rows) throws {
        if let use = gpu {
            do {
                return try use.pass.head(rows, into: logits)
            } catch {
                try goOnWithoutGPU(error, through: use.step)
                try pass.run(held[use.step..<position], position: use.step, caches: kv, wanted: use.wanted)
            }
        }
        pass.head(rows, into: logits)
    }

    /// Recomputes on the CPU what the device's cache held, up to a position, so that the text can continue.
    private func goOnWithoutGPU(_ error: GPUError, through end: Int) throws {
        let use = gpu
        gpu = nil
        use?.onFailure(error)
        do {
            for first in stride(from: 0, to: end, by: maximumStep) {
                try pass.run(
                    held[first..<min(first + maximumStep, end)], position: first, caches: kv, wanted: 0..<0)
            }
        } catch {
            // A partly recomputed cache cannot be continued.
            reset()
            throw error
        }
    }
}
