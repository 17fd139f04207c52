internal import HearthRuntime
internal import HearthSystem
internal import Synchronization

/// The state shared by engine, callers and driver of a life: the oracle, the random generator and the clock.
final class SimulationContext: Sendable {
    /// A duration longer than any simulation.
    static let endOfTime = Duration.seconds(1_000_000_000)

    let clock: VirtualClock
    private let facts: Mutex<LifecycleOracle>
    private let dice: Mutex<SplitMix64>
    /// Access to the runner's state without retaining the runner.
    private let probe = Mutex(Probe())
    /// The failure rate in percent.
    let failureRate: Int
    let fault: SimulationFault?

    init(clock: VirtualClock, dice: SplitMix64, failureRate: Int, fault: SimulationFault?) {
        self.clock = clock
        self.dice = Mutex(dice)
        self.failureRate = failureRate
        self.fault = fault
        facts = Mutex(LifecycleOracle())
    }

    func note<Result: Sendable>(_ body: (inout LifecycleOracle) -> Result) -> Result {
        facts.withLock { body(&$0) }
    }

    /// Replaces the random generator, so that results do not depend on how often the old one was used.
    func deal(_ new: SplitMix64) { dice.withLock { $0 = new } }

    func roll<Result: Sendable>(_ body: (inout SplitMix64) -> Result) -> Result {
        dice.withLock { body(&$0) }
    }

    /// Observes a runner without retaining it.
    func watch(_ runner: ModelRunner<SimulatedEngine>) { probe.withLock { $0.runner = runner } }

    var state: ModelState { runner?.state ?? .cold }
    var hasRunner: Bool { runner != nil }
    private var runner: ModelRunner<SimulatedEngine>? { probe.withLock { $0.runner } }

    private struct Probe {
        weak var runner: ModelRunner<SimulatedEngine>?
    }
}
