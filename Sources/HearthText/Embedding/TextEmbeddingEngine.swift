internal import HearthCompute
internal import HearthDelivery
internal import HearthGGUF
package import HearthRuntime
package import HearthSystem

/// The engine for embedding models: what ``TextEngine`` is for models that generate. Files and artifacts are the same.
package struct TextEmbeddingEngine: ModelEngine {
    private let text: TextEngine
    private let threads: Int?
    private let kernels: KernelSet

    /// - Parameters:
    ///   - path: a GGUF file, or the folder of a compiled artifact.
    ///   - threads: nil takes one for each processor.
    ///   - folders: where artifacts are stored; nil stores none.
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

    /// Embeds an empty text: the vector has to be finite.
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
    /// Whether a model gives embeddings and generates no text, as far as its file or artifact can be read.
    package static func givesEmbeddings(path: String) -> Bool {
        if let there = try? SystemFiles().status(path), there.kind == .folder {
            guard let artifact = try? TextCompiler.open(folder: path) else { return false }
            return artifact.artifact.record.content.configuration.embedding != nil
        }
        let name = try? GGUFFile(path: path).metadata.string("general.architecture")
        return name == GemmaArchitecture.embedding.rawValue
    }
}
