package import HearthCompute
package import HearthGGUF
internal import HearthSystem

/// The content of a LoRA adapter's file: pairs of low-rank matrices by the name of the weights that they change.
///
/// The file is read completely, so it may change or disappear afterwards.
package struct AdapterFile: Sendable {
    /// The change of one matrix.
    package struct Change: Sendable {
        /// Name of the weights, such as `blk.0.attn_q.weight`.
        package let name: String
        package let pair: LowRankPair
    }

    package let path: String
    /// Architecture of the models that it was made for.
    package let architecture: String
    /// Numerator of the scale, whose denominator is the rank; 0 for a scale of 1.
    package let alpha: Float
    /// The changes, in the order of the file.
    package let changes: [Change]
    /// Tensors that have no effect: norms, which llama.cpp ignores too.
    package let ignored: [String]
    /// SHA-256 of the file.
    package let digest: String

    /// Ranks of the pairs, in ascending order.
    package var ranks: [Int] { Set(changes.map(\.pair.rank)).sorted() }

    private static let (down, up) = (".lora_a", ".lora_b")

    /// Whether a file says that it is an adapter.
    package static func isAdapter(_ gguf: GGUFFile) -> Bool {
        ((try? gguf.metadata.string("general.type")) ?? nil) == "adapter"
    }

    /// Reads and validates a file.
    /// - Throws: `FileError`, `TextError`.
    package init(path: String, kernels: KernelSet) throws {
        let gguf = try GGUFFile(path: path)
        do {
            try self.init(gguf, kernels: kernels)
        } catch {
            try gguf.file.checkIntact()
            throw error
        }
        try gguf.file.checkIntact()
    }

    package init(_ gguf: GGUFFile, kernels: KernelSet) throws {
        func refusal(_ field: String, _ problem: String) -> TextError {
            .invalidAdapter(file: gguf.path, field: field, problem: problem)
        }
        guard Self.isAdapter(gguf) else { throw refusal("general.type", "the file is not an adapter") }
        let kind = try gguf.metadata.string("adapter.type") ?? "missing"
        guard kind == "lora" else { throw refusal("adapter.type", "it is \(kind.debugDescription), not \"lora\"") }
        guard let architecture = try gguf.metadata.string("general.architecture") else {
            throw refusal("general.architecture", "it is missing")
        }
        let alpha = Float(try gguf.metadata.number("adapter.lora.alpha") ?? 0)
        guard alpha.isFinite else { throw refusal("adapter.lora.alpha", "it is not finite") }

        let loader = TensorLoader(gguf: gguf)
        var changes: [Change] = [], ignored: [String] = []
        for tensor in gguf.tensors {
            if tensor.name.hasSuffix(Self.down) {
                let name = String(tensor.name.dropLast(Self.down.count))
                guard gguf.tensor(named: name + Self.up) != nil else {
                    throw refusal(tensor.name, "the other half, \(name + Self.up), is missing")
                }
                let a = try loader.whole(name + Self.down), b = try loader.whole(name + Self.up)
                guard a.rows == b.columns else {
                    throw refusal(name + Self.up, "its rank is \(b.columns), and that of \(name + Self.down) \(a.rows)")
                }
                let pair = try LowRankPair(down: a, up: b, kernels: kernels)
                let (isDownFinite, isUpFinite) = pair.areFinite
                guard isDownFinite, isUpFinite else {
                    throw refusal(
                        name + (isDownFinite ? Self.up : Self.down), "it has a value that is not a finite number")
                }
                changes.append(Change(name: name, pair: pair))
            } else if tensor.name.hasSuffix(Self.up) {
                let name = String(tensor.name.dropLast(Self.up.count))
                guard gguf.tensor(named: name + Self.down) != nil else {
                    throw refusal(tensor.name, "the other half, \(name + Self.down), is missing")
                }
            } else if tensor.name.hasSuffix("_norm.weight") {
                ignored.append(tensor.name)
            } else {
                throw refusal(tensor.name, "it is neither half of a pair (\(Self.down), \(Self.up))")
            }
        }
        guard !changes.isEmpty else { throw refusal("tensors", "the file changes nothing") }
        (path, self.architecture, self.alpha) = (gguf.path, architecture, alpha)
        (self.changes, self.ignored) = (changes, ignored)
        var hash = SHA256()
        gguf.file.withUnsafeBytes { hash.update($0) }
        digest = hash.finalize()
    }

    /// What the file changes in a model.
    /// - Parameter scale: the user's factor.
    /// - Throws: `TextError` if the adapter was made for another model.
    package func terms(for model: TextModel, scale: Float) throws -> [LowRankAdaptation.Term] {
        let expected = model.configuration.architecture.rawValue
        guard architecture == expected else {
            throw TextError.invalidAdapter(
                file: path, field: "general.architecture",
                problem: "it is \(architecture.debugDescription), and that of the model \(expected.debugDescription)")
        }
        return try changes.map { change in
            let pair = change.pair
            guard let target = try model.weights.product(named: change.name, configuration: model.configuration) else {
                throw TextError.invalidAdapter(
                    file: path, field: change.name, problem: "the model has no weights of this name that can be adapted"
                )
            }
            guard pair.columns == target.matrix.columns else {
                throw TextError.invalidAdapter(
                    file: path, field: change.name + Self.down,
                    problem: "it has \(pair.columns) inputs, and the model's weights \(target.matrix.columns)")
            }
            guard pair.rows == target.rows.count else {
                throw TextError.invalidAdapter(
                    file: path, field: change.name + Self.up,
                    problem: "it has \(pair.rows) outputs, and the model's weights \(target.rows.count)")
            }
            let own = alpha == 0 ? 1 : alpha / Float(pair.rank)
            return LowRankAdaptation.Term(
                pair, of: target.matrix, firstRow: target.rows.lowerBound, factor: own * scale)
        }
    }
}

