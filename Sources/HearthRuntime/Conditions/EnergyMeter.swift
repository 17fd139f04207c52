internal import HearthSystem

/// The energy that a piece of work consumed, where the machine can measure it.
///
/// On Linux the processor counts its energy (Intel and AMD, the kernel's powercap interface), and a battery says what is left
/// in it. Both count for the whole device, so a figure is that of the work where little else ran.
///
///     let meter = EnergyMeter()
///     let before = meter.read()
///     …
///     let energy = meter.read().since(before)
package struct EnergyMeter: Sendable {
    private let root: String

    /// - Parameter root: prefix of `/sys`, to read a recorded device.
    package init(root: String = "") { self.root = root }

    /// All counters at one moment.
    package struct Reading: Sendable, Equatable {
        /// By zone: microjoules counted, and where the counter begins again at 0.
        struct Counter: Sendable, Equatable {
            var microjoules: Double
            var range: Double
        }
        var zones: [String: Counter] = [:]
        /// Joules left in batteries that are being drained, by name.
        var batteries: [String: Double] = [:]
        /// Why there is nothing, as the end of a sentence.
        var obstacle = ""
    }

    /// The answer.
    package enum Energy: Sendable, Equatable {
        /// In joules, and what counted them.
        case joules(Double, source: String)
        /// The reason, as the end of "not measurable here: …".
        case notMeasurable(String)
    }

    /// Reads all counters.
    package func read() -> Reading {
        var reading = Reading()
        #if os(Linux)
        readZones(&reading)
        readBatteries(&reading)
        #else
        reading.obstacle = "this system keeps no counters of energy that a program may read"
        #endif
        return reading
    }

    // MARK: - Processors

    /// Packages, and memory that counts beside them. Their parts (core, uncore) are in them already, and `psys` holds all.
    private func readZones(_ reading: inout Reading) {
        let folder = root + "/sys/class/powercap"
        let zones = SmallFile.names(in: folder).filter { $0.hasPrefix("intel-rapl:") }
        var isForbidden = false
        for zone in zones.prefix(64) {
            guard let name = SmallFile.text("\(folder)/\(zone)/name", limit: 64),
                name.hasPrefix("package") || name == "dram"
            else { continue }
            guard let now = number("\(folder)/\(zone)/energy_uj") else {
                isForbidden = true
                continue
            }
            let range = number("\(folder)/\(zone)/max_energy_range_uj") ?? 0
            reading.zones[zone] = Reading.Counter(microjoules: now, range: range)
        }
        if reading.zones.isEmpty {
            reading.obstacle =
                isForbidden
                ? "the processor's counters may be read by root only (\(folder)/*/energy_uj)"
                : "the processor shows no counters (\(folder))"
        }
    }

    // MARK: - Batteries

    private func readBatteries(_ reading: inout Reading) {
        let folder = root + "/sys/class/power_supply"
        var hasBattery = false
        for name in SmallFile.names(in: folder).prefix(64) {
            func text(_ field: String) -> String? { SmallFile.text("\(folder)/\(name)/\(field)", limit: 64) }
            func number(_ field: String) -> Double? { self.number("\(folder)/\(name)/\(field)") }
            guard text("type") == "Battery", text("scope") != "Device", text("present") != "0" else { continue }
            hasBattery = true
            guard text("status") == "Discharging" else { continue }
            // Microwatt hours; or microampere hours, which are energy at the battery's voltage.
            if let energy = number("energy_now") {
                reading.batteries[name] = energy * 3600 / 1e6
            } else if let charge = number("charge_now"),
                let volts = number("voltage_min_design") ?? number("voltage_now")
            {
                reading.batteries[name] = charge * 3600 / 1e6 * volts / 1e6
            }
        }
        if reading.batteries.isEmpty {
            reading.obstacle += hasBattery ? ", and no battery is being drained" : ", and there is no battery"
        }
    }

    /// A whole number that is not negative.
    private func number(_ path: String) -> Double? {
        SmallFile.text(path, limit: 64).flatMap { Int($0) }.flatMap { $0 >= 0 ? Double($0) : nil }
    }
}

extension EnergyMeter.Reading {
    /// The energy between an earlier reading and this one. A counter that began again at 0 is taken to have done so once.
    package func since(_ earlier: Self) -> EnergyMeter.Energy {
        let counted = zones.compactMap { name, now in earlier.zones[name].flatMap { now.since($0) } }
        if !zones.isEmpty, counted.count == zones.count {
            return .joules(counted.reduce(0, +), source: "processor")
        }
        let drained = batteries.compactMap { name, now in earlier.batteries[name].map { $0 - now } }
        guard !batteries.isEmpty, drained.count == batteries.count else {
            return .notMeasurable(obstacle.isEmpty ? "what counted at the start does not count any more" : obstacle)
        }
        let sum = drained.reduce(0, +)
        guard sum > 0 else { return .notMeasurable("the battery's gauge did not move in so short a time") }
        return .joules(sum, source: "battery")
    }
}

extension EnergyMeter.Reading.Counter {
    /// In joules; nil if the counter wrapped and its range is unknown.
    fileprivate func since(_ earlier: Self) -> Double? {
        if microjoules >= earlier.microjoules { return (microjoules - earlier.microjoules) / 1e6 }
        guard range >= earlier.microjoules else { return nil }
        return (range - earlier.microjoules + microjoules) / 1e6
    }
}
