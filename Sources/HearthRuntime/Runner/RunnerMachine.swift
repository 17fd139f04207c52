/// What a runner is to do next: every decision about one model, and nothing else. No clock, no task, no I/O.
///
/// Events change the machine; after each, its owner carries out `nextAction()` until there is none. The owner is an actor that
/// never suspends in between, so that what was checked still holds when it is acted upon.
package struct RunnerMachine<Model: Sendable> {
    package typealias Ticket = UInt64

    enum Phase {
        case empty
        case loading(load: UInt64, isCancelled: Bool)
        case loaded(Model)
        case unloading
    }

    package enum Action {
        case startLoad(UInt64)
        case cancelLoad
        /// Make the inferences in flight end.
        case interrupt(Model)
        case unload(Model)
        /// The model is ready: answers a caller that prepares.
        case confirm(Ticket)
        /// Use, until `useEnded`; exclusive where one at a time is allowed.
        case grant(Ticket, Model)
        case refuse(Ticket, any Error)
        /// Answers everybody who waits for the release.
        case confirmRelease
    }

    private struct Waiter {
        var ticket: Ticket
        var wantsModel: Bool
    }

    private(set) var phase = Phase.empty
    /// Who uses the model.
    private(set) var users: Set<Ticket> = []
    /// Most of them at a time.
    private let mostUsers: Int
    /// Remembered until a retry is requested.
    private(set) var failure: RunnerError?
    /// Why nothing may be loaded now.
    private(set) var suspension: String?
    private var waiters: [Waiter] = []
    private var refused: [(Ticket, any Error)] = []
    private var isReleasing = false
    private var mustInterrupt = false
    private var mustConfirmRelease = false
    private var loads: UInt64 = 0
    private let mutation: RunnerMutation?

    package init(mostUsers: Int = 1, mutation: RunnerMutation? = nil) {
        (self.mostUsers, self.mutation) = (max(mostUsers, 1), mutation)
    }

    /// The state that observers see; progress is added where it is measured.
    package var state: ModelState {
        if let suspension { return .unavailable(reason: suspension) }
        switch phase {
        case .empty: return failure.map { .failed(message: $0.errorDescription ?? "") } ?? .cold
        case .loading(_, let isCancelled): return isCancelled ? .cold : .warming(progress: 0)
        case .loaded: return isReleasing ? .cold : .ready
        case .unloading: return .cold
        }
    }

    /// Whether memory is held, or about to be.
    var isEmpty: Bool { if case .empty = phase { true } else { false } }

    // MARK: - Events

    /// A caller wants the model ready, or to use it exclusively.
    package mutating func asked(_ ticket: Ticket, wantsModel: Bool, retries: Bool) {
        if let suspension {
            refused.append((ticket, RunnerError.unavailable(reason: suspension)))
            return
        }
        if retries { failure = nil }
        if let failure, isEmpty {
            refused.append((ticket, failure))
            return
        }
        waiters.append(Waiter(ticket: ticket, wantsModel: wantsModel))
    }

    /// A caller no longer waits; false if it was answered already.
    package mutating func gaveUp(_ ticket: Ticket, _ error: any Error) {
        guard let index = waiters.firstIndex(where: { $0.ticket == ticket }) else { return }
        waiters.remove(at: index)
        refused.append((ticket, error))
    }

    package mutating func loadEnded(_ load: UInt64, _ result: Result<Model, any Error>) {
        guard case .loading(load, let isCancelled) = phase else { return }
        switch result {
        case .success(let model):
            failure = nil
            phase = .loaded(model)
            // It has no waiting callers any more, or must be released: it was never ready.
            if isCancelled { isReleasing = true }
        case .failure(let error):
            phase = .empty
            if !isCancelled {
                let failure = RunnerError.failed(message: describe(error), cause: error)
                self.failure = failure
                refused += waiters.map { ($0.ticket, failure) }
                waiters.removeAll()
            } else if mutation == .forgetsLateCallers {
                waiters.removeAll()
            }
            finishRelease()
        }
    }

    package mutating func useEnded(_ ticket: Ticket) {
        users.remove(ticket)
    }

    /// Gives the memory back; callers that wait get an error, later callers get a new model.
    package mutating func releaseAsked(interrupting: Bool) {
        if isReleasing, mutation == .joinsReleases { return }
        refused += waiters.map { ($0.ticket, RunnerError.released) }
        waiters.removeAll()
        isReleasing = true
        mustInterrupt = interrupting && !users.isEmpty
        if isEmpty { finishRelease() }
    }

    package mutating func unloadEnded() {
        phase = .empty
        finishRelease()
    }

    /// Nothing may be loaded until `resumed`; a loaded model is released.
    package mutating func suspended(_ reason: String, interrupting: Bool) {
        let error = RunnerError.unavailable(reason: reason)
        suspension = reason
        refused += waiters.map { ($0.ticket, error) }
        waiters.removeAll()
        releaseAsked(interrupting: interrupting)
    }

    package mutating func resumed() { suspension = nil }

    private mutating func finishRelease() {
        if isReleasing { mustConfirmRelease = true }
        isReleasing = false
        mustInterrupt = false
    }

    // MARK: - Decisions

    package mutating func nextAction() -> Action? {
        if let (ticket, error) = refused.first {
            refused.removeFirst()
            return .refuse(ticket, error)
        }
        if mustConfirmRelease {
            mustConfirmRelease = false
            return .confirmRelease
        }
        switch phase {
        case .empty: return whenEmpty()
        case .loading(let load, isCancelled: false) where waiters.isEmpty:
            phase = .loading(load: load, isCancelled: true)
            return .cancelLoad
        case .loading, .unloading: return nil
        case .loaded(let model): return isReleasing ? whenReleasing(model) : whenLoaded(model)
        }
    }

    private mutating func whenEmpty() -> Action? {
        guard !waiters.isEmpty else { return nil }
        loads += 1
        phase = .loading(load: loads, isCancelled: false)
        return .startLoad(loads)
    }

    private mutating func whenReleasing(_ model: Model) -> Action? {
        if mustInterrupt {
            mustInterrupt = false
            return .interrupt(model)
        }
        guard users.isEmpty else { return nil }
        phase = .unloading
        return .unload(model)
    }

    private mutating func whenLoaded(_ model: Model) -> Action? {
        if let index = waiters.firstIndex(where: { !$0.wantsModel }) {
            return .confirm(waiters.remove(at: index).ticket)
        }
        guard users.count < mostUsers, !waiters.isEmpty else { return nil }
        let ticket = waiters.removeFirst().ticket
        users.insert(ticket)
        return .grant(ticket, model)
    }
}
