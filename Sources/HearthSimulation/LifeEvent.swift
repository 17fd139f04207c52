package import HearthRuntime

/// An event of a life: a self-contained value that stays the same if other events are removed. It refers to callers and
/// observers by the number of the event that created them; without that event it has no effect.
package struct LifeEvent: Sendable, Equatable {
    /// The number, counted over all lives of a run, from 1.
    package var number: Int
    package var action: Action
    /// The jobs that run before the next event.
    package var pace: Pace
    /// The seed for the order of jobs and the behavior of engine and callers until the next event.
    package var seed: UInt64

    package init(number: Int, action: Action, pace: Pace, seed: UInt64) {
        (self.number, self.action, self.pace, self.seed) = (number, action, pace, seed)
    }

    package enum Action: Sendable, Equatable {
        case prepare(retries: Bool)
        /// - keeps: whether the caller does not release the model, if such a fault is simulated.
        case use(limit: Duration?, retries: Bool, keeps: Bool)
        case cancel(caller: Int)
        case release(interrupts: Bool)
        case suspend(interrupts: Bool)
        case resume
        case failure
        case slow
        case observe
        case leave(observer: Int)
        case work
        /// Advances to the next wake-up, or by `otherwise` if there is none or `toNextWake` is false.
        case time(toNextWake: Bool, otherwise: Duration)
        case heat(ThermalState)
        case memory(MemoryPressure)
        case battery(level: Double, isCharging: Bool, isLowPower: Bool)
        case phase(AppPhase)
        case activity(UserActivity)
        case prewarm
        case retry
        case firstFrame
    }

    package enum Pace: Sendable, Equatable {
        /// All jobs, until none are left.
        case rest
        /// At most this many jobs, and optionally a turn of the main thread, where the store runs.
        case jobs(Int, mainTurn: Bool)
    }
}

extension LifeEvent.Action {
    package var kind: EventKind {
        switch self {
        case .prepare: .prepare
        case .use: .use
        case .cancel: .cancel
        case .release: .release
        case .suspend: .suspend
        case .resume: .resume
        case .failure: .failure
        case .slow: .slow
        case .observe: .observe
        case .leave: .leave
        case .work: .work
        case .time: .time
        case .heat: .heat
        case .memory: .memory
        case .battery: .battery
        case .phase: .phase
        case .activity, .prewarm, .retry, .firstFrame: .activity
        }
    }
}

extension LifeEvent: CustomStringConvertible {
    /// A one-line description.
    package var description: String { "#\(number) \(action)\(pace)" }
}

extension LifeEvent.Action: CustomStringConvertible {
    package var description: String {
        switch self {
        case .prepare(let retries): "prepare" + (retries ? ", retrying a failure" : "")
        case .use(let limit, let retries, _):
            "use" + (limit.map { ", waiting at most \($0.wholeMilliseconds) ms" } ?? "")
                + (retries ? ", retrying a failure" : "")
        case .cancel(let caller): "cancel the caller of #\(caller)"
        case .release(let interrupts): "release" + (interrupts ? ", interrupting" : "")
        case .suspend(let interrupts): "suspend" + (interrupts ? ", interrupting" : "")
        case .resume: "resume"
        case .failure: "the engine's next step fails"
        case .slow: "the engine's next step is slow or hangs"
        case .observe: "an observer comes"
        case .leave(let observer): "the observer of #\(observer) leaves"
        case .work: "nothing new"
        case .time(toNextWake: true, let otherwise):
            "time passes until somebody wakes, or \(otherwise.wholeMilliseconds) ms"
        case .time(toNextWake: false, let duration): "time passes, \(duration.wholeMilliseconds) ms"
        case .heat(let state): "heat is \(state.rawValue)"
        case .memory(let pressure): "memory pressure is \(pressure.rawValue)"
        case .battery(let level, let isCharging, let isLowPower):
            "battery at \(Int((level * 100).rounded())) %" + (isCharging ? ", charging" : "")
                + (isLowPower ? ", saving power" : "")
        case .phase(let phase): "the app is \(phase.rawValue)"
        case .activity(let activity): "the user's activity is \(activity.rawValue)"
        case .prewarm: "the store may prewarm"
        case .retry: "the store retries"
        case .firstFrame: "the first frame is up"
        }
    }
}

extension LifeEvent.Pace: CustomStringConvertible {
    package var description: String {
        switch self {
        case .rest: "; everything runs"
        case .jobs(0, mainTurn: false): ""
        case .jobs(0, mainTurn: true): "; the main thread runs"
        case .jobs(let count, mainTurn: false): "; up to \(count) jobs run"
        case .jobs(let count, mainTurn: true): "; up to \(count) jobs and the main thread run"
        }
    }
}

extension Duration {
    var wholeMilliseconds: Int { Int(self / .milliseconds(1)) }
}
