import HearthCompute
import HearthGGUF
import HearthSystem
import HearthText

/// What `hearth inspect` reports about a GGUF file.
struct ModelReport: Encodable {
    struct Tensor: Encodable {
        var name: String
        var type: String
        var shape: [Int]
        var bytes: Int
    }

    /// A LoRA adapter.
    struct Adapter: Encodable {
        var type: String
        /// Numerator of the scale, whose denominator is the rank; 0 if the file has none, which means a scale of 1.
        var alpha: Float
        var ranks: [Int]
        /// Names of the weights that it changes.
        var targets: [String]
        /// Tensors that have no effect.
        var ignored: [String]
    }

    /// Memory for running the model, if it can run.
    struct Memory: Encodable {
        /// Weights, mapped from the file: the system may drop and reload them.
        var mappedBytes: Int
        /// Size of the KV cache for the first 1024 tokens; 0 if there is none.
        var cacheBytesPer1024Tokens: Int
        /// Tokens of the longest context, and the size of its KV cache.
        var contextLength: Int
        var cacheBytesOfContext: Int
    }

    var format = "gguf"
    var version: UInt32
    @ExplicitNull var architecture: String?
    var quantization: String
    /// Bytes per tensor type.
    var mixture: [String: Int]
    var parameters: Int
    var tensors: [Tensor]
    var metadata: [String: MetadataValue]
    var runnable: Bool
    @ExplicitNull var reason: String?
    @ExplicitNull var memory: Memory?
    /// What an adapter changes; omitted for a model.
    var adapter: Adapter?
    /// Dimensions of an embedding; null for a model that generates text.
    @ExplicitNull var embeddingWidth: Int?
    var bytes: Int
    /// Number of files that the model consists of.
    var shards: Int
    private var order: [String]

    private enum CodingKeys: String, CodingKey {
        case format, version, architecture, quantization, mixture, parameters, tensors, metadata, runnable, reason,
            memory
        case embeddingWidth, adapter, bytes, shards
    }

    init(gguf: GGUFFile) {
        version = gguf.version
        architecture = (try? gguf.metadata.string("general.architecture")) ?? nil
        tensors = gguf.tensors.map {
            Tensor(name: $0.name, type: $0.type.name, shape: $0.shape, bytes: $0.byteCount)
        }
        parameters = gguf.tensors.reduce(0) { $0 &+ $1.elementCount }
        mixture = Self.mixture(of: gguf)
        quantization = Self.quantization(of: gguf)
        order = gguf.metadata.keys
        metadata = [:]
        for key in order { metadata[key] = gguf.metadata[key].map(MetadataValue.init) }
        bytes = gguf.byteCount
        shards = gguf.shardCount
        if AdapterFile.isAdapter(gguf) {
            runnable = false
            do {
                let file = try AdapterFile(gguf, kernels: KernelSet.selected(by: nil))
                adapter = Adapter(
                    type: "lora", alpha: file.alpha, ranks: file.ranks, targets: file.changes.map(\.name),
                    ignored: file.ignored)
                reason = "it is a LoRA adapter for \(file.architecture.withVisibleControls) models: pass it with --lora"
            } catch {
                reason = CommandFailure(error).message.withVisibleControls
            }
            return
        }
        do {
            let model = try TextModel(gguf: gguf)
            let configuration = model.configuration, context = configuration.contextLength
            runnable = true
            embeddingWidth = configuration.embeddingWidth
            memory = Memory(
                mappedBytes: model.weightBytes,
                cacheBytesPer1024Tokens: configuration.cacheBytes(tokens: 1024, maximumStep: 1024),
                contextLength: context,
                cacheBytesOfContext: configuration.cacheBytes(
                    tokens: context, maximumStep: TextGenerator.defaultMaximumStep))
        } catch {
            runnable = false
            reason =
                gguf.tensors.isEmpty
                ? "the file holds a vocabulary and no weights" : CommandFailure(error).message.withVisibleControls
        }
    }

    /// The type that stores most bytes of the weights.
    static func quantization(of gguf: GGUFFile) -> String { byBytes(mixture(of: gguf)).first?.name ?? "none" }

    /// Bytes per tensor type.
    private static func mixture(of gguf: GGUFFile) -> [String: Int] {
        var bytes: [String: Int] = [:]
        for tensor in gguf.tensors { bytes[tensor.type.name, default: 0] += tensor.byteCount }
        return bytes
    }

