package import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
internal import HearthSystem

/// How many texts fit the memory at the same time.
package enum BatchMemory {
    /// Bytes for keys and values of all texts together where nobody says: an eighth of what this process may use. The rest is
    /// for the weights, which the system can drop and read again, and for other programs.
    package static var budget: Int { ProcessMemory.limit() / 8 }
    /// More texts at once make each of them slower, and together hardly faster.
    private static let most = 8

    /// Texts that are written at the same time where nobody says: as many as fit the budget with the whole context each, at least
    /// one and at most eight.
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

    /// The same for a model that is not loaded yet, by its file's header or its artifact; 1 where that cannot be read.
    package static func texts(path: String, format: KVCacheFormat) -> Int {
        if let there = try? SystemFiles().status(path), there.kind == .folder {
            let artifact = try? TextCompiler.open(folder: path)
            return artifact.map { texts($0.artifact.record.content.configuration, format: format) } ?? 1
        }
        let configuration = (try? GGUFFile(path: path)).flatMap { try? GemmaConfiguration(gguf: $0) }
        return configuration.map { texts($0, format: format) } ?? 1
    }
}
