import HearthRuntime
import Testing

@Suite("Simulated devices", .timeLimit(.minutes(20)))
struct ScriptedDeviceMonitorTests {
    static func monitor(_ script: String, _ clock: ManualClock) throws -> ScriptedDeviceMonitor {
        ScriptedDeviceMonitor(try DeviceScript(parsing: script), clock: clock)
    }

    @Test("Right at any time, counted from the first question")
    func current() throws {
        let clock = ManualClock()
        clock.set(.seconds(1000))
        let monitor = try Self.monitor("thermal=fair@0s,thermal=serious@5s,thermal=nominal@9s", clock)
        clock.set(.seconds(2000))
        #expect(monitor.current().thermal == .fair)
        clock.set(.seconds(2004.9))
        #expect(monitor.current().thermal == .fair)
        clock.set(.seconds(2005))
        #expect(monitor.current().thermal == .serious)
        clock.set(.seconds(9000))
        #expect(monitor.current().thermal == .nominal)
    }

    @Test("Counted from a start that is given")
    func start() throws {
        let clock = ManualClock()
        clock.set(.seconds(100))
        let monitor = ScriptedDeviceMonitor(
            try DeviceScript(parsing: "thermal=serious@5s"), clock: clock, start: .init(offset: .seconds(96)))
        #expect(monitor.current().thermal == .nominal)
        clock.set(.seconds(101))
        #expect(monitor.current().thermal == .serious)
    }

    @Test("Each change in its time, then the end")
    func stream() async throws {
        let clock = ManualClock()
        let monitor = try Self.monitor(
            "memory=warning@8s,thermal=serious@5s,thermal=serious@6s,lowpower=on@0s,phase=background@8s", clock)
        var values = monitor.conditions().makeAsyncIterator()
        var expected = DeviceScript.base
        expected.isLowPower = true
        #expect(await values.next() == expected)
        try await clock.advance(by: .seconds(5))
        expected.thermal = .serious
        #expect(await values.next() == expected)
        try await clock.advance(by: .seconds(1))  // changes nothing
        try await clock.advance(by: .seconds(2))
        expected.memoryPressure = .warning
        expected.phase = .background
        #expect(await values.next() == expected)
        #expect(await values.next() == nil)
    }

    @Test("Two listeners see the same; one that comes later begins with the value of then")
    func listeners() async throws {
        let clock = ManualClock()
        let monitor = try Self.monitor("thermal=serious@5s,thermal=fair@20s", clock)
        var first = monitor.conditions().makeAsyncIterator()
        #expect(await first.next()?.thermal == .nominal)
        try await clock.advance(by: .seconds(7))
        #expect(await first.next()?.thermal == .serious)
        var second = monitor.conditions().makeAsyncIterator()
        #expect(await second.next()?.thermal == .serious)
        while clock.waiting < 2 { try await Task.sleep(for: .milliseconds(1)) }
        try await clock.advance(by: .seconds(13))
        #expect(await first.next()?.thermal == .fair)
        #expect(await second.next()?.thermal == .fair)
    }

    @Test("A listener that leaves stops the clock's sleeper")
    func leaving() async throws {
        let clock = ManualClock()
        let monitor = try Self.monitor("thermal=serious@5s", clock)
        let listener = Task { for await _ in monitor.conditions() {} }
        while clock.waiting == 0 { try await Task.sleep(for: .milliseconds(1)) }
        listener.cancel()
        await listener.value
        while clock.waiting > 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(clock.waiting == 0)
    }
}
