internal import HearthCompute
internal import HearthGPU

/// The adapters of texts on a GPU: copied to the device when they are first used, and kept there for later texts.
struct GemmaGPUAdapters {
    /// More lists than this are not kept, as by `AdapterShelf`.
    private static let most = 8
    /// Most recently used last.
    private var kept: [(identity: String, adaptation: GPUAdaptation)] = []
    /// What the next step uses; nil for none.
    private(set) var current: GPUAdaptation?

    /// Uses adapters from the next step on; nil for none.
    /// - Parameter maximumStep: maximum number of tokens in a step.
    /// - Throws: `GPUError`.
    mutating func use(
        _ adapters: ActiveAdapters?, of weights: GemmaGPUWeights, on device: GPUDevice, maximumStep: Int
    ) throws(GPUError) {
        current = nil
        guard let adapters else { return }
        if let index = kept.firstIndex(where: { $0.identity == adapters.identity }) {
            if index != kept.count - 1 { kept.append(kept.remove(at: index)) }
            current = kept.last?.adaptation
            return
        }
        if kept.count >= Self.most { kept.removeFirst() }
        let made: GPUAdaptation
        do {
            made = try Self.copy(adapters, weights, device, maximumStep)
        } catch .outOfMemory where !kept.isEmpty {
            kept = []
            made = try Self.copy(adapters, weights, device, maximumStep)
        }
        kept.append((adapters.identity, made))
        current = made
    }

    private static func copy(
        _ adapters: ActiveAdapters, _ weights: GemmaGPUWeights, _ device: GPUDevice, _ maximumStep: Int
    ) throws(GPUError) -> GPUAdaptation {
        try device.prepare(GPUAdaptation.pipelines)
        let memory = GPUWeightMemory(device, pieceBytes: 1 << 20)
        var terms: [GPUAdaptation.Term] = []
        for change in adapters.adaptation.changes {
            // What no product uses has no effect, as on the CPU.
            guard let matrix = weights.matrices[change.matrix.address] else { continue }
            let (rank, down, up) = change.pair.padded(toMultipleOf: 8)
            try device.require(bytes: 4 * (down.count + up.count))
            terms.append(
                try .init(
                    of: matrix, firstRow: change.firstRow, factor: change.factor, rank: rank, down: down, up: up,
                    in: memory))
        }
        return try GPUAdaptation(
            terms, together: weights.mostTogether, maximumRows: maximumStep, on: device)
    }
}
