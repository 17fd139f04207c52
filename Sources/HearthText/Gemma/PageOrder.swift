internal import HearthGGUF
internal import HearthSystem

/// The byte ranges of a file in the order in which a forward pass needs them: layer by layer, then the head.
struct PageOrder: Sendable {
    private let file: MappedFile
    private let groups: [[Range<Int>]]
    private let embedding: [Range<Int>]
    /// Tables of which a token needs one row, larger than all layers together and never read in full: per-layer embeddings, and
    /// the embedding of a model without a head.
    private let sparse: [Range<Int>]

    /// Needed before the first layer, although they belong to no layer.
    private static let first: Set<String> = ["altup_proj.weight", "per_layer_model_proj.weight", "rope_freqs.weight"]

    init(gguf: GGUFFile, configuration: GemmaConfiguration) {
        let layers = configuration.layers.count
        var groups = [[Range<Int>]](repeating: [], count: layers + 1)
        var embedding: [Range<Int>] = []
        var sparse: [Range<Int>] = []
        for tensor in gguf.tensors {
            let range = tensor.offset..<tensor.offset + tensor.byteCount
            let parts = tensor.name.split(separator: ".", maxSplits: 2)
            // An embedding model has no head, so the table is used for look-ups only.
            let isLookedUp = configuration.embedding != nil && tensor.name == "token_embd.weight"
            if isLookedUp || tensor.name == "per_layer_token_embd.weight" {
                sparse.append(range)
            } else if parts.count == 3, parts[0] == "blk", let layer = Int(parts[1]), (0..<layers).contains(layer) {
                let isUnused =
                    configuration.layers[layer].keyValueSource != nil
                    && (parts[2].hasPrefix("attn_k") || parts[2].hasPrefix("attn_v"))
                if !isUnused { groups[layer].append(range) }
            } else {
                groups[Self.first.contains(tensor.name) ? 0 : layers].append(range)
            }
            if !isLookedUp, tensor.name == "token_embd.weight" { embedding.append(range) }
        }
        file = gguf.file
        self.groups = groups
        self.embedding = embedding
        self.sparse = sparse
    }

    /// A reader of these ranges; group `i` is layer `i`, the last one is the head. nil if the file's content is in memory.
    func reader() -> PageReader? {
        PageReader(file: file, groups: groups, scattered: embedding, sparse: sparse)
    }
}
