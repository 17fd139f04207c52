internal import HearthSystem
internal import Synchronization

/// Reads a Linux device: heat from thermal zones and their trip points, power supplies and the firmware's power
/// profile from sysfs, memory from procfs, pressure stall information and control groups.
///
/// Files are read at each call and in each interval of the stream. The kernel can wake a process when memory stalls, and
/// for nothing else that is read here; polling a few dozen files costs less than a thousandth of a processor. A power
/// profile that a desktop keeps to itself (behind D-Bus) is not seen. A program in a terminal has no phases: it counts
/// as active.
package final class LinuxDeviceMonitor: DeviceMonitor {
    private let root: String
    private let interval: Duration
    private let clock: @Sendable () -> Duration
    private let ended: (@Sendable () -> Void)?
    private let memory = Mutex(MemoryEventMemory())

    /// - Parameters:
    ///   - root: prefix of `/sys` and `/proc`, to read a recorded device.
    ///   - interval: between two looks of the stream.
    package convenience init(root: String = "", interval: Duration = .seconds(1)) {
        let start = ContinuousClock.now
        self.init(root: root, interval: interval) { ContinuousClock.now - start }
    }

    /// - Parameters:
    ///   - ended: called for each stream without a listener, after its last reading.
    ///   - clock: time since any fixed moment.
    package init(
        root: String, interval: Duration, ended: (@Sendable () -> Void)? = nil,
        clock: @escaping @Sendable () -> Duration
    ) {
        self.root = root
        self.interval = interval
        self.ended = ended
        self.clock = clock
    }

    /// Reads every file again.
    package func current() -> DeviceConditions { read().conditions }

    /// Names zones, batteries and files.
    package func sources() -> [String: String] { read().sources }

    /// Looks once an interval, on a queue of its own.
    package func conditions() -> AsyncStream<DeviceConditions> {
        PolledConditions.stream(every: interval, ended: ended) { [self] in current() }
    }

    private func read() -> (conditions: DeviceConditions, sources: [String: String]) {
        let thermal = ThermalZones(root: root)
        let power = PowerSupplies(root: root)
        let groups = ControlGroups(root: root)
        let stall = PressureStall(path: root + "/proc/pressure/memory")
        let system = SystemMemory(root: root)
        let scale = MemoryScale()

        let available = [system.available, groups.available].compactMap(\.self).min()
        let (reached, ranOut) = memory.withLock {
            $0.update(groups.events, at: clock(), window: scale.eventLasts)
        }
        let reading = MemoryScale.Reading(
            stalls: [stall, groups.stall].compactMap(\.self),
            capacity: [system.total, groups.limit].compactMap(\.self).min(), available: available,
            didReachLimit: reached, didRunOut: ranOut)
        let conditions = DeviceConditions(
            batteryLevel: power.level, isCharging: power.isCharging, isLowPower: power.isLowPower,
            thermal: thermal.state, memoryPressure: scale.pressure(reading), memoryLimit: groups.limit,
            memoryAvailable: available, memoryTotal: system.total)

        var sources: [String: String] = [:]
        sources["thermal"] = thermal.source
        if !power.batteries.isEmpty { sources["batteryLevel"] = power.batteries.joined(separator: ", ") }
        let supplies = power.batteries + power.chargers
        if !supplies.isEmpty { sources["isCharging"] = supplies.joined(separator: ", ") }
        if let profile = power.profile { sources["isLowPower"] = "firmware's power profile, \(profile)" }
        var pressure: [String] = []
        if stall != nil || groups.stall != nil { pressure.append("stalls") }
        if available != nil { pressure.append("what is available") }
        if groups.limit != nil { pressure.append("events of control groups") }
        if !pressure.isEmpty { sources["memoryPressure"] = pressure.joined(separator: ", ") }
        if system.total != nil { sources["memoryTotal"] = "/proc/meminfo" }
        if groups.limit != nil { sources["memoryLimit"] = "control groups" }
        if let available {
            sources["memoryAvailable"] = available == groups.available ? "control groups" : "/proc/meminfo"
        }
        return (conditions, sources)
    }
}

/// Memory of the whole system (`/proc/meminfo`), in bytes.
struct SystemMemory: Sendable, Equatable {
    var total: Int?
    var available: Int?

    init(root: String) {
        let text = SmallFile.text(root + "/proc/meminfo") ?? ""
        for line in text.systemLines {
            let fields = line.systemFields
            guard fields.count >= 2, let kilobytes = Int(fields[1]), (0...Int.max >> 10).contains(kilobytes) else {
                continue
            }
            if fields[0] == "MemTotal:", kilobytes > 0 { total = kilobytes << 10 }
            if fields[0] == "MemAvailable:" { available = kilobytes << 10 }
        }
    }
}
