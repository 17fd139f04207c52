import HearthGraphProof
import HearthRuntime
import HearthTestSupport
import HearthVision
import Testing

/// Frames and a model on a clock of thirds of a millisecond, so that 60 frames a second come at whole numbers.
private struct Feed {
    typealias Machine = FrameMachine<Int, Int>
    static let perMillisecond = 3
    static let frameTime = 50

    var machine = Machine(gate: FrameGate())
    var inferenceTime: Int
    var isReady = true
    /// Whether each inference fails.
    var fails = false
    private(set) var now = 0
    private(set) var records: [FrameRecord<Int>] = []
    /// When each run began and ended, by frame.
    private(set) var runs: [(frame: Int, start: Int, end: Int)] = []
    private(set) var arrivals: [Int] = []
    private(set) var mostPending = 0
    private var end: Int?

    init(inferenceMS: Int) { inferenceTime = inferenceMS * Self.perMillisecond }

    /// Plays `count` frames, one each 60th of a second, and waits for what is on its way then.
    mutating func play(_ count: Int, before: (inout Feed, Int) -> Void = { _, _ in }) {
        for _ in 0..<count {
            let time = arrivals.count * Self.frameTime
            finish(until: time)
            now = time
            before(&self, arrivals.count)
            arrivals.append(time)
            carryOut(machine.arrived(arrivals.count - 1, isReady: isReady))
        }
        finish(until: .max)
    }

    mutating func set(_ level: InferenceBudget.Level) { carryOut(machine.changed(to: level)) }

    private mutating func finish(until time: Int) {
        while let at = end, at <= time, let job = machine.running {
            now = at
            end = nil
            if job.decision == .run { runs[runs.count - 1].end = at }
            struct Failure: Error {}
            carryOut(
                machine.ended(
                    fails && job.decision == .run ? .failed(Failure()) : .output(job.frame * 10),
                    milliseconds: Double(inferenceTime / Self.perMillisecond), isReady: isReady))
        }
    }

    private mutating func carryOut(_ actions: [Machine.Action]) {
        for action in actions {
            switch action {
            case .report(let record): records.append(record)
            case .start(let job):
                let isRun = job.decision == .run
                if isRun { runs.append((job.number, now, -1)) }
                end = now + (isRun ? inferenceTime : 1)
            }
        }
        mostPending = max(mostPending, (machine.running == nil ? 0 : 1) + (machine.held == nil ? 0 : 1))
    }

    func frames(_ decision: FrameDecision) -> [Int] { records.filter { $0.decision == decision }.map(\.frame).sorted() }
}

@Suite("Frame machine", .timeLimit(.minutes(20)))
struct FrameMachineTests {
    @Test("60 frames a second over a model that takes 40 ms: no backlog, no idle model, no old result")
    func overload() {
        var feed = Feed(inferenceMS: 40)
        feed.play(600)
        #expect(feed.records.map(\.frame).sorted() == Array(0..<600), "each frame once")
        #expect(feed.mostPending == 2)
        // Ten seconds of work, one after the other without a gap: 250 inferences, and the one that was still wanted.
        #expect(feed.runs.count == 251 || feed.runs.count == 250)
        for (earlier, later) in zip(feed.runs, feed.runs.dropFirst()) { #expect(earlier.end == later.start) }
        for run in feed.runs {
            let arrival = feed.arrivals[run.frame]
            // A frame that comes at the very moment in which the model is free comes too late for it.
            let newest = feed.arrivals.lastIndex { $0 < run.start || $0 == run.start && arrival == run.start }
            #expect(run.frame == newest, "the newest frame wins")
            #expect(run.start - arrival <= Feed.frameTime, "it waited for no longer than the time between two frames")
            #expect(run.start - arrival <= feed.inferenceTime, "and never for longer than one inference")
        }
        #expect(feed.frames(.drop).count == 600 - feed.runs.count)
        #expect(feed.records.filter { $0.decision == .drop }.allSatisfy { $0.output == nil && $0.milliseconds == 0 })
        #expect(
            feed.records.filter { $0.decision == .run }.allSatisfy {
                $0.output == $0.frame * 10 && $0.basis == $0.frame && $0.milliseconds == 40
            })
    }

    @Test("A model that is fast enough sees every frame")
    func keepsUp() {
        var feed = Feed(inferenceMS: 10)
        feed.play(100)
        #expect(feed.frames(.run) == Array(0..<100))
        #expect(feed.mostPending == 1)
    }

    @Test("Under a reduced budget exactly one frame of three runs, and the last result stands for the others")
    func thinning() {
        var feed = Feed(inferenceMS: 10)
        feed.set(.reduced)
        feed.play(300)
        #expect(feed.frames(.run) == Array(stride(from: 0, to: 300, by: 3)))
        #expect(feed.frames(.reuse) == (0..<300).filter { $0 % 3 != 0 })
        for record in feed.records where record.decision == .reuse {
            #expect(record.basis == record.frame - record.frame % 3)
            #expect(record.output == record.basis.map { $0 * 10 })
            #expect(record.budget == .reduced && record.milliseconds == 0)
        }
    }

