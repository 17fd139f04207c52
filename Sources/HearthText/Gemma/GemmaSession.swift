internal import HearthCompute
internal import HearthFormats

/// One running text: caches, scratch memory and the position reached. Weights are shared; a session is not.
///
/// A step pushes up to `maximumStep` tokens through all layers. Everything is allocated when the session is made.
final class GemmaSession {
    private let configuration: GemmaConfiguration
    private let weights: GemmaWeights
    let compute: Compute
    /// Most positions.
    let context: Int
    /// Tokens in the cache.
    private(set) var position = 0
    /// The tokens themselves, and the milliseconds that computing them took.
    private(set) var held: [TokenID] = []
    private(set) var heldMS = 0.0
    /// Positions below this one may have been written to the caches since they were empty.
    private(set) var written = 0
    /// Whether `logitRows` holds the logits that follow them.
    private var hasLogits = false
    /// Tokens that went through the layers since the session was made.
    private(set) var tokensRun = 0
    /// Most tokens of one step.
    let maximumStep: Int

    let caches: [LayerCache]
    private let angles: [RotaryTable]  // a kind of layer each: same base and scale
    private let anglesOfLayer: [Int]

    private let hidden: Rows
    private let normed: Rows
    private let queryKeyValue: Rows
    private let attended: Rows
    private let projected: Rows
    private let gateUp: Rows
    private let logitRows: Rows
    /// Brings the weights into memory ahead of the first pass.
    private let reader: PageReader?

    /// Enough rows that unpacking a weight pays off many times, few enough that scratch stays in the caches.
    static let maximumStep = 64
    /// Logits of that many positions are computed at once when all are wanted: a vocabulary's worth is a megabyte.
    private static let logitStep = 8

