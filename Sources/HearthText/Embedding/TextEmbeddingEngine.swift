internal import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
package import HearthRuntime
package import HearthSystem

/// The engine for embedding models, as ``TextEngine`` is for generating ones. It uses the same files and artifacts.
package struct TextEmbeddingEngine: ModelEngine {
    private let text: TextEngine
    private let threads: Int?
    private let kernels: KernelSet

    /// - Parameters:
    ///   - path: a GGUF file, or the folder of a compiled artifact.
    ///   - threads: number of threads; nil for the processors of the performance cores.
    ///   - folders: where artifacts are stored; nil to store none.
    ///   - whenMissing: what to do if there is no compiled artifact yet.
    package init(
        path: String, threads: Int? = nil, folders: HearthFolders?, whenMissing: TextEngine.MissingArtifact = .compile
    ) throws {
        kernels = try KernelSet.selected(by: nil)
        text = try TextEngine(path: path, kernels: kernels, folders: folders, whenMissing: whenMissing)
        self.threads = threads
    }

    package func profile() async throws -> RuntimeProfile { try await text.profile() }
    package func workload() async throws -> Workload { try await text.workload() }
    package func compile(_ progress: WorkProgress) async throws -> Compilation<TextEngine.Source> {
        try await text.compile(progress)
    }

    package func load(_ source: TextEngine.Source, _ progress: WorkProgress) async throws -> TextEmbedder {
        try await OwnThread.run { [path = text.path, threads, kernels] _ in
            try TextEmbedder(model: TextEngine.model(source, path), threads: threads, kernels: kernels)
        }
    }

    /// Embeds an empty text, and fails if the vector is not finite.
    package func warmUp(_ embedder: TextEmbedder, _ progress: WorkProgress) async throws {
        _ = try await embedder.embed([""])
        progress(embedder.model.weightBytes)
    }

    package func interrupt(_ embedder: TextEmbedder) { embedder.close() }

    package func unload(_ embedder: TextEmbedder) async {
        embedder.close()
        await embedder.waitUntilIdle()
    }
}

extension TextModel {
    /// Whether a file or artifact is an embedding model; false if it cannot be read.
    package static func givesEmbeddings(path: String) -> Bool {
        if let there = try? SystemFiles().status(path), there.kind == .folder {
            guard let artifact = try? TextCompiler.open(folder: path) else { return false }
            return artifact.artifact.record.content.configuration.embedding != nil
        }
        let name = try? GGUFFile(path: path).metadata.string("general.architecture")
        return name == GemmaArchitecture.embedding.rawValue
    }
}
