import Foundation
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

    /// - Parameters:
    ///   - opening: the text that is wanted; the model is tried out with it.
    ///   - notices: what is told of the device.
    init(
        _ model: String, context: Int?, threads: Int?, monitor: any DeviceMonitor, notices: Notices,
        opening: @escaping @Sendable (LanguageModel) throws -> TextProgress
    ) throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        let engine = try TextEngine(
            path: path, contextLength: context, threads: threads, kernels: kernels,
            folders: HearthFolders(environment: ProcessInfo.processInfo.environment), whenMissing: .useFile,
            opening: opening)
        runner = ModelRunner(engine: engine)
        self.notices = notices
        store = ModelStore(
            runner: runner, monitor: monitor, firstFrame: FirstFrameGate(isOpen: true),
            onChange: { [pace, notices] budget, notice in
                pace.share = budget.share
                notices.tell(notice)
            })
        // The device as it is now may forbid it at once; what changes later is told by the store.
        pace.share = store.budget.share
        notices.tell(store.notice)
        store.activity = .session
    }

    /// Where the model is now.
    var state: ModelState { runner.state }
}

/// The one-line reasons why heat, memory or power change what a command does.
final class Notices: Sendable {
    private let told = Mutex<(last: String?, current: String?)>((nil, nil))

    /// The one that counts now, or the last one that did.
    var last: String? { told.withLock { $0.last } }

    /// Prints a reason that is new; nil means that nothing stands in the way any more.
    func tell(_ notice: String?) {
        let isNew = told.withLock { told in
            defer { told = (notice ?? told.last, notice) }
            return notice != nil && notice != told.current
        }
        if isNew, let notice { Output.error.writeLine("hearth: note: \(notice)") }
    }
}
