import HearthCompute
import HearthText

extension KVCacheFormat: ExpressibleByArgument {}

/// `--kv`: the format of the KV cache.
struct CacheOptions: ParsableArguments {
    @Option(
        valueName: "F",
        help: "How keys and values are kept: float32, float16 (half the memory; default) or int8 (a quarter).")
    var kv: KVCacheFormat?

    /// The requested format, or the default of commands that generate text.
    var format: KVCacheFormat { kv ?? TextGenerator.defaultCacheFormat }
}
