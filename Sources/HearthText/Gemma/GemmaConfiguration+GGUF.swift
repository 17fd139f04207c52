package import HearthGGUF

extension GemmaConfiguration {
    /// Reads the configuration from a file's metadata.
    /// - Throws: `TextError.unsupportedArchitecture` with its name, before any memory is allocated; `.invalidHyperparameter` or
    ///   `FileError` with file and key.
    package init(gguf: GGUFFile) throws {
        let reader = HyperparameterReader(gguf: gguf)
        let name = try reader.required(gguf.metadata.string("general.architecture"), "general.architecture")
        guard let architecture = GemmaArchitecture(rawValue: name) else {
            throw TextError.unsupportedArchitecture(file: gguf.path, name: name)
        }
        self.architecture = architecture

        let layerCount = try reader.integer("block_count", in: 1...512)
        contextLength = try reader.integer("context_length", in: 1...(1 << 24))
        width = try reader.integer("embedding_length", in: 1...(1 << 17))
        heads = try reader.same("attention.head_count", count: layerCount, in: 1...1024)
        epsilon = Float(try reader.number("attention.layer_norm_rms_epsilon", in: 0...1) ?? 1e-6)

        let isGemma2 = architecture == .gemma2
        attentionSoftCap = isGemma2 ? Float(try reader.number("attn_logit_softcapping", in: 0...1e6) ?? 50) : 0
        let finalCap: Double = isGemma2 || architecture.hasPerLayerEmbeddings ? 30 : 0
        finalSoftCap = Float(try reader.number("final_logit_softcapping", in: 0...1e6) ?? finalCap)

        perLayerWidth = 0
        if architecture.hasPerLayerEmbeddings {
            perLayerWidth =
                try reader.optionalInteger("embedding_length_per_layer_input", in: 0...4096)
                ?? (architecture == .gemma3n ? 256 : 0)
        }
        if architecture == .gemma3n {
            streams = Streams(
                count: try reader.optionalInteger("altup.num_inputs", in: 2...16) ?? 4,
                active: try reader.optionalInteger("altup.active_idx", in: 0...15) ?? 0)
        }
        if architecture == .embedding {
            embedding = try reader.embedding(width: width)
        } else if try gguf.metadata.bool("\(name).attention.causal") == false {
            throw reader.invalid("attention.causal", "text is generated with a causal mask only")
        }
        if let experts = try reader.optionalInteger("expert_count", in: 0...(1 << 20)), experts > 0 {
            throw reader.invalid("expert_count", "mixtures of experts are not supported by this version")
        }

        let widths = try reader.headWidths(architecture: architecture, modelWidth: width, heads: heads)
        layers = try reader.layers(architecture: architecture, count: layerCount, heads: heads, widths: widths)

        let divisor =
            Self.isLarge(architecture, width: width, heads: heads, headWidth: widths.global)
            ? Double(width) / Double(heads) : Double(widths.global)
        let scale = Float(try reader.number("attention.scale", in: 0...1e3) ?? 0)
        queryScale = scale > 0 ? scale : architecture.hasPerLayerEmbeddings ? 1 : 1 / Float(divisor).squareRoot()
        try check(file: gguf.path)
    }

    /// Whether the model is Gemma 2 or 3 27B, or derived from it. These scale queries by 1/√(d / H) where all others use the
    /// head width instead of d / H, and converters write no key for it. They are recognised by their width and 32 heads of 128,
    /// since derived models may have more or fewer layers.
    package static func isLarge(_ architecture: GemmaArchitecture, width: Int, heads: Int, headWidth: Int) -> Bool {
        guard heads == 32, headWidth == 128 else { return false }
        return switch architecture {
        case .gemma2: width == 4608
        case .gemma3: width == 5376
        case .gemma1, .gemma3n, .gemma4, .embedding: false
        }
    }
}

/// Reads keys under the architecture's prefix and checks each against its valid range.
private struct HyperparameterReader {
    let gguf: GGUFFile
    let prefix: String

    init(gguf: GGUFFile) {
        self.gguf = gguf
        self.prefix = ((try? gguf.metadata.string("general.architecture")) ?? "") + "."
    }

    func invalid(_ key: String, _ problem: String) -> TextError {
        .invalidHyperparameter(file: gguf.path, key: prefix + key, problem: problem)
    }

    func required<T>(_ value: T?, _ key: String) throws -> T {
        guard let value else {
            throw TextError.invalidHyperparameter(file: gguf.path, key: key, problem: "missing")
        }
        return value
    }

    func optionalInteger(_ key: String, in range: ClosedRange<Int>) throws -> Int? {
        guard let value = try gguf.metadata.integer(prefix + key) else { return nil }
        guard range.contains(value) else { throw invalid(key, "\(value) is not in \(range)") }
        return value
    }

    func integer(_ key: String, in range: ClosedRange<Int>) throws -> Int {
        try required(optionalInteger(key, in: range), prefix + key)
    }

