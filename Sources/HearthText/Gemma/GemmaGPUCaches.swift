internal import HearthCompute
internal import HearthGPU

/// The KV caches of one text in GPU memory: one for each layer with its own keys and values.
///
/// They are indexed by position, also those of local layers, so rewinding a text involves no ring buffer.
final class GemmaGPUCaches {
    private let caches: [GPUCommands.Cache]

    /// - Throws: `GPUError`.
    init(_ c: GemmaConfiguration, on device: GPUDevice, context: Int, format: KVCacheFormat) throws(GPUError) {
        var caches: [GPUCommands.Cache] = []
        for layer in c.layers.prefix(c.cachedLayers) {
            let bytes = Self.byteCount(layer, context: context, format: format)
            caches.append(
                GPUCommands.Cache(
                    keys: try GPUBuffer(device, byteCount: bytes).place,
                    values: try GPUBuffer(device, byteCount: bytes).place, heads: layer.keyValueHeads,
                    format: GPUKeyValueFormat(format)))
        }
        self.caches = caches
    }

    subscript(_ index: Int) -> GPUCommands.Cache { caches[index] }

    /// Size of all caches of a text in bytes.
    static func byteCount(_ c: GemmaConfiguration, context: Int, format: KVCacheFormat) -> Int {
        c.layers.prefix(c.cachedLayers).reduce(0) { $0 + 2 * byteCount($1, context: context, format: format) }
    }

    /// Size of the keys of a layer, and of its values.
    private static func byteCount(_ layer: GemmaConfiguration.Layer, context: Int, format: KVCacheFormat) -> Int {
        context * GPUKeyValueFormat(format).byteCount(heads: layer.keyValueHeads, width: layer.headWidth)
    }
}

extension GPUKeyValueFormat {
    init(_ format: KVCacheFormat) {
        self =
            switch format {
            case .float32: .float32
            case .float16: .float16
            case .int8: .int8
            case .int4: .int4
            }
    }
}
