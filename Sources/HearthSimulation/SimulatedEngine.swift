internal import Foundation
internal import HearthRuntime
internal import Synchronization

/// An engine without a model. Its random generator determines how long it takes, what progress it reports, whether it fails or
/// hangs, and how fast it reacts to cancellation. It records all calls in the context.
struct SimulatedEngine: ModelEngine {
    let world: SimulationContext
    /// Keeps the last progress function, to simulate late reports of a step that has ended.
    private let stale = LateReporter()

    init(world: SimulationContext) { self.world = world }

    static let work = Workload(compile: 1000, load: 600, warmUp: 400)
    static let total = 2000

    func profile() async throws -> RuntimeProfile {
        RuntimeProfile(
            model: "simulated", modelSHA256: "00", quantization: "none", contextLength: 0, computeUnits: "none",
            kernelSet: "none", runtimeVersion: "0", osBuild: "none", device: "simulated")
    }

    func workload() async throws -> Workload {
        world.note { facts in
            facts.reported = 0
            facts.preparations += 1
        }
        return Self.work
    }

    func compile(_ progress: WorkProgress) async throws -> Compilation<Int> {
        let isReused = world.roll { $0.chance(70) }
        try await run(.compile, progress, before: 0, size: Self.work.compile, brief: isReused)
        return Compilation(1, reused: isReused)
    }

    func load(_ compiled: Int, _ progress: WorkProgress) async throws -> SimulatedModel {
        try await run(.load, progress, before: Self.work.compile, size: Self.work.load)
        let model = SimulatedModel(world: world)
        world.note { $0.loaded(model.id) }
        return model
    }

    func warmUp(_ model: SimulatedModel, _ progress: WorkProgress) async throws {
        let before = Self.work.compile + Self.work.load
        if world.fault != .unprovenReady {
            try await run(.warmUp, progress, before: before, size: Self.work.warmUp, model: model.id)
        }
        world.note { facts in
            if world.fault != .unprovenReady { facts.held?.isWarm = true }
            facts.reported = 1
        }
    }

    func interrupt(_ model: SimulatedModel) {
        world.note { $0.interrupted(model.id) }
        model.interrupt()
    }

    func unload(_ model: SimulatedModel) async {
        world.note { $0.unloadBegan(model.id) }
        if let pause = world.roll({ $0.chance(40) ? $0.milliseconds(1...30) : nil }) {
            await world.clock.sleepThrough(pause)
        }
        world.note { $0.unloadEnded(model.id) }
    }

    // MARK: - Steps

    /// The planned behavior of a step.
    private struct Plan {
        var slices: [Duration]
        var fails: Bool
        var hangs: Bool
        var whenCancelled: Obedience
    }
    private enum Obedience {
        case ends
        case lags(Duration)
        /// Ignores the cancellation.
        case finishes
    }

    private func plan(brief: Bool) -> Plan {
        let (mustFail, isSlow) = world.note { facts in
            defer { (facts.mustFail, facts.mustBeSlow) = (false, false) }
            return (facts.mustFail, facts.mustBeSlow)
        }
        let rate = world.failureRate
        let hasLostAnswers = world.fault == .lostAnswer
        return world.roll { dice in
            let slices = (0..<dice.within(1...(brief ? 1 : 4))).map { _ in
                dice.milliseconds(1...(isSlow ? 2000 : 40))
            }
            let kind = dice.below(20)
            return Plan(
                slices: slices, fails: mustFail || dice.chance(rate),
                hangs: hasLostAnswers || isSlow && dice.chance(40),
                whenCancelled: hasLostAnswers || kind == 0
                    ? .finishes : kind < 5 ? .lags(dice.milliseconds(1...300)) : .ends)
        }
    }

    private func run(
        _ step: Workload.Step, _ progress: WorkProgress, before: Int, size: Int, model: Int? = nil, brief: Bool = false
    ) async throws {
        let state = world.state
        world.note { $0.stepBegan(step, on: model, state: state) }
        let plan = plan(brief: brief)
        do {
            try await withTaskCancellationHandler {
                try await carryOut(plan) { part in
                    // Some reports are invalid: beyond the end, or going back.
                    let done = world.roll { $0.chance(5) ? $0.within(-size...3 * size) : Int(part * Double(size)) }
                    let whole = Double(before + min(max(done, 0), size)) / Double(Self.total)
                    world.note { $0.reported = max($0.reported, whole) }
                    stale.reportSometimes(world)
                    progress(done)
                }
            } onCancel: {
                world.note { $0.stepWasCancelled() }
            }
            stale.keep(progress, before: before, size: size, world: world)
            world.note { $0.stepEnded(.success(())) }
        } catch {
            stale.keep(progress, before: before, size: size, world: world)
            world.note { $0.stepEnded(.failure(error)) }
            throw error
        }
    }

