internal import Foundation
package import HearthCompute
package import HearthCoreML
package import HearthGPU
package import HearthRuntime
internal import HearthSystem
package import HearthText
internal import Synchronization

/// A model with everything that a program needs to use it: lookup by name, a lease, a runner, adaptation to device
/// conditions, and logged startup times.
package final class ModelHost<Engine: ModelEngine>: Sendable {
    package let runner: ModelRunner<Engine>
    /// The generation speed; ``watch(_:_:apply:)`` keeps it within the device's budget.
    package let pace = GenerationPace()
    private let folders: HearthFolders?
    /// Share of the model that was in the page cache before loading.
    private let residentFraction: Double?
    private let store = Mutex<ModelStore<Engine>?>(nil)

    private init(path: String, folders: HearthFolders?, engine: Engine, uses: Int = 1) {
        self.folders = folders
        residentFraction = PageCache.residentFraction(path)
        runner = ModelRunner(engine: engine, uses: uses)
    }

    /// Adapts the model's speed to the device's conditions, and whether it may be loaded at all, as long as this host
    /// exists.
    /// - Parameters:
    ///   - monitor: reports the device's conditions.
    ///   - notices: receives why the model is slowed down.
    ///   - apply: receives the budget now and at each change.
    @MainActor
    package func watch(
        _ monitor: any DeviceMonitor, _ notices: DeviceNotices,
        apply: @escaping @Sendable (InferenceBudget) -> Void = { _ in }
    ) {
        let store = ModelStore(
            runner: runner, monitor: monitor, firstFrame: FirstFrameGate(isOpen: true), activity: .session,
            onChange: { [pace] budget, notice in
                pace.share = budget.share
                apply(budget)
                notices.tell(notice, budget.level)
            })
        // The current conditions may already forbid work; the store reports only changes.
        pace.share = store.budget.share
        apply(store.budget)
        notices.tell(store.notice, store.budget.level)
        self.store.withLock { $0 = store }
    }

    /// Logs startup times.
    private var recorder: StartupRecorder {
        StartupRecorder(log: StartupLog(folders: folders), processVersion: HearthVersion.number)
    }
}

extension ModelHost where Engine == TextEngine {
    /// - Parameters:
    ///   - model: a path, or the name of an installed or bundled model.
    ///   - context: context length in tokens; nil for the default, at most what the model was trained for.
    ///   - threads: nil for the processors of the performance cores.
    ///   - drafts: whether to use speculative decoding.
    ///   - adapters: LoRA adapters to generate with.
    ///   - texts: maximum number of texts generated concurrently.
    ///   - opening: the prompt that will be needed first; the warm-up processes it.
    ///   - onDrift: receives the fields of the profile that changed since the model was compiled.
    ///   - onGPUFailure: receives the reason when the CPU takes over from the GPU.
    /// - Throws: ``ModelCatalogError``.
    package convenience init(
        _ model: String, context: Int?, threads: Int?, kernels: KernelSet, compute: TextCompute, cache: KVCacheFormat,
        drafts: Bool, adapters: [TextAdapter], texts: Int = 1,
        opening: @escaping @Sendable (TextModel) throws -> TextProgress,
        onDrift: @escaping @Sendable ([String]) -> Void,
        onGPUFailure: @escaping @Sendable (String) -> Void
    ) throws {
        let path = try ModelLocator.using.path(of: model)
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        var engine = try TextEngine(
            path: path, contextLength: context, threads: threads, kernels: kernels, cacheFormat: cache,
            usesDrafts: drafts, parallel: texts, folders: folders, whenMissing: .useFile, opening: opening,
            onDrift: onDrift)
        engine.compute = compute
        engine.adapters = adapters
        engine.onGPUFailure = onGPUFailure
        self.init(path: path, folders: folders, engine: engine, uses: engine.parallel)
    }

    /// Whether compiling the model now would make the next start noticeably faster.
    package func wantsCompiling() async -> Bool {
        guard folders != nil, let times = await runner.lastPreparation, !times.reused,
            let header = try? await runner.withModel(waitingAtMost: .zero, { $0.model.headerBytes })
        else { return false }
        return header >= ModelOpening.worthCompiling
    }

    /// Logs the startup times. Never fails.
    /// - Returns: a one-line message for the user; nil if there is none.
    package func logStart() async -> String? {
        await recorder.record(lastStartOf: runner, residentFraction: residentFraction)
    }
}

extension ModelHost where Engine == CoreMLEngine {
    /// - Parameters:
    ///   - model: a path, or the name of an installed model.
    ///   - threads: nil for as many as `units` implies.
    ///   - gpu: runs the network; nil for the CPU.
    ///   - requiresGPU: whether loading fails if the GPU cannot run it; otherwise the CPU does.
    ///   - onDrift: receives the fields of the profile that changed since the model was compiled.
    ///   - onGPUFailure: receives the reason when the CPU takes over from the GPU.
    /// - Throws: ``ModelCatalogError``.
    package convenience init(
        _ model: String, units: ComputeUnits, threads: Int?, kernels: KernelSet, gpu: GPUDeviceInfo?,
        requiresGPU: Bool = true,
        onDrift: @escaping @Sendable ([String]) -> Void, onGPUFailure: @escaping @Sendable (String) -> Void
    ) throws {
        let path = try ModelLocator.using.path(of: model)
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        var engine = try CoreMLEngine(
            path: path, units: units, threads: threads, kernels: kernels, folders: folders, onDrift: onDrift)
        engine.gpu = gpu
        engine.requiresGPU = requiresGPU
        engine.onGPUFailure = onGPUFailure
        self.init(path: path, folders: folders, engine: engine)
    }

    /// The model's inputs and outputs. Prepares the model first if needed.
    package func interface() async throws -> CoreMLInterface { try await runner.withSoundModel { $0.interface } }

    /// Logs the startup times. Never fails.
    /// - Returns: a one-line message for the user; nil if there is none.
    package func logStart() async -> String? {
        let recorder = recorder
        guard recorder.isLogging, let times = await runner.lastPreparation,
            let profile = try? await runner.engine.profile()
        else { return nil }
        return await recorder.record(profile, times, residentFraction: residentFraction)
    }
}
