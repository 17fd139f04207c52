internal import HearthCompute
internal import HearthFormats

/// The tensors of a model, each checked against the configuration and left where it lies in the mapped file. Only
/// norm gains, a few kilobytes, are copied.
struct GemmaWeights: Sendable {
    struct Layer: Sendable {
        let attentionNorm: Rows
        let queryKeyValue: MatrixGroup
        let queryNorm: Rows?
        let keyNorm: Rows?
        let attentionOutput: MatrixGroup
        let postAttentionNorm: Rows?
        let feedForwardNorm: Rows
        let gateUp: MatrixGroup
        let down: MatrixGroup
        let postFeedForwardNorm: Rows?
    }

    let embedding: WeightMatrix
    let layers: [Layer]
    let outputNorm: Rows
    let head: MatrixGroup
    /// Rows of the embedding: the most token ids there can be.
    var vocabularySize: Int { embedding.rows }

    /// - Throws: `TextError.missingTensor`, `.tensorShape`, `.tensorFormat`.
    init(gguf: GGUFFile, configuration c: GemmaConfiguration) throws {
        let loader = TensorLoader(gguf: gguf)
        embedding = try loader.matrix("token_embd", rows: nil, columns: c.width)
        outputNorm = try loader.gain("output_norm", count: c.width)
        // The head is the transposed embedding, unless the file brings its own.
        let output = try loader.optionalMatrix("output", rows: embedding.rows, columns: c.width)
        head = try MatrixGroup([output ?? embedding])
        layers = try c.layers.indices.map { try Layer(loader: loader, configuration: c, index: $0) }
    }
}

extension GemmaWeights.Layer {
    fileprivate init(loader: TensorLoader, configuration c: GemmaConfiguration, index: Int) throws {
        let name = { (tensor: String) in "blk.\(index).\(tensor)" }
        let hasSandwichNorms = c.architecture != .gemma1
        let hasHeadNorms = c.architecture == .gemma3

        attentionNorm = try loader.gain(name("attn_norm"), count: c.width)
        // Some converters fuse the three; rows stand in the same order either way.
        if let fused = try loader.optionalMatrix(
            name("attn_qkv"), rows: c.queryWidth + 2 * c.keyValueWidth, columns: c.width)
        {
            queryKeyValue = try MatrixGroup([fused])
        } else {
            queryKeyValue = try MatrixGroup([
                loader.matrix(name("attn_q"), rows: c.queryWidth, columns: c.width),
                loader.matrix(name("attn_k"), rows: c.keyValueWidth, columns: c.width),
                loader.matrix(name("attn_v"), rows: c.keyValueWidth, columns: c.width),
            ])
        }
        queryNorm = hasHeadNorms ? try loader.gain(name("attn_q_norm"), count: c.headWidth) : nil
        keyNorm = hasHeadNorms ? try loader.gain(name("attn_k_norm"), count: c.headWidth) : nil
        attentionOutput = try MatrixGroup([
            loader.matrix(name("attn_output"), rows: c.width, columns: c.queryWidth)
        ])
        postAttentionNorm = hasSandwichNorms ? try loader.gain(name("post_attention_norm"), count: c.width) : nil
        feedForwardNorm = try loader.gain(name("ffn_norm"), count: c.width)
        gateUp = try MatrixGroup([
            loader.matrix(name("ffn_gate"), rows: c.feedForwardWidth, columns: c.width),
            loader.matrix(name("ffn_up"), rows: c.feedForwardWidth, columns: c.width),
        ])
        down = try MatrixGroup([loader.matrix(name("ffn_down"), rows: c.width, columns: c.feedForwardWidth)])
        postFeedForwardNorm = hasSandwichNorms ? try loader.gain(name("post_ffw_norm"), count: c.width) : nil
    }
}

/// Finds tensors by name and checks their shape before they become matrices.
private struct TensorLoader {
    let gguf: GGUFFile

    func matrix(_ name: String, rows: Int?, columns: Int) throws -> WeightMatrix {
        guard let matrix = try optionalMatrix(name, rows: rows, columns: columns) else {
            throw TextError.missingTensor(file: gguf.path, tensor: name + ".weight")
        }
        return matrix
    }

    func optionalMatrix(_ name: String, rows: Int?, columns: Int) throws -> WeightMatrix? {
        let name = name + ".weight"
        guard let tensor = gguf.tensor(named: name) else { return nil }
        guard let format = TensorFormat(rawValue: tensor.type.rawValue) else {
            throw TextError.tensorFormat(file: gguf.path, tensor: name, format: tensor.type.name)
        }
        // Trailing dimensions of 1 are the same matrix.
        let found = [tensor.shape.first ?? 0, tensor.shape.dropFirst().reduce(1, *)]
        guard found[0] == columns, rows.map({ $0 == found[1] }) ?? (found[1] > 0) else {
            throw TextError.tensorShape(
                file: gguf.path, tensor: name, expected: [columns, rows ?? found[1]], found: tensor.shape)
        }
        return try WeightMatrix(
            format: format, rows: found[1], columns: columns, base: gguf.file.base + tensor.offset,
            byteCount: tensor.byteCount, owner: gguf.file)
    }

    func gain(_ name: String, count: Int) throws -> Rows {
        let tensor = try matrix(name, rows: 1, columns: count)
        let rows = try Rows(count: 1, width: count)
        rows.set(0, to: tensor.row(0, kernels: try KernelSet.selected(by: nil)))
        return rows
    }
}
