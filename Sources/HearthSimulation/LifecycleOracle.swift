internal import HearthRuntime

/// What really happened in one life of a runner, as its engine, its callers and its observers saw it: what the runner's own
/// words are measured against. Where they differ, a violation is noted.
struct LifecycleOracle {
    typealias CallerID = Int

    /// The engine's work that is going on.
    struct Step {
        var step: Workload.Step
        var isCancelled = false
    }
    /// A model between the start of its load's return and the end of its unload.
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
        /// It told the simulation that it does not want the answer any more.
        var isCancelled = false
        /// When nothing was left to run, so that the runner must have heard it.
        var heardAt: VirtualClock.Instant?
        var bodies = 0
        /// Releases that had returned: a later one may concern this caller.
        var releasesBefore: Int
        var suspensionsBefore: Int
        var releasesWhenHeard = 0
        /// Failures before it asked: a later one may be its answer, also where it is heard after that.
        var failuresBefore: Int
        var askedWhileSuspended: Bool
    }
    struct Observer {
        var id: Int
        var seen: ModelState?
        var warming = 0
        var isAsleep = false
    }
    /// Who waits for memory to be given back.
    struct Release {
        var id: Int
        var suspends: Bool
        var modelsBefore: Int
        /// nil where a resumption was on its way.
        var resumesBefore: Int?
    }

    // The engine's side
    var step: Step?
    var held: Held?
    var use: Use?
    /// Models whose memory is still there.
    var alive: [Int] = []
    var models = 0
    /// Greatest progress of the whole that the running load has reported.
    var reported = 0.0
    /// Messages of failed steps, the latest last.
    var failures: [String] = []
    var preparations = 0
    /// Progress began anew: by the time when nothing is left to run, this many preparations must have begun.
    var owedPreparation: Int?
    var lastFailure: String? { failures.last }
    var mustFail = false
    var mustBeSlow = false

    // The callers' side
    var callers: [Caller] = []
    var observers: [Observer] = []
    var releases: [Release] = []
    var releasesIssued = 0
    var suspensionsIssued = 0
    var resumesIssued = 0
    /// nil where a suspension and a resumption are on their way and nobody knows which comes first.
    var isSuspended: Bool? = false
    var reason = ""
    /// A store acts by itself: it prepares, releases and suspends without being told to.
    var hasStore = false

    // What was seen of the state
    var state = ModelState.cold
    /// Counts the times that warming began.
    var warmings = 0

    private(set) var found: [(Invariant, String)] = []
    var tally = Tally()

    mutating func violate(_ invariant: Invariant, _ detail: String) {
        if found.count < 8 { found.append((invariant, detail)) }
    }

    func caller(_ id: CallerID) -> Int? { callers.firstIndex { $0.id == id } }
}

/// What a simulation went through; says whether the random events reached what they should.
package struct Tally: Sendable, Equatable {
    /// Loads that began.
    package var loads = 0
    /// Steps that failed by themselves.
    package var failures = 0
    /// Turns with a model.
    package var uses = 0
    /// Uses that were told to end.
    package var interrupts = 0
    /// Models that were unloaded.
    package var unloads = 0
    /// Steps of a load that were cancelled.
    package var cancelledLoads = 0
    /// What callers were told, and how often.
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