    private func carryOut(_ plan: Plan, report: (Double) -> Void) async throws {
        for (index, slice) in plan.slices.enumerated() {
            await pause(slice, plan.whenCancelled)
            if Task.isCancelled {
                switch plan.whenCancelled {
                case .ends: throw CancellationError()
                case .lags(let lag):
                    await world.clock.sleepThrough(lag)
                    throw CancellationError()
                case .finishes: break
                }
            }
            report(Double(index + 1) / Double(plan.slices.count))
        }
        if plan.hangs { try await hang() }
        if plan.fails { throw SimulatedFailure(number: world.note { $0.tally.failures + 1 }) }
    }

    private func pause(_ slice: Duration, _ obedience: Obedience) async {
        if case .finishes = obedience {
            await world.clock.sleepThrough(slice)
        } else {
            try? await world.clock.sleep(for: slice)
        }
    }

    /// Hangs until cancelled; with the fault `lostAnswer`, even after that.
    private func hang() async throws {
        if world.fault == .lostAnswer { return await world.clock.sleepThrough(SimulationContext.endOfTime) }
        try await world.clock.sleep(for: SimulationContext.endOfTime)
    }

    // MARK: - Uses

    /// A caller's use of the model.
    func use(_ model: SimulatedModel, by caller: Int) async throws {
        world.note { $0.useBegan(caller, of: model.id) }
        defer { world.note { $0.useEnded(caller) } }
        let (slices, fails, lags) = world.roll { dice in
            ((0..<dice.below(4)).map { _ in dice.milliseconds(1...60) }, dice.chance(5), dice.chance(15))
        }
        try await withTaskCancellationHandler {
            for slice in slices {
                if lags { await world.clock.sleepThrough(slice) } else { try? await world.clock.sleep(for: slice) }
                if model.isInterrupted || Task.isCancelled { throw CancellationError() }
            }
        } onCancel: {
            world.note { $0.use?.isCancelled = true }
        }
        if fails { throw SimulatedFailure(number: 0) }
    }
}

/// A model that tracks the lifetime of its memory.
final class SimulatedModel: Sendable {
    let id: Int
    private let world: SimulationContext
    private let interruption = Atomic(false)

    init(world: SimulationContext) {
        self.world = world
        id = world.note { $0.modelMade() }
    }

    deinit {
        world.note { [id] facts in facts.alive.removeAll { $0 == id } }
    }

    var isInterrupted: Bool { interruption.load(ordering: .acquiring) }
    func interrupt() { interruption.store(true, ordering: .releasing) }
}

/// The error of the simulated engine; each load failure has its own number.
struct SimulatedFailure: LocalizedError, Equatable {
    var number: Int
    var errorDescription: String? { "the simulated engine failed (number \(number))" }
}

/// Keeps the progress function of the last step that ended, and calls it at unexpected times.
private final class LateReporter: Sendable {
    private struct Kept {
        var progress: WorkProgress
        var load: Int
        var before: Int
        var size: Int
    }
    private let last = Mutex<Kept?>(nil)

    func keep(_ progress: WorkProgress, before: Int, size: Int, world: SimulationContext) {
        let load = world.note { $0.tally.loads }
        last.withLock { $0 = Kept(progress: progress, load: load, before: before, size: size) }
    }

    func reportSometimes(_ world: SimulationContext) {
        guard let done = world.roll({ $0.chance(5) ? $0.below(2000) : nil }), let kept = last.withLock({ $0 }) else {
            return
        }
        // Late progress of the current load is valid; progress of an earlier one must not be shown.
        let whole = Double(kept.before + min(done, kept.size)) / Double(SimulatedEngine.total)
        world.note { facts in
            if facts.tally.loads == kept.load { facts.reported = max(facts.reported, whole) }
        }
        kept.progress(done)
    }
}
