internal import HearthCompute
internal import HearthGPU
internal import HearthTokenizer

extension GemmaSession {
    /// A GPU in use by the sessions that share a pass.
    package struct GPUUse {
        package let pass: GemmaGPUPass
        /// Called if the device fails and the CPU takes over.
        let onFailure: @Sendable (GPUError) -> Void
        /// Start position and wanted rows of the last step of a single text.
        var step = 0
        var wanted = 0..<0
    }

    /// Computes on a GPU from now on; discards the session's tokens.
    /// - Parameters:
    ///   - way: how weights come to the device.
    ///   - beforePart: called on the copying thread before it copies a part of them, for tests.
    ///   - adapters: those of texts that name none.
    /// - Returns: what computes there.
    /// - Throws: `GPUError`, `FileError.changed`; the CPU computes as before.
    func use(
        _ device: GPUDevice, configuration: GemmaConfiguration, weights: GemmaWeights, cacheFormat: KVCacheFormat,
        way: GPUWeightWay, beforePart: @escaping @Sendable (Int) -> Void, adapters: ActiveAdapters?,
        onFailure: @escaping @Sendable (GPUError) -> Void
    ) throws -> GemmaGPUPass {
        resetToOwnMemory()
        let pass = try GemmaGPUPass(
            configuration: configuration, weights: weights, device: device, kernels: compute.kernels,
            context: context, maximumStep: maximumStep, logitRows: mostChecked, cacheFormat: cacheFormat,
            way: way, beforePart: beforePart)
        try pass.use(adapters)
        gpuCaches = try pass.makeCaches()
        gpu = GPUUse(pass: pass, onFailure: onFailure)
        return pass
    }

    /// Whether the KV cache is, or will be, on a GPU: a device that failed leaves it to be computed again.
    var isOnGPU: Bool { gpu != nil || gpuCaches != nil }

    /// Runs one step through the layers, on the device if there is one.
    func push(_ tokens: ArraySlice<TokenID>, wanted: Range<Int>) throws {
        if var use = gpu {
            (use.step, use.wanted) = (position, wanted)
            gpu = use
            do {
                try use.pass.use(adapters)
                let run = GemmaGPUPass.Run(
                    caches: try cachesOnGPU(use.pass), position: position, rows: 0..<tokens.count)
                return try use.pass.run(tokens, runs: [run], wanted: wanted) { compute.isCancelled }
            } catch let error as GPUError {
                leaveGPU(error)
            }
        }
        try goOnWithoutGPU(through: position)
        try pass.run(tokens, position: position, caches: kv, wanted: wanted)
    }

    /// Computes the logits of rows of the last step.
    func head(_ rows: Range<Int>, into logits: Rows) throws {
        if let use = gpu {
            do {
                return try use.pass.head(rows, into: logits) { compute.isCancelled }
            } catch let error as GPUError {
                leaveGPU(error)
                try goOnWithoutGPU(through: use.step)
                try pass.run(held[use.step..<position], position: use.step, caches: kv, wanted: use.wanted)
            }
        }
        pass.head(rows, into: logits)
    }

    /// Consecutive tokens of one text in a step shared with others.
    struct SharedRun {
        let session: GemmaSession
        /// Position of the first token in its text.
        let position: Int
        /// Their rows in the step.
        let rows: Range<Int>
    }

    /// Runs a step of several texts through the layers, on the device if there is one, and computes the logits of the wanted rows.
    static func push(_ tokens: [TokenID], _ runs: [SharedRun], wanted: Range<Int>, into logits: Rows) throws {
        guard let first = runs.first?.session else { return }
        if let use = first.gpu {
            do {
                try use.pass.use(first.adapters)
                let all = try runs.map {
                    GemmaGPUPass.Run(
                        caches: try $0.session.cachesOnGPU(use.pass), position: $0.position, rows: $0.rows)
                }
                try use.pass.run(tokens[...], runs: all, wanted: wanted) { first.compute.isCancelled }
                if !wanted.isEmpty {
                    try use.pass.head(wanted, into: logits) { first.compute.isCancelled }
                }
                return
            } catch let error as GPUError {
                first.leaveGPU(error)
            }
        }
        for run in runs { try run.session.goOnWithoutGPU(through: run.session.position) }
        let all = runs.map { GemmaPass.Run(caches: $0.session.kv, position: $0.position, rows: $0.rows) }
        try first.pass.run(tokens, runs: all, wanted: wanted)
        if !wanted.isEmpty { first.pass.head(wanted, into: logits) }
    }

    /// The session's caches on the device, allocated at its first step.
    /// - Throws: `GPUError`.
    private func cachesOnGPU(_ pass: GemmaGPUPass) throws(GPUError) -> GemmaGPUCaches {
        if let gpuCaches { return gpuCaches }
        assert(position == 0, "a session on a GPU with rows of the CPU")
        let caches = try pass.makeCaches()
        gpuCaches = caches
        return caches
    }

    /// The device failed: the CPU computes from now on, in all sessions that share the pass.
    private func leaveGPU(_ error: GPUError) {
        let use = gpu
        gpu = nil
        use?.onFailure(error)
    }

    /// Recomputes on the CPU what the cache of a failed device held, up to a position, so that the text can continue.
    private func goOnWithoutGPU(through end: Int) throws {
        guard gpuCaches != nil else { return }
        gpuCaches = nil
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
