internal import HearthRuntime

/// Records what actually happened in a runner's life, as observed by its engine, callers and observers, and compares it with
/// what the runner reports. Differences are recorded as violations.
struct LifecycleOracle {
    typealias CallerID = Int

    /// A running step of the engine.
    struct Step {
        var step: Workload.Step
        var isCancelled = false
    }
    /// A model, from the return of its load to the end of its unload.
    struct Held {
        var model: Int
        var isWarm = false
        var isUnloading = false
        var isInterrupted = false
    }
    struct Use {
        var caller: CallerID
        var model: Int
        var isCancelled = false
    }
    struct Caller {
        var id: CallerID
        var usesModel: Bool
        var limit: Duration?
        /// Whether the caller was cancelled and expects no answer.
        var isCancelled = false
        /// The time when no jobs were left, by which the runner must have received the request.
        var heardAt: VirtualClock.Instant?
        var bodies = 0
        /// The number of completed releases at the time of the request: a later one may concern this caller.
        var releasesBefore: Int
        var suspensionsBefore: Int
        var releasesWhenHeard = 0
        /// The number of failures that the runner knew before the request: a later one may be its answer, even if the runner
        /// receives the request afterwards.
        var failuresBefore: Int
        var askedWhileSuspended: Bool
    }
    struct Observer {
        var id: Int
        var seen: ModelState?
        var warming = 0
        var isAsleep = false
    }
    /// A caller waiting for memory to be freed.
    struct Release {
        var id: Int
        var suspends: Bool
        var modelsBefore: Int
        /// nil if a resumption was in progress.
        var resumesBefore: Int?
    }

    // Engine
    var step: Step?
    var held: Held?
    var use: Use?
    /// The models whose memory is still allocated.
    var alive: [Int] = []
    var models = 0
    /// The maximum overall progress that the current load has reported.
    var reported = 0.0
    /// The messages of failed steps, latest last.
    var failures: [String] = []
    var preparations = 0
    /// Progress restarted: when no jobs are left, at least this many preparations must have started.
    var owedPreparation: Int?
    var lastFailure: String? { failures.last }
    /// A step has failed, and the runner has not been told yet: a model whose first inference fails is unloaded first. Whoever asks
    /// until then gets this failure.
    var isFailing = false
    var mustFail = false
    var mustBeSlow = false

    // Callers
    var callers: [Caller] = []
    var observers: [Observer] = []
    var releases: [Release] = []
    var releasesIssued = 0
    var suspensionsIssued = 0
    var resumesIssued = 0
    /// nil if a suspension and a resumption are in progress and their order is unknown.
    var isSuspended: Bool? = false
    var reason = ""
    /// Whether there is a store, which prepares, releases and suspends by itself.
    var hasStore = false

    // Observed state
    var state = ModelState.cold
    /// The number of times that warming started.
    var warmings = 0

    private(set) var found: [(Invariant, String)] = []
    var tally = Tally()

    mutating func violate(_ invariant: Invariant, _ detail: String) {
        if found.count < 8 { found.append((invariant, detail)) }
    }

    func caller(_ id: CallerID) -> Int? { callers.firstIndex { $0.id == id } }
}

/// Statistics of a simulation; show whether the random events cover what they should.
package struct Tally: Sendable, Equatable {
    /// The number of loads started.
    package var loads = 0
    /// The number of steps that failed on their own.
    package var failures = 0
    /// The number of uses of a model.
    package var uses = 0
    /// The number of uses that were interrupted.
    package var interrupts = 0
    /// The number of models unloaded.
    package var unloads = 0
    /// The number of load steps that were cancelled.
    package var cancelledLoads = 0
    /// The number of answers to callers, by kind.
    package var answers: [String: Int] = [:]

    mutating func add(_ other: Tally) {
        loads += other.loads
        failures += other.failures
        uses += other.uses
        interrupts += other.interrupts
        unloads += other.unloads
        cancelledLoads += other.cancelledLoads
        answers.merge(other.answers, uniquingKeysWith: +)
    }
}
