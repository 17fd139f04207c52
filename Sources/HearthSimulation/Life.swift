internal import HearthRuntime
package import HearthSystem

/// The script of one runner's life: a list of events and common settings. It does not depend on anything that happens during
/// its execution, so any subset of the events is a valid script with the same events.
package struct Life: Sendable, Equatable {
    /// Which queued job runs next.
    package enum Order: Sendable, CaseIterable {
        case random, oldest, newest
    }

    package var order = Order.random
    /// Whether a store controls the runner.
    package var hasStore = false
    /// Whether the store may start before the first frame is reported.
    package var isFrameUp = true
    /// The failure rate of the engine's steps, in percent.
    package var failureRate = 0
    package var events: [LifeEvent] = []
    /// The seed for the end of the life.
    package var endSeed: UInt64 = 0

    /// The maximum length; longer lives find nothing new and take longer to shrink.
    package static let longest = 400

    /// Generates a life.
    /// - Parameter numbers: the numbers of its events.
    package init(dice seed: SplitMix64, numbers: ClosedRange<Int>) {
        var dice = seed
        order = dice.chance(70) ? .random : Order.allCases[dice.below(3)]
        hasStore = dice.chance(40)
        isFrameUp = dice.chance(70)
        failureRate = dice.chance(50) ? 0 : dice.below(20)
        endSeed = dice.next()
        let kinds = hasStore ? Self.withStore : dice.chance(50) ? Self.calm : Self.rough
        var drawing = Drawing(kinds: kinds, hasStore: hasStore)
        events = numbers.map { drawing.event($0, dice.split()) }
    }

    /// Creates a life from given events, for tests.
    package init(events: [LifeEvent]) { self.events = events }

    // MARK: - Lives of a run

    /// Finds the life of a run that contains an event. Lives are laid out consecutively in blocks of the maximum length, so it
    /// is found without executing the others.
    /// - Parameter event: the number of the event, from 1.
    package static func containing(_ event: Int, seed: UInt64) -> Life {
        let offset = (event - 1) % longest
        let base = event - 1 - offset
        var start = SplitMix64(seed: seed)
        var dice = SplitMix64(seed: start.next() ^ UInt64(base) &* 0xD6E8_FEB8_6659_FD93)
        var first = 0
        while true {
            var own = dice.split()
            let end = min(first + own.within(20...longest), longest)
            if offset < end {
                return Life(dice: own, numbers: base + first + 1...base + min(end, .max - base))
            }
            first = end
        }
    }

    /// The same life, reduced to these events.
    package func keeping(_ numbers: Set<Int>) -> Life {
        var life = self
        life.events.removeAll { !numbers.contains($0.number) }
        return life
    }

    /// The same life, truncated after an event.
    package func ending(with number: Int) -> Life {
        var life = self
        life.events.removeAll { $0.number > number }
        return life
    }
}

extension Life {
    /// Frequencies of events: a rough life has many cancellations and releases; in a calm one, models live long enough to be
    /// used.
    private static let rough: [(EventKind, Int)] = [
        (.prepare, 10), (.use, 18), (.cancel, 12), (.release, 6), (.suspend, 3), (.resume, 5), (.failure, 3),
        (.slow, 3),
        (.observe, 2), (.leave, 2), (.work, 14), (.time, 25),
    ]
    private static let calm: [(EventKind, Int)] = [
        (.prepare, 6), (.use, 25), (.cancel, 3), (.release, 2), (.suspend, 1), (.resume, 3), (.failure, 1), (.slow, 1),
        (.observe, 2), (.leave, 1), (.work, 12), (.time, 44),
    ]
    private static let withStore: [(EventKind, Int)] = [
        (.prepare, 5), (.use, 18), (.cancel, 7), (.release, 2), (.failure, 2), (.slow, 2), (.observe, 2), (.leave, 1),
        (.work, 10), (.time, 30), (.heat, 5), (.memory, 4), (.battery, 4), (.phase, 4), (.activity, 8),
    ]

    /// Generates events one after another, each from its own random generator.
    private struct Drawing {
        let kinds: [(EventKind, Int)]
        let hasStore: Bool
        let total: Int
        /// The numbers of events that created callers and observers, latest last.
        var callers: [Int] = []
        var observers: [Int] = []

        init(kinds: [(EventKind, Int)], hasStore: Bool) {
            (self.kinds, self.hasStore) = (kinds, hasStore)
            total = kinds.reduce(0) { $0 + $1.1 }
        }

        mutating func event(_ number: Int, _ own: SplitMix64) -> LifeEvent {
            var dice = own
            let seed = dice.next()
            let choice = dice.below(10)
            let jobs = choice < 6 ? 0 : dice.below(7)
            let pace = choice < 4 ? LifeEvent.Pace.rest : .jobs(jobs, mainTurn: hasStore && choice < 8)
            let action = action(kind(&dice), &dice)
            switch action {
            case .prepare, .use: callers.append(number)
            case .observe: observers.append(number)
            default: break
            }
            return LifeEvent(number: number, action: action, pace: pace, seed: seed)
        }

        private func kind(_ dice: inout SplitMix64) -> EventKind {
            var number = dice.below(total)
            for (kind, weight) in kinds {
                if number < weight { return kind }
                number -= weight
            }
            return .work
        }

        private func action(_ kind: EventKind, _ dice: inout SplitMix64) -> LifeEvent.Action {
            switch kind {
            case .prepare: return .prepare(retries: dice.chance(50))
            case .use:
                let limit = dice.chance(30) ? dice.milliseconds(0...400) : nil
                return .use(limit: limit, retries: dice.chance(50), keeps: dice.chance(5))
            case .cancel: return .cancel(caller: recent(callers, of: 16, &dice))
            case .release: return .release(interrupts: dice.chance(50))
            case .suspend: return .suspend(interrupts: dice.chance(50))
            case .resume: return .resume
            case .failure: return .failure
            case .slow: return .slow
            case .observe: return .observe
            case .leave: return .leave(observer: recent(observers, of: 4, &dice))
            case .work: return .work
            case .time:
                let otherwise = dice.milliseconds(1...(dice.chance(10) ? 5000 : 100))
                return .time(toNextWake: dice.chance(70), otherwise: otherwise)
            case .heat, .memory, .battery, .phase, .activity: return ofDevice(kind, number: dice.below(100))
            }
        }

        /// Prefers one of the latest numbers, because earlier callers were answered long ago. 0 if there is none.
        private func recent(_ numbers: [Int], of count: Int, _ dice: inout SplitMix64) -> Int {
            let count = min(count, numbers.count)
            let back = min(dice.below(count), dice.below(count))
            return count > 0 ? numbers[numbers.count - 1 - back] : 0
        }

        private func ofDevice(_ kind: EventKind, number: Int) -> LifeEvent.Action {
            switch kind {
            case .heat:
                let steps: [ThermalState] = [.nominal, .nominal, .fair, .serious, .critical, .unknown]
                return .heat(steps[number % steps.count])
            case .memory:
                let steps: [MemoryPressure] = [.normal, .normal, .warning, .critical]
                return .memory(steps[number % steps.count])
            case .battery:
                return .battery(level: Double(number) / 100, isCharging: number % 2 == 0, isLowPower: number < 20)
            case .phase:
                let phases: [AppPhase] = [.active, .active, .inactive, .background]
                return .phase(phases[number % phases.count])
            default:
                switch number % 8 {
                case 0: return .activity(.idle)
                case 1: return .prewarm
                case 2: return .retry
                case 3: return .firstFrame
                default: return .activity(UserActivity.allCases[number % 3])
                }
            }
        }
    }
}
