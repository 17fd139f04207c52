internal import HearthCompute
internal import HearthGPU

/// The stages of a layer, in the order of `GemmaPass`; stages that a model does not have are skipped.
extension GemmaGPUPass {
    /// Runs one layer for the live rows.
    func run(
        layer index: Int, _ runs: [Run], wanted: Range<Int>, _ live: inout Range<Int>, _ commands: GPUCommands
    ) throws(GPUError) {
        if live.isEmpty { return }
        let c = configuration
        let layer = weights.layers[index]
        if let streams, let own = layer.streams {
            let first = live.lowerBound
            try streams.predict(
                own, live: live, scratch: normed.rows(from: first), into: hidden.rows(from: first), commands)
        }
        try attend(layer, index, runs, wanted: wanted, &live, commands)
        if live.isEmpty { return }
        let h = hidden.rows(from: live.lowerBound), normed = normed.rows(from: live.lowerBound)
        try feedForward(layer, c.layers[index], h, live.count, commands)

        if let streams, let own = layer.streams {
            try streams.correct(own, live: live, scratch: normed, by: h, commands)
            try streams.gateInput(own, live: live, into: normed, commands)
        }
        if let perLayer, let own = layer.perLayer {
            try perLayer.gain(
                own, index: index, live: live, from: streams == nil ? h : normed, into: projected, commands)
            if let streams {
                try commands.normalize(
                    projected, count: live.count, width: c.width, gain: own.norm, epsilon: c.epsilon, into: projected)
                try streams.addToOthers(projected, live: live, commands)
            } else {
                try commands.add(
                    projected, count: live.count, width: c.width, normalizedBy: own.norm, epsilon: c.epsilon, to: h)
            }
        }
        if let scale = layer.outputScale {
            try commands.blend(h, count: live.count, width: c.width, scale: scale, into: h)
        }
    }

    private func attend(
        _ layer: GemmaGPUWeights.Layer, _ index: Int, _ runs: [Run], wanted: Range<Int>, _ live: inout Range<Int>,
        _ commands: GPUCommands
    ) throws(GPUError) {
        let c = configuration
        let shape = c.layers[index]
        let width = shape.headWidth, queryWidth = c.queryWidth(of: shape)
        try commands.normalize(
            hidden.rows(from: live.lowerBound), count: live.count, width: c.width, gain: layer.attentionNorm,
            epsilon: c.epsilon, into: normed.rows(from: live.lowerBound))
        try commands.multiply(
            layer.queryKeyValue, normed.rows(from: live.lowerBound), count: live.count,
            into: queryKeyValue.rows(from: live.lowerBound))
        if shape.keyValueSource == nil {
            try store(layer, index, runs, live, commands)
            // After the last layer's cache is filled, only the wanted rows are needed.
            if index == c.cachedLayers - 1 { live = wanted }
            if live.isEmpty { return }
        }

        let queries = queryKeyValue.rows(from: live.lowerBound)
        if let gain = layer.queryNorm {
            try commands.normalize(
                queries, count: live.count, heads: c.heads, width: width, gain: gain, epsilon: c.epsilon, into: queries)
        }
        let angles = anglePlaces[anglesOfLayer[index]].advanced(byValues: live.lowerBound * width)
        try commands.rotate(queries, count: live.count, heads: c.heads, width: width, angles: angles)
        let attended = GPURows(attended.place, stride: queryWidth)
        if cacheFormat.isRotated {
            try commands.spread(queries, count: live.count, heads: c.heads, width: width)
        }
        var isFirst = true
        for run in runs {
            let rows = run.rows.clamped(to: live)
            if rows.isEmpty { continue }
            if !isFirst { commands.beside() }
            isFirst = false
            try commands.attend(
                queryKeyValue.rows(from: rows.lowerBound), count: rows.count, heads: c.heads, width: width,
                position: run.position + rows.lowerBound - run.rows.lowerBound, window: shape.window,
                scale: c.queryScale, cap: c.attentionSoftCap, over: run.caches[cacheOfLayer[index]],
                into: attended.rows(from: rows.lowerBound - live.lowerBound))
        }
        // Values were rotated when they were stored.
        if cacheFormat.isRotated {
            try commands.spread(attended, count: live.count, heads: c.heads, width: width)
        }
        let h = hidden.rows(from: live.lowerBound)
        try commands.multiply(layer.attentionOutput, attended, count: live.count, into: projected)
        try commands.add(
            projected, count: live.count, width: c.width, normalizedBy: layer.postAttentionNorm, epsilon: c.epsilon,
            to: h)
        if let lowRank = layer.lowRank {
            try add(lowRank, of: normed.rows(from: live.lowerBound), live.count, h, commands)
        }
    }

