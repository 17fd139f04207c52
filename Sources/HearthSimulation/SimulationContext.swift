internal import HearthRuntime
internal import HearthSystem
internal import Synchronization

/// What engine, callers and driver of one life share: the facts, the dice, the time.
final class SimulationContext: Sendable {
    /// Longer than any simulation waits.
    static let endOfTime = Duration.seconds(1_000_000_000)

    let clock: VirtualClock
    private let facts: Mutex<LifecycleOracle>
    private let dice: Mutex<SplitMix64>
    /// The runner's state now, without keeping the runner.
    private let probe = Mutex(Probe())
    /// A percentage.
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

    /// New dice: what they show does not depend on how often the old ones were thrown.
    func deal(_ new: SplitMix64) { dice.withLock { $0 = new } }

    func roll<Result: Sendable>(_ body: (inout SplitMix64) -> Result) -> Result {
        dice.withLock { body(&$0) }
    }

    /// Looks at a runner without keeping it.
    func watch(_ runner: ModelRunner<SimulatedEngine>) { probe.withLock { $0.runner = runner } }

    var state: ModelState { runner?.state ?? .cold }
    var hasRunner: Bool { runner != nil }
    private var runner: ModelRunner<SimulatedEngine>? { probe.withLock { $0.runner } }

    private struct Probe {
        weak var runner: ModelRunner<SimulatedEngine>?
    }
}
