internal import HearthRuntime

/// Observations of the engine, recorded when they happen.
extension LifecycleOracle {
    mutating func stepBegan(_ step: Workload.Step, on model: Int? = nil, state: ModelState) {
        if let running = self.step {
            violate(.oneModel, "\(step) begins while \(running.step) is running")
        }
        if case .unavailable = state { violate(.suspension, "\(step) begins while the state is unavailable") }
        switch step {
        case .compile, .load:
            if let held { violate(.oneModel, "\(step) begins while model \(held.model) is loaded") }
            if !alive.isEmpty, step == .load {
                violate(.oneModel, "a load begins while the memory of model \(alive[0]) is still held")
            }
        case .warmUp:
            if held?.model != model { violate(.exclusiveUse, "warm-up of a model that is not loaded") }
        }
        if step == .compile { tally.loads += 1 }
        self.step = Step(step: step)
    }

    /// Records that the step's task was cancelled.
    mutating func stepWasCancelled() {
        guard step?.isCancelled == false else { return }
        step?.isCancelled = true
        tally.cancelledLoads += 1
        guard !hasStore else { return }
        // Excludes callers that were already answered but have not been scheduled since.
        for caller in callers
        where caller.heardAt != nil && caller.limit == nil && !caller.isCancelled && caller.bodies == 0
            && caller.releasesWhenHeard == releasesIssued && caller.failuresBefore == tally.failures
        {
            violate(.cancellation, "a load ends although caller \(caller.id) waits for it")
        }
    }

    mutating func stepEnded(_ result: Result<Void, any Error>) {
        step = nil
        guard case .failure(let error) = result, !(error is CancellationError) else { return }
        tally.failures += 1
        isFailing = true
        if failures.count > 64 { failures.removeFirst(32) }
        failures.append((error as? SimulatedFailure)?.errorDescription ?? "")
    }

    mutating func modelMade() -> Int {
        models += 1
        alive.append(models)
        return models
    }

    mutating func loaded(_ model: Int) {
        if let held { violate(.oneModel, "model \(model) was loaded beside model \(held.model)") }
        held = Held(model: model)
    }

    mutating func interrupted(_ model: Int) {
        tally.interrupts += 1
        if held?.model == model { held?.isInterrupted = true }
    }

    mutating func unloadBegan(_ model: Int) {
        guard held?.model == model, held?.isUnloading == false else {
            return violate(.exclusiveUse, "model \(model) is unloaded without being loaded")
        }
        if let use { violate(.exclusiveUse, "model \(model) is unloaded while caller \(use.caller) uses it") }
        held?.isUnloading = true
    }

    mutating func unloadEnded(_ model: Int) {
        tally.unloads += 1
        if held?.model == model { held = nil }
    }

    mutating func useBegan(_ caller: CallerID, of model: Int) {
        tally.uses += 1
        if let use { violate(.exclusiveUse, "caller \(caller) uses model \(model) beside caller \(use.caller)") }
        guard let held, held.model == model, !held.isUnloading else {
            return violate(.exclusiveUse, "caller \(caller) uses model \(model) after it was released")
        }
        if !held.isWarm { violate(.truth, "caller \(caller) was given model \(model), which never answered") }
        if let index = self.caller(caller) {
            callers[index].bodies += 1
        } else {
            violate(.exclusiveUse, "caller \(caller) uses model \(model) after its turn")
        }
        use = Use(caller: caller, model: model)
    }

    mutating func useEnded(_ caller: CallerID) {
        if use?.caller == caller { use = nil }
    }
}
