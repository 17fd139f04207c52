internal import HearthRuntime
internal import HearthSystem
internal import HearthText

/// An embedding model with its runner and store. Loaded by the first request.
@MainActor
final class WarmEmbedder {
    nonisolated let name: String
    nonisolated let runner: ModelRunner<TextEmbeddingEngine>
    private let path: String
    /// Status of the file when the model was opened.
    private let file: FileStatus?
    private let store: ModelStore<TextEmbeddingEngine>

    init(_ model: ServedModel, _ configuration: ServerConfiguration) throws {
        name = model.name
        path = model.path
        file = (try? SystemFiles().status(model.path)) ?? nil
        let engine = try TextEmbeddingEngine(
            path: model.path, threads: configuration.threads, folders: configuration.folders, whenMissing: .useFile)
        runner = ModelRunner(engine: engine)
        store = ModelStore(
            runner: runner, monitor: configuration.monitor, firstFrame: FirstFrameGate(isOpen: true))
        store.activity = .session
    }

    /// Whether loading failed and the file has changed since, so that another attempt makes sense.
    var isOutdated: Bool {
        guard case .failed = runner.state else { return false }
        return (try? SystemFiles().status(path)) ?? nil != file
    }

    /// Unloads the model.
    func retire() async {
        store.activity = .idle
        await runner.release(.finishInference)
    }
}