    /// Stores the keys and values of all tokens of the step.
    private func store(
        _ layer: GemmaGPUWeights.Layer, _ index: Int, _ runs: [Run], _ live: Range<Int>, _ commands: GPUCommands
    ) throws(GPUError) {
        let c = configuration
        let shape = c.layers[index], count = live.count
        let heads = shape.keyValueHeads, width = shape.headWidth
        let keys = queryKeyValue.columns(from: c.queryWidth(of: shape))
        let values = keys.columns(from: shape.keyValueWidth)
        if !layer.hasValues { try commands.blend(keys, count: count, width: shape.keyValueWidth, into: values) }
        if let gain = layer.keyNorm {
            try commands.normalize(
                keys, count: count, heads: heads, width: width, gain: gain, epsilon: c.epsilon, into: keys)
        }
        if c.architecture.hasPerLayerEmbeddings {
            try commands.normalize(
                values, count: count, heads: heads, width: width, gain: nil, epsilon: c.epsilon, into: values)
        }
        try commands.rotate(
            keys, count: count, heads: heads, width: width, angles: anglePlaces[anglesOfLayer[index]])
        if cacheFormat.isRotated {
            try commands.spread(keys, count: count, heads: heads, width: width)
            commands.beside()
            try commands.spread(values, count: count, heads: heads, width: width)
        }
        var isFirst = true
        for run in runs {
            let cache = run.caches[cacheOfLayer[index]]
            for (rows, place) in [(keys, cache.keys), (values, cache.values)] {
                if !isFirst { commands.beside() }
                isFirst = false
                try commands.store(
                    rows.rows(from: run.rows.lowerBound), count: run.rows.count, heads: heads, width: width,
                    position: run.position, format: cache.format, in: place)
            }
        }
    }

    /// `h = (h + a + norm(right (left a))) / √2`, the low-rank path of `LaurelBlock`.
    private func add(
        _ layer: GemmaGPUWeights.LowRank, of a: GPURows, _ count: Int, _ h: GPURows, _ commands: GPUCommands
    ) throws(GPUError) {
        guard let middle else { return }
        let c = configuration
        try commands.multiply(layer.left, a, count: count, into: middle)
        try commands.multiply(layer.right, middle, count: count, into: projected)
        try commands.blend(a, count: count, width: c.width, kept: 1, into: h)
        try commands.add(
            projected, count: count, width: c.width, normalizedBy: layer.norm, epsilon: c.epsilon, to: h)
        try commands.blend(h, count: count, width: c.width, scale: Float(0.5).squareRoot(), into: h)
    }

    private func feedForward(
        _ layer: GemmaGPUWeights.Layer, _ shape: GemmaConfiguration.Layer, _ h: GPURows, _ count: Int,
        _ commands: GPUCommands
    ) throws(GPUError) {
        let c = configuration
        let width = shape.feedForwardWidth
        let both = GPURows(gateUp.place, stride: 2 * width)
        // Scratch from row 0 on: the attention's input is no longer needed.
        try commands.normalize(
            h, count: count, width: c.width, gain: layer.feedForwardNorm, epsilon: c.epsilon, into: normed)
        try commands.multiply(layer.gateUp, normed, count: count, into: both)
        if let deviations = shape.activationSparsity {
            try commands.cut(both, count: count, width: width, belowDeviations: deviations)
        }
        try commands.gate(both, up: both.columns(from: width), count: count, width: width)
        try commands.multiply(layer.down, both, count: count, into: projected)
        try commands.add(
            projected, count: count, width: c.width, normalizedBy: layer.postFeedForwardNorm, epsilon: c.epsilon, to: h)
    }
}
