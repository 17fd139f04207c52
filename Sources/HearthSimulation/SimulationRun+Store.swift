internal import Foundation
internal import HearthRuntime

/// A life with a store: device and user change, and the store controls the runner according to its policies.
extension SimulationRun {
    func addStore() {
        guard let runner else { return }
        var conditions = DeviceConditions.calm
        conditions.batteryLevel = 0.9
        let device = SimulatedDevice(conditions)
        let gate = FirstFrameGate(isOpen: life.isFrameUp)
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        let store = ModelStore(
            runner: runner, monitor: device, firstFrame: gate, clock: clock, today: { date })
        world.note { $0.hasStore = true }
        self.device = device
        self.store = store
        isStoreAlive = { [weak store] in store != nil }
    }

    func actOnDevice(_ action: LifeEvent.Action) {
        switch action {
        case .heat(let state): device?.change { $0.thermal = state }
        case .memory(let pressure): device?.change { $0.memoryPressure = pressure }
        case .battery(let level, let isCharging, let isLowPower):
            device?.change { conditions in
                (conditions.batteryLevel, conditions.isCharging) = (level, isCharging)
                conditions.isLowPower = isLowPower
            }
        case .phase(let phase): device?.change { $0.phase = phase }
        case .activity(let activity): store?.activity = activity
        case .prewarm: store?.prewarmIfNeeded()
        case .retry: store?.retry()
        case .firstFrame: store?.firstFrame.open()
        default: break
        }
    }

    /// Compares the store's state with the runner, and the device's conditions with the loaded model. Called when no jobs are
    /// left.
    func checkStore() {
        guard let store, let device else { return }
        let (state, conditions) = (world.state, device.current())
        if store.state != state {
            violate(.truth, "the store shows \(store.state.name), the runner is \(state.name)")
        }
        let shown = store.conditions
        if shown.thermal != conditions.thermal || shown.phase != conditions.phase {
            violate(.truth, "the store missed a change of the device")
        }
        let isForbidden =
            conditions.memoryPressure == .critical || conditions.thermal == .critical || conditions.phase == .background
        guard isForbidden else { return }
        if case .unavailable = state {} else { violate(.suspension, "\(state.name) although the device forbids it") }
        if store.notice == nil { violate(.truth, "nothing is said about why the model is unavailable") }
        if world.note({ $0.step.map { !$0.isCancelled } ?? false }) {
            violate(.suspension, "a model is being loaded although the device forbids it")
        }
    }

    /// Checks that the model becomes ready by itself once nothing prevents it and the user wants a session.
    func endStore() async {
        guard store != nil else { return }
        device?.change { conditions in
            conditions = .calm
            conditions.thermal = .nominal
        }
        store?.firstFrame.open()
        store?.activity = .session
        await settle()
        let isHanging = world.note { $0.step != nil }
        switch world.state {
        case .ready, .failed: break
        case .warming where isHanging: break
        default: violate(.truth, "\(world.state.name) although nothing prevents a session")
        }
        self.store = nil
        self.device = nil
        await rest()
        world.note { $0.hasStore = false }
        if isStoreAlive() { violate(.leaks, "the store is still there") }
    }
}
