internal import HearthCompute
internal import HearthSystem
internal import HearthTokenizer

/// Computes embeddings from tokens: the transformer layers, mean pooling over each text's tokens, and the dense layers.
///
/// As many texts as fit are processed in one pass. The result for a text does not depend on the others, bit for bit. Apart from
/// a few arrays, all memory is allocated up front.
final class EmbeddingSession {
    let compute: Compute
    /// Maximum tokens per pass.
    let capacity: Int
    private let pass: GemmaPass
    private let caches: GemmaKVCaches
    private let file: MappedFile
    private let dense: [MatrixGroup]
    /// The mean of each text, and the output of each dense layer; one row per text.
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
        // float32, because EmbeddingGemma's activations exceed the range of half precision.
        caches = try GemmaKVCaches(c, context: capacity, maximumStep: capacity, format: .float32)
        pooled = try widths.map { try Rows(count: capacity, width: $0) }
    }

    deinit { reader?.stop() }

    /// Embeds texts of at least one token each and at most `capacity` tokens together; the result is the last layer's output.
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
