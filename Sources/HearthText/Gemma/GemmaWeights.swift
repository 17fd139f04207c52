internal import HearthCompute
internal import HearthGGUF
internal import HearthSystem

/// The tensors of a model, validated against the configuration and used in place in the mapped file. Only norm gains, a few
/// kilobytes, are copied.
package struct GemmaWeights: Sendable {
    struct Layer: Sendable {
        let attentionNorm: Rows
        /// Queries; keys if the layer has its own; values unless they equal the keys before their norm.
        let queryKeyValue: MatrixGroup
        let hasValues: Bool
        let queryNorm: Rows?
        let keyNorm: Rows?
        let attentionOutput: MatrixGroup
        let postAttentionNorm: Rows?
        let feedForwardNorm: Rows
        let gateUp: MatrixGroup
        let down: MatrixGroup
        let postFeedForwardNorm: Rows?
        let perLayer: PerLayerInput.Layer?
        let streams: AltUp.Layer?
        let lowRank: LaurelBlock.Layer?
        /// Factor for the layer's output.
        let outputScale: Float?
    }

    /// The mapped file with the tensors, and where they are in it.
    let file: MappedFile
    let gguf: GGUFFile
    let embedding: WeightMatrix
    let layers: [Layer]
    let outputNorm: Rows
    let head: MatrixGroup
    /// Divisors of the rotary frequencies of global layers; nil for all ones.
    let rotaryDivisors: [Float]?
    let perLayer: PerLayerInput.Table?
    let streams: AltUp.Projections?
    /// Dense layers after mean pooling, in order.
    let dense: [MatrixGroup]
    /// Rows of the embedding: the upper bound for token ids.
    var vocabularySize: Int { embedding.rows }

    /// - Throws: `TextError.missingTensor`, `.tensorShape`, `.tensorFormat`, `.badValue`.
    init(gguf: GGUFFile, configuration c: GemmaConfiguration) throws {
        let loader = TensorLoader(gguf: gguf)
        file = gguf.file
        self.gguf = gguf
        embedding = try loader.matrix("token_embd", rows: nil, columns: c.width)
        outputNorm = try loader.gain("output_norm", count: c.width)
        // The head is the transposed embedding unless the file contains a separate one.
        let output = try loader.optionalMatrix("output", rows: embedding.rows, columns: c.width)
        head = try MatrixGroup([output ?? embedding])
        rotaryDivisors = try Self.rotaryDivisors(loader, c)
        let perLayer = c.perLayerWidth > 0 ? try PerLayerInput.Table(loader: loader, configuration: c) : nil
        self.perLayer = perLayer
        streams = try c.streams.map { try AltUp.Projections(loader: loader, configuration: c, streams: $0) }
        var inputs = c.width
        dense = try (c.embedding?.dense ?? []).map { layer in
            defer { inputs = layer.width }
            return try loader.group(layer.tensor, rows: layer.width, columns: inputs)
        }
        layers = try c.layers.indices.map {
            try Layer(loader: loader, configuration: c, index: $0, perLayer: perLayer)
        }
    }

    /// In Gemma 4, a quarter of the pairs of a global head are rotated; files express this with divisors.
    private static func rotaryDivisors(_ loader: TensorLoader, _ c: GemmaConfiguration) throws -> [Float]? {
        guard c.architecture == .gemma4, let global = c.layers.first(where: { $0.window == nil }) else { return nil }
        let pairs = global.headWidth / 2
        return try loader.optionalDivisors("rope_freqs", count: pairs)
            ?? (0..<pairs).map { $0 < pairs / 4 ? 1 : .infinity }
    }
}

extension GemmaWeights.Layer {
    fileprivate init(
        loader: TensorLoader, configuration c: GemmaConfiguration, index: Int, perLayer table: PerLayerInput.Table?
    ) throws {
        let name = { (tensor: String) in "blk.\(index).\(tensor)" }
        let layer = c.layers[index]
        let kind = c.architecture
        let queryWidth = c.queryWidth(of: layer)

        attentionNorm = try loader.gain(name("attn_norm"), count: c.width)
        let attention = try Self.attention(loader, c, layer, name)
        queryKeyValue = try MatrixGroup(attention)
        hasValues = attention.count != 2
        queryNorm = kind.hasHeadNorms ? try loader.gain(name("attn_q_norm"), count: layer.headWidth) : nil
        keyNorm =
            kind.hasHeadNorms && layer.keyValueSource == nil
            ? try loader.gain(name("attn_k_norm"), count: layer.headWidth) : nil
        // A few hundredths of a prompt's products, but a fifth of what activations of 8 bits cost in accuracy
        // (Benchmarks/README.md).
        attentionOutput = try loader.group(name("attn_output"), rows: c.width, columns: queryWidth, takesWords: true)
        let hasSandwich = kind.hasSandwichNorms
        postAttentionNorm = hasSandwich ? try loader.gain(name("post_attention_norm"), count: c.width) : nil
        feedForwardNorm = try loader.gain(name("ffn_norm"), count: c.width)
        gateUp = try MatrixGroup([
            loader.matrix(name("ffn_gate"), rows: layer.feedForwardWidth, columns: c.width),
            loader.matrix(name("ffn_up"), rows: layer.feedForwardWidth, columns: c.width),
        ])
        down = try loader.group(name("ffn_down"), rows: c.width, columns: layer.feedForwardWidth)
        postFeedForwardNorm = hasSandwich ? try loader.gain(name("post_ffw_norm"), count: c.width) : nil

        perLayer = try table.map {
            try PerLayerInput.Layer(loader: loader, configuration: c, index: index, table: $0)
        }
        streams = try c.streams.map {
            try AltUp.Layer(loader: loader, configuration: c, index: index, streams: $0)
        }
        lowRank = c.streams == nil ? nil : try LaurelBlock.Layer(loader: loader, configuration: c, index: index)
        outputScale = kind == .gemma4 ? try loader.optionalNumber(name("layer_output_scale")) : nil
    }

    /// Queries, keys and values, as far as the layer has them. Files may contain keys and values for layers that share another
    /// layer's; these are ignored.
    private static func attention(
        _ loader: TensorLoader, _ c: GemmaConfiguration, _ layer: GemmaConfiguration.Layer,
        _ name: (String) -> String
    ) throws -> [WeightMatrix] {
        let queries = c.queryWidth(of: layer), keys = layer.keyValueWidth
        let ownsKeys = layer.keyValueSource == nil
        // Some converters fuse the three; the row order is the same.
        if let fused = try loader.optionalMatrix(name("attn_qkv"), rows: queries + 2 * keys, columns: c.width) {
            return [ownsKeys ? fused : try fused.rows(0..<queries)]
        }
        var matrices = [try loader.matrix(name("attn_q"), rows: queries, columns: c.width)]
        guard ownsKeys else { return matrices }
        matrices.append(try loader.matrix(name("attn_k"), rows: keys, columns: c.width))
        // The global layers of large Gemma 4 models have no values of their own.
        let mayLackValues = c.architecture == .gemma4
        if let values = try loader.optionalMatrix(name("attn_v"), rows: keys, columns: c.width) {
            matrices.append(values)
        } else if !mayLackValues {
            throw TextError.missingTensor(file: loader.gguf.path, tensor: name("attn_v") + ".weight")
        }
        return matrices
    }
}
