#if canImport(SwiftUI)
internal import HearthApple
internal import HearthSystem
public import HearthRuntime
public import SwiftUI

extension View {
    /// Connects a model to the view's lifecycle: opens the first-frame gate when the view appears, reports the scene's phase,
    /// and prewarms the model if the policies permit it.
    ///
    ///     WishGrid(in: .english) { … }.modelLifecycle(store)
    ///
    /// - Parameters:
    ///   - store: the store of the model.
    ///   - log: records the times of each start; nil for no recording.
    public func modelLifecycle<Engine>(_ store: ModelStore<Engine>, log: StartupLog? = nil) -> some View {
        modifier(ModelLifecycle(store: store, log: log))
    }
}

private struct ModelLifecycle<Engine: ModelEngine>: ViewModifier {
    let store: ModelStore<Engine>
    let log: StartupLog?
    @Environment(\.scenePhase) private var scenePhase

    func body(content: Content) -> some View {
        content
            .onChange(of: scenePhase, initial: true) { store.report(phase: AppPhase(scenePhase)) }
            .task {
                store.firstFrame.open()
                store.prewarmIfNeeded()
            }
            .task(id: store.state == .ready) { await record() }
    }

    /// Records the start that has just completed.
    private func record() async {
        guard let log, store.state == .ready, let times = await store.runner.lastPreparation,
            let profile = try? await store.runner.engine.profile()
        else { return }
        _ = await StartupRecorder(log: log, processVersion: HearthVersion.number).record(profile, times)
    }
}
#endif
