#if canImport(SwiftUI)
internal import HearthApple
internal import HearthSystem
public import HearthRuntime
public import SwiftUI

extension View {
    /// Ties a model to the view: the gate of the first frame opens when the view is up, the phase of the scene is reported from
    /// then on, and the model is loaded ahead of use if the policies allow it.
    ///
    ///     WishGrid(in: .english) { … }.modelLifecycle(store)
    ///
    /// - Parameters:
    ///   - store: what is told of it.
    ///   - log: where the times of each start are kept; nil keeps none.
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

    /// The start that has just ended.
    private func record() async {
        guard let log, store.state == .ready, let times = await store.runner.lastPreparation,
            let profile = try? await store.runner.engine.profile()
        else { return }
        _ = await StartupRecorder(log: log, processVersion: HearthVersion.number).record(profile, times)
    }
}
#endif