    /// The types, sorted by bytes in descending order.
    private static func byBytes(_ mixture: [String: Int]) -> [(name: String, bytes: Int)] {
        mixture.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    /// Shares of the weights' bytes: `Q4_K 71 %, Q6_K 28 %, F32 1 %`.
    private var shares: String {
        let all = max(1, mixture.values.reduce(0, +))
        return Self.byBytes(mixture).map { name, bytes in
            let percent = (Double(bytes) * 100 / Double(all)).rounded()
            return "\(name) \(percent < 1 ? "<1" : "\(Int(percent))") %"
        }.joined(separator: ", ")
    }
}

/// A metadata value as JSON; for an array its type, its length and the first few elements.
package enum MetadataValue: Encodable {
    case string(String)
    case integer(Int64)
    case unsigned(UInt64)
    case float(Float)
    case double(Double)
    case bool(Bool)
    case array(type: String, count: Int, first: [MetadataValue])

    private static let shownElements = 8

    init(_ value: GGUFValue) {
        switch value {
        case .uint8(let value): self = .unsigned(UInt64(value))
        case .uint16(let value): self = .unsigned(UInt64(value))
        case .uint32(let value): self = .unsigned(UInt64(value))
        case .uint64(let value): self = .unsigned(value)
        case .int8(let value): self = .integer(Int64(value))
        case .int16(let value): self = .integer(Int64(value))
        case .int32(let value): self = .integer(Int64(value))
        case .int64(let value): self = .integer(value)
        case .float32(let value): self = .float(value)
        case .float64(let value): self = .double(value)
        case .bool(let value): self = .bool(value)
        case .string(let value): self = .string(value)
        case .array(let array):
            self = .array(
                type: array.elementType.name, count: array.count,
                first: array.prefix(Self.shownElements).map(MetadataValue.init))
        }
    }

    private enum CodingKeys: String, CodingKey { case type, count, first }

    package func encode(to encoder: any Encoder) throws {
        if case .array(let type, let count, let first) = self {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            try container.encode(count, forKey: .count)
            try container.encode(first, forKey: .first)
            return
        }
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        // JSON has no infinities or NaN: they are written as strings.
        case .float(let value): try value.isFinite ? container.encode(value) : container.encode("\(value)")
        case .double(let value): try value.isFinite ? container.encode(value) : container.encode("\(value)")
        case .bool(let value): try container.encode(value)
        case .array: break
        }
    }

    /// The value on one line of a table.
    var shown: String {
        switch self {
        case .string(let value):
            let line = value.prefix(60).description.withVisibleControls
            return value.count > 60 ? "\(line)… (\(value.count) characters)" : line
        case .integer(let value): return "\(value)"
        case .unsigned(let value): return "\(value)"
        case .float(let value): return "\(value)"
        case .double(let value): return "\(value)"
        case .bool(let value): return "\(value)"
        case .array(let type, let count, let first):
            let more = count > first.count ? ", …" : ""
            let elements = first.map(\.shown).joined(separator: ", ")
            return "\(count) × \(type): \(elements.prefix(80))\(elements.count > 80 ? "…" : more)"
        }
    }
}

extension ModelReport {
    /// The report as a text table.
    var table: String {
        var rows: [(String, String)] = [
            ("format", "GGUF \(version)"),
            ("architecture", architecture?.withVisibleControls ?? "not named"),
            ("quantization", mixture.count > 1 ? shares : quantization),
            ("parameters", "\(Self.grouped(parameters)) in \(tensors.count) tensors"),
            ("size", ByteSize.binary(bytes) + (shards > 1 ? " in \(shards) files" : "")),
        ]
        if let memory {
            rows.append(
                (
                    "memory",
                    "\(ByteSize.binary(memory.mappedBytes)) mapped"
                        + (embeddingWidth != nil
                            ? ""
                            : " + \(ByteSize.binary(memory.cacheBytesPer1024Tokens)) of cache for 1024 tokens, "
                                + "\(ByteSize.binary(memory.cacheBytesOfContext)) for \(memory.contextLength)")
                ))
        }
        if let adapter {
            let rank = adapter.ranks.count == 1 ? "rank" : "ranks"
            rows.append(
                (
                    "adapter",
                    "LoRA of \(rank) \(adapter.ranks.map(String.init).joined(separator: ", ")), alpha \(adapter.alpha), "
                        + "changes \(adapter.targets.count) matrices"
                        + (adapter.ignored.isEmpty ? "" : "; \(adapter.ignored.count) norms have no effect")
                ))
        }
        if let embeddingWidth { rows.append(("embeddings", "\(embeddingWidth) numbers each; see 'hearth help embed'")) }
        rows.append(("runnable", runnable ? "yes" : "no: \(reason ?? "")"))
        let meta = order.map { ($0.withVisibleControls, metadata[$0]?.shown ?? "") }
        let list = tensors.map {
            (
                $0.name.withVisibleControls,
                "\($0.type.padded(to: 7)) \($0.shape.map(String.init).joined(separator: " × ").padded(to: 16)) \(ByteSize.binary($0.bytes))"
            )
        }
        return Self.sections([("", rows), ("metadata", meta), ("tensors", list)])
    }

    /// Tables one below the other, each with its title; empty ones are omitted.
    static func sections(_ sections: [(title: String, rows: [(String, String)])]) -> String {
        sections.filter { !$0.rows.isEmpty }.map { title, rows in
            let width = min(44, rows.map(\.0.count).max() ?? 0)
            let lines = rows.map { "\(title.isEmpty ? "" : "  ")\($0.0.padded(to: width))  \($0.1)\n" }
            return (title.isEmpty ? "" : "\n\(title)\n") + lines.joined()
        }.joined()
    }

    /// Groups digits: 1234567 becomes "1,234,567".
    static func grouped(_ value: Int) -> String {
        var result = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return String(result.reversed())
    }
}