    /// Reads a value that is the same in all layers, whether the file has it once or for each.
    func same(_ key: String, count: Int, in range: ClosedRange<Int>) throws -> Int {
        let values = try required(perLayer(key, count: count, in: range), prefix + key)
        guard values.allSatisfy({ $0 == values[0] }) else {
            throw invalid(key, "values that differ between layers are not supported by this version")
        }
        return values[0]
    }

    func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let value = try gguf.metadata.number(prefix + key) else { return nil }
        guard range.contains(value) else { throw invalid(key, "\(value) is not in \(range)") }
        return value
    }

    /// Reads a single value for all layers, or an array with one value per layer.
    func perLayer(_ key: String, count: Int, in range: ClosedRange<Int>) throws -> [Int]? {
        guard case .array? = gguf.metadata[prefix + key] else {
            return try optionalInteger(key, in: range).map { [Int](repeating: $0, count: count) }
        }
        let values = try required(gguf.metadata.integers(prefix + key), prefix + key)
        guard values.count == count else { throw invalid(key, "\(values.count) values for \(count) layers") }
        if let bad = values.first(where: { !range.contains($0) }) { throw invalid(key, "\(bad) is not in \(range)") }
        return values
    }
}

// MARK: - Embeddings

extension HyperparameterReader {
    /// Names of pooling types, indexed by their number in the file.
    private static let poolings = ["none", "mean", "first token", "last token", "rank"]

    /// How the model pools all tokens into one vector.
    func embedding(width: Int) throws -> GemmaConfiguration.Embedding {
        let pooling = try optionalInteger("pooling_type", in: 0...1000) ?? 1
        guard pooling == 1 else {
            let name = Self.poolings.indices.contains(pooling) ? Self.poolings[pooling] : "number \(pooling)"
            throw invalid(
                "pooling_type", "pooling \(name.debugDescription) is not supported by this version, only \"mean\"")
        }
        if try gguf.metadata.bool(prefix + "attention.causal") == true {
            throw invalid("attention.causal", "embeddings with a causal mask are not supported by this version")
        }
        var inputs = width
        var dense: [GemmaConfiguration.Embedding.Dense] = []
        // Files converted without these layers are valid: their embedding is the mean.
        for name in ["dense_2", "dense_3"] {
            let wanted = try optionalInteger(name + "_feat_out", in: 0...(1 << 17)).flatMap { $0 > 0 ? $0 : nil }
            let tensor = gguf.tensor(named: name + ".weight")
            guard wanted != nil || tensor != nil else { continue }
            if let found = try optionalInteger(name + "_feat_in", in: 0...(1 << 17)), found > 0, found != inputs {
                throw invalid(name + "_feat_in", "\(found) inputs for a vector of \(inputs)")
            }
            let outputs = try required(wanted ?? tensor?.shape.last, prefix + name + "_feat_out")
            dense.append(.init(tensor: name, width: outputs))
            inputs = outputs
        }
        return .init(dense: dense, addsEOS: try gguf.metadata.bool("tokenizer.ggml.add_eos_token") ?? true)
    }
}

// MARK: - Layers

extension HyperparameterReader {
    /// Head widths of global and local layers, which differ only in Gemma 4.
    func headWidths(
        architecture: GemmaArchitecture, modelWidth: Int, heads: Int
    ) throws -> (global: Int, local: Int) {
        func width(_ suffix: String, default fallback: Int?) throws -> Int {
            let key = "attention.key_length" + suffix
            guard let width = try optionalInteger(key, in: 2...4096) ?? fallback else {
                throw invalid(key, "missing, and no default fits")
            }
            guard width % 2 == 0 else { throw invalid(key, "odd") }
            let rotated = "rope.dimension_count" + suffix
            if let found = try optionalInteger(rotated, in: 0...4096), found != 0, found != width {
                throw invalid(rotated, "\(found), and heads have \(width): rotating a part of them is not supported")
            }
            let values = "attention.value_length" + suffix
            if let found = try optionalInteger(values, in: 1...4096), found != width {
                throw invalid(values, "differs from key_length\(suffix)")
            }
            return width
        }
        let global = try width("", default: modelWidth % heads == 0 ? modelWidth / heads : nil)
        return (global, architecture == .gemma4 ? try width("_swa", default: global) : global)
    }

    /// By how much positions are stretched. A factor without a type is linear and 0 is none, as in llama.cpp; older converters
    /// wrote it under another key.
    private func positionFactor() throws -> Double {
        let key = prefix + "rope.scaling.type"
        switch try gguf.metadata.string(key) {
        case "linear", nil:
            let factor = try number("rope.scaling.factor", in: 0...1e6) ?? number("rope.scale_linear", in: 0...1e6) ?? 1
            guard factor == 0 || factor >= 1e-3 else {
                throw invalid("rope.scaling.factor", "\(factor) is below 0.001")
            }
            return factor == 0 ? 1 : factor
        case "none": return 1
        case let other?:
            throw TextError.invalidHyperparameter(
                file: gguf.path, key: key, problem: "'\(other)' is not supported, only linear and none")
        }
    }

