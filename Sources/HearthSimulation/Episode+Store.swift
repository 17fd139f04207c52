internal import Foundation
internal import HearthRuntime

/// A life with a store: the device and the user change, and the store tells the runner what its policies say.
extension Episode {
    static let withStore: [(EventKind, Int)] = [
        (.prepare, 5), (.use, 18), (.cancel, 5), (.release, 2), (.failure, 2), (.slow, 2), (.observe, 2), (.leave, 1),
        (.work, 10), (.time, 30), (.heat, 5), (.memory, 4), (.battery, 4), (.phase, 4), (.activity, 8),
    ]

    func addStore() {
        guard let runner else { return }
        var conditions = DeviceConditions.calm
        conditions.batteryLevel = 0.9
        let device = SimulatedDevice(conditions)
        let gate = FirstFrameGate(isOpen: dice.chance(70))
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        let store = ModelStore(
            runner: runner, monitor: device, firstFrame: gate, clock: clock, today: { date })
        world.note { $0.hasStore = true }
        self.device = device
        self.store = store
        isStoreAlive = { [weak store] in store != nil }
    }

    /// - Returns: what stands in the trace.
    func actOnDevice(_ kind: EventKind) -> Int {
        let number = dice.below(100)
        switch kind {
        case .heat:
            let steps: [ThermalState] = [.nominal, .nominal, .fair, .serious, .critical, .unknown]
            device?.change { $0.thermal = steps[number % steps.count] }
        case .memory:
            let steps: [MemoryPressure] = [.normal, .normal, .warning, .critical]
            device?.change { $0.memoryPressure = steps[number % steps.count] }
        case .battery:
            device?.change { conditions in
                conditions.batteryLevel = Double(number) / 100
                conditions.isCharging = number % 2 == 0
                conditions.isLowPower = number < 20
            }
        case .phase:
            let phases: [AppPhase] = [.active, .active, .inactive, .background]
            device?.change { $0.phase = phases[number % phases.count] }
        case .activity:
            switch number % 8 {
            case 0: store?.activity = .idle
            case 1: store?.prewarmIfNeeded()
            case 2: store?.retry()
            case 3: store?.firstFrame.open()
            default: store?.activity = UserActivity.allCases[number % 3]
            }
        default: return 0
        }
        return number
    }

    /// What a view is shown beside the runner, and the device beside what is loaded; when nothing is left to run.
    func checkStore() {
        guard let store, let device else { return }
        let (state, conditions) = (world.state, device.current())
        if store.state != state {
            violate(.truth, "the store shows \(store.state.name), the runner is \(state.name)")
        }
        if store.conditions.thermal != conditions.thermal || store.conditions.phase != conditions.phase {
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

    /// Nothing stands in the way any more and the user wants a session: the model has to come by itself.
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
        default: violate(.truth, "\(world.state.name) although nothing stands in the way of a session")
        }
        self.store = nil
        self.device = nil
        await rest()
        world.note { $0.hasStore = false }
        if isStoreAlive() { violate(.leaks, "the store is still there") }
    }
}
