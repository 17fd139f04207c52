internal import HearthRuntime
internal import HearthSystem
internal import HearthText

/// An embedding model, its owner and the store that watches the device for it. It is loaded by the first request.
@MainActor
final class WarmEmbedder {
    nonisolated let name: String
    nonisolated let runner: ModelRunner<TextEmbeddingEngine>
    private let path: String
    /// The file when the model was opened.
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

    /// Whether it could not be loaded, and its file is another one by now: worth another try.
    var isOutdated: Bool {
        guard case .failed = runner.state else { return false }
        return (try? SystemFiles().status(path)) ?? nil != file
    }

    /// Gives the memory back.
    func retire() async {
        store.activity = .idle
        await runner.release(.finishInference)
    }
}
