package import HearthCompute

/// Which generation of Gemma a file holds, by its `general.architecture`.
package enum GemmaArchitecture: String, Sendable, CaseIterable, Codable {
    case gemma1 = "gemma"
    case gemma2
    case gemma3
    case gemma3n
    case gemma4
    /// EmbeddingGemma: blocks of Gemma 3 without a causal mask.
    case embedding = "gemma-embedding"

    /// Whether what attention and feed-forward give is normalised before it is added.
    var hasSandwichNorms: Bool { self != .gemma1 }
    /// Whether each head of the queries and keys is normalised.
    var hasHeadNorms: Bool { isGemma3 || hasPerLayerEmbeddings }
    /// Whether the blocks are those of Gemma 3.
    var isGemma3: Bool { self == .gemma3 || self == .embedding }
    /// Whether each head of the values is normalised, and scores are not divided by √(head width).
    var hasPerLayerEmbeddings: Bool { self == .gemma3n || self == .gemma4 }
}

/// Every hyper-parameter of a model, read from the metadata of its file and checked before anything is allocated.
///
/// Names and defaults follow llama.cpp's converter, which writes these files. What differs between generations, and between
/// the layers of one model, is data in here.
package struct GemmaConfiguration: Sendable, Equatable, Codable {
    /// What may differ from layer to layer.
    package struct Layer: Sendable, Equatable, Codable {
        /// Positions that a query sees, itself included; nil sees all. Without a causal mask it sees those that are at most
        /// half of it away, on both sides.
        package var window: Int?
        /// Base of the rotary angles.
        package var ropeBase: Double
        /// Multiplies positions: 1 / factor where linear scaling applies.
        package var positionScale: Double
        /// Width of one head.
        package var headWidth: Int
        /// Key/value heads; each serves `heads / keyValueHeads` consecutive query heads.
        package var keyValueHeads: Int
        /// The earlier layer whose keys and values this one reads; nil where it has its own.
        package var keyValueSource: Int?
        /// Width between the two feed-forward products.
        package var feedForwardWidth: Int
        /// Gates less than so many standard deviations above their mean are cut off to zero; nil cuts none off.
        package var activationSparsity: Float?

        /// Width of all key heads together.
        var keyValueWidth: Int { keyValueHeads * headWidth }

        /// As artifacts have them.
        private enum CodingKeys: String, CodingKey {
            case window, ropeBase, positionScale, headWidth, keyValueHeads, keyValueSource, feedForwardWidth
            case activationSparsity = "gateCut"
        }
    }

    /// Parallel residual streams (AltUp, Gemma 3n).
    package struct Streams: Sendable, Equatable, Codable {
        /// How many, at least 2.
        package var count: Int
        /// The one that goes through attention and feed-forward; the others follow by prediction.
        package var active: Int
    }

    /// How one vector is made of all tokens, in a model that gives embeddings and no text.
    package struct Embedding: Sendable, Equatable, Codable {
        /// Outputs of the dense layers behind the mean of all tokens, in order, by their tensors' names; empty for none.
        package var dense: [Dense]
        /// Whether texts end with the end-of-text token.
        package var addsEOS: Bool

        /// A matrix without a bias.
        package struct Dense: Sendable, Equatable, Codable {
            /// Without `.weight`.
            package var tensor: String
            package var width: Int
        }
    }

    /// The generation.
    package var architecture: GemmaArchitecture
    /// Positions that the model was trained for.
    package var contextLength: Int
    /// Width of the residual stream.
    package var width: Int
    /// Query heads.
    package var heads: Int
    /// Added to the mean square in every norm.
    package var epsilon: Float
    /// Multiplies q·k.
    package var queryScale: Float
    /// 0 for none.
    package var attentionSoftCap: Float
    /// 0 for none.
    package var finalSoftCap: Float
    /// Width of what a token has for each layer (per-layer embeddings, Gemma 3n and 4); 0 for none.
    package var perLayerWidth: Int
    /// nil for one stream.
    package var streams: Streams?
    /// nil for a model that generates text. With it attention has no causal mask.
    package var embedding: Embedding?
    /// One entry a layer.
    package var layers: [Layer]

    /// Leading layers that have keys and values of their own; the others read theirs.
    package var cachedLayers: Int { layers.prefix { $0.keyValueSource == nil }.count }

    /// Numbers of an embedding; nil for a model that generates text.
    package var embeddingWidth: Int? { embedding.map { $0.dense.last?.width ?? width } }

    /// Width of all query heads of a layer together; often not `width`.
    package func queryWidth(of layer: Layer) -> Int { heads * layer.headWidth }

    /// Key/value cache for `tokens` positions, in bytes; 0 for a model that gives embeddings, which keeps none.
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
