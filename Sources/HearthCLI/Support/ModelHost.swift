import Foundation
import HearthCompute
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText
import Synchronization

/// One model of one command: its runner, the store that watches the device for it, and the lines that say why the device makes
/// it do less.
@MainActor
final class ModelHost {
    let runner: ModelRunner<TextEngine>
    /// Kept by the store to what the device can bear.
    let pace = GenerationPace()
    private let store: ModelStore<TextEngine>
    private let notices: Notices
    private let engine: TextEngine
    private let folders: HearthFolders?
    private let context: Int?
    /// How much of the model lay in the page cache before.
    private let residentFraction: Double?

    /// - Parameters:
    ///   - opening: the text that is wanted; the model is tried out with it.
    ///   - notices: what is told of the device.
    init(
        _ model: String, context: Int?, threads: Int?, cache: KVCacheFormat, drafts: Bool, monitor: any DeviceMonitor,
        notices: Notices,
        opening: @escaping @Sendable (TextModel) throws -> TextProgress
    ) throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        residentFraction = PageCache.residentFraction(path)
        let engine = try TextEngine(
            path: path, contextLength: context, threads: threads, kernels: kernels, cacheFormat: cache,
            usesDrafts: drafts,
            folders: folders, whenMissing: .useFile,
            opening: opening, onDrift: { ModelOpening.tell($0) })
        self.engine = engine
        self.folders = folders
        self.context = context
        runner = ModelRunner(engine: engine)
        self.notices = notices
        store = ModelStore(
            runner: runner, monitor: monitor, firstFrame: FirstFrameGate(isOpen: true),
            onChange: { [pace, notices] budget, notice in
                pace.share = budget.share
                notices.tell(notice, budget.level)
            })
        // The device as it is now may forbid it at once; what changes later is told by the store.
        pace.share = store.budget.share
        notices.tell(store.notice, store.budget.level)
        store.activity = .session
    }

    /// Has the artifact made in the background where the next start would feel it; when the user has what he wanted.
    func compileForNextTime() async {
        guard folders != nil, let times = await runner.lastPreparation, !times.reused,
            let header = try? await runner.withModel(waitingAtMost: .zero, { $0.model.headerBytes }),
            header >= ModelOpening.worthCompiling
        else { return }
        ModelOpening.compileInBackground(engine.path, context: context)
    }

    /// Logs what the start cost, when the user has what he wanted. Nothing that goes wrong here is an error.
    func logStart() async {
        let recorder = StartupRecorder(log: StartupLog(folders: folders), processVersion: HearthVersion.number)
        if let notice = await recorder.record(lastStartOf: runner, residentFraction: residentFraction) {
            Output.error.writeLine("hearth: note: " + notice.withVisibleControls)
        }
    }

    /// What the last preparation cost in milliseconds.
    func loadMS() async -> Double? { await runner.lastPreparation?.totalMS }
}

/// The one-line reasons why heat, memory or power change what a command does.
final class Notices: Sendable {
    private let current = Mutex<String?>(nil)
    private let wording: @Sendable (String, InferenceBudget.Level) -> String?
    private let show: @Sendable (String) -> Void

    /// - Parameters:
    ///   - wording: how a reason is put; nil for one that is not worth a line.
    ///   - show: prints a line.
    init(
        wording: @escaping @Sendable (String, InferenceBudget.Level) -> String? = { reason, _ in reason },
        show: @escaping @Sendable (String) -> Void = { Output.error.writeLine("hearth: note: \($0)") }
    ) {
        (self.wording, self.show) = (wording, show)
    }

    /// Shows a reason that is new; nil means that nothing stands in the way any more.
    func tell(_ reason: String?, _ level: InferenceBudget.Level) {
        let notice = reason.flatMap { wording($0, level) }
        let isNew = current.withLock { current in
            defer { current = notice }
            return notice != nil && notice != current
        }
        if isNew, let notice { show(notice) }
    }
}
