import HearthRuntime
import Testing

@Suite("Frame gate", .timeLimit(.minutes(20)))
struct FrameGateTests {
    typealias Row = (situation: FrameGate.Situation, action: FrameGate.Action)

    static func row(
        _ level: InferenceBudget.Level, ready: Bool = true, busy: Bool = false, since: Int? = nil, result: Bool = false,
        _ action: FrameGate.Action
    ) -> Row {
        let situation = FrameGate.Situation(
            frame: 100, level: level, isReady: ready, isBusy: busy, lastRun: since.map { 100 - $0 }, hasResult: result)
        return (situation, action)
    }

    static let table: [Row] = [
        // Full: runs whenever the model is free, and the newest waits where it is not.
        row(.full, .run), row(.full, busy: true, .hold), row(.full, since: 1, result: true, .run),
        row(.full, busy: true, since: 1, result: true, .hold),
        // Reduced: one of three.
        row(.reduced, .run), row(.reduced, busy: true, .hold),
        row(.reduced, since: 1, result: true, .reuse), row(.reduced, since: 2, result: true, .reuse),
        row(.reduced, busy: true, since: 2, result: true, .reuse),
        row(.reduced, since: 3, result: true, .run), row(.reduced, since: 400, result: true, .run),
        row(.reduced, busy: true, since: 3, result: true, .hold),
        // Nothing to show again yet.
        row(.reduced, since: 1, .fallback), row(.reduced, busy: true, since: 2, .fallback),
        row(.reduced, since: 3, .run),
        // Suspended, or no model: a heuristic, whatever else is so.
        row(.suspended, .fallback), row(.suspended, busy: true, since: 1, result: true, .fallback),
        row(.full, ready: false, .fallback), row(.full, ready: false, busy: true, result: true, .fallback),
        row(.reduced, ready: false, since: 1, result: true, .fallback), row(.suspended, ready: false, .fallback),
        // Numbers that go back, and as far as they can.
        row(.reduced, since: -5, result: true, .run), row(.reduced, since: 0, result: true, .run),
    ]

    @Test("The first row that applies decides", arguments: table.indices)
    func decisions(row: Int) {
        let (situation, action) = Self.table[row]
        let decision = FrameGate().decide(situation)
        #expect(decision.action == action, "\(situation)")
        #expect(isOneSentence(decision.reason))
    }

    @Test("Extreme numbers do not overflow")
    func extremes() {
        for (frame, last) in [(Int.max, Int.min), (Int.min, Int.max)] {
            let situation = FrameGate.Situation(frame: frame, level: .reduced, lastRun: last, hasResult: true)
            #expect(FrameGate().decide(situation).action == .run)
        }
    }

    @Test("One of N, for any N; below 1 is 1", arguments: [-3, 0, 1, 2, 3, 7, 60])
    func interval(interval: Int) {
        let gate = FrameGate(interval: interval)
        var lastRun: Int?
        var runs: [Int] = []
        for frame in 0..<420 {
            let situation = FrameGate.Situation(
                frame: frame, level: .reduced, lastRun: lastRun, hasResult: lastRun != nil)
            if gate.decide(situation).action == .run {
                runs.append(frame)
                lastRun = frame
            }
        }
        #expect(runs == Array(stride(from: 0, to: 420, by: max(1, interval))))
    }

    /// 60 frames a second for 60 seconds, and a sensor that swings between nominal and serious each second.
    @Test("A sensor that swings does not make the level flap")
    func hysteresis() {
        var budget = InferenceBudget()
        var levels: [InferenceBudget.Level] = []
        var (runs, lastRun) = (0, Int?.none)
        for frame in 0..<3600 {
            let time = Double(frame) / 60
            let isHot = time < 40 && Int(time) % 2 == 1
            budget.update(thermal: isHot ? .serious : .nominal, at: .seconds(time))
            if levels.last != budget.level { levels.append(budget.level) }
            let situation = FrameGate.Situation(
                frame: frame, level: budget.level, lastRun: lastRun, hasResult: lastRun != nil)
            if FrameGate().decide(situation).action == .run {
                runs += 1
                lastRun = frame
            }
        }
        #expect(levels == [.full, .reduced, .full])
        // Full for the first second; then one of three until ten seconds after the last hot one, which ends at 40.
        #expect(runs == 60 + (50 * 60 - 60) / 3 + 600)
    }
}
