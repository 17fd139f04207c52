import Foundation
import HearthRuntime
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Linux devices as files", .timeLimit(.minutes(20)))
struct LinuxDeviceTests {
    /// What each fixture says; the arithmetic is that of the files.
    static let devices: [(name: String, conditions: DeviceConditions)] = [
        (
            // (10.1 + 49.9) of (20.2 + 59.8) Wh; zone acpitz at 78 of 100 °C.
            "laptop",
            DeviceConditions(
                batteryLevel: 0.75, isCharging: false, isLowPower: true, thermal: .fair, memoryPressure: .normal,
                memoryAvailable: 9_876_544 * 1024, memoryTotal: 16_147_532 * 1024)
        ),
        (
            // 1935 of 4500 mAh; the hot spot at 95.1 °C is past the upper passive point.
            "board",
            DeviceConditions(
                batteryLevel: 0.43, isCharging: true, isLowPower: false, thermal: .serious, memoryPressure: .normal,
                memoryAvailable: 2_867_904 * 1024, memoryTotal: 5_689_412 * 1024)
        ),
        (
            // memory.high of the own group; available is that − current + inactive_file + active_file − file_dirty.
            "container",
            DeviceConditions(
                thermal: nil, memoryPressure: .warning, memoryLimit: 943_718_400,
                memoryAvailable: 943_718_400 - 629_145_600 + 157_286_400 + 104_857_600 - 4_194_304,
                memoryTotal: 65_843_204 * 1024)
        ),
        ("vm", DeviceConditions(memoryAvailable: 2_984_120 * 1024, memoryTotal: 4_014_332 * 1024)),
    ]

    @Test("Conditions of the recorded devices", arguments: devices.indices)
    func recorded(row: Int) {
        let (name, expected) = Self.devices[row]
        #expect(LinuxDeviceMonitor(root: DeviceTree.fixtures + "/" + name).current() == expected, "\(name)")
    }

    @Test("Where the readings come from; what nobody measures is not there")
    func sources() {
        func sources(_ name: String) -> [String: String] {
            LinuxDeviceMonitor(root: DeviceTree.fixtures + "/" + name).sources()
        }
        #expect(sources("laptop")["thermal"] == "thermal zone acpitz, 78 °C")
        #expect(sources("laptop")["batteryLevel"] == "BAT0, BAT1")
        #expect(sources("laptop")["isLowPower"] == "firmware's power profile, low-power")
        #expect(sources("container")["memoryLimit"] == "control groups")
        #expect(Set(sources("vm").keys) == ["memoryPressure", "memoryTotal", "memoryAvailable"])
        #expect(LinuxDeviceMonitor(root: "/nowhere").sources().isEmpty)
        #expect(LinuxDeviceMonitor(root: "/nowhere").current() == DeviceConditions())
    }

