internal import HearthSystem

/// Batteries and chargers as the kernel lists them (`/sys/class/power_supply`), and the firmware's power profile.
package struct PowerSupplies: Sendable, Equatable {
    /// 0 to 1 in whole hundredths, all batteries of the device together; nil without one.
    package var level: Double?
    /// Whether there is external power.
    package var isCharging: Bool
    /// Whether the firmware's profile is the one that saves power.
    var isLowPower: Bool
    /// Names of the batteries that count.
    var batteries: [String] = []
    /// Names of the chargers that count.
    var chargers: [String] = []
    /// Such as `balanced`; nil if the firmware knows no profiles.
    var profile: String?

    private static let mostSupplies = 64
    private static let profilePath = "/sys/firmware/acpi/platform_profile"

    /// One battery.
    private struct Battery {
        /// Contents and size in one unit, of energy (µWh) or charge (µAh).
        var amount: (now: Double, full: Double, isEnergy: Bool)?
        var capacity: Double?
        var status: String

        var level: Double? { amount.map { $0.now / $0.full } ?? capacity }
    }

    package init(root: String) {
        let folder = root + "/sys/class/power_supply"
        var found: [Battery] = []
        var online: [Bool] = []
        for name in SmallFile.names(in: folder).prefix(Self.mostSupplies) {
            func text(_ field: String) -> String? { SmallFile.text("\(folder)/\(name)/\(field)", limit: 64) }
            // Mice, keyboards and headsets report their own batteries.
            guard let type = text("type"), text("scope") != "Device" else { continue }
            if type == "Battery" {
                guard text("present") != "0", let battery = Self.battery(text) else { continue }
                found.append(battery)
                batteries.append(name)
            } else if type == "Mains" || type.hasPrefix("USB") || type == "Wireless" {
                // 1 is plugged in, 2 is plugged in with a voltage that was agreed on.
                guard let value = text("online").flatMap({ Int($0) }) else { continue }
                online.append(value > 0)
                chargers.append(name)
            }
        }
        profile = SmallFile.text(root + Self.profilePath, limit: 64).flatMap { $0.isPlainName ? $0 : nil }
        // Desktops' power-profiles-daemon sets this profile, too; its other settings are available only through D-Bus.
        isLowPower = profile == "low-power"
        level = Self.level(of: found)
        isCharging = found.isEmpty || Self.isCharging(found.map(\.status), online: online)
    }

    private static func battery(_ text: (String) -> String?) -> Battery? {
        func number(_ field: String) -> Double? {
            text(field).flatMap { Int($0) }.map(Double.init)
        }
        func amount(_ now: String, _ full: String, isEnergy: Bool) -> (Double, Double, Bool)? {
            guard let now = number(now), let full = number(full), now >= 0, full > 0 else { return nil }
            return (min(now, full), full, isEnergy)
        }
        let amount =
            amount("energy_now", "energy_full", isEnergy: true)
            ?? amount("charge_now", "charge_full", isEnergy: false)
        let capacity = number("capacity").flatMap { (0...100).contains($0) ? $0 / 100 : nil }
        guard amount != nil || capacity != nil else { return nil }
        return Battery(amount: amount, capacity: capacity, status: text("status") ?? "Unknown")
    }

    /// By contents where all batteries measure in one unit, else the mean.
    private static func level(of batteries: [Battery]) -> Double? {
        guard let first = batteries.first else { return nil }
        let amounts = batteries.compactMap(\.amount)
        let level: Double
        if amounts.count == batteries.count, amounts.allSatisfy({ $0.isEnergy == first.amount?.isEnergy }) {
            level = amounts.reduce(0) { $0 + $1.now } / amounts.reduce(0) { $0 + $1.full }
        } else {
            let levels = batteries.compactMap(\.level)
            level = levels.reduce(0, +) / Double(levels.count)
        }
        return (level * 100).rounded() / 100
    }

    /// A battery that is drained settles it: a charger may be plugged in and too weak.
    private static func isCharging(_ statuses: [String], online: [Bool]) -> Bool {
        if statuses.contains("Discharging") { return false }
        if online.contains(true) { return true }
        return online.isEmpty && statuses.contains { ["Charging", "Full", "Not charging"].contains($0) }
    }
}
