internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// The way from tokens to embeddings: the pass through the layers, the mean over a text's tokens, and the dense layers.
///
/// Texts go side by side, as many at once as fit the pass. What a text gives does not depend on the others, to the last bit.
/// Everything but a few lists is allocated when the session is made.
final class EmbeddingSession {
    let compute: Compute
    /// Most tokens of one pass.
    let capacity: Int
    private let pass: GemmaPass
    private let caches: GemmaKVCaches
    private let file: MappedFile
    private let dense: [MatrixGroup]
    /// The mean of each text, and what each dense layer makes of it; a row a text.
    private let pooled: [Rows]
    private let reader: PageReader?

    init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, kernels: KernelSet, threads: Int, capacity: Int,
        reader: PageReader?
    ) throws {
        let widths = [c.width] + weights.dense.map(\.rows)
        let widest = c.layers.map { max(c.queryWidth(of: $0), $0.feedForwardWidth) }.max() ?? 0
        self.capacity = capacity
        self.reader = reader
        file = weights.file
        dense = weights.dense
        compute = try Compute(
            kernels: kernels, threads: threads, maximumRows: capacity,
            maximumColumns: max(widest, widths.max() ?? c.width))
        pass = try GemmaPass(
            configuration: c, weights: weights, compute: compute, maximumStep: capacity, reader: reader)
        // In float32: EmbeddingGemma's activations do not fit half precision.
        caches = try GemmaKVCaches(c, context: capacity, maximumStep: capacity, format: .float32)
        pooled = try widths.map { try Rows(count: capacity, width: $0) }
    }

    deinit { reader?.stop() }

    /// The vectors of texts of at least one token each and at most `capacity` together, as the last layer gives them.
    /// - Throws: `FileError.changed`; `CancellationError`.
    func vectors(of texts: ArraySlice<[TokenID]>) throws -> [[Float]] {
        let places = try pass.run(texts: texts, caches: caches)
        let hidden = pass.hidden.prefix(places.last?.upperBound ?? 0)
        pass.normalizeOutput(0..<hidden.count, into: hidden)
        compute.mean(hidden, of: places, into: pooled[0])
        for (index, layer) in dense.enumerated() {
            compute.multiply(layer, pooled[index].prefix(places.count), into: pooled[index + 1])
        }
        if compute.isCancelled { throw CancellationError() }
        try file.checkIntact()
        return places.indices.map { pooled[dense.count].row($0) }
    }
}
