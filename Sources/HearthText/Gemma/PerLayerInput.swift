internal import HearthCompute
import HearthGGUF
import HearthTokenizer

/// Per-layer embeddings (Gemma 3n and 4): each layer gets its own short vector for each token.
///
/// With P its width, d the model's and x the scaled embedding of the token (`Gemma3nTextModel` of transformers):
///
///     e = row of the token in a table, the P values of the layer, · √P
///     c = norm(Wproj x / √d), with Wproj's P rows of the layer
///     ple = (c + e) / √2
///     contribution of the layer = Wout (gelu(Wgate h) * ple), normalised when it is added
///
/// The table is larger than all layers together. It stays in the file: of a row, only a layer's bytes are read, when that layer
/// runs. A token that stops at some layer costs nothing for later layers.
struct PerLayerInput: Sendable {
    /// Tensors shared by all layers.
    struct Table: Sendable {
        let table: WeightMatrix
        /// Offset of the table in its file.
        let offset: Int
        /// P rows per layer.
        let projection: WeightMatrix
        /// The norm's gain for c, divided by √2.
        let norm: Rows

        init(loader: TensorLoader, configuration c: GemmaConfiguration) throws {
            let name = "per_layer_token_embd"
            let width = c.layers.count * c.perLayerWidth
            table = try loader.matrix(name, rows: nil, columns: width)
            offset = loader.gguf.tensor(named: name + ".weight")?.offset ?? 0
            projection = try loader.matrix("per_layer_model_proj", rows: width, columns: c.width)
            norm = try loader.gain("per_layer_proj_norm", count: c.perLayerWidth, factor: Float(0.5).squareRoot())
        }

        /// Byte range of a token's row in the file; tokens outside the table use its first row.
        func bytes(of token: TokenID) -> Range<Int> {
            let row = Int(token) < table.rows ? Int(token) : 0
            return offset + row * table.rowBytes..<offset + (row + 1) * table.rowBytes
        }
    }

    /// A layer's matrices.
    struct Layer: Sendable {
        let projection: MatrixGroup
        let gate: MatrixGroup
        let output: MatrixGroup
        let norm: Rows

        init(loader: TensorLoader, configuration c: GemmaConfiguration, index: Int, table: Table) throws {
            let width = c.perLayerWidth
            projection = try MatrixGroup([table.projection.rows(index * width..<(index + 1) * width)])
            gate = try loader.group("blk.\(index).inp_gate", rows: width, columns: c.width)
            output = try loader.group("blk.\(index).proj", rows: c.width, columns: width)
            norm = try loader.gain("blk.\(index).post_norm", count: c.width)
        }
    }

    private let compute: Compute
    private let shared: Table
    private let width: Int
    private let epsilon: Float
    private let embedded: Rows
    /// Wide enough for the quantization blocks at both ends of a layer's values.
    private let values: Rows
    private let gate: Rows

    init(compute: Compute, shared: Table, configuration c: GemmaConfiguration, maximumStep: Int) throws {
        self.compute = compute
        self.shared = shared
        width = c.perLayerWidth
        // norm(c / √d) with ε is norm(c) with ε · d.
        epsilon = c.epsilon * Float(c.width)
        embedded = try Rows(count: maximumStep, width: c.width)
        values = try Rows(count: maximumStep, width: c.perLayerWidth + 2 * shared.table.format.blockElements)
        gate = try Rows(count: maximumStep, width: c.perLayerWidth)
    }

    /// Stores the scaled embeddings of a step.
    func begin(_ x: Rows) { compute.copy(x, into: embedded.prefix(x.count)) }

    /// Computes a layer's contribution to rows `live` of a step, not yet normalised.
    /// - Parameters:
    ///   - tokens: the tokens of those rows.
    ///   - h: their stream after the feed-forward block.
    func gain(
        _ layer: Layer, index: Int, tokens: ArraySlice<TokenID>, live: Range<Int>, from h: Rows, into out: Rows
    ) {
        let input = values(layer, index: index, tokens: tokens, live: live)
        let gate = gate.rows(live)
        compute.multiply(layer.gate, h, into: gate)
        compute.multiply(layer.output, gate, into: out, preparing: .gating(up: input))
    }

    /// Computes the per-layer vectors.
    private func values(_ layer: Layer, index: Int, tokens: ArraySlice<TokenID>, live: Range<Int>) -> Rows {
        let block = shared.table.format.blockElements
        let first = index * width
        let start = first / block * block
        let end = (first + width + block - 1) / block * block
        let rows = values.rows(live)
        compute.embed(
            tokens, columns: start..<end, from: shared.table, scale: (Float(width) / 2).squareRoot(), into: rows)
        let result = rows.columns(first - start..<first - start + width)
        let projected = gate.rows(live)
        compute.multiply(layer.projection, embedded.rows(live), into: projected)
        compute.add(projected, normalizedBy: shared.norm, epsilon: epsilon, to: result)
        return result
    }
}
