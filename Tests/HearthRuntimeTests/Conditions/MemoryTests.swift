import Foundation
import HearthRuntime
import HearthSystem
import Testing

@Suite("Memory of a Linux device", .timeLimit(.minutes(20)))
struct MemoryTests {
    static let mebi = 1 << 20

    /// Stalls in percent, capacity and what is left in MiB, then the pressure.
    static let table: [(some: Double, full: Double, capacity: Int?, left: Int?, pressure: MemoryPressure)] = [
        (0, 0, 4096, 2048, .normal),
        (9.9, 0, 4096, 2048, .normal), (10, 0, 4096, 2048, .warning), (100, 9.9, 4096, 2048, .warning),
        (100, 10, 4096, 2048, .critical),
        (0, 0, 4096, 410, .normal), (0, 0, 4096, 409, .warning), (0, 0, 4096, 204, .critical),  // 10 % and 5 %
        (0, 0, 65536, 512, .normal), (0, 0, 65536, 511, .warning), (0, 0, 65536, 255, .critical),
        (0, 0, nil, 1, .normal), (0, 0, 4096, nil, .normal), (0, 0, 0, 0, .normal),
    ]

    @Test("Stalls and what is left", arguments: table.indices)
    func scale(row: Int) throws {
        let (some, full, capacity, left, expected) = Self.table[row]
        let tree = try DeviceTree()
        defer { tree.remove() }
        let lines =
            "some avg10=\(some) avg60=0.00 avg300=0.00 total=1\nfull avg10=\(full) avg60=0.00 avg300=0.00 total=1\n"
        try tree.write("/memory", lines)
        let stall = try #require(PressureStall(path: tree.root + "/memory"))
        let reading = MemoryScale.Reading(
            stalls: [stall], capacity: capacity.map { $0 * Self.mebi }, available: left.map { $0 * Self.mebi })
        #expect(MemoryScale().pressure(reading) == expected)
    }

    @Test(
        "Stalls that cannot be meant are none",
        arguments: [
            "", "some", "some avg10=", "some avg10=nan", "some avg10=-1", "some avg10=101", "full avg10=5",
            "some avg60=4",
            "\u{0}\u{1}some avg10=5",
        ])
    func garbage(text: String) throws {
        let tree = try DeviceTree()
        defer { tree.remove() }
        try tree.write("/memory", text)
        // Control characters at the beginning of a file are skipped like spaces.
        #expect((PressureStall(path: tree.root + "/memory") == nil) == !text.hasSuffix("some avg10=5"))
    }

    @Test("A group's counters count when they rise, for ten seconds, and only where memory is short")
    func events() throws {
        let tree = try DeviceTree(copying: "container")
        defer { tree.remove() }
        let group = "/sys/fs/cgroup/kubepods/pod7/app/"
        try tree.write(group + "memory.pressure", "some avg10=0.00\nfull avg10=0.00\n")
        let time = ManualTime()
        let monitor = LinuxDeviceMonitor(root: tree.root, interval: .seconds(1)) { time.now }
        func expect(_ pressure: MemoryPressure, at seconds: Int, _ comment: Comment) {
            time.now = .seconds(seconds)
            #expect(monitor.current().memoryPressure == pressure, comment)
        }
        func events(high: Int, oom: Int) throws {
            try tree.write(group + "memory.events", "low 0\nhigh \(high)\nmax 0\noom \(oom)\noom_kill 0\n")
        }
        expect(.normal, at: 0, "what was counted before is history")
        try events(high: 113, oom: 0)
        expect(.normal, at: 1, "a limit was reached by files that can be dropped")
        // 150 MiB of 900 are left, and nothing can be dropped.
        try tree.write(group + "memory.current", "786432000\n")
        try tree.write(group + "memory.stat", "inactive_file 0\nactive_file 0\nfile_dirty 0\n")
        expect(.warning, at: 2, "the event of a second ago matters now")
        expect(.warning, at: 10, "still within ten seconds")
        expect(.normal, at: 11, "ten seconds later")
        try events(high: 113, oom: 1)
        expect(.critical, at: 12, "memory ran out")
        expect(.critical, at: 21, "still within ten seconds")
        expect(.normal, at: 22, "ten seconds later")
        try events(high: 0, oom: 0)
        expect(.normal, at: 23, "a new group begins to count anew")
    }

    final class ManualTime: @unchecked Sendable {
        private let lock = NSLock()
        private var value: Duration = .zero
        var now: Duration {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }
}
