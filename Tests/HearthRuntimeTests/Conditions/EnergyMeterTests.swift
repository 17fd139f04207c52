import Foundation
import HearthRuntime
import Testing

#if os(Linux)
@Suite("Energy meter", .timeLimit(.minutes(20)))
struct EnergyMeterTests {
    private typealias Files = [String: String]

    private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-energy-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        return try body(root.path)
    }

    private func write(_ files: Files, _ root: String) throws {
        for (path, text) in files {
            let url = URL(fileURLWithPath: "\(root)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }

    private func energy(_ before: Files, _ after: Files) throws -> EnergyMeter.Energy {
        try withFolder { root in
            let meter = EnergyMeter(root: root)
            try write(before, root)
            let first = meter.read()
            try write(after, root)
            return meter.read().since(first)
        }
    }

    private func zone(_ id: String, _ name: String, _ microjoules: String, range: String = "262143328850") -> Files {
        let folder = "sys/class/powercap/intel-rapl:\(id)"
        return [
            "\(folder)/name": name + "\n", "\(folder)/energy_uj": microjoules + "\n",
            "\(folder)/max_energy_range_uj": range + "\n",
        ]
    }

    private func battery(_ fields: Files) -> Files {
        var files = ["type": "Battery", "status": "Discharging", "present": "1"].merging(fields) { $1 }
        files = Dictionary(uniqueKeysWithValues: files.map { ("sys/class/power_supply/BAT0/\($0)", $1 + "\n") })
        return files
    }

    @Test("Packages and memory are added, parts of packages and the whole platform are not")
    func zones() throws {
        func files(_ a: String, _ b: String, _ dram: String, _ core: String, _ all: String) -> Files {
            [
                zone("0", "package-0", a), zone("1", "package-1", b), zone("0:1", "dram", dram),
                zone("0:0", "core", core), zone("2", "psys", all),
            ].reduce(Files()) { $0.merging($1) { $1 } }
        }
        let result = try energy(
            files("1000000", "5000000", "100", "7", "9"), files("3500000", "6000000", "500100", "90000000", "99999999"))
        // 2.5 + 1 + 0.5
        #expect(result == .joules(4, source: "processor"))
    }

    @Test("A counter that began again is continued, and one that went back for no reason is not believed")
    func wraparound() throws {
        let wrapped = try energy(
            zone("0", "package-0", "262143000000"), zone("0", "package-0", "671150"))
        #expect(wrapped == .joules(1, source: "processor"))
        let odd = try energy(
            zone("0", "package-0", "500", range: "100"), zone("0", "package-0", "400", range: "100"))
        #expect(odd == .notMeasurable(", and there is no battery") || odd != .joules(0, source: "processor"))
    }

    @Test("Batteries in energy or in charge, only where they are drained")
    func batteries() throws {
        let energyNow = try energy(
            battery(["energy_now": "50000000"]), battery(["energy_now": "49990000"]))
        #expect(energyNow == .joules(36, source: "battery"))
        let charge = try energy(
            battery(["charge_now": "4000000", "voltage_min_design": "10000000"]),
            battery(["charge_now": "3999000", "voltage_min_design": "10000000"]))
        #expect(charge == .joules(36, source: "battery"))
        let still = try energy(battery(["energy_now": "50000000"]), battery(["energy_now": "50000000"]))
        #expect(still == .notMeasurable("the battery's gauge did not move in so short a time"))
        let charging = try energy(
            battery(["energy_now": "1", "status": "Charging"]), battery(["energy_now": "9", "status": "Charging"]))
        guard case .notMeasurable(let reason) = charging else { return #expect(Bool(false), "\(charging)") }
        #expect(reason.hasSuffix("no battery is being drained"))
    }

    @Test("Nothing to read, or nothing that makes sense, has a reason")
    func nothing() throws {
        guard case .notMeasurable(let reason) = try energy([:], [:]) else { return #expect(Bool(false)) }
        #expect(reason.contains("no counters") && reason.contains("no battery"))
        for bad in ["", "-5", "many", "99999999999999999999999999", "1 2"] {
            let result = try energy(zone("0", "package-0", bad), zone("0", "package-0", "7"))
            guard case .notMeasurable = result else { return #expect(Bool(false), "\(bad)") }
        }
    }

    @Test("What only root may read is named")
    func forbidden() throws {
        let result = try energy(
            ["sys/class/powercap/intel-rapl:0/name": "package-0"], ["sys/class/powercap/intel-rapl:0/name": "package-0"]
        )
        guard case .notMeasurable(let reason) = result else { return #expect(Bool(false)) }
        #expect(reason.contains("root only"))
    }
}
#endif
