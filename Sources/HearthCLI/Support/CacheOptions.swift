import HearthCompute
import HearthText

extension KVCacheFormat: ExpressibleByArgument {}
extension FullContext: ExpressibleByArgument {}

/// `--kv`: the format of the KV cache.
struct CacheOptions: ParsableArguments {
    @Option(
        valueName: "F",
        help: "KV cache format: float32, float16 (half the memory; default), int8 (a quarter) or int4 (an eighth).")
    var kv: KVCacheFormat?

    /// The requested format, or the default of commands that generate text.
    var format: KVCacheFormat { kv ?? TextGenerator.defaultCacheFormat }
}
