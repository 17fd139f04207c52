package import HearthRuntime

/// Decides what becomes of frames: a value that takes events and hands out actions, with no clock, no task and no I/O.
///
/// At most one frame is worked on and at most one waits: the newest. Whatever the producer's rate, nothing piles up.
package struct FrameMachine<Frame: Sendable, Output: Sendable>: Sendable {
    /// Work for a thread.
    package struct Job: Sendable {
        package var number: Int
        package var frame: Frame
        /// `.run` or `.fallback`.
        package var decision: FrameDecision
        var level: InferenceBudget.Level
        var reason: String
    }

    /// What has to be done, in this order.
    package enum Action: Sendable {
        /// One at a time; its end has to be reported by `ended`.
        case start(Job)
        case report(FrameRecord<Output>)
    }

    /// How a job ended.
    package enum Ending: Sendable {
        case output(Output?)
        case failed(any Error)
        /// The model was taken away before it gave a result.
        case modelGone
    }

    var gate: FrameGate
    private(set) var level: InferenceBudget.Level
    private var isReady = false
    private var next = 0
    package private(set) var running: Job?
    package private(set) var held: (number: Int, frame: Frame)?
    private var lastRun: Int?
    private var last: (number: Int, output: Output)?

    package init(gate: FrameGate, level: InferenceBudget.Level = .full) {
        self.gate = gate
        self.level = level
    }

    /// A frame comes.
    package mutating func arrived(_ frame: Frame, isReady: Bool) -> [Action] {
        let number = next
        next += 1
        self.isReady = isReady
        var actions: [Action] = []
        if let older = held {
            held = nil
            actions.append(drop(older.number))
        }
        return actions + place(number, frame)
    }

    /// The budget changes; a frame that waits may not have to wait any longer.
    package mutating func changed(to level: InferenceBudget.Level) -> [Action] {
        guard level != self.level else { return [] }
        self.level = level
        return reconsider()
    }

    /// The job that was started last is done.
    package mutating func ended(_ ending: Ending, milliseconds: Double, isReady: Bool) -> [Action] {
        guard let job = running else { return [] }
        running = nil
        self.isReady = isReady
        var record = FrameRecord<Output>(
            frame: job.number, decision: job.decision, budget: job.level, output: nil, basis: nil,
            milliseconds: milliseconds, reason: job.reason, failure: nil)
        switch ending {
        case .output(let output):
            record.output = output
            record.basis = output == nil ? nil : job.number
            if job.decision == .run, let output { last = (job.number, output) }
        case .failed(let error):
            record.failure = error
        case .modelGone:
            return modelGone(job)
        }
        return [.report(record)] + reconsider()
    }

    /// The frame that was taken away from the model falls back, unless a newer one has come.
    private mutating func modelGone(_ job: Job) -> [Action] {
        isReady = false
        guard held == nil else { return [drop(job.number)] + reconsider() }
        var job = job
        job.decision = .fallback
        job.level = level
        job.reason = "The model was taken away."
        running = job
        return [.start(job)]
    }

    private mutating func reconsider() -> [Action] {
        guard let (number, frame) = held else { return [] }
        held = nil
        return place(number, frame)
    }

    private mutating func place(_ number: Int, _ frame: Frame) -> [Action] {
        let decision = gate.decide(
            FrameGate.Situation(
                frame: number, level: level, isReady: isReady, isBusy: running != nil, lastRun: lastRun,
                hasResult: last != nil))
        switch decision.action {
        case .run:
            lastRun = number
            return [start(number, frame, .run, decision.reason)]
        case .fallback where running == nil:
            return [start(number, frame, .fallback, decision.reason)]
        case .hold, .fallback:
            held = (number, frame)
            return []
        case .reuse:
            return [
                .report(
                    FrameRecord(
                        frame: number, decision: .reuse, budget: level, output: last?.output, basis: last?.number,
                        milliseconds: 0, reason: decision.reason, failure: nil))
            ]
        }
    }

    private mutating func start(_ number: Int, _ frame: Frame, _ decision: FrameDecision, _ reason: String) -> Action {
        let job = Job(number: number, frame: frame, decision: decision, level: level, reason: reason)
        running = job
        return .start(job)
    }

    private func drop(_ number: Int) -> Action {
        .report(
            FrameRecord(
                frame: number, decision: .drop, budget: level, output: nil, basis: nil, milliseconds: 0,
                reason: "A newer frame came before the model was free.", failure: nil))
    }
}
