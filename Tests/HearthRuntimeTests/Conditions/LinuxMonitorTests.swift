import Foundation
import HearthRuntime
import Testing

@Suite("Watching a Linux device", .timeLimit(.minutes(20)))
struct LinuxMonitorTests {
    @Test("The value now, then each change, and no other")
    func changes() async throws {
        let tree = try DeviceTree(copying: "laptop")
        defer { tree.remove() }
        let looks = Looks()
        let monitor = LinuxDeviceMonitor(root: tree.root, interval: .milliseconds(2)) { looks.note() }
        var values = monitor.conditions().makeAsyncIterator()
        #expect(await values.next()?.isLowPower == true)
        try tree.write("/sys/firmware/acpi/platform_profile", "balanced\n")
        let second = await values.next()
        #expect(second?.isLowPower == false)
        // Some pages more or less are no news: the next value is the one after this change.
        try tree.write("/proc/meminfo", "MemTotal: 16147532 kB\nMemAvailable: 9876000 kB\n")
        await looks.another()
        try tree.write("/sys/class/thermal/thermal_zone0/temp", "99000\n")
        let third = await values.next()
        #expect(third?.thermal == .critical)
        #expect(third?.memoryAvailable == 9_876_000 * 1024)
    }

    @Test("A slow listener finds the last value")
    func newestWins() async throws {
        let tree = try DeviceTree(copying: "laptop")
        defer { tree.remove() }
        let looks = Looks()
        let monitor = LinuxDeviceMonitor(root: tree.root, interval: .milliseconds(1)) { looks.note() }
        var values = monitor.conditions().makeAsyncIterator()
        _ = await values.next()
        for milli in [60000, 86000, 99000, 50000, 79000] {
            try tree.write("/sys/class/thermal/thermal_zone0/temp", "\(milli)\n")
            await looks.another()
        }
        // Fair before, fair at the end; what lay between was overtaken.
        #expect(await values.next()?.thermal == .fair)
    }

    @Test("Looking ends when nobody listens any more")
    func ends() async throws {
        let looks = Looks()
        let monitor = LinuxDeviceMonitor(
            root: "/nowhere", interval: .milliseconds(1), ended: { looks.end() }, clock: { looks.note() })
        let listener = Task { for await _ in monitor.conditions() {} }
        await looks.another()
        #expect(looks.ended == 0)
        listener.cancel()
        await listener.value
        await eventually { looks.ended == 1 }
        let count = looks.count
        // One that leaves without being cancelled. A task of its own: what a function still holds of a value after its last use
        // is the compiler's choice, and a task that has ended holds nothing.
        await Task {
            var values = monitor.conditions().makeAsyncIterator()
            _ = await values.next()
        }.value
        await eventually { looks.ended == 2 }
        #expect(looks.count > count && looks.late == 0)
    }

    @Test("What counts as news")
    func news() {
        let known = DeviceConditions(memoryAvailable: 1 << 30)
        var now = known
        #expect(!now.isNews(after: known))
        now.memoryAvailable = (1 << 30) - (1 << 30) / 20 + 4096
        #expect(!now.isNews(after: known))
        now.memoryAvailable = (1 << 30) - (1 << 30) / 20 - 4096
        #expect(now.isNews(after: known))
        now = known
        now.thermal = .fair
        #expect(now.isNews(after: known))
        now.memoryAvailable = nil
        #expect(now.isNews(after: known))
    }

    /// Counts looks by the clock that each of them reads, and streams whose last look is over.
    final class Looks: @unchecked Sendable {
        private let lock = NSLock()
        private var value = 0
        private var ends = 0
        private var begunWhileNobodyListens = 0

        var count: Int { lock.withLock { value } }
        var ended: Int { lock.withLock { ends } }
        /// Looks after the last stream of two had ended.
        var late: Int { lock.withLock { begunWhileNobodyListens } }

        func note() -> Duration {
            lock.withLock {
                value += 1
                if ends == 2 { begunWhileNobodyListens += 1 }
                return .milliseconds(value)
            }
        }

        func end() { lock.withLock { ends += 1 } }

        /// Until a whole look began and ended after this call.
        func another() async {
            let seen = count
            await eventually { self.count >= seen + 3 }
        }
    }
}
