internal import HearthCompute
package import HearthGPU
internal import HearthTokenizer

/// A forward pass on a GPU, with the KV cache in GPU memory: the counterpart of `GemmaPass` for Gemma 1, 2 and 3.
///
/// The caches are indexed by position, also for local layers, so rewinding a text involves no ring buffer.
package final class GemmaGPUPass {
    package let device: GPUDevice
    private let configuration: GemmaConfiguration
    private let weights: GemmaGPUWeights
    private let isHalf: Bool
    private let caches: [GPUCommands.Cache]
    private let angles: [RotaryTable]
    private let anglesOfLayer: [Int]
    /// The angles of a step's rows, one table after the other.
    private let angleBuffer: GPUBuffer
    private let anglePlaces: [GPUPlace]
    private let tokenBuffer: GPUBuffer
    private let logitBuffer: GPUBuffer

    private let hidden: GPURows
    private let normed: GPURows
    private let queryKeyValue: GPURows
    private let attended: GPURows
    private let projected: GPURows
    private let gateUp: GPURows

    /// Up to this many tokens, all layers run in one submission. Larger steps submit each layer separately, so that a prompt
    /// can be cancelled between layers.
    private static let tokensOfOneSubmission = 8

    /// - Throws: `GPUError`, `FileError.changed`.
    init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, device: GPUDevice, context: Int,
        maximumStep step: Int, logitRows: Int, cacheFormat: KVCacheFormat
    ) throws {
        try GemmaGPUWeights.check(c, weights, cacheFormat)
        configuration = c
        self.device = device
        isHalf = cacheFormat == .float16
        try device.require(bytes: Self.leastBytes(c, weights, context: context, isHalf: isHalf))
        self.weights = try GemmaGPUWeights(weights, on: device)

        let isHalf = isHalf
        caches = try c.layers.map { layer in
            // The number of values is even: two float16 values share a word.
            let bytes = context * layer.keyValueWidth * (isHalf ? 2 : 4)
            return GPUCommands.Cache(
                keys: try GPUBuffer(device, byteCount: bytes).place,
                values: try GPUBuffer(device, byteCount: bytes).place, heads: layer.keyValueHeads, isHalf: isHalf)
        }
        (angles, anglesOfLayer) = try GemmaPass.angles(c, divisors: nil, capacity: step)
        angleBuffer = try GPUBuffer(device, byteCount: angles.reduce(0) { $0 + 4 * step * $1.width }, .shared)
        var places: [GPUPlace] = []
        var first = 0
        for table in angles {
            places.append(angleBuffer.place.advanced(byValues: first))
            first += step * table.width
        }
        anglePlaces = places
        tokenBuffer = try GPUBuffer(device, byteCount: 4 * step, .shared)
        logitBuffer = try GPUBuffer(device, byteCount: 4 * logitRows * weights.vocabularySize, .shared)

        func rows(_ width: Int) throws -> GPURows {
            GPURows(try GPUBuffer(device, byteCount: 4 * step * width).place, stride: width)
        }
        let queries = c.layers.map { c.queryWidth(of: $0) }.max() ?? 0
        hidden = try rows(c.width)
        normed = try rows(c.width)
        projected = try rows(c.width)
        attended = try rows(queries)
        queryKeyValue = try rows(c.layers.map { c.queryWidth(of: $0) + 2 * $0.keyValueWidth }.max() ?? 0)
        gateUp = try rows(2 * (c.layers.map(\.feedForwardWidth).max() ?? 0))
        try device.prepare(Self.pipelines(weights, isHalf: isHalf))
    }

    /// All pipelines that a step may need, so that none is created during a generation.
    static func pipelines(_ weights: GemmaWeights, isHalf: Bool) -> Set<GPUPipelineKey> {
        var keys: Set<GPUPipelineKey> = [
            GPUPipelineKey(.norm), GPUPipelineKey(.rotary), GPUPipelineKey(.gate), GPUCommands.storeKey(isHalf: isHalf),
            GPUCommands.attentionKey(isHalf: isHalf),
        ]
        if let format = GPUMatrix.Format(rawValue: weights.embedding.format.rawValue) {
            keys.insert(GPUCommands.embedKey(format))
        }
        for format in GemmaGPUWeights.formats(weights) {
            for tokens in [1, 2] { keys.insert(GPUCommands.productKey(format, tokens: tokens)) }
        }
        return keys
    }

    /// Least memory that a model needs on a device: its matrices and KV cache, without the rows of a step.
    package static func leastBytes(
        _ c: GemmaConfiguration, _ weights: GemmaWeights, context: Int, isHalf: Bool
    ) -> Int {
        c.layers.reduce(GemmaGPUWeights.byteCount(weights)) {
            $0 + 2 * context * $1.keyValueWidth * (isHalf ? 2 : 4)
        }
    }

    // MARK: - A step

    /// Runs tokens through all layers; leaves the `wanted` rows in device memory.
    /// - Throws: `GPUError`; `CancellationError`.
    func run(
        _ tokens: ArraySlice<TokenID>, position: Int, wanted: Range<Int>, isCancelled: () -> Bool
    ) throws {
        try prepare(tokens, position: position)
        let count = tokens.count
        let layers = configuration.layers.indices
        let together = count <= Self.tokensOfOneSubmission ? layers.count : 1
        var live = 0..<count
        for first in stride(from: 0, to: layers.count, by: together) {
            try device.submit { commands throws(GPUError) in
                if first == 0 {
                    try commands.embed(
                        tokenBuffer.place, count: count, from: weights.embedding,
                        scale: Float(configuration.width).squareRoot(), into: hidden)
                }
                for layer in first..<min(first + together, layers.count) {
                    try run(layer: layer, position: position, wanted: wanted, &live, commands)
                }
            }
            if isCancelled() { throw CancellationError() }
        }
    }

    /// Uploads token ids and angles.
    private func prepare(_ tokens: ArraySlice<TokenID>, position: Int) throws(GPUError) {
        try tokens.withUnsafeBufferPointer { ids throws(GPUError) in
            try tokenBuffer.upload(UnsafeRawBufferPointer(ids))
        }
        for (table, place) in zip(angles, anglePlaces) {
            table.prepare(first: position, count: tokens.count)
            for row in 0..<tokens.count {
                try angleBuffer.upload(table.rows.row(row), at: place.offset + 4 * row * table.width)
            }
        }
    }

    /// Computes the logits of rows of the last step.
    /// - Throws: `GPUError`.
    func head(_ rows: Range<Int>, into logits: Rows) throws(GPUError) {
        let c = configuration
        let width = logits.width
        let out = GPURows(logitBuffer.place, stride: width)
        try device.submit { commands throws(GPUError) in
            try commands.normalize(
                hidden.rows(from: rows.lowerBound), count: rows.count, width: c.width, gain: weights.outputNorm,
                epsilon: c.epsilon, into: normed)
            try multiply(weights.head, normed, rows.count, into: out, cap: c.finalSoftCap, commands)
        }
        for row in 0..<rows.count {
            logits.set(row, to: try logitBuffer.floats(count: width, at: 4 * row * width))
        }
    }

    // MARK: - Stages

    private func multiply(
        _ matrices: [GPUMatrix], _ x: GPURows, _ count: Int, into y: GPURows, cap: Float = 0, _ commands: GPUCommands
    ) throws(GPUError) {
        var column = 0
        for matrix in matrices {
            try commands.multiply(matrix, x, count: count, into: y.columns(from: column), cap: cap)
            column += matrix.rows
        }
    }

    private func run(
        layer index: Int, position: Int, wanted: Range<Int>, _ live: inout Range<Int>, _ commands: GPUCommands
    ) throws(GPUError) {
        if live.isEmpty { return }
        let c = configuration
        let layer = weights.layers[index], shape = c.layers[index], cache = caches[index]
        let width = shape.headWidth, queryWidth = c.queryWidth(of: shape)
        try commands.normalize(
            hidden, count: live.count, width: c.width, gain: layer.attentionNorm, epsilon: c.epsilon, into: normed)
        try multiply(layer.queryKeyValue, normed, live.count, into: queryKeyValue, commands)
        try store(layer, index, position: position, count: live.count, commands)
        // After the last layer's cache is filled, only the wanted rows are needed.
        if index == c.layers.count - 1 { live = wanted }
        if live.isEmpty { return }

        let queries = queryKeyValue.rows(from: live.lowerBound)
        if let gain = layer.queryNorm {
            try commands.normalize(
                queries, count: live.count, heads: c.heads, width: width, gain: gain, epsilon: c.epsilon, into: queries)
        }
        let angles = anglePlaces[anglesOfLayer[index]].advanced(byValues: live.lowerBound * width)
        try commands.rotate(queries, count: live.count, heads: c.heads, width: width, angles: angles)
        let attended = GPURows(attended.place, stride: queryWidth)
        try commands.attend(
            queries, count: live.count, heads: c.heads, width: width, position: position + live.lowerBound,
            window: shape.window, scale: c.queryScale, cap: c.attentionSoftCap, over: cache, into: attended)
        let h = hidden.rows(from: live.lowerBound)
        try multiply(layer.attentionOutput, attended, live.count, into: projected, commands)
        try commands.add(
            projected, count: live.count, width: c.width, normalizedBy: layer.postAttentionNorm, epsilon: c.epsilon,
            to: h)
        try feedForward(layer, shape, h, live.count, commands)
    }

    private func store(
        _ layer: GemmaGPUWeights.Layer, _ index: Int, position: Int, count: Int, _ commands: GPUCommands
    ) throws(GPUError) {
        let c = configuration
        let shape = c.layers[index], cache = caches[index]
        let queryWidth = c.queryWidth(of: shape)
        let keys = queryKeyValue.columns(from: queryWidth)
        let values = queryKeyValue.columns(from: queryWidth + shape.keyValueWidth)
        if let gain = layer.keyNorm {
            try commands.normalize(
                keys, count: count, heads: shape.keyValueHeads, width: shape.headWidth, gain: gain, epsilon: c.epsilon,
                into: keys)
        }
        try commands.rotate(
            keys, count: count, heads: shape.keyValueHeads, width: shape.headWidth,
            angles: anglePlaces[anglesOfLayer[index]])
        try commands.store(
            keys, count: count, width: shape.keyValueWidth, position: position, isHalf: isHalf, in: cache.keys)
        try commands.store(
            values, count: count, width: shape.keyValueWidth, position: position, isHalf: isHalf, in: cache.values)
    }

    private func feedForward(
        _ layer: GemmaGPUWeights.Layer, _ shape: GemmaConfiguration.Layer, _ h: GPURows, _ count: Int,
        _ commands: GPUCommands
    ) throws(GPUError) {
        let c = configuration
        let width = shape.feedForwardWidth
        let both = GPURows(gateUp.place, stride: 2 * width)
        try commands.normalize(
            h, count: count, width: c.width, gain: layer.feedForwardNorm, epsilon: c.epsilon, into: normed)
        try multiply(layer.gateUp, normed, count, into: both, commands)
        try commands.gate(both, up: both.columns(from: width), count: count, width: width)
        try multiply(layer.down, both, count, into: projected, commands)
        try commands.add(
            projected, count: count, width: c.width, normalizedBy: layer.postFeedForwardNorm, epsilon: c.epsilon, to: h)
    }
}
