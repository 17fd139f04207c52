package import HearthRuntime

/// Decides how frames are handled: a state machine with events as input and actions as output, without clock, tasks or I/O.
///
/// At most one frame is processed and at most one waits: the newest. Frames never accumulate, whatever the producer's rate.
package struct FrameMachine<Frame: Sendable, Output: Sendable>: Sendable {
    /// A frame to process.
    package struct Job: Sendable {
        package var number: Int
        package var frame: Frame
        /// `.run` or `.fallback`.
        package var decision: FrameDecision
        var level: InferenceBudget.Level
        var reason: String
    }

    /// An action to perform, in order.
    package enum Action: Sendable {
        /// Starts a job. At most one runs at a time; report its end with `ended`.
        case start(Job)
        case report(FrameRecord<Output>)
    }

    /// The result of a job.
    package enum Ending: Sendable {
        case output(Output?)
        case failed(any Error)
        /// The model was released before it returned a result.
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

    /// Handles a new frame.
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

    /// Handles a change of the budget, which may end a frame's wait.
    package mutating func changed(to level: InferenceBudget.Level) -> [Action] {
        guard level != self.level else { return [] }
        self.level = level
        return reconsider()
    }

    /// Handles the end of the running job.
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

    /// Uses the fallback for the interrupted frame, unless a newer one is waiting.
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
                reason: "A newer frame arrived before the model was free.", failure: nil))
    }
}