    init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, kernels: KernelSet, threads: Int, context: Int,
        reader: PageReader? = nil
    ) throws {
        let step = min(Self.maximumStep, context)
        maximumStep = step
        self.configuration = c
        self.weights = weights
        self.context = context
        self.reader = reader
        compute = try Compute(
            kernels: kernels, threads: threads, maximumRows: step,
            maximumColumns: max(c.width, c.queryWidth, c.feedForwardWidth))
        caches = try c.layers.map {
            try LayerCache(
                heads: c.keyValueHeads, headWidth: c.headWidth, window: $0.window, context: context,
                maximumStep: step)
        }

        var kinds: [GemmaConfiguration.Attention] = []
        var anglesOfLayer: [Int] = []
        for layer in c.layers {
            if let kind = kinds.firstIndex(where: {
                $0.ropeBase == layer.ropeBase && $0.positionScale == layer.positionScale
            }) {
                anglesOfLayer.append(kind)
            } else {
                anglesOfLayer.append(kinds.count)
                kinds.append(layer)
            }
        }
        self.anglesOfLayer = anglesOfLayer
        angles = try kinds.map {
            try RotaryTable(width: c.headWidth, base: $0.ropeBase, positionScale: $0.positionScale, capacity: step)
        }

        held.reserveCapacity(context)
        hidden = try Rows(count: step, width: c.width)
        normed = try Rows(count: step, width: c.width)
        queryKeyValue = try Rows(count: step, width: c.queryWidth + 2 * c.keyValueWidth)
        attended = try Rows(count: step, width: c.queryWidth)
        projected = try Rows(count: step, width: c.width)
        gateUp = try Rows(count: step, width: 2 * c.feedForwardWidth)
        logitRows = try Rows(count: min(Self.logitStep, step), width: weights.vocabularySize)
    }

    deinit { reader?.stop() }

    /// Forgets the text. Nothing is cleared: positions that were not written again are never read.
    func reset() { forget(after: 0) }

    /// Keeps what it holds of a text's beginning and forgets the rest.
    ///
    /// - Returns: how many of `tokens` need not be run again; all of them only if their logits are at hand as well
    ///   (`lastLogits`).
    func keep(of tokens: [TokenID]) -> Int {
        let known = known(of: tokens)
        if known < tokens.count { forget(after: known) }
        return known
    }

    /// How many `keep` would keep.
    func known(of tokens: [TokenID]) -> Int {
        var common = 0
        while common < min(held.count, tokens.count), held[common] == tokens[common] { common += 1 }
        if common == tokens.count, held.count == common, hasLogits { return common }
        common = min(common, tokens.count - 1)
        // A local layer's ring goes back by one step and no further, counted from what was last written: that may be a
        // step that was thrown away, or lie behind an earlier way back.
        return written - common > Self.maximumStep ? 0 : common
    }

    /// Holds `tokens` as if it had computed them: their rows were put into the caches.
    /// - Parameter written: as it was where they come from.
    func take(_ tokens: ArraySlice<TokenID>, written: Int) {
        reset()
        held.append(contentsOf: tokens)
        position = tokens.count
        self.written = written
    }

    /// The logits after the last token, where `keep` says that they are there.
    var lastLogits: Rows { logitRows.prefix(1) }

    private func forget(after count: Int) {
        position = count
        held.removeSubrange(count...)
        hasLogits = false
        if count == 0 { (heldMS, written) = (0, 0) }
    }

    /// Runs `tokens` through the model; nothing is computed for the head.
    /// - Throws: `CancellationError`; `position` then tells how many tokens are in, and the rest may be run again.
    func prefill(_ tokens: ArraySlice<TokenID>) throws {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try forEachStep(of: tokens) { try advance($0) }
    }

    /// Runs `tokens`, then computes the logits that follow the last one. They are valid until the next call.
    func logits(after tokens: ArraySlice<TokenID>) throws -> Rows {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try forEachStep(of: tokens) { try advance($0) }
        let last = (tokens.count - 1) % Self.maximumStep
        let result = head(of: hidden.rows(last, 1))
        if compute.isCancelled { throw CancellationError() }
        hasLogits = true
        return result
    }

    /// Runs `tokens` and hands over the logits that follow each, in order.
    func logits(ofEach tokens: ArraySlice<TokenID>, _ body: (Rows) throws -> Void) throws {
        try forEachStep(of: tokens) { step in
            try advance(step)
            for first in stride(from: 0, to: step.count, by: logitRows.count) {
                let result = head(of: hidden.rows(first, min(logitRows.count, step.count - first)))
                if compute.isCancelled { throw CancellationError() }
                for row in 0..<result.count { try body(result.rows(row, 1)) }
            }
        }
    }

    /// Not a lazy sequence: its closure would be allocated for every token.
    private func forEachStep(
        of tokens: ArraySlice<TokenID>, _ body: (ArraySlice<TokenID>) throws -> Void
    ) rethrows {
        var first = tokens.startIndex
        while first < tokens.endIndex {
            let end = min(first + Self.maximumStep, tokens.endIndex)
            try body(tokens[first..<end])
            first = end
        }
    }

    // MARK: - One step

    /// Pushes one step through all layers; leaves the residual stream in `hidden`.
    private func advance(_ tokens: ArraySlice<TokenID>) throws {
        let c = configuration
        let count = tokens.count
        guard position + count <= context else {
            throw TextError.contextOverflow(tokens: position + count, limit: context)
        }
        hasLogits = false
        written = max(written, position + count)
        let h = hidden.prefix(count)
        compute.embed(tokens, from: weights.embedding, scale: Float(c.width).squareRoot(), into: h)
        for table in angles { table.prepare(first: position, count: count) }
        for index in c.layers.indices {
            reader?.wait(for: index, isCancelled: { compute.isCancelled })
            attend(layer: index, h)
            feedForward(layer: weights.layers[index], h)
            if compute.isCancelled { throw CancellationError() }
        }
        position += count
        tokensRun += count
        held.append(contentsOf: tokens)
    }

    private func attend(layer index: Int, _ h: Rows) {
        let c = configuration
        let layer = weights.layers[index]
        let cache = caches[index]
        let rotary = angles[anglesOfLayer[index]]
        let normed = normed.prefix(h.count)
        let all = queryKeyValue.prefix(h.count)
        let queries = all.columns(0..<c.queryWidth)
        let keys = all.columns(c.queryWidth..<c.queryWidth + c.keyValueWidth)
        let values = all.columns(c.queryWidth + c.keyValueWidth..<all.width)
        let attended = attended.prefix(h.count)
        let projected = projected.prefix(h.count)

        compute.normalize(h, gain: layer.attentionNorm, epsilon: c.epsilon, into: normed)
        compute.multiply(layer.queryKeyValue, normed, into: all)
        if let gain = layer.queryNorm {
            compute.normalizeHeads(queries, width: c.headWidth, gain: gain, epsilon: c.epsilon)
        }
        if let gain = layer.keyNorm {
            compute.normalizeHeads(keys, width: c.headWidth, gain: gain, epsilon: c.epsilon)
        }
        compute.rotate(queries, by: rotary, headWidth: c.headWidth)
        compute.rotate(keys, by: rotary, headWidth: c.headWidth)
        cache.store(keys: keys, values: values, first: position)
        compute.attend(
            queries, firstPosition: position, cache: cache, scale: c.queryScale, softCap: c.attentionSoftCap,
            into: attended)
        compute.multiply(layer.attentionOutput, attended, into: projected)
        compute.add(projected, normalizedBy: layer.postAttentionNorm, epsilon: c.epsilon, to: h)
    }

    private func feedForward(layer: GemmaWeights.Layer, _ h: Rows) {
        let c = configuration
        let normed = normed.prefix(h.count)
        let both = gateUp.prefix(h.count)
        let gate = both.columns(0..<c.feedForwardWidth)
        let up = both.columns(c.feedForwardWidth..<2 * c.feedForwardWidth)
        let projected = projected.prefix(h.count)

        compute.normalize(h, gain: layer.feedForwardNorm, epsilon: c.epsilon, into: normed)
        compute.multiply(layer.gateUp, normed, into: both)
        compute.gatedGELU(gate: gate, up: up, into: gate)
        compute.multiply(layer.down, gate, into: projected)
        compute.add(projected, normalizedBy: layer.postFeedForwardNorm, epsilon: c.epsilon, to: h)
    }

    private func head(of h: Rows) -> Rows {
        let normed = normed.prefix(h.count)
        let logits = logitRows.prefix(h.count)
        reader?.wait(for: configuration.layers.count, isCancelled: { compute.isCancelled })
        compute.normalize(h, gain: weights.outputNorm, epsilon: configuration.epsilon, into: normed)
        compute.multiply(weights.head, normed, into: logits)
        if configuration.finalSoftCap > 0 { compute.softCap(logits, cap: configuration.finalSoftCap) }
        return logits
    }
}
