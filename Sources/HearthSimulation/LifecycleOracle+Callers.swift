internal import HearthRuntime

/// Observations of callers and observers.
extension LifecycleOracle {
    mutating func asks(_ id: CallerID, usesModel: Bool, limit: Duration?) {
        callers.append(
            Caller(
                id: id, usesModel: usesModel, limit: limit, releasesBefore: releasesIssued - releases.count,
                suspensionsBefore: suspensionsIssued, failuresBefore: tally.failures - (isFailing ? 1 : 0),
                askedWhileSuspended: isSuspended ?? true))
    }

    mutating func answered(_ id: CallerID, _ result: Result<Void, any Error>, now: VirtualClock.Instant) {
        guard let index = caller(id) else {
            return violate(.answers, "caller \(id) was answered twice")
        }
        let caller = callers.remove(at: index)
        if use?.caller == id { violate(.exclusiveUse, "caller \(id) was answered before its use ended") }
        switch result {
        case .success:
            count("success")
            if caller.usesModel != (caller.bodies == 1) {
                violate(.answers, "caller \(id): success after \(caller.bodies) uses")
            }
        case .failure(let error as RunnerError): check(error, caller, now: now)
        case .failure(is CancellationError):
            count("cancelled")
            if !caller.isCancelled { violate(.cancellation, "caller \(id) was cancelled by somebody else") }
        case .failure(let error):
            count("own error")
            if !(error is SimulatedFailure) || caller.bodies != 1 {
                violate(.answers, "caller \(id) got an error that is not its own: \(error)")
            }
        }
    }

    private mutating func check(_ error: RunnerError, _ caller: Caller, now: VirtualClock.Instant) {
        let isLegal: Bool
        switch error {
        case .released:
            count("released")
            isLegal = releasesIssued > caller.releasesBefore || hasStore
        case .unavailable:
            count("unavailable")
            isLegal =
                caller.bodies == 0
                && (caller.askedWhileSuspended || suspensionsIssued > caller.suspensionsBefore || hasStore)
        case .failed(let message, _):
            count("failed")
            isLegal = caller.bodies == 0 && failures.contains(message)
        case .deadlineExceeded:
            count("deadline")
            isLegal = caller.bodies == 0 && caller.limit != nil
        }
        if !isLegal { violate(.answers, "caller \(caller.id) was told \(error), which is not what happened") }
    }

    private mutating func count(_ answer: String) { tally.answers[answer, default: 0] += 1 }

    mutating func releaseAsked(_ id: Int, suspends: Bool) {
        releasesIssued += 1
        // A resumption still in progress may take effect after this suspension.
        releases.append(
            Release(
                id: id, suspends: suspends, modelsBefore: models,
                resumesBefore: isSuspended == nil ? nil : resumesIssued))
        guard suspends else { return }
        suspensionsIssued += 1
        // A resumption still in progress may take effect before or after this suspension.
        isSuspended = isSuspended == true ? true : nil
    }

    mutating func resumeAsked() {
        resumesIssued += 1
        isSuspended = nil
    }

    /// Records that `release()` or `suspend()` returned: the memory must have been freed.
    mutating func releaseReturned(_ id: Int) {
        guard let index = releases.firstIndex(where: { $0.id == id }) else {
            return violate(.answers, "release \(id) returned twice")
        }
        let release = releases.remove(at: index)
        if let held, held.model <= release.modelsBefore {
            violate(.truth, "release returned while model \(held.model) is loaded")
        }
        for model in alive where model <= release.modelsBefore {
            violate(.leaks, "release returned while the memory of model \(model) is held")
        }
        if release.suspends, resumesIssued == release.resumesBefore, step != nil || held != nil {
            violate(.suspension, "suspend returned while a model is loading or loaded")
        }
    }

    mutating func observed(_ id: Int, _ seen: ModelState, now: ModelState) {
        guard let index = observers.firstIndex(where: { $0.id == id }) else { return }
        // It may miss states between two warm-ups, but must never see the progress of one go back.
        var warming = warmings
        if case .warming = seen, case .warming = state {} else if case .warming = seen { warming += 1 }
        if case .warming(let before) = observers[index].seen, case .warming(let progress) = seen,
            warming == observers[index].warming, progress < before
        {
            violate(.progress, "observer \(id) saw progress go from \(before) to \(progress)")
        }
        if seen != now { violate(.truth, "observer \(id) was shown \(seen) when it was \(now)") }
        observers[index].seen = seen
        observers[index].warming = warming
    }
}
