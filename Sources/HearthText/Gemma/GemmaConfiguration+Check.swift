extension GemmaConfiguration {
    /// Validates the configuration, whether it comes from a model's file or from a compiled artifact.
    ///
    /// - Throws: `TextError.invalidHyperparameter` with the key as in the model's file.
    func check(file: String) throws(TextError) {
        func require(_ holds: Bool, _ key: String, _ problem: String = "impossible value") throws(TextError) {
            guard holds else {
                throw .invalidHyperparameter(file: file, key: "\(architecture.rawValue).\(key)", problem: problem)
            }
        }
        try require((1...512).contains(layers.count), "block_count")
        try require((1...(1 << 24)).contains(contextLength), "context_length")
        try require((1...(1 << 17)).contains(width), "embedding_length")
        try require((1...1024).contains(heads), "attention.head_count")
        try require((0...1).contains(epsilon), "attention.layer_norm_rms_epsilon")
        try require(queryScale > 0 && queryScale.isFinite, "attention.scale")
        try require((0...1e6).contains(attentionSoftCap) && (0...1e6).contains(finalSoftCap), "logit_softcapping")
        try require(
            (architecture == .gemma3n ? 1...4096 : 0...4096).contains(perLayerWidth),
            "embedding_length_per_layer_input")
        try require((architecture == .gemma3n) == (streams != nil), "altup.num_inputs")
        if let streams {
            try require((2...16).contains(streams.count), "altup.num_inputs")
            try require((0..<streams.count).contains(streams.active), "altup.active_idx")
        }
        try require((architecture == .embedding) == (embedding != nil), "pooling_type")
        for dense in embedding?.dense ?? [] {
            try require((1...(1 << 17)).contains(dense.width), "\(dense.tensor)_feat_out")
        }
        for index in layers.indices { try check(layer: index, require) }
    }

    private func check(
        layer index: Int, _ require: (Bool, String, String) throws(TextError) -> Void
    ) throws(TextError) {
        let layer = layers[index]
        func check(_ holds: Bool, _ key: String, _ problem: String = "impossible value") throws(TextError) {
            try require(holds, key, "\(problem) in layer \(index)")
        }
        try check((1...(1 << 20)).contains(layer.feedForwardWidth), "feed_forward_length")
        try check((1...1024).contains(layer.keyValueHeads), "attention.head_count_kv")
        try check(
            heads % layer.keyValueHeads == 0, "attention.head_count_kv",
            "\(layer.keyValueHeads) key/value heads do not divide \(heads) heads")
        let key = architecture == .gemma4 && layer.window != nil ? "attention.key_length_swa" : "attention.key_length"
        try check((2...4096).contains(layer.headWidth), key)
        try check(layer.headWidth % 2 == 0, key, "an odd width")
        try check(layer.window.map { (1...(1 << 24)).contains($0) } ?? true, "attention.sliding_window")
        try check((1...1e12).contains(layer.ropeBase), "rope.freq_base")
        try check((1e-6...1e6).contains(layer.positionScale), "rope.scaling.factor")
        try check(layer.activationSparsity.map { (0...100).contains($0) } ?? true, "activation_sparsity_scale")

        let shared = "attention.shared_kv_layers"
        // Layers that share a KV cache must be the last ones: only then can they be skipped for most prompt tokens.
        try check((layer.keyValueSource != nil) == (index >= cachedLayers), shared, "keys and values are missing")
        guard let source = layer.keyValueSource else { return }
        try check((0..<cachedLayers).contains(source), shared, "no layer has the keys and values that are read")
        let owner = layers[source]
        try check(
            owner.window == layer.window && owner.headWidth == layer.headWidth
                && owner.keyValueHeads == layer.keyValueHeads, shared, "keys and values of another kind are read")
    }
}