extension TensorLoader {
    /// A matrix with its full name and its own shape.
    fileprivate func whole(_ name: String) throws -> WeightMatrix {
        guard let tensor = gguf.tensor(named: name) else {
            throw TextError.missingTensor(file: gguf.path, tensor: name)
        }
        guard tensor.shape.count == 2, tensor.elementCount > 0 else {
            throw TextError.invalidAdapter(file: gguf.path, field: name, problem: "it is not a matrix")
        }
        return try matrix(of: tensor)
    }
}

extension GemmaWeights {
    /// Layers' weights that a product uses; embeddings and norms are not among them.
    private static let adaptable: Set<String> = [
        "attn_q", "attn_k", "attn_v", "attn_qkv", "attn_output", "ffn_gate", "ffn_up", "ffn_down", "inp_gate", "proj",
        "laurel_l", "laurel_r",
    ]

    /// The weights of a name, and the rows of them that the name means: in a file with fused queries, keys and values, each of
    /// the three is a part.
    fileprivate func product(
        named name: String, configuration c: GemmaConfiguration
    ) throws -> (matrix: WeightMatrix, rows: Range<Int>)? {
        let loader = TensorLoader(gguf: gguf)
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let isOutput = name == "output.weight"
        guard
            isOutput
                || parts.count == 4 && parts[0] == "blk" && parts[3] == "weight"
                    && Self.adaptable.contains(String(parts[2]))
        else { return nil }
        if let tensor = gguf.tensor(named: name) {
            let matrix = try loader.matrix(of: tensor)
            return (matrix, 0..<matrix.rows)
        }
        guard !isOutput, let index = Int(parts[1]), c.layers.indices.contains(index),
            let fused = gguf.tensor(named: "blk.\(index).attn_qkv.weight")
        else { return nil }
        let queries = c.queryWidth(of: c.layers[index]), keys = c.layers[index].keyValueWidth
        let matrix = try loader.matrix(of: fused)
        switch parts[2] {
        case "attn_q": return (matrix, 0..<queries)
        case "attn_k": return (matrix, queries..<queries + keys)
        case "attn_v": return (matrix, queries + keys..<queries + 2 * keys)
        default: return nil
        }
    }
}
