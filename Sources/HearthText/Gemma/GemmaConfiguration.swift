public import HearthFormats

/// Which generation of Gemma a file holds, by its `general.architecture`.
public enum GemmaArchitecture: String, Sendable, CaseIterable, Codable {
    case gemma1 = "gemma"
    case gemma2
    case gemma3
}

/// Every hyper-parameter of a model, read from the metadata of its file and checked before anything is allocated.
///
/// Names and defaults follow llama.cpp's converter, which writes these files.
public struct GemmaConfiguration: Sendable, Equatable, Codable {
    /// What a layer needs to know about its attention.
    public struct Attention: Sendable, Equatable, Codable {
        /// Positions that a query sees, itself included; nil sees all.
        public var window: Int?
        /// Base of the rotary angles.
        public var ropeBase: Double
        /// Multiplies positions: 1 / factor where linear scaling applies.
        public var positionScale: Double
    }

    /// The generation.
    public var architecture: GemmaArchitecture
    /// Positions that the model was trained for.
    public var contextLength: Int
    /// Width of the residual stream.
    public var width: Int
    /// Width between the two feed-forward products.
    public var feedForwardWidth: Int
    /// Query heads.
    public var heads: Int
    /// Key/value heads; each serves `heads / keyValueHeads` consecutive query heads.
    public var keyValueHeads: Int
    /// Width of one head.
    public var headWidth: Int
    /// Added to the mean square in every norm.
    public var epsilon: Float
    /// Multiplies q·k.
    public var queryScale: Float
    /// 0 for none.
    public var attentionSoftCap: Float
    /// 0 for none.
    public var finalSoftCap: Float
    /// One entry a layer.
    public var layers: [Attention]

    /// Width of all query heads together; often not `width`.
    public var queryWidth: Int { heads * headWidth }
    /// Width of all key heads together.
    public var keyValueWidth: Int { keyValueHeads * headWidth }

    /// Key/value cache for `tokens` positions, in bytes.
    public func cacheBytes(tokens: Int, maximumStep: Int) -> Int {
        layers.reduce(0) { sum, layer in
            let window = min(layer.window ?? tokens, tokens)
            return sum + min(tokens, window + maximumStep) * keyValueWidth * 2 * MemoryLayout<Float>.stride
        }
    }
}

extension GemmaConfiguration {
    /// - Throws: `TextError.unsupportedArchitecture` by name before any memory is taken, `.invalidHyperparameter` or
    ///   `GGUFError` naming file and key.
    public init(gguf: GGUFFile) throws {
        let reader = HyperparameterReader(gguf: gguf)
        let name = try reader.required(gguf.metadata.string("general.architecture"), "general.architecture")
        guard let architecture = GemmaArchitecture(rawValue: name) else {
            throw TextError.unsupportedArchitecture(file: gguf.path, name: name)
        }
        self.architecture = architecture

        let layerCount = try reader.integer("block_count", in: 1...512)
        contextLength = try reader.integer("context_length", in: 1...(1 << 24))
        width = try reader.integer("embedding_length", in: 1...(1 << 17))
        feedForwardWidth = try reader.required(
            reader.uniform("feed_forward_length", count: layerCount, in: 1...(1 << 20)),
            name + ".feed_forward_length")
        heads = try reader.integer("attention.head_count", in: 1...1024)
        keyValueHeads = try reader.uniform("attention.head_count_kv", count: layerCount, in: 1...1024) ?? heads
        guard heads % keyValueHeads == 0 else {
            throw reader.invalid(
                "attention.head_count_kv", "\(keyValueHeads) key/value heads do not divide \(heads) heads")
        }
        guard
            let headWidth = try reader.optionalInteger("attention.key_length", in: 2...4096)
                ?? (width % heads == 0 ? width / heads : nil)
        else { throw reader.invalid("attention.key_length", "missing, and no default fits") }
        guard headWidth % 2 == 0 else { throw reader.invalid("attention.key_length", "odd") }
        if let values = try reader.optionalInteger("attention.value_length", in: 1...4096), values != headWidth {
            throw reader.invalid("attention.value_length", "differs from key_length")
        }
        self.headWidth = headWidth

        epsilon = Float(try reader.number("attention.layer_norm_rms_epsilon", in: 0...1) ?? 1e-6)
        let isGemma2 = architecture == .gemma2
        attentionSoftCap = isGemma2 ? Float(try reader.number("attn_logit_softcapping", in: 0...1e6) ?? 50) : 0
        finalSoftCap = Float(try reader.number("final_logit_softcapping", in: 0...1e6) ?? (isGemma2 ? 30 : 0))

        // The 27B models scale by d / H; no key says so, their layer counts do (Gemma 2: 46, Gemma 3: 62).
        let is27B = (isGemma2 && layerCount == 46) || (architecture == .gemma3 && layerCount == 62)
        queryScale = 1 / Float(is27B ? Double(width) / Double(heads) : Double(headWidth)).squareRoot()

        layers = try reader.attentionLayers(architecture: architecture, count: layerCount)
    }
}

