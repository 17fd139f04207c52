package import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
internal import HearthSystem

/// How many texts can be generated concurrently within the memory budget.
package enum BatchMemory {
    /// Default KV cache budget of all texts together, in bytes: an eighth of the memory this process may use. The rest is left
    /// for the weights, which the system can evict and read again, and for other programs.
    package static var budget: Int { ProcessMemory.limit() / 8 }
    /// More concurrent texts slow each one down and hardly raise total throughput.
    private static let most = 8

    /// Default number of texts generated concurrently: as many as fit the budget with a full context each, between one and eight.
    package static func texts(
        _ configuration: GemmaConfiguration, contextLength: Int? = nil, format: KVCacheFormat,
        budget: Int = budget
    ) -> Int {
        let trained = configuration.contextLength
        let context = min(contextLength ?? TextGenerator.defaultContextLength, trained)
        let each = configuration.cacheBytes(
            tokens: context, maximumStep: TextGenerator.defaultMaximumStep, format: format)
        return min(max(budget / max(each, 1), 1), most)
    }

    /// The same for a model that is not loaded yet, from its file's header or its artifact; 1 if that cannot be read.
    package static func texts(path: String, format: KVCacheFormat) -> Int {
        if let there = try? SystemFiles().status(path), there.kind == .folder {
            let artifact = try? TextCompiler.open(folder: path)
            return artifact.map { texts($0.artifact.record.content.configuration, format: format) } ?? 1
        }
        let configuration = (try? GGUFFile(path: path)).flatMap { try? GemmaConfiguration(gguf: $0) }
        return configuration.map { texts($0, format: format) } ?? 1
    }
}
