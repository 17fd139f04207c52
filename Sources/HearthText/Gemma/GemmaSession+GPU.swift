internal import HearthCompute
internal import HearthGPU
internal import HearthTokenizer

extension GemmaSession {
    /// A GPU at work for a session.
    package struct GPUUse {
        package let pass: GemmaGPUPass
        /// Told where the device fails; the processor goes on.
        let onFailure: @Sendable (GPUError) -> Void
        /// Where the last step began, and whose results were wanted of it.
        var step = 0
        var wanted = 0..<0
    }

    /// Has a GPU compute from now on; what the session holds is forgotten.
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

    /// One step through the layers, on the device where there is one.
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

    /// Logits of rows of the last step.
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

    /// Computes what the device held on the processor, up to a position: the text goes on as if nothing had happened.
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
            // Half of it is no beginning to go on from.
            reset()
            throw error
        }
    }
}
