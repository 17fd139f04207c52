internal import HearthRuntime
internal import HearthStory
internal import HearthSystem
internal import HearthText

/// One model and those who look after it: its owner, and the store that watches the device for it.
@MainActor
final class WarmModel {
    nonisolated let name: String
    nonisolated let path: String
    /// Of its file; what warming up reads.
    nonisolated let bytes: Int
    /// The file when the model was opened.
    private let file: FileStatus?
    nonisolated let runner: ModelRunner<TextEngine>
    /// Texts that it writes at the same time.
    nonisolated let parallel: Int
    /// Kept by the store to what the device can bear.
    nonisolated let pace = GenerationPace()
    private let store: ModelStore<TextEngine>

    init(_ model: ServedModel, _ configuration: ServerConfiguration) throws {
        name = model.name
        path = model.path
        file = (try? SystemFiles().status(model.path)) ?? nil
        bytes = file?.size ?? 0
        // A story begins with much the same words whatever the wish: they are computed while nobody waits.
        var engine = try TextEngine(
            path: model.path, threads: configuration.threads, cacheFormat: configuration.cacheFormat,
            parallel: configuration.parallel
                ?? BatchMemory.texts(path: model.path, format: configuration.cacheFormat),
            folders: configuration.folders, whenMissing: .useFile, opening: Storyteller.prelude(in: .english))
        engine.compute = configuration.compute
        parallel = engine.texts
        engine.onGPUFailure = { [tell = configuration.onNotice] in tell?("the CPU goes on: " + $0) }
        runner = ModelRunner(engine: engine, uses: parallel)
        store = ModelStore(
            runner: runner, monitor: configuration.monitor, firstFrame: FirstFrameGate(isOpen: true),
            onChange: { [pace] budget, _ in pace.share = budget.share })
        pace.share = store.budget.share
    }

    /// Whether it could not be loaded, and its file is another one by now: worth another try.
    var isOutdated: Bool {
        guard case .failed = runner.state else { return false }
        return (try? SystemFiles().status(path)) ?? nil != file
    }

    /// Loads it ahead of use, as the device allows.
    func warmUp() { store.activity = .session }

    /// Gives the memory back; another model comes in its place.
    func retire() async {
        store.activity = .idle
        await runner.release(.finishInference)
    }

    /// The device as it was last seen.
    var conditions: DeviceConditions { store.conditions }
    /// How much may be computed now.
    var level: InferenceBudget.Level { store.budget.level }
}