    @Test("Who the recorded devices are")
    func identities() {
        func identity(_ name: String) -> DeviceIdentity {
            DeviceIdentity.linux(root: DeviceTree.fixtures + "/" + name)
        }
        #expect(
            identity("laptop")
                == DeviceIdentity(
                    model: "LENOVO ThinkPad X1 Carbon Gen 9", osVersion: "Debian GNU/Linux 12 (bookworm)",
                    osBuild: "6.1.0-21-amd64", processors: 8))
        #expect(
            identity("board")
                == DeviceIdentity(
                    model: "Fairphone 4", osVersion: "postmarketOS v24.06", osBuild: "6.6.28", processors: 6))
        #expect(
            identity("container")
                == DeviceIdentity(
                    model: "AMD EPYC 7763 64-Core Processor", osVersion: "Alpine Linux v3.19",
                    osBuild: "5.15.0-1053-aws", processors: 2))
        #expect(
            identity("vm")
                == DeviceIdentity(
                    model: "Intel(R) Xeon(R) Processor @ 2.60GHz", osVersion: "Linux", osBuild: "6.18.0", processors: 2)
        )
        #expect(
            identity("nowhere")
                == DeviceIdentity(model: "unknown", osVersion: "Linux", osBuild: "unknown", processors: 1))
        let here = DeviceIdentity.current()
        #expect(!here.model.isEmpty && !here.osVersion.isEmpty && here.processors >= 1)
    }

    /// Files that replace what a laptop has, and what becomes of one field.
    static let power: [(name: String, files: [String: String], level: Double?, isCharging: Bool)] = [
        ("plugged in, full", ["AC/online": "1", "BAT0/status": "Full", "BAT1/status": "Not charging"], 0.75, true),
        ("a charger that is too weak", ["AC/online": "1"], 0.75, false),
        (
            "no word about chargers",
            ["AC/online": "", "ucsi-source-psy-USBC000_001/online": "x", "BAT0/status": "Charging"], 0.75, true
        ),
        (
            "no word about anything",
            ["AC/online": "", "ucsi-source-psy-USBC000_001/online": "", "BAT0/status": "", "BAT1/status": "Unknown"],
            0.75, false
        ),
        ("more than full", ["BAT0/energy_now": "99999999", "BAT1/energy_now": "59800000"], 1, false),
        // (50 % + 49.9 / 59.8) / 2
        ("negative contents fall back on the percentage", ["BAT0/energy_now": "-1"], 0.67, false),
        ("size zero falls back too", ["BAT0/energy_full": "0"], 0.67, false),
        ("one battery says nothing", ["BAT0/energy_now": "?", "BAT0/capacity": "1000"], 0.83, false),
        (
            "no battery says anything",
            ["BAT0/energy_now": "", "BAT0/capacity": "-5", "BAT1/energy_full": "", "BAT1/capacity": "101"], nil, true
        ),
    ]

    @Test("Power supplies", arguments: power.indices)
    func supplies(row: Int) throws {
        let (name, files, level, isCharging) = Self.power[row]
        let tree = try DeviceTree(copying: "laptop")
        defer { tree.remove() }
        for (path, text) in files { try tree.write("/sys/class/power_supply/" + path, text) }
        let power = PowerSupplies(root: tree.root)
        #expect(power.level == level, "\(name)")
        #expect(power.isCharging == isCharging, "\(name)")
    }

    /// Lines of /proc/self/cgroup with limits by folder, and the least of them that counts.
    static let groups: [(name: String, list: String, limits: [String: String], limit: Int?)] = [
        ("own", "0::/a/b", ["/a/b/memory.max": "100"], 100),
        ("an ancestor has less", "0::/a/b", ["/a/b/memory.max": "100", "/a/memory.max": "50"], 50),
        ("soft limits count", "0::/a", ["/a/memory.max": "100", "/a/memory.high": "70"], 70),
        ("no limit", "0::/a", ["/a/memory.max": "max"], nil),
        ("a cousin's does not count", "0::/a", ["/b/memory.max": "10"], nil),
        ("a container sees only its own root", "0::/system.slice/docker-77.scope", ["/memory.max": "300"], 300),
        ("a path that leads out", "0::/../../etc", ["/memory.max": "300", "/../../etc/memory.max": "1"], 300),
        (
            "beside version 1", "4:memory:/x\n0::/a",
            ["/unified/a/memory.max": "100", "/memory/x/memory.limit_in_bytes": "90"], 90
        ),
        ("version 1, no limit", "4:cpu,memory:/x", ["/memory/x/memory.limit_in_bytes": "9223372036854771712"], nil),
        ("nonsense", "0::/a", ["/a/memory.max": "-5", "/a/memory.high": "99999999999999999999999"], nil),
        ("no list", "", ["/memory.max": "100"], nil),
        ("a broken list", "0:\n::\n0::/a\u{0}b\n5", ["/memory.max": "100"], 100),
    ]

    @Test("Limits of control groups", arguments: groups.indices)
    func limits(row: Int) throws {
        let (name, list, limits, limit) = Self.groups[row]
        let tree = try DeviceTree()
        defer { tree.remove() }
        try tree.write("/proc/self/cgroup", list + "\n")
        for (path, text) in limits { try tree.write("/sys/fs/cgroup" + path, text + "\n") }
        #expect(ControlGroups(root: tree.root).limit == limit, "\(name)")
    }

    @Test("Nothing that a file may hold makes it crash, wait or believe")
    func hostile() throws {
        var random = SeededNumbers(seed: 42)
        let contents: [Data] = [
            Data(), Data("-1".utf8), Data("0".utf8), Data("9223372036854775807".utf8),
            Data("-9223372036854775808".utf8), Data("99999999999999999999999999".utf8), Data("nan".utf8),
            Data("max".utf8), Data("0::/../../../..".utf8), Data([0, 0, 0]), Data((0...255).map { UInt8($0) }),
            Data(repeating: 0x39, count: 70_000), Data(repeating: 0x0A, count: 70_000),
            Data("some avg10=nan\nfull avg10=-5".utf8), Data("MemTotal: 9999999999999999999 kB".utf8),
            Data((0..<8000).map { "0::/\($0)\n" }.joined().utf8),
            Data(("0::" + String(repeating: "/a", count: 20_000)).utf8),
        ]
        for name in ["laptop", "board", "container", "vm"] {
            let tree = try DeviceTree(copying: name)
            defer { tree.remove() }
            let files = try tree.files()
            let monitor = LinuxDeviceMonitor(root: tree.root)
            for _ in 0..<40 {
                for _ in 0...Int(random.next() % 6) {
                    let file = files[Int(random.next() % UInt64(files.count))]
                    let url = tree.root + file
                    switch random.next() % 12 {
                    case 0: try? FileManager.default.removeItem(atPath: url)
                    case 1:
                        try? FileManager.default.removeItem(atPath: url)
                        try? FileManager.default.createDirectory(atPath: url, withIntermediateDirectories: false)
                    case 2:
                        try? FileManager.default.removeItem(atPath: url)
                        try? FileManager.default.createSymbolicLink(atPath: url, withDestinationPath: url)
                    case 3:
                        try? FileManager.default.removeItem(atPath: url)
                        mkfifo(url, 0o600)
                    case 4:
                        try? FileManager.default.removeItem(atPath: url)
                        try? FileManager.default.createSymbolicLink(atPath: url, withDestinationPath: "/dev/zero")
                    default:
                        try? tree.write(file, contents[Int(random.next() % UInt64(contents.count))])
                    }
                }
                let conditions = monitor.current()
                #expect(conditions.batteryLevel.map { (0...1).contains($0) } ?? true)
                for bytes in [conditions.memoryTotal, conditions.memoryLimit, conditions.memoryAvailable] {
                    #expect((bytes ?? 0) >= 0)
                }
                let identity = DeviceIdentity.linux(root: tree.root)
                #expect(identity.processors >= 1)
                for text in [identity.model, identity.osVersion, identity.osBuild] + monitor.sources().values {
                    #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control }, "\(text)")
                    #expect(text.count <= 2000)
                }
            }
        }
    }
}