/// Reads keys under the architecture's prefix, each with the range that makes sense.
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

    func number(_ key: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let value = try gguf.metadata.number(prefix + key) else { return nil }
        guard range.contains(value) else { throw invalid(key, "\(value) is not in \(range)") }
        return value
    }

    /// A scalar, or an array with one equal value a layer.
    func uniform(_ key: String, count: Int, in range: ClosedRange<Int>) throws -> Int? {
        guard case .array? = gguf.metadata[prefix + key] else { return try optionalInteger(key, in: range) }
        let values = try required(gguf.metadata.integers(prefix + key), prefix + key)
        guard values.count == count, let first = values.first, values.allSatisfy({ $0 == first }),
            range.contains(first)
        else { throw invalid(key, "\(values.count) values that are not one equal value a layer") }
        return first
    }

    func attentionLayers(
        architecture: GemmaArchitecture, count: Int
    ) throws -> [GemmaConfiguration.Attention] {
        let globalBase = try number("rope.freq_base", in: 1...1e12) ?? (architecture == .gemma3 ? 1e6 : 1e4)
        // Gemma 2 has one base for both kinds of layer, later generations a smaller one for local layers.
        let localBase =
            try number("rope.freq_base_swa", in: 1...1e12) ?? (architecture == .gemma2 ? globalBase : 1e4)
        var factor = 1.0
        if try gguf.metadata.string(prefix + "rope.scaling.type") == "linear" {
            factor = try number("rope.scaling.factor", in: 1e-3...1e6) ?? 1
        }

        var window: Int?
        if architecture != .gemma1 {
            window = try optionalInteger("attention.sliding_window", in: 0...(1 << 24))
            if window == nil, architecture == .gemma2 { window = 4096 }
            if window == 0 { window = nil }
        }
        let isLocal =
            try window == nil
            ? [Bool](repeating: false, count: count)
            : slidingPattern(defaultPeriod: architecture == .gemma2 ? 2 : 6, count: count)
        return isLocal.map { local in
            GemmaConfiguration.Attention(
                window: local ? window : nil, ropeBase: local ? localBase : globalBase,
                positionScale: local ? 1 : 1 / factor)
        }
    }

    /// True for local layers: an array of flags, or a period whose last layer is global.
    private func slidingPattern(defaultPeriod: Int, count: Int) throws -> [Bool] {
        let key = "attention.sliding_window_pattern"
        if case .array? = gguf.metadata[prefix + key] {
            let flags = try required(gguf.metadata.integers(prefix + key), prefix + key)
            guard flags.count == count else { throw invalid(key, "\(flags.count) flags for \(count) layers") }
            return flags.map { $0 != 0 }
        }
        let period = try optionalInteger(key, in: 1...4096) ?? defaultPeriod
        return (0..<count).map { $0 % period < period - 1 }
    }
}
