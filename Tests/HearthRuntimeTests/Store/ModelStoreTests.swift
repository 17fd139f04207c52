import Foundation
import HearthRuntime
import Testing

/// A device that is as the test says.
private final class SteeredDevice: DeviceMonitor {
    private let value = LatestValue(DeviceConditions.calm)

    func current() -> DeviceConditions { value.value }
    /// Who listens has been told all so far.
    var isHeard: Bool { value.waiting == 1 }
    func set(_ change: @Sendable (inout DeviceConditions) -> Void) {
        value.update {
            change(&$0)
            return true
        }
    }

    func conditions() -> AsyncStream<DeviceConditions> {
        AsyncStream { continuation in
            let task = Task { [value] in
                var seen: UInt64 = 0
                while let (conditions, version) = await value.next(after: seen) {
                    seen = version
                    continuation.yield(conditions)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

@Suite("Model store", .timeLimit(.minutes(20)))
@MainActor
struct ModelStoreTests {
    private let device = SteeredDevice()

    private let executor = ManualExecutor()

    private func store(
        _ engine: ControlledEngine, gate: FirstFrameGate = FirstFrameGate(isOpen: true),
        on executor: ManualExecutor? = nil
    ) -> ModelStore<ControlledEngine> {
        ModelStore(runner: ModelRunner(engine: engine, executor: executor), monitor: device, firstFrame: gate)
    }

    private func reached(_ name: String, _ store: ModelStore<ControlledEngine>) async {
        await eventually { await store.state.name == name }
    }

    /// Until all that the store, its runner and its device set off has run: what did not happen by then will not.
    private func settle() async {
        let (device, executor) = (device, executor)
        await eventually {
            await executor.settle()
            return device.isHeard
        }
        await executor.settle()
    }

    @Test("Nothing is loaded before the first frame is up; then it is, without anybody waiting")
    func firstFrame() async throws {
        let engine = ControlledEngine()
        let gate = FirstFrameGate()
        let store = store(engine, gate: gate, on: executor)
        store.prewarmIfNeeded()
        await settle()
        #expect(engine.count(.compile) == 0 && store.state == .cold)
        gate.open()
        await settle()
        #expect(store.state == .ready && engine.count(.warmUp) == 1)
    }

    @Test("On a device that is not fit for it nothing is loaded ahead; the user gets his session all the same")
    func obstacle() async throws {
        let engine = ControlledEngine()
        device.set { ($0.isLowPower, $0.isCharging) = (true, false) }
        let store = store(engine, on: executor)
        store.prewarmIfNeeded()
        await settle()
        #expect(engine.count(.compile) == 0)
        #expect(store.notice?.contains("50 %") == true && store.budget.level == .reduced)
        store.activity = .session
        await settle()
        #expect(store.state == .ready)
    }

    @Test("A memory warning takes the model away, the session gets it back; critical heat does so until it falls")
    func conditions() async throws {
        let engine = ControlledEngine()
        let store = store(engine)
        store.activity = .session
        await reached("ready", store)
        device.set { $0.thermal = .critical }
        await reached("unavailable", store)
        await eventually { !engine.hasModelInMemory }
        #expect(store.notice?.contains("too hot") == true && engine.count(.unload) == 1)
        await #expect(throws: RunnerError.self) { try await store.withModel { _ in } }
        device.set { $0.thermal = .nominal }
        await reached("ready", store)
        #expect(engine.count(.load) == 2)
        device.set { $0.phase = .background }
        await reached("unavailable", store)
        device.set { $0.phase = .active }
        await reached("ready", store)
        #expect(engine.count(.load) == 3)
    }

    @Test("The phase that the app reports counts from then on, whatever the monitor says")
    func reportedPhase() async throws {
        let engine = ControlledEngine()
        let store = store(engine, on: executor)
        store.activity = .session
        await settle()
        #expect(store.state == .ready)
        store.report(phase: .background)
        #expect(store.conditions.phase == .background)
        await settle()
        #expect(!engine.hasModelInMemory && store.notice?.contains("background") == true)
        device.set { ($0.phase, $0.isLowPower) = (.active, true) }
        await settle()
        #expect(store.conditions.phase == .background && store.conditions.isLowPower && !engine.hasModelInMemory)
        store.report(phase: .active)
        await settle()
        #expect(store.state == .ready)
    }

    @Test(
        "While the model warms up, work waits its turn, gives up in time, or takes something else, as the caller chose")
    func patience() async throws {
        let engine = ControlledEngine(closed: [.load])
        let store = store(engine)
        store.prewarmIfNeeded()
        await reached("warming", store)
        let waiting = Task { try await store.withModel { $0.number } }
        let fallback = try await store.withModel(waitingAtMost: .zero) {
            $0.number
        } orElse: {
            $0 == .deadlineExceeded ? -1 : -2
        }
        #expect(fallback == -1)
        await #expect(throws: RunnerError.deadlineExceeded) {
            try await store.withModel(waitingAtMost: .milliseconds(5)) { $0.number }
        }
        #expect(store.state.name == "warming")
        engine.open(.load)
        #expect(try await waiting.value == 1)
        #expect(engine.count(.load) == 1)
    }

    @Test("A failure stays until somebody asks again")
    func retry() async throws {
        let engine = ControlledEngine(failing: [.warmUp])
        let store = store(engine, on: executor)
        store.activity = .session
        await settle()
        #expect(store.state.name == "failed")
        store.prewarmIfNeeded()
        engine.heal()
        await settle()
        #expect(engine.count(.load) == 1)
        store.retry()
        await settle()
        #expect(store.state == .ready && engine.count(.load) == 2)
    }

    @Test("A session is remembered as use, once each time it begins")
    func usage() {
        let store = store(ControlledEngine())
        store.activity = .session
        store.activity = .session
        store.activity = .idle
        store.activity = .session
        #expect(store.usage.sessions.count == 2)
        let begun = ModelStore(
            runner: ModelRunner(engine: ControlledEngine()), monitor: device, activity: .session)
        #expect(begun.usage.sessions.count == 1)
    }
}
