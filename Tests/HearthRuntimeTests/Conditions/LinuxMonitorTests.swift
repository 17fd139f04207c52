import Foundation
import HearthRuntime
import Testing

@Suite("Watching a Linux device", .timeLimit(.minutes(15)))
struct LinuxMonitorTests {
    @Test("The value now, then each change, and no other")
    func changes() async throws {
        let tree = try DeviceTree(copying: "laptop")
        defer { tree.remove() }
        let monitor = LinuxDeviceMonitor(root: tree.root, interval: .milliseconds(2))
        var values = monitor.conditions().makeAsyncIterator()
        #expect(await values.next()?.isLowPower == true)
        try tree.write("/sys/firmware/acpi/platform_profile", "balanced\n")
        let second = await values.next()
        #expect(second?.isLowPower == false)
        // Some pages more or less are no news: the next value is the one after this change.
        try tree.write("/proc/meminfo", "MemTotal: 16147532 kB\nMemAvailable: 9876000 kB\n")
        try await Task.sleep(for: .milliseconds(20))
        try tree.write("/sys/class/thermal/thermal_zone0/temp", "99000\n")
        let third = await values.next()
        #expect(third?.thermal == .critical)
        #expect(third?.memoryAvailable == 9_876_000 * 1024)
    }

    @Test("A slow listener finds the last value")
    func newestWins() async throws {
        let tree = try DeviceTree(copying: "laptop")
        defer { tree.remove() }
        let reads = Reads()
        let monitor = LinuxDeviceMonitor(root: tree.root, interval: .milliseconds(1)) { reads.note() }
        var values = monitor.conditions().makeAsyncIterator()
        _ = await values.next()
        for milli in [60000, 86000, 99000, 50000, 79000] {
            try tree.write("/sys/class/thermal/thermal_zone0/temp", "\(milli)\n")
            let seen = reads.count
            // A whole look begins and ends after the file was written.
            while reads.count < seen + 3 { try await Task.sleep(for: .milliseconds(1)) }
        }
        // Fair before, fair at the end; what lay between was overtaken.
        #expect(await values.next()?.thermal == .fair)
    }

    @Test("Looking ends when nobody listens any more")
    func ends() async throws {
        let reads = Reads()
        let monitor = LinuxDeviceMonitor(root: "/nowhere", interval: .milliseconds(1)) { reads.note() }
        let listener = Task { for await _ in monitor.conditions() {} }
        while reads.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
        listener.cancel()
        await listener.value
        do {
            var values: AsyncStream<DeviceConditions>? = monitor.conditions()
            var iterator = values?.makeAsyncIterator()
            _ = await iterator?.next()
            iterator = nil
            values = nil
        }
        // The look that was under way may end; then there are no more.
        var last = reads.count
        var quiet = 0
        for _ in 0..<500 where quiet < 5 {
            try await Task.sleep(for: .milliseconds(10))
            quiet = reads.count == last ? quiet + 1 : 0
            last = reads.count
        }
        #expect(quiet == 5)
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

    /// Counts looks by the clock that each of them reads.
    final class Reads: @unchecked Sendable {
        private let lock = NSLock()
        private var value = 0
        var count: Int { lock.withLock { value } }
        func note() -> Duration {
            lock.withLock {
                value += 1; return .milliseconds(value)
            }
        }
    }
}
