package import HearthCompute

/// Keys and values of one text: a cache for each layer that has keys and values of its own. Without a causal mask nothing is kept
/// beyond a layer, and layers of one shape share one.
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

    /// The cache that each layer reads.
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