    func layers(
        architecture: GemmaArchitecture, count: Int, heads: Int, widths: (global: Int, local: Int)
    ) throws -> [GemmaConfiguration.Layer] {
        let isNew = architecture.isGemma3 || architecture.hasPerLayerEmbeddings
        let globalBase = try number("rope.freq_base", in: 1...1e12) ?? (isNew ? 1e6 : 1e4)
        // Gemma 2 uses one base for global and local layers, later generations a smaller one for local layers.
        let localBase =
            try number("rope.freq_base_swa", in: 1...1e12) ?? (architecture == .gemma2 ? globalBase : 1e4)
        let factor = try positionFactor()
        // Gemma 2 stretches local layers too; later generations only global ones.
        let localFactor = architecture == .gemma2 ? factor : 1

        let windows = try windows(architecture: architecture, count: count)
        let sources = try keyValueSources(architecture: architecture, windows: windows)
        let cuts = try activationSparsitys(architecture: architecture, count: count)
        let feedForward = try required(
            perLayer("feed_forward_length", count: count, in: 1...(1 << 20)), prefix + "feed_forward_length")
        let keyValueHeads =
            try perLayer("attention.head_count_kv", count: count, in: 1...1024)
            ?? [Int](repeating: heads, count: count)
        return windows.indices.map { index in
            let isLocal = windows[index] != nil
            return GemmaConfiguration.Layer(
                window: windows[index], ropeBase: isLocal ? localBase : globalBase,
                positionScale: 1 / (isLocal ? localFactor : factor), headWidth: isLocal ? widths.local : widths.global,
                keyValueHeads: keyValueHeads[index], keyValueSource: sources[index],
                feedForwardWidth: feedForward[index], activationSparsity: cuts[index])
        }
    }

    private func windows(architecture: GemmaArchitecture, count: Int) throws -> [Int?] {
        guard architecture != .gemma1 else { return [Int?](repeating: nil, count: count) }
        var window = try optionalInteger("attention.sliding_window", in: 0...(1 << 24))
        if window == nil, architecture == .gemma2 { window = 4096 }
        guard let window, window > 0 else { return [Int?](repeating: nil, count: count) }
        let period: Int? =
            switch architecture {
            case .gemma2: 2
            case .gemma3, .embedding: 6
            case .gemma3n: 5
            case .gemma1, .gemma4: nil
            }
        return try slidingPattern(defaultPeriod: period, count: count).map { $0 ? window : nil }
    }

    /// True for local layers; read from an array of flags, or from a period whose last layer is global.
    private func slidingPattern(defaultPeriod: Int?, count: Int) throws -> [Bool] {
        let key = "attention.sliding_window_pattern"
        if case .array? = gguf.metadata[prefix + key] {
            let flags = try required(gguf.metadata.integers(prefix + key), prefix + key)
            guard flags.count == count else { throw invalid(key, "\(flags.count) flags for \(count) layers") }
            return flags.map { $0 != 0 }
        }
        let period = try required(optionalInteger(key, in: 1...4096) ?? defaultPeriod, prefix + key)
        return (0..<count).map { $0 % period < period - 1 }
    }

    /// For the last layers, the last earlier layer of the same kind whose keys and values they share.
    private func keyValueSources(architecture: GemmaArchitecture, windows: [Int?]) throws -> [Int?] {
        var sources = [Int?](repeating: nil, count: windows.count)
        guard architecture.hasPerLayerEmbeddings else { return sources }
        let key = "attention.shared_kv_layers"
        // Older Gemma 3n files lack the key; their first 20 layers have their own keys and values.
        let shared =
            try optionalInteger(key, in: 0...windows.count)
            ?? (architecture == .gemma3n ? max(0, windows.count - 20) : 0)
        let owners = windows.count - shared
        for index in owners..<windows.count {
            guard let source = windows[..<owners].lastIndex(where: { ($0 == nil) == (windows[index] == nil) }) else {
                throw invalid(key, "layer \(index) has no earlier layer of its kind to take keys and values from")
            }
            sources[index] = source
        }
        return sources
    }

    /// Layers without sparsity are stored as −∞, the normal quantile of 0.
    private func activationSparsitys(architecture: GemmaArchitecture, count: Int) throws -> [Float?] {
        guard architecture == .gemma3n else { return [Float?](repeating: nil, count: count) }
        let key = "activation_sparsity_scale"
        guard let values = try gguf.metadata.numbers(prefix + key) else {
            // The first ten layers keep the upper 5 % of a normal distribution.
            return (0..<count).map { $0 < 10 ? 1.6448536 : nil }
        }
        guard values.count == count else { throw invalid(key, "\(values.count) values for \(count) layers") }
        return values.map { $0.isFinite && $0 > 0 ? Float($0) : nil }
    }
}
