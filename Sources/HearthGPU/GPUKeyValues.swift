/// The number format of keys and values on a device; raw values are GGUF's type ids.
///
/// Bytes and values of four bits are in blocks of 32 values of one head with a half-precision scale, as on the CPU, but in an order of
/// their own: two blocks are a unit of whole words.
package enum GPUKeyValueFormat: UInt32, CaseIterable, Sendable {
    case float32 = 0
    case float16 = 1
    case int4 = 2
    case int8 = 8

    private static let block = 32

    /// Number of units of a position.
    static func units(heads: Int, width: Int) -> Int { (heads * ((width + block - 1) / block) + 1) / 2 }

    /// Size in bytes of the keys, or values, of all heads at one position.
    package func byteCount(heads: Int, width: Int) -> Int {
        switch self {
        case .float32: 4 * heads * width
        case .float16: 2 * heads * width
        case .int8: Self.units(heads: heads, width: width) * (4 + 2 * Self.block)
        case .int4: Self.units(heads: heads, width: width) * (4 + Self.block)
        }
    }
}

extension GPUCommands {
    /// The KV cache of one layer.
    package struct Cache {
        package var keys: GPUPlace
        package var values: GPUPlace
        package var heads: Int
        package var format: GPUKeyValueFormat

        package init(keys: GPUPlace, values: GPUPlace, heads: Int, format: GPUKeyValueFormat) {
            (self.keys, self.values, self.heads, self.format) = (keys, values, heads, format)
        }
    }

    package static func storeKey(_ format: GPUKeyValueFormat) -> GPUPipelineKey {
        GPUPipelineKey(.store, [format.rawValue])
    }
    package static func attentionKey(_ format: GPUKeyValueFormat) -> GPUPipelineKey {
        GPUPipelineKey(.attention, [format.rawValue])
    }

    /// Stores rows of keys or values at positions from `position` on.
    /// - Parameter width: width of a head.
    package func store(
        _ x: GPURows, count: Int, heads: Int, width: Int, position: Int, format: GPUKeyValueFormat, in cache: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x.place, cache)
        a.add(heads, width, x.stride, position)
        let groups =
            switch format {
            case .float32, .float16: Self.groups(heads * width / 2)
            case .int8, .int4: GPUKeyValueFormat.units(heads: heads, width: width)
            }
        try run(Self.storeKey(format), a, groups, count)
    }

    /// Rotates each head of `x` by a Hadamard matrix, so that no value stands out; doing it again undoes it.
    package func spread(_ x: GPURows, count: Int, heads: Int, width: Int) throws(GPUError) {
        var a = Arguments()
        a.add(x.place)
        a.add(width, x.stride)
        try run(GPUPipelineKey(.spread), a, heads, count)
    }

    /// Computes the attention of consecutive queries from `position` on, each over the cached positions up to its own.
    /// - Parameter window: number of positions that a query attends to, itself included; nil for all.
    package func attend(
        _ queries: GPURows, count: Int, heads: Int, width: Int, position: Int, window: Int?, scale: Float, cap: Float,
        over cache: Cache, into out: GPURows
    ) throws(GPUError) {
        var a = Arguments()
        a.add(queries.place, cache.keys, cache.values, out.place)
        a.add(heads, cache.heads, width, queries.stride, out.stride, position, window ?? 0)
        a.add(scale, cap)
        try run(Self.attentionKey(cache.format), a, heads, count)
    }
}
