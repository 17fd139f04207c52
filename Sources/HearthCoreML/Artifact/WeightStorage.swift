internal import HearthCompute

/// How an artifact keeps weights.
package enum WeightStorage: String, Sendable, CaseIterable, Codable {
    /// As the kernels compute with them: a product reads them in place.
    case mapped
    /// The most compact form that restores the values bit for bit: palettes, linear codes and half precision are kept.
    ///
    /// The codes are mapped too. Products expand them by the panel, a few output channels at a time into memory that stays
    /// in the second-level cache, which takes no longer than reading the numbers would: there is less to read. What the
    /// kernel set at hand expands too slowly for that (`KernelSet.multipliesCoded`), and what is no product, is expanded
    /// once at each start, into memory of the process's own. The figures are in `Benchmarks/README.md`.
    case compact

    /// What suits a model: weights that take fewer bytes than numbers of float32 keep to theirs.
    /// - Parameter weightFormat: how the model stores most of its weights, as a profile has it.
    static func automatic(weightFormat: String) -> WeightStorage {
        ["fp32", "fp64", "layers", ""].contains(weightFormat) ? .mapped : .compact
    }
}

/// How many bytes the weights of an artifact take, and in which codings.
package struct WeightSummary: Sendable, Codable, Equatable {
    /// How they are kept.
    package var storage: WeightStorage
    /// Of the weights file.
    package var bytes: Int
    /// Of the same weights as packed numbers.
    package var floatBytes: Int
    /// Bytes by coding: `palette4`, `affine8`, `half`, `float32`.
    package var codings: [String: Int]
}

extension CompiledModel {
    /// What an artifact's record says of the weights.
    var summary: WeightSummary {
        let floatBytes = file.plan.weightCount * MemoryLayout<Float>.stride
        guard let segments = file.segments, let compact else {
            return WeightSummary(
                storage: .mapped, bytes: floatBytes, floatBytes: floatBytes, codings: ["float32": floatBytes])
        }
        var codings: [String: Int] = [:]
        for segment in segments {
            codings[segment.coding.name, default: 0] += segment.coding.byteCount(rows: segment.rows)
        }
        return WeightSummary(storage: .compact, bytes: compact.count, floatBytes: floatBytes, codings: codings)
    }
}
