package import HearthCompute
package import HearthSystem
package import HearthTokenizer

/// A forward pass through all layers, with its scratch memory. KV caches belong to the texts: texts generated concurrently
/// share a step, each with its own caches.
///
/// All memory is allocated up front. A layer runs the same sequence of stages in every generation; stages that a model does not
/// have are skipped.
package final class GemmaPass {
    /// The tokens of a step.
    package struct Step {
        let tokens: ArraySlice<TokenID>
        fileprivate let layout: Layout
        /// Rows of the step whose output is wanted.
        let wanted: Range<Int>
        /// Rows still being computed: after the last layer with a cache, only the wanted ones.
        package fileprivate(set) var live: Range<Int>

        fileprivate var liveTokens: ArraySlice<TokenID> {
            tokens[tokens.startIndex + live.lowerBound..<tokens.startIndex + live.upperBound]
        }
    }

    /// Which texts the tokens of a step belong to.
    fileprivate enum Layout {
        /// They continue one text under a causal mask.
        case one(GemmaKVCaches, position: Int)
        /// They continue several texts, each under a causal mask.
        case runs([Run])
        /// Complete texts without a causal mask; for each token, the rows of its text.
        case whole([Range<Int>], GemmaKVCaches)
    }

    /// Consecutive tokens of one text in a step shared with others.
    struct Run {
        let caches: GemmaKVCaches
        /// Position of the first token in its text.
        let position: Int
        /// Their rows in the step.
        let rows: Range<Int>
    }

    private let configuration: GemmaConfiguration
    private let weights: GemmaWeights
    private let compute: Compute
    /// Reads the weights into memory ahead of the first pass.
    private let reader: PageReader?
    private let cacheOfLayer: [Int]
    private let lastCachedLayer: Int
    private let angles: [RotaryTable]
    private let anglesOfLayer: [Int]

    private let perLayer: PerLayerInput?
    /// Parallel streams; nil if `hidden` is the only stream.
    package let altUp: AltUp?
    private let lowRank: LaurelBlock?
    /// The residual stream, one row per token of the step.
    package let hidden: Rows
    private let normed: Rows
    private let queryKeyValue: Rows
    private let attended: Rows
    private let scratch: AttentionScratch
    private let projected: Rows
    private let gateUp: Rows

    package init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, compute: Compute, maximumStep step: Int,
        reader: PageReader?
    ) throws {
        configuration = c
        self.weights = weights
        self.compute = compute
        self.reader = reader
        lastCachedLayer = c.cachedLayers - 1
        cacheOfLayer = GemmaKVCaches.ofLayers(c)
        (angles, anglesOfLayer) = try Self.angles(c, divisors: weights.rotaryDivisors, capacity: step)

        perLayer = try weights.perLayer.map {
            try PerLayerInput(compute: compute, shared: $0, configuration: c, maximumStep: step)
        }
        altUp = nil == c.streams ? nil : try Self.altUp(c, weights, compute, step)
        let rank = weights.layers.compactMap(\.lowRank?.rank).max()
        lowRank = try rank.map {
            try LaurelBlock(compute: compute, configuration: c, maximumRank: $0, maximumStep: step)
        }
        hidden = try Rows(count: step, width: c.width)
        normed = try Rows(count: step, width: c.width)
        projected = try Rows(count: step, width: c.width)
        let queries = c.layers.map { c.queryWidth(of: $0) }.max() ?? 0
        let all = c.layers.map { c.queryWidth(of: $0) + 2 * $0.keyValueWidth }.max() ?? 0
        queryKeyValue = try Rows(count: step, width: all)
        attended = try Rows(count: step, width: queries)
        scratch = try AttentionScratch(maximumRows: step, heads: c.heads, width: queries)
        gateUp = try Rows(count: step, width: 2 * (c.layers.map(\.feedForwardWidth).max() ?? 0))
    }

    /// Rotary tables, and the index of the table for each layer.
    static func angles(
        _ c: GemmaConfiguration, divisors: [Float]?, capacity: Int
    ) throws -> ([RotaryTable], [Int]) {
        var kinds: [GemmaConfiguration.Layer] = []
        let ofLayer = c.layers.map { layer in
            let known = kinds.firstIndex {
                $0.ropeBase == layer.ropeBase && $0.positionScale == layer.positionScale
                    && $0.headWidth == layer.headWidth
                    && (divisors == nil || ($0.window == nil) == (layer.window == nil))
            }
            if let known { return known }
            kinds.append(layer)
            return kinds.count - 1
        }
        let tables = try kinds.map {
            try RotaryTable(
                width: $0.headWidth, base: $0.ropeBase, positionScale: $0.positionScale,
                divisors: $0.window == nil ? divisors : nil, capacity: capacity)
        }
        return (tables, ofLayer)
    }

    private static func altUp(
        _ c: GemmaConfiguration, _ weights: GemmaWeights, _ compute: Compute, _ step: Int
    ) throws -> AltUp? {
        guard let streams = c.streams, let projections = weights.streams else { return nil }
        return try AltUp(
            compute: compute, projections: projections, configuration: c, streams: streams, maximumStep: step)
    }

    // MARK: - A step

    /// Runs tokens through all layers; leaves the `wanted` rows in `hidden`.
    /// - Throws: `CancellationError`.
    func run(_ tokens: ArraySlice<TokenID>, position: Int, caches: GemmaKVCaches, wanted: Range<Int>) throws {
        var step = begin(tokens, position: position, caches: caches, wanted: wanted)
        try run(&step)
    }

    /// Runs tokens of several texts through all layers together; leaves the `wanted` rows in `hidden`. The result for each text
    /// does not depend on the others, bit for bit.
    /// - Parameter runs: cover the tokens, in order. A text may have several consecutive runs.
    /// - Throws: `CancellationError`.
    func run(_ tokens: [TokenID], runs: [Run], wanted: Range<Int>) throws {
        for run in runs {
            for table in angles { table.prepare(first: run.position, count: run.rows.count, at: run.rows.lowerBound) }
        }
        var step = Step(tokens: tokens[...], layout: .runs(runs), wanted: wanted, live: 0..<tokens.count)
        lookUp(step)
        try run(&step)
    }

    /// Runs whole texts, at most a step's tokens together, through all layers; leaves the rows of all their tokens in `hidden`.
    /// Only for a model without a causal mask.
    /// - Returns: the rows of each text.
    /// - Throws: `CancellationError`.
    func run(texts: ArraySlice<[TokenID]>, caches: GemmaKVCaches) throws -> [Range<Int>] {
        var places: [Range<Int>] = []
        var ofToken: [Range<Int>] = []
        for text in texts {
            let start = places.last?.upperBound ?? 0
            places.append(start..<start + text.count)
            ofToken += repeatElement(start..<start + text.count, count: text.count)
            for table in angles { table.prepare(first: 0, count: text.count, at: start) }
        }
        let tokens = Array(texts.joined())
        var step = Step(
            tokens: tokens[...], layout: .whole(ofToken, caches), wanted: 0..<tokens.count, live: 0..<tokens.count)
        lookUp(step)
        try run(&step)
        return places
    }

    private func run(_ step: inout Step) throws {
        defer { if weights.perLayer != nil { reader?.letGo() } }
        for index in configuration.layers.indices where !step.live.isEmpty {
            run(layer: index, &step)
            if compute.isCancelled { throw CancellationError() }
        }
        finish(step)
    }

    /// Begins a step: looks up the tokens' embeddings and prepares the rotary tables.
    package func begin(
        _ tokens: ArraySlice<TokenID>, position: Int, caches: GemmaKVCaches, wanted: Range<Int>
    ) -> Step {
        let step = Step(
            tokens: tokens, layout: .one(caches, position: position), wanted: wanted, live: 0..<tokens.count)
        lookUp(step)
        for table in angles { table.prepare(first: position, count: tokens.count) }
        return step
    }

    private func lookUp(_ step: Step) {
        let tokens = step.tokens
        let h = hidden.prefix(tokens.count)
        if let table = weights.perLayer, let reader {
            for row in 0..<tokens.count { reader.willRead(table.bytes(of: tokens[tokens.startIndex + row])) }
        }
        compute.embed(tokens, from: weights.embedding, scale: Float(configuration.width).squareRoot(), into: h)
        reader?.wait(for: 0, isCancelled: { compute.isCancelled })
        perLayer?.begin(h)
        altUp?.begin(h)
    }

    /// Runs one layer for the live rows.
    package func run(layer index: Int, _ step: inout Step) {
        reader?.wait(for: index, isCancelled: { compute.isCancelled })
        let layer = weights.layers[index]
        if let altUp, let streams = layer.streams {
            altUp.predict(streams, live: step.live, scratch: normed.rows(step.live), into: hidden.rows(step.live))
        }
        attend(layer, index, &step)
        if step.live.isEmpty { return }
        feedForward(layer, cut: configuration.layers[index].activationSparsity, step.live)

        let h = hidden.rows(step.live)
        let normed = normed.rows(step.live)
        let projected = projected.rows(step.live)
        if let altUp, let streams = layer.streams {
            altUp.correct(streams, live: step.live, scratch: normed, by: h)
            altUp.gateInput(streams, live: step.live, into: normed)
        }
        if let perLayer, let own = layer.perLayer {
            perLayer.gain(
                own, index: index, tokens: step.liveTokens, live: step.live, from: altUp == nil ? h : normed,
                into: projected)
            if let altUp {
                compute.normalize(projected, gain: own.norm, epsilon: configuration.epsilon, into: projected)
                altUp.addToOthers(projected, live: step.live)
            } else {
                compute.add(projected, normalizedBy: own.norm, epsilon: configuration.epsilon, to: h)
            }
        }
        if let scale = layer.outputScale { compute.scale(h, by: scale) }
    }

    /// Merges the parallel streams into one.
    package func finish(_ step: Step) {
        guard let altUp, !step.live.isEmpty else { return }
        reader?.wait(for: configuration.layers.count, isCancelled: { compute.isCancelled })
        altUp.finish(live: step.live, scratch: projected.rows(step.live), into: hidden.rows(step.live))
    }

    /// Computes the logits of rows of the last step.
    func head(_ rows: Range<Int>, into logits: Rows) {
        let normed = normed.prefix(rows.count)
        reader?.wait(for: configuration.layers.count, isCancelled: { compute.isCancelled })
        normalizeOutput(rows, into: normed)
        compute.multiply(weights.head, normed, into: logits)
        if configuration.finalSoftCap > 0 { compute.softCap(logits, cap: configuration.finalSoftCap) }
    }

    /// Applies the final norm before the head.
    package func normalizeOutput(_ rows: Range<Int>, into out: Rows) {
        compute.normalize(
            hidden.rows(rows), gain: weights.outputNorm, epsilon: configuration.epsilon, into: out)
    }

    // MARK: - Stages

    private func attend(_ layer: GemmaWeights.Layer, _ index: Int, _ step: inout Step) {
        let c = configuration
        let shape = c.layers[index]
        let rotary = angles[anglesOfLayer[index]]
        let width = shape.headWidth
        let queryWidth = c.queryWidth(of: shape)

        let input = normed.rows(step.live)
        compute.multiply(
            layer.queryKeyValue, input, into: queryKeyValue.rows(step.live),
            preparing: .normalizing(source: hidden.rows(step.live), gain: layer.attentionNorm, epsilon: c.epsilon))
        if shape.keyValueSource == nil {
            store(layer, index, step)
            if index == lastCachedLayer { step.live = step.wanted }
            if step.live.isEmpty { return }
        }

        let live = step.live
        let queries = queryKeyValue.rows(live).columns(0..<queryWidth)
        if let gain = layer.queryNorm {
            compute.normalizeHeads(queries, width: width, gain: gain, epsilon: c.epsilon)
        }
        compute.rotate(queries, by: rotary, firstRow: live.lowerBound, headWidth: width)
        let attended = attended.rows(live).columns(0..<queryWidth)
        let (mask, cache) = mask(cacheOfLayer[index], window: shape.window, step)
        if cache.format.isRotated { compute.spread(queries, width: width) }
        compute.attend(
            queries, mask: mask, cache: cache, scale: c.queryScale, softCap: c.attentionSoftCap, scratch: scratch,
            into: attended)
        // Values were rotated when they were stored.
        if cache.format.isRotated { compute.spread(attended, width: width) }

        let projected = projected.rows(live)
        let h = hidden.rows(live)
        compute.multiply(layer.attentionOutput, attended, into: projected)
        compute.add(projected, normalizedBy: layer.postAttentionNorm, epsilon: c.epsilon, to: h)
        if let lowRank, let own = layer.lowRank {
            lowRank.add(own, of: normed.rows(live), scratch: projected, to: h)
        }
    }

    /// The attention mask of the live rows, and the cache they read.
    private func mask(_ cache: Int, window: Int?, _ step: Step) -> (AttentionMask, LayerKVCache) {
        let first = step.live.lowerBound
        switch step.layout {
        case .one(let caches, let position): return (.causal(firstPosition: position + first), caches[cache])
        case .whole(let texts, let caches):
            return (.bidirectional(texts: texts, reach: window.map { $0 / 2 }), caches[cache])
        case .runs(let runs):
            var all: [AttentionRun] = []
            var ofQuery: [Int] = []
            for run in runs {
                let rows = run.rows.clamped(to: step.live)
                if rows.isEmpty { continue }
                ofQuery += repeatElement(all.count, count: rows.count)
                all.append(
                    AttentionRun(
                        cache: run.caches[cache], firstPosition: run.position + rows.lowerBound - run.rows.lowerBound,
                        firstQuery: rows.lowerBound - first))
            }
            return (.runs(all, ofQuery: ofQuery), runs[0].caches[cache])
        }
    }

    /// Stores the keys and values of all tokens of the step.
    private func store(_ layer: GemmaWeights.Layer, _ index: Int, _ step: Step) {
        let c = configuration
        let shape = c.layers[index]
        let first = c.queryWidth(of: shape)
        let all = queryKeyValue.rows(step.live)
        let keys = all.columns(first..<first + shape.keyValueWidth)
        let values = all.columns(first + shape.keyValueWidth..<first + 2 * shape.keyValueWidth)
        if !layer.hasValues { compute.copy(keys, into: values) }
        if let gain = layer.keyNorm {
            compute.normalizeHeads(keys, width: shape.headWidth, gain: gain, epsilon: c.epsilon)
        }
        if c.architecture.hasPerLayerEmbeddings {
            compute.normalizeHeads(values, width: shape.headWidth, gain: nil, epsilon: c.epsilon)
        }
        compute.rotate(keys, by: angles[anglesOfLayer[index]], headWidth: shape.headWidth)
        let cache = cacheOfLayer[index]
        if format(of: step).isRotated {
            compute.spread(keys, width: shape.headWidth)
            compute.spread(values, width: shape.headWidth)
        }
        switch step.layout {
        case .one(let caches, let position):
            compute.store(keys: keys, values: values, first: position, in: caches[cache])
        case .whole(_, let caches): compute.store(keys: keys, values: values, first: 0, in: caches[cache])
        case .runs(let runs):
            for run in runs {
                compute.store(
                    keys: keys.rows(run.rows), values: values.rows(run.rows), first: run.position,
                    in: run.caches[cache])
            }
        }
    }

    /// The number format of the step's caches.
    private func format(of step: Step) -> KVCacheFormat {
        switch step.layout {
        case .one(let caches, _), .whole(_, let caches): caches[0].format
        case .runs(let runs): runs[0].caches[0].format
        }
    }

    private func feedForward(_ layer: GemmaWeights.Layer, cut: Float?, _ live: Range<Int>) {
        let c = configuration
        let width = layer.gateUp.rows / 2
        let h = hidden.rows(live)
        let normed = normed.rows(live)
        let both = gateUp.rows(live)
        let gate = both.columns(0..<width)
        let up = both.columns(width..<2 * width)
        let projected = projected.rows(live)

        compute.multiply(
            layer.gateUp, normed, into: both,
            preparing: .normalizing(source: h, gain: layer.feedForwardNorm, epsilon: c.epsilon))
        if let cut { compute.cut(gate, belowDeviations: cut) }
        compute.multiply(layer.down, gate, into: projected, preparing: .gating(up: up))
        compute.add(projected, normalizedBy: layer.postFeedForwardNorm, epsilon: c.epsilon, to: h)
    }
}