    @Test("A slow model under a reduced budget: one of three at most, results of the last inference that ended")
    func thinningOfASlowModel() {
        var feed = Feed(inferenceMS: 80)
        feed.set(.reduced)
        feed.play(300)
        let runs = feed.frames(.run)
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $1 - $0 >= 3 })
        #expect(feed.mostPending == 2)
        #expect(feed.records.count == 300)
        for record in feed.records where record.decision == .reuse {
            let known = feed.runs.filter { $0.end >= 0 && $0.end <= feed.arrivals[record.frame] }.last
            #expect(record.basis == known?.frame, "the newest result that there is")
        }
        // While the first inference lasts there is nothing to show again, and newer frames come.
        #expect(feed.frames(.drop).prefix(3) == [1, 2, 3])
        #expect(feed.runs.prefix(2).map(\.frame) == [0, 4])
    }

    @Test("Levels that change while frames come take effect with the next frame")
    func levels() {
        var feed = Feed(inferenceMS: 10)
        feed.play(60) { feed, frame in
            let levels: [Int: InferenceBudget.Level] = [10: .reduced, 30: .suspended, 40: .reduced, 50: .full]
            if let level = levels[frame] { feed.set(level) }
        }
        let runs = feed.frames(.run)
        // Reduced after 9 ran: 12, 15 …; again at 40, since the last run was long ago.
        #expect(runs == Array(0..<10) + [12, 15, 18, 21, 24, 27] + [40, 43, 46, 49] + Array(50..<60))
        #expect(feed.frames(.fallback) == Array(30..<40))
        #expect(feed.records.allSatisfy { ($0.frame < 10 || $0.frame >= 50) == ($0.budget == .full) })
        #expect(feed.records.filter { $0.decision == .fallback }.allSatisfy { $0.output == $0.frame * 10 })
    }

    @Test("A frame that waits is thought over when the budget falls")
    func heldFrame() throws {
        var machine = FrameMachine<Int, Int>(gate: FrameGate())
        #expect(machine.arrived(0, isReady: true).count == 1)
        #expect(machine.arrived(1, isReady: true).isEmpty)
        #expect(machine.held?.number == 1)
        // Not due any more; and where nothing can be shown again, it waits for the heuristic.
        #expect(machine.changed(to: .reduced).isEmpty)
        let after = machine.ended(.output(7), milliseconds: 5, isReady: true)
        let records = after.compactMap { if case .report(let record) = $0 { record } else { nil } }
        #expect(records.map(\.decision) == [.run, .reuse])
        #expect(records.last?.output == 7 && records.last?.basis == 0)
        #expect(machine.running == nil && machine.held == nil)
    }

    @Test("Without a model every frame falls back; when it is there, frames run")
    func readiness() {
        var feed = Feed(inferenceMS: 10)
        feed.isReady = false
        feed.play(40) { feed, frame in if frame == 20 { feed.isReady = true } }
        #expect(feed.frames(.fallback) == Array(0..<20))
        #expect(feed.frames(.run) == Array(20..<40))
    }

    @Test("A model that is taken away in the middle: the frame falls back, or a newer one does")
    func modelGone() {
        var machine = FrameMachine<Int, Int>(gate: FrameGate())
        _ = machine.arrived(0, isReady: true)
        var actions = machine.ended(.modelGone, milliseconds: 1, isReady: false)
        guard case .start(let job)? = actions.first else { return #expect(Bool(false), "nothing was started") }
        #expect(job.number == 0 && job.decision == .fallback)
        _ = machine.ended(.output(1), milliseconds: 1, isReady: true)

        _ = machine.arrived(1, isReady: true)
        _ = machine.arrived(2, isReady: true)
        actions = machine.ended(.modelGone, milliseconds: 1, isReady: true)
        guard case .report(let record)? = actions.first, case .start(let newer)? = actions.last else {
            return #expect(Bool(false), "nothing was reported or started")
        }
        #expect(record.frame == 1 && record.decision == .drop)
        #expect(newer.number == 2 && newer.decision == .fallback, "it does not wait for the model to come back")
    }

    @Test("An inference that fails is told about, and its result is not shown again")
    func failures() {
        var feed = Feed(inferenceMS: 10)
        feed.play(3)
        feed.fails = true
        feed.set(.reduced)
        feed.play(6)
        let failed = feed.records.filter { $0.failure != nil }
        #expect(failed.map(\.frame) == [5, 8])
        #expect(failed.allSatisfy { $0.decision == .run && $0.output == nil && $0.basis == nil })
        #expect(feed.records.filter { $0.decision == .reuse }.allSatisfy { $0.basis == 2 })
    }

    @Test("Whatever happens, each frame is told about once, one is worked on and one waits", arguments: 0..<50)
    func chaos(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed) &* 0x9E37_79B9 + 1)
        var machine = FrameMachine<Int, Int>(gate: FrameGate(interval: Int(random.next() % 5)))
        var (sent, reported, running) = (0, [Int](), 0)
        func take(_ actions: [FrameMachine<Int, Int>.Action]) {
            for action in actions {
                switch action {
                case .report(let record): reported.append(record.frame)
                case .start: running += 1
                }
            }
            #expect(running <= 1)
        }
        for _ in 0..<2000 {
            switch random.next() % 8 {
            case 0...3:
                take(machine.arrived(sent, isReady: random.next() % 4 != 0))
                sent += 1
            case 4: take(machine.changed(to: InferenceBudget.Level.allCases[Int(random.next() % 3)]))
            default:
                guard running == 1, let job = machine.running else { continue }
                running = 0
                let isGone = job.decision == .run && random.next() % 3 == 0
                take(machine.ended(isGone ? .modelGone : .output(job.number), milliseconds: 1, isReady: true))
            }
        }
        while running == 1 {
            running = 0
            take(machine.ended(.output(0), milliseconds: 1, isReady: true))
        }
        #expect(reported.sorted() == Array(0..<sent))
        #expect(machine.held == nil && machine.running == nil)
    }
}
