package import HearthCompute

/// The generation of Gemma in a file, from its `general.architecture`.
package enum GemmaArchitecture: String, Sendable, CaseIterable, Codable {
    case gemma1 = "gemma"
    case gemma2
    case gemma3
    case gemma3n
    case gemma4
    /// EmbeddingGemma: Gemma 3 blocks without a causal mask.
    case embedding = "gemma-embedding"

    /// Whether the outputs of attention and feed-forward are normalised before they are added.
    var hasSandwichNorms: Bool { self != .gemma1 }
    /// Whether each query and key head is normalised.
    var hasHeadNorms: Bool { isGemma3 || hasPerLayerEmbeddings }
    /// Whether the blocks are those of Gemma 3.
    var isGemma3: Bool { self == .gemma3 || self == .embedding }
    /// Whether there are per-layer embeddings. These generations also normalise each value head, and do not divide scores by
    /// √(head width).
    var hasPerLayerEmbeddings: Bool { self == .gemma3n || self == .gemma4 }
}

/// All hyperparameters of a model, read from its file's metadata and validated before anything is allocated.
///
/// Names and defaults follow llama.cpp's converter, which writes these files. Differences between generations, and between the
/// layers of one model, are expressed as data here.
package struct GemmaConfiguration: Sendable, Equatable, Codable {
    /// Hyperparameters that may differ between layers.
    package struct Layer: Sendable, Equatable, Codable {
        /// Sliding window: the number of positions that a query attends to, itself included; nil for all. Without a causal
        /// mask, the positions at most half of it away in both directions.
        package var window: Int?
        /// Base of the rotary angles.
        package var ropeBase: Double
        /// Factor for positions: 1 / factor with linear scaling.
        package var positionScale: Double
        /// Width of one head.
        package var headWidth: Int
        /// Number of key/value heads; each serves `heads / keyValueHeads` consecutive query heads.
        package var keyValueHeads: Int
        /// The earlier layer whose keys and values this one shares; nil if it has its own.
        package var keyValueSource: Int?
        /// Inner width of the feed-forward block.
        package var feedForwardWidth: Int
        /// Gate values less than this many standard deviations above their mean are set to zero; nil to keep all.
        package var activationSparsity: Float?

        /// Width of all key heads together.
        var keyValueWidth: Int { keyValueHeads * headWidth }

        /// Names as stored in artifacts.
        private enum CodingKeys: String, CodingKey {
            case window, ropeBase, positionScale, headWidth, keyValueHeads, keyValueSource, feedForwardWidth
            case activationSparsity = "gateCut"
        }
    }

    /// Parallel residual streams (AltUp, Gemma 3n).
    package struct Streams: Sendable, Equatable, Codable {
        /// Number of streams, at least 2.
        package var count: Int
        /// The stream that passes through attention and feed-forward; the others are updated by prediction.
        package var active: Int
    }

    /// How an embedding model makes one vector of all tokens.
    package struct Embedding: Sendable, Equatable, Codable {
        /// The dense layers after mean pooling, in order; empty for none.
        package var dense: [Dense]
        /// Whether texts end with the end-of-text token.
        package var addsEOS: Bool

        /// A matrix without a bias.
        package struct Dense: Sendable, Equatable, Codable {
            /// Name of the tensor, without `.weight`.
            package var tensor: String
            package var width: Int
        }
    }

    /// The generation.
    package var architecture: GemmaArchitecture
    /// The context length that the model was trained for.
    package var contextLength: Int
    /// Width of the residual stream.
    package var width: Int
    /// Number of query heads.
    package var heads: Int
    /// Added to the mean square in every norm.
    package var epsilon: Float
    /// Factor for q·k.
    package var queryScale: Float
    /// Soft cap of attention scores; 0 for none.
    package var attentionSoftCap: Float
    /// Soft cap of the logits; 0 for none.
    package var finalSoftCap: Float
    /// Width of a token's embedding for each layer (per-layer embeddings, Gemma 3n and 4); 0 for none.
    package var perLayerWidth: Int
    /// nil for a single stream.
    package var streams: Streams?
    /// nil for a model that generates text. If set, attention has no causal mask.
    package var embedding: Embedding?
    /// One entry per layer.
    package var layers: [Layer]

    /// Number of leading layers with their own keys and values; the remaining layers share theirs.
    package var cachedLayers: Int { layers.prefix { $0.keyValueSource == nil }.count }

    /// Size of an embedding; nil for a model that generates text.
    package var embeddingWidth: Int? { embedding.map { $0.dense.last?.width ?? width } }

    /// Total width of a layer's query heads; often different from `width`.
    package func queryWidth(of layer: Layer) -> Int { heads * layer.headWidth }

    /// Size of the KV cache for `tokens` positions in bytes; 0 for an embedding model, which keeps none.
    package func cacheBytes(
        tokens: Int, maximumStep: Int, format: KVCacheFormat = TextGenerator.defaultCacheFormat
    ) -> Int {
        if embedding != nil { return 0 }
        return layers.prefix(cachedLayers).reduce(0) { sum, layer in
            let window = min(layer.window ?? tokens, tokens)
            let row = 2 * layer.keyValueHeads * format.bytes(ofHead: layer.headWidth)
            return sum + min(tokens, window + maximumStep) * row
        }
    }
}
