internal import HearthRuntime
internal import HearthStory
internal import HearthSystem
internal import HearthText

/// A text generation model with its runner and store.
@MainActor
final class WarmModel {
    nonisolated let name: String
    nonisolated let path: String
    /// Size of its file, which warming reads.
    nonisolated let bytes: Int
    /// Status of the file when the model was opened.
    private let file: FileStatus?
    nonisolated let runner: ModelRunner<TextEngine>
    /// Number of texts that it generates concurrently.
    nonisolated let parallel: Int
    /// Kept by the store within the device's budget, unless the configuration has one.
    nonisolated let pace: GenerationPace
    private let store: ModelStore<TextEngine>

    init(_ model: ServedModel, _ configuration: ServerConfiguration) throws {
        name = model.name
        path = model.path
        file = (try? SystemFiles().status(model.path)) ?? nil
        bytes = file?.size ?? 0
        // Story prompts have nearly the same beginning for every wish, so it is computed in advance.
        var engine = try TextEngine(
            path: model.path, threads: configuration.threads, kernels: configuration.kernels,
            cacheFormat: configuration.cacheFormat,
            parallel: configuration.parallel
                ?? BatchMemory.texts(path: model.path, format: configuration.cacheFormat),
            folders: configuration.folders, whenMissing: .useFile, opening: Storyteller.prelude(in: .english))
        engine.compute = configuration.compute
        engine.adapters = model.adapters
        parallel = engine.parallel
        engine.onGPUFailure = { [tell = configuration.onNotice] in tell?("continuing on the CPU: " + $0) }
        runner = ModelRunner(engine: engine, uses: parallel)
        let own = GenerationPace()
        pace = configuration.pace ?? own
        store = ModelStore(
            runner: runner, monitor: configuration.monitor, firstFrame: FirstFrameGate(isOpen: true),
            onChange: { budget, _ in own.share = budget.share })
        own.share = store.budget.share
    }

    /// Whether loading failed and the file has changed since, so that another attempt makes sense.
    var isOutdated: Bool {
        guard case .failed = runner.state else { return false }
        return (try? SystemFiles().status(path)) ?? nil != file
    }

    /// Loads it ahead of use, if the device allows.
    func warmUp() { store.activity = .session }

    /// Unloads the model, to make way for another one.
    func retire() async {
        store.activity = .idle
        await runner.release(.finishInference)
    }

    /// The device's last known conditions.
    var conditions: DeviceConditions { store.conditions }
    /// The current inference budget.
    var level: InferenceBudget.Level { store.budget.level }
}
