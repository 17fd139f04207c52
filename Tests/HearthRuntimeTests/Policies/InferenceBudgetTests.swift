import HearthRuntime
import HearthTestSupport
import Testing

@Suite("Inference budget", .timeLimit(.minutes(20)))
struct InferenceBudgetTests {
    typealias Level = InferenceBudget.Level

    static let levels: [(thermal: ThermalState?, isLowPower: Bool, level: Level)] = [
        (nil, false, .full), (.nominal, false, .full), (.fair, false, .full), (.serious, false, .reduced),
        (.critical, false, .suspended), (.unknown, false, .reduced), (nil, true, .reduced), (.nominal, true, .reduced),
        (.fair, true, .reduced), (.serious, true, .reduced), (.critical, true, .suspended), (.unknown, true, .reduced),
    ]

    @Test("Level by reading; the first reading takes effect at once", arguments: levels.indices)
    func reading(row: Int) {
        let (thermal, isLowPower, expected) = Self.levels[row]
        var budget = InferenceBudget()
        #expect(budget.level(thermal: thermal, isLowPower: isLowPower) == expected)
        #expect(budget.update(thermal: thermal, isLowPower: isLowPower, at: .seconds(100)) == expected)
        #expect(budget.level == expected)
        #expect(budget.share == [.full: 1, .reduced: 0.5, .suspended: 0][expected])
        #expect(isOneSentence(budget.reason))
    }

    /// Readings at seconds, with the level that each leads to.
    static let stories: [(name: String, steps: [(Double, ThermalState, Level)])] = [
        (
            "recovers after ten seconds",
            [(0, .serious, .reduced), (1, .nominal, .reduced), (10.9, .nominal, .reduced), (11, .nominal, .full)]
        ),
        ("worsens at once", [(0, .nominal, .full), (0.1, .serious, .reduced), (0.2, .critical, .suspended)]),
        (
            "a swing at the threshold starts the wait anew",
            [
                (0, .serious, .reduced), (1, .fair, .reduced), (9, .serious, .reduced), (10, .fair, .reduced),
                (19.9, .fair, .reduced), (20, .fair, .full),
            ]
        ),
        (
            "recovers to the worst of what was seen meanwhile",
            [
                (0, .critical, .suspended), (1, .nominal, .suspended), (5, .serious, .suspended),
                (6, .nominal, .suspended), (11, .nominal, .reduced), (16, .nominal, .full),
            ]
        ),
        (
            "a reading holds until the next one",
            [(0, .critical, .suspended), (60, .nominal, .suspended), (70, .nominal, .full)]
        ),
        (
            "time that goes back stands still",
            [(50, .serious, .reduced), (10, .nominal, .reduced), (59, .nominal, .reduced), (60, .nominal, .full)]
        ),
    ]

    @Test("Hysteresis", arguments: stories.indices)
    func hysteresis(row: Int) {
        var budget = InferenceBudget()
        for (time, thermal, expected) in Self.stories[row].steps {
            #expect(
                budget.update(thermal: thermal, at: .seconds(time)) == expected, "\(Self.stories[row].name) at \(time)")
        }
    }

    @Test("The level is that of the worst reading within the last ten seconds, for any readings")
    func property() {
        var random = SeededNumbers(seed: 7)
        for _ in 0..<200 {
            var budget = InferenceBudget()
            var time = 0
            var readings: [(from: Int, level: Level)] = []
            for _ in 0..<60 {
                time += Int(random.next() % 4)
                let thermal = ThermalState.allCases[Int(random.next() % 5)]
                readings.append((time, budget.level(thermal: thermal)))
                let level = budget.update(thermal: thermal, at: .seconds(time))
                // A reading holds from its time to that of the next.
                let worst = readings.indices.filter { index in
                    index + 1 == readings.count || readings[index + 1].from > time - 10
                }.map { readings[$0].level }.max()
                #expect(level == worst)
            }
        }
    }

    @Test("It says when to ask again")
    func recoversAt() {
        var budget = InferenceBudget()
        budget.update(thermal: .critical, at: .seconds(1))
        #expect(budget.recoversAt == nil)
        budget.update(thermal: .serious, at: .seconds(4))
        #expect(budget.recoversAt == .seconds(14))
        budget.update(thermal: .fair, at: .seconds(6))
        #expect(budget.recoversAt == .seconds(14))
        #expect(budget.update(thermal: .fair, at: .seconds(14)) == .reduced)
        #expect(budget.recoversAt == .seconds(16))
        #expect(budget.update(thermal: .fair, at: .seconds(16)) == .full)
        #expect(budget.recoversAt == nil)
    }

    @Test("Resting keeps the share")
    func pause() {
        var budget = InferenceBudget()
        #expect(budget.pause(after: .milliseconds(80)) == .zero)
        budget.update(thermal: .serious, at: .zero)
        #expect(budget.pause(after: .milliseconds(80)) == .milliseconds(80))
        budget.reducedShare = 0.25
        #expect(budget.pause(after: .milliseconds(80)) == .milliseconds(240))
        budget.update(thermal: .critical, at: .zero)
        #expect(budget.pause(after: .milliseconds(80)) == nil)
        budget = InferenceBudget()
        budget.lowPowerReduces = false
        #expect(budget.update(thermal: .nominal, isLowPower: true, at: .zero) == .full)
    }
}
