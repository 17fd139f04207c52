internal import HearthRuntime

/// Checks of the runner's state against the recorded facts.
extension LifecycleOracle {
    /// Called after every job. These rules hold even between two jobs of one operation.
    mutating func look(at state: ModelState) {
        defer { self.state = state }
        if case .warming = state {} else { isFailing = false }
        switch state {
        case .warming(let progress):
            if !(0...1).contains(progress) { violate(.progress, "progress is \(progress)") }
            guard case .warming(let before) = self.state else {
                warmings += 1
                return
            }
            if progress < before {
                // One job may perform several operations of an actor: end a load and start the next, whose progress starts at
                // 0.
                if progress > 0 { violate(.progress, "progress went from \(before) to \(progress)") }
                warmings += 1
                isFailing = false
                owedPreparation = preparations + 1
            }
            if progress > reported + 1e-9 {
                violate(.truth, "progress is \(progress), the engine reported \(reported)")
            }
            return
        case .ready:
            guard let held, held.isWarm, !held.isUnloading else {
                return violate(.truth, "ready without a loaded model that answered")
            }
            if held.isInterrupted { violate(.truth, "ready with a model that was told to stop") }
        case .failed(let message):
            if message != lastFailure {
                violate(.truth, "failed with '\(message)', the engine's last failure is \(lastFailure ?? "none")")
            }
        case .cold, .unavailable: break
        }
        owedPreparation = nil
    }

    /// Called after every event.
    mutating func check() {
        if alive.count > 1 { violate(.oneModel, "models \(alive) are in memory at once") }
    }

    /// Called when no jobs are left: all reactions have happened, and only time can change anything.
    mutating func checkAtRest(now: VirtualClock.Instant) {
        checkSuspension()
        checkReleased()
        hearCallers(now: now)
        let isLeaving = !releases.isEmpty || held?.isUnloading == true || hasStore
        let isLoading = step.map { !$0.isCancelled } ?? false
        switch state {
        case .warming:
            // A model whose warm-up failed is unloaded before its load ends.
            if !isLoading, held?.isUnloading != true { violate(.truth, "warming while nothing is being loaded") }
            if let owedPreparation, preparations < owedPreparation {
                violate(.progress, "progress began again without a new load")
            }
        case .ready:
            if isLoading { violate(.truth, "ready while a model is being loaded") }
        case .cold, .failed, .unavailable:
            if isLoading { violate(.truth, "\(state.name) while a model is being loaded") }
            if held != nil, step == nil, !isLeaving { violate(.truth, "\(state.name) while a model is ready") }
        }
        if isLoading, !hasStore, !callers.contains(where: { use?.caller != $0.id && !$0.isCancelled }) {
            violate(.cancellation, "the load continues although nobody waits for it")
        }
        if held?.isInterrupted == true, let use, !use.isCancelled {
            violate(.cancellation, "caller \(use.caller) was not told that its model has to go")
        }
        checkDeadlines(now: now)
        for observer in observers where !observer.isAsleep && observer.seen != state {
            violate(
                .truth, "observer \(observer.id) waits with \(observer.seen?.name ?? "nothing"), it is \(state.name)")
        }
    }

    private mutating func checkSuspension() {
        guard !hasStore else { return }
        let isUnavailable: Bool
        if case .unavailable = state { isUnavailable = true } else { isUnavailable = false }
        if let isSuspended, isSuspended != isUnavailable {
            violate(.truth, "\(state.name) although \(isSuspended ? "suspended" : "not suspended")")
        }
        isSuspended = isUnavailable
        if isUnavailable, releases.isEmpty, step != nil || held != nil {
            violate(.suspension, "a model is loading or loaded while suspended")
        }
    }

    /// A release must immediately answer all callers waiting for the model when the runner receives it, not only when the
    /// memory is free.
    private mutating func checkReleased() {
        for caller in callers where caller.bodies == 0 && caller.heardAt != nil && !caller.isCancelled {
            if caller.releasesWhenHeard < releasesIssued {
                violate(.answers, "caller \(caller.id) still waits although the model was released")
            }
        }
    }

    private mutating func hearCallers(now: VirtualClock.Instant) {
        for index in callers.indices where callers[index].heardAt == nil {
            callers[index].heardAt = now
            callers[index].releasesWhenHeard = releasesIssued
        }
    }

    private mutating func checkDeadlines(now: VirtualClock.Instant) {
        for caller in callers where caller.bodies == 0 {
            if caller.isCancelled { violate(.answers, "caller \(caller.id) was cancelled and still waits") }
            if let limit = caller.limit, let heard = caller.heardAt, heard.advanced(by: limit) < now {
                violate(.deadlines, "caller \(caller.id) waits beyond its \(limit)")
            }
        }
    }

    /// Called when no jobs are left and everything was released.
    mutating func checkEnd() {
        for caller in callers { violate(.answers, "caller \(caller.id) was never answered") }
        for release in releases { violate(.answers, "release \(release.id) was never answered") }
        if let held { violate(.leaks, "model \(held.model) is still loaded") }
        if let step { violate(.leaks, "\(step.step) is still running") }
        if let use { violate(.leaks, "caller \(use.caller) still uses a model") }
        for model in alive { violate(.leaks, "the memory of model \(model) is still held") }
    }
}
