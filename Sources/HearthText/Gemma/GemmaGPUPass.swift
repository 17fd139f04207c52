package import HearthCompute
package import HearthGPU
internal import HearthRuntime
internal import HearthTokenizer

/// A forward pass on a GPU: the counterpart of `GemmaPass`. KV caches belong to the texts, several of which may share a step.
package final class GemmaGPUPass {
    /// Consecutive tokens of one text.
    struct Run {
        let caches: GemmaGPUCaches
        /// Position of the first token in its text.
        let position: Int
        /// Their rows in the step.
        let rows: Range<Int>
    }

    package let device: GPUDevice
    let configuration: GemmaConfiguration
    let weights: GemmaGPUWeights
    /// Bytes of the weights that the device reads in place, and of those that were copied.
    package var importedBytes: Int { weights.importedBytes }
    var copiedBytes: Int { weights.copiedBytes }
    /// How the weights came to the device, and what waited for them so far.
    var transfer: WeightTransfer {
        let stream = weights.stream
        let way: GPUWeightWay = importedBytes > 0 ? .imported : stream.isStaged ? .staged : .copied
        return WeightTransfer(
            way: way.rawValue, importedBytes: importedBytes, copiedBytes: copiedBytes, copyMS: stream.copyMS,
            waitMS: stream.waitedMS, pipelineMS: device.pipelineMS)
    }
    let cacheFormat: KVCacheFormat
    private let context: Int
    private let maximumStep: Int
    private var adapters = GemmaGPUAdapters()
    let cacheOfLayer: [Int]
    private let angles: [RotaryTable]
    let anglesOfLayer: [Int]
    /// The angles of a step's rows, one table after the other.
    private let angleBuffer: GPUBuffer
    let anglePlaces: [GPUPlace]
    private let tokenBuffer: GPUBuffer
    /// What looks up embeddings until the table is on the device; nil from then on.
    private var tokenRows: GemmaGPUTokenRows?
    private let logitBuffer: GPUBuffer

    let perLayer: GemmaGPUPerLayerInput?
    /// nil if `hidden` is the only stream.
    let streams: GemmaGPUStreams?
    /// What `LaurelBlock` has between its matrices.
    let middle: GPURows?
    let hidden: GPURows
    let normed: GPURows
    let queryKeyValue: GPURows
    let attended: GPURows
    let projected: GPURows
    let gateUp: GPURows

    /// Up to this many tokens, all layers run in one submission. Larger steps submit each layer separately, so that a prompt
    /// can be cancelled between layers; so do steps that run while weights are copied, which wait for those of one layer.
    private static let tokensOfOneSubmission = 8

    /// - Parameters:
    ///   - kernels: decode what the CPU looks up for the device.
    ///   - way: how weights come to the device.
    ///   - beforePart: called on the copying thread before it copies a part of them, for tests.
    /// - Throws: `GPUError`, `FileError.changed`.
    init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, device: GPUDevice, kernels: KernelSet,
        context: Int, maximumStep step: Int, logitRows: Int, cacheFormat: KVCacheFormat,
        way: GPUWeightWay, beforePart: @escaping @Sendable (Int) -> Void
    ) throws {
        try GemmaGPUWeights.check(c, weights)
        configuration = c
        self.device = device
        self.context = context
        maximumStep = step
        self.cacheFormat = cacheFormat
        try device.require(bytes: Self.leastBytes(c, weights, context: context, cacheFormat: cacheFormat))
        let uploaded = try GemmaGPUWeights(weights, on: device, kernels: kernels, way: way, beforePart: beforePart)
        self.weights = uploaded

        cacheOfLayer = GemmaKVCaches.ofLayers(c)
        (angles, anglesOfLayer) = try GemmaPass.angles(c, divisors: weights.rotaryDivisors, capacity: step)
        angleBuffer = try GPUBuffer(device, byteCount: angles.reduce(0) { $0 + 4 * step * $1.width }, .shared)
        var places: [GPUPlace] = []
        var first = 0
        for table in angles {
            places.append(angleBuffer.place.advanced(byValues: first))
            first += step * table.width
        }
        anglePlaces = places
        tokenBuffer = try GPUBuffer(device, byteCount: 4 * step, .shared)
        tokenRows =
            uploaded.parts.embedding == nil
            ? nil
            : try GemmaGPUTokenRows(weights.embedding, like: uploaded.embedding, on: device, maximumStep: step)
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
        perLayer = try uploaded.perLayer.map {
            try GemmaGPUPerLayerInput($0, c, on: device, kernels: kernels, maximumStep: step)
        }
        if let projections = uploaded.streams, let streams = c.streams {
            self.streams = try GemmaGPUStreams(projections, c, streams, on: device, maximumStep: step)
        } else {
            streams = nil
        }
        middle = try weights.layers.compactMap(\.lowRank?.rank).max().map(rows)
        try device.prepare(Self.pipelines(c, weights, cacheFormat: cacheFormat))
    }

    /// For how many more texts the device has memory now; nil if the driver does not say.
    var furtherTexts: Int? {
        let bytes = max(GemmaGPUCaches.byteCount(configuration, context: context, format: cacheFormat), 1)
        return device.availableBytes.map { $0 / bytes }
    }

    /// Allocates the KV caches of a text.
    /// - Throws: `GPUError`.
    func makeCaches() throws(GPUError) -> GemmaGPUCaches {
        try GemmaGPUCaches(configuration, on: device, context: context, format: cacheFormat)
    }

    /// Uses adapters from the next step on; nil for none.
    /// - Throws: `GPUError`.
    func use(_ adapters: ActiveAdapters?) throws(GPUError) {
        try self.adapters.use(adapters, of: weights, on: device, maximumStep: maximumStep)
    }

    /// All pipelines that a step may need, so that none is created during a generation.
    static func pipelines(
        _ c: GemmaConfiguration, _ weights: GemmaWeights, cacheFormat: KVCacheFormat
    ) -> Set<GPUPipelineKey> {
        var keys: Set<GPUPipelineKey> = [
            GPUPipelineKey(.norm), GPUPipelineKey(.rotary), GPUPipelineKey(.gate),
            GPUCommands.storeKey(.init(cacheFormat)), GPUCommands.attentionKey(.init(cacheFormat)),
        ]
        if cacheFormat.isRotated { keys.insert(GPUPipelineKey(.spread)) }
        if c.architecture.hasPerLayerEmbeddings { keys.insert(GPUPipelineKey(.blend)) }
        if c.streams != nil { keys.formUnion([GPUPipelineKey(.match), GPUPipelineKey(.streams)]) }
        if c.layers.contains(where: { $0.activationSparsity != nil }) { keys.insert(GPUPipelineKey(.cut)) }
        if let format = GPUMatrix.Format(rawValue: weights.embedding.format.rawValue) {
            keys.insert(GPUCommands.embedKey(format))
        }
        for format in GemmaGPUWeights.formats(weights) {
            for tokens in [1, 2] { keys.insert(GPUCommands.productKey(format, tokens: tokens)) }
        }
        return keys
    }

    /// Least memory that a model needs on a device: its matrices and the KV cache of one text, without the rows of a step.
    package static func leastBytes(
        _ c: GemmaConfiguration, _ weights: GemmaWeights, context: Int, cacheFormat: KVCacheFormat
    ) -> Int {
        GemmaGPUWeights.byteCount(weights) + GemmaGPUCaches.byteCount(c, context: context, format: cacheFormat)
    }

    // MARK: - A step

    /// Runs tokens of one or several texts through all layers; leaves the `wanted` rows in device memory. The result for each text does
    /// not depend on the others, bit for bit.
    /// - Parameter runs: cover the tokens, in order. A text may have several consecutive runs.
    /// - Throws: `GPUError`; `CancellationError`.
    func run(
        _ tokens: ArraySlice<TokenID>, runs: [Run], wanted: Range<Int>, isCancelled: () -> Bool
    ) throws {
        if tokenRows != nil, weights.hasEmbedding { tokenRows = nil }
        try prepare(tokens, runs)
        let count = tokens.count
        let layers = configuration.layers.indices
        let isTogether = count <= Self.tokensOfOneSubmission && weights.stream.isComplete
        let together = isTogether ? layers.count : 1
        var live = 0..<count
        for first in stride(from: 0, to: layers.count, by: together) {
            // Without rows that are wanted, no layer after the last cache is needed, nor its weights.
            if live.isEmpty { break }
            let end = min(first + together, layers.count)
            let copies = try weights.wait(
                for: first..<end, embeds: first == 0 && tokenRows == nil, isCancelled: isCancelled)
            try submit(after: copies) { commands throws(GPUError) in
                if first == 0 { try begin(count, commands) }
                for layer in first..<end { try run(layer: layer, runs, wanted: wanted, &live, commands) }
                if end == layers.count { try finish(live, commands) }
            }
            if isCancelled() { throw CancellationError() }
        }
    }

    /// Runs commands whose products the adapters change.
    private func submit(
        after copies: UInt64, _ body: (GPUCommands) throws(GPUError) -> Void
    ) throws(GPUError) {
        try device.submit(after: copies) { commands throws(GPUError) in
            var commands = commands
            commands.adaptation = adapters.current
            try body(commands)
        }
    }

    /// Uploads token ids, angles, and what the CPU looks up.
    private func prepare(_ tokens: ArraySlice<TokenID>, _ runs: [Run]) throws(GPUError) {
        let ids = try tokenRows?.upload(tokens) ?? Array(tokens)
        try ids.withUnsafeBufferPointer { ids throws(GPUError) in
            try tokenBuffer.upload(UnsafeRawBufferPointer(ids))
        }
        for (table, place) in zip(angles, anglePlaces) {
            for run in runs { table.prepare(first: run.position, count: run.rows.count, at: run.rows.lowerBound) }
            for row in 0..<tokens.count {
                try angleBuffer.upload(table.rows.row(row), at: place.offset + 4 * row * table.width)
            }
        }
        try perLayer?.upload(tokens)
    }

    /// Looks up the tokens' embeddings.
    private func begin(_ count: Int, _ commands: GPUCommands) throws(GPUError) {
        try commands.embed(
            tokenBuffer.place, count: count, from: tokenRows?.matrix ?? weights.embedding,
            scale: Float(configuration.width).squareRoot(), into: hidden)
        try perLayer?.begin(hidden, count: count, commands)
        try streams?.begin(hidden, count: count, commands)
    }

    /// Merges the parallel streams into one.
    private func finish(_ live: Range<Int>, _ commands: GPUCommands) throws(GPUError) {
        if live.isEmpty { return }
        try streams?.finish(live: live, scratch: projected, into: hidden.rows(from: live.lowerBound), commands)
    }

    /// Computes the logits of rows of the last step, with its adapters.
    /// - Throws: `GPUError`; `CancellationError`.
    func head(_ rows: Range<Int>, into logits: Rows, isCancelled: () -> Bool) throws {
        let c = configuration
        let copies = try weights.stream.wait(for: weights.parts.head, isCancelled: isCancelled)
        let width = logits.width
        let out = GPURows(logitBuffer.place, stride: width)
        try submit(after: copies) { commands throws(GPUError) in
            try commands.normalize(
                hidden.rows(from: rows.lowerBound), count: rows.count, width: c.width, gain: weights.outputNorm,
                epsilon: c.epsilon, into: normed)
            try commands.multiply(weights.head, normed, count: rows.count, into: out, cap: c.finalSoftCap)
        }
        for row in 0..<rows.count {
            logits.set(row, to: try logitBuffer.floats(count: width, at: 4 * row * width))
        }
    }
}
