internal import Synchronization

/// Plays a script of conditions (`--simulate`). Time runs from a given start, or from the first time that somebody asks or
/// listens.
///
///     let monitor = ScriptedDeviceMonitor(try DeviceScript(parsing: "thermal=serious@5s"))
package final class ScriptedDeviceMonitor: DeviceMonitor {
    /// The script.
    package let script: DeviceScript
    private let base: DeviceConditions
    private let timeline: any Timeline

    /// - Parameters:
    ///   - base: the conditions before the first event.
    ///   - clock: what counts the time.
    package init(
        _ script: DeviceScript, base: DeviceConditions = DeviceScript.base,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.script = script
        self.base = base
        timeline = ClockTimeline(clock, start: nil)
    }

    /// - Parameter start: the moment that the script's times count from.
    package init<C: Clock>(
        _ script: DeviceScript, base: DeviceConditions = DeviceScript.base, clock: C, start: C.Instant
    ) where C.Duration == Duration {
        self.script = script
        self.base = base
        timeline = ClockTimeline(clock, start: start)
    }

    /// The conditions that the script has reached.
    package func current() -> DeviceConditions { script.conditions(at: timeline.elapsed(), base: base) }

    /// The conditions now, then each change; ends after the last event, as nothing can change any more.
    package func conditions() -> AsyncStream<DeviceConditions> {
        // Time begins to run here, and not whenever the task below gets its turn.
        _ = timeline.elapsed()
        let (script, base, timeline) = (script, base, timeline)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                var last: DeviceConditions?
                while !Task.isCancelled {
                    let now = timeline.elapsed()
                    let next = script.conditions(at: now, base: base)
                    if next != last { continuation.yield(next) }
                    last = next
                    guard let time = script.next(after: now) else { break }
                    do { try await timeline.sleep(until: time) } catch { break }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Everything is simulated.
    package func sources() -> [String: String] {
        var names = ["isCharging", "isLowPower", "thermal", "memoryPressure", "phase", "recentSessions"]
        if script.conditions(at: timeline.elapsed(), base: base).batteryLevel != nil { names.append("batteryLevel") }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, "simulated") })
    }
}

/// Time since a start.
private protocol Timeline: Sendable {
    func elapsed() -> Duration
    func sleep(until time: Duration) async throws
}

private final class ClockTimeline<C: Clock>: Timeline where C.Duration == Duration {
    private let clock: C
    private let start: Mutex<C.Instant?>

    init(_ clock: C, start: C.Instant?) {
        self.clock = clock
        self.start = Mutex(start)
    }

    private func begin() -> C.Instant {
        let now = clock.now
        return start.withLock { start in
            let begin = start ?? now
            start = begin
            return begin
        }
    }

    func elapsed() -> Duration { begin().duration(to: clock.now) }

    func sleep(until time: Duration) async throws {
        try await clock.sleep(until: begin().advanced(by: time), tolerance: nil)
    }
}
