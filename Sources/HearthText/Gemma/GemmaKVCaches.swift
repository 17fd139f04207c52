package import HearthCompute

/// The KV caches of one text: one for each layer with its own keys and values. Without a causal mask nothing is kept after a
/// layer has run, so layers of the same shape share a cache.
package struct GemmaKVCaches: Sendable {
    package let caches: [LayerKVCache]

    /// - Throws: `ComputeError`.
    package init(
        _ c: GemmaConfiguration, context: Int, maximumStep: Int, format: KVCacheFormat
    ) throws(ComputeError) {
        let isBidirectional = c.embedding != nil
        var caches: [LayerKVCache] = []
        for (layer, index) in zip(c.layers, Self.ofLayers(c)) where index == caches.count {
            caches.append(
                try LayerKVCache(
                    heads: layer.keyValueHeads, headWidth: layer.headWidth,
                    window: isBidirectional ? nil : layer.window, context: context, maximumStep: maximumStep,
                    format: format))
        }
        self.caches = caches
    }

    /// For each layer, the index of the cache it reads.
    static func ofLayers(_ c: GemmaConfiguration) -> [Int] {
        var first: [GemmaConfiguration.Layer] = []
        return c.layers.map { layer in
            let known = first.firstIndex {
                c.embedding != nil && $0.keyValueHeads == layer.keyValueHeads && $0.headWidth == layer.headWidth
            }
            if let index = known ?? layer.keyValueSource { return index }
            first.append(layer)
            return first.count - 1
        }
    }

    package subscript(_ index: Int) -> LayerKVCache { caches[index] }
}
