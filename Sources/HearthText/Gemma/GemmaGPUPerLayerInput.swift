internal import HearthCompute
internal import HearthGPU
internal import HearthTokenizer

/// Per-layer embeddings on a GPU: the counterpart of `PerLayerInput`, which has the formulas.
///
/// The table stays in the mapped file; the CPU decodes the rows of a step's tokens and uploads them.
struct GemmaGPUPerLayerInput {
    /// Tensors shared by all layers.
    struct Table {
        let table: WeightMatrix
        let projection: GPUMatrix
        let norm: GPUPlace
    }

    /// A layer's matrices.
    struct Layer {
        let gate: [GPUMatrix]
        let output: [GPUMatrix]
        let norm: GPUPlace
    }

    private let shared: Table
    private let kernels: KernelSet
    private let layers: Int
    private let width: Int
    private let epsilon: Float
    private let buffer: GPUBuffer
    /// The vectors of all layers, one row per token.
    private let values: GPURows
    private let projected: GPURows
    private let gate: GPURows

    /// - Throws: `GPUError`.
    init(
        _ shared: Table, _ c: GemmaConfiguration, on device: GPUDevice, kernels: KernelSet, maximumStep step: Int
    ) throws(GPUError) {
        self.shared = shared
        self.kernels = kernels
        (layers, width) = (c.layers.count, c.perLayerWidth)
        // norm(c / √d) with ε is norm(c) with ε · d.
        epsilon = c.epsilon * Float(c.width)
        let all = layers * width
        buffer = try GPUBuffer(device, byteCount: 4 * step * all, .shared)
        values = GPURows(buffer.place, stride: all)
        projected = GPURows(try GPUBuffer(device, byteCount: 4 * step * all).place, stride: all)
        gate = GPURows(try GPUBuffer(device, byteCount: 4 * step * width).place, stride: width)
    }

    /// Uploads the tokens' rows of the table.
    /// - Throws: `GPUError`.
    func upload(_ tokens: ArraySlice<TokenID>) throws(GPUError) {
        let factor = (Float(width) / 2).squareRoot()
        for (row, token) in tokens.enumerated() {
            let index = Int(token) < shared.table.rows ? Int(token) : 0
            let embedded = shared.table.row(index, kernels: kernels).map { $0 * factor }
            try buffer.upload(embedded, at: 4 * row * layers * width)
        }
    }

    /// Completes the vectors of all layers from the scaled embeddings `x`.
    func begin(_ x: GPURows, count: Int, _ commands: GPUCommands) throws(GPUError) {
        try commands.multiply(shared.projection, x, count: count, into: projected)
        try commands.add(
            projected, count: count, heads: layers, width: width, normalizedBy: shared.norm, epsilon: epsilon,
            to: values)
    }

    /// Computes a layer's contribution to rows `live` of a step, not yet normalised, from their stream `h`.
    func gain(
        _ layer: Layer, index: Int, live: Range<Int>, from h: GPURows, into out: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        try commands.multiply(layer.gate, h, count: live.count, into: gate)
        try commands.gate(
            gate, up: values.rows(from: live.lowerBound).columns(from: index * width), count: live.count, width: width)
        try commands.multiply(layer.output, gate, count: live.count, into: out)
    }
}
