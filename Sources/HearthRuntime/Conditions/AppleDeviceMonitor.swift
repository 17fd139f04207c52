#if canImport(Darwin)
internal import Darwin
internal import Dispatch
internal import Foundation
internal import HearthSystem
internal import Synchronization

#if os(macOS)
internal import IOKit.ps
#endif
#if os(iOS) || os(tvOS) || os(visionOS)
internal import os
#endif

/// Reads an Apple device: heat and low power from `ProcessInfo`, memory pressure from Dispatch, what this process may
/// still take from the system.
///
/// The battery of a Mac is read from IOKit. That of a phone is known to UIKit on the main thread alone, and so is the
/// phase: an app hands both in (`report(batteryLevel:isCharging:)`, `report(phase:)`).
package final class AppleDeviceMonitor: DeviceMonitor {
    private struct Reported {
        var batteryLevel: Double?
        var isCharging = true
        var phase = AppPhase.active
        var pressure = MemoryPressure.normal
    }

    private let interval: Duration
    private let reported: ReportedBox
    private let pressureSource: any DispatchSourceMemoryPressure

    /// What comes by notification, kept until somebody asks.
    private final class ReportedBox: Sendable {
        let value = Mutex(Reported())
    }

    /// - Parameter interval: between two looks of the stream.
    package init(interval: Duration = .seconds(1)) {
        self.interval = interval
        let reported = ReportedBox()
        let source = DispatchSource.makeMemoryPressureSource(
            eventMask: .all, queue: DispatchQueue(label: "hearth.memory-pressure", qos: .utility))
        // The handler holds the source weakly, or neither would ever go away.
        source.setEventHandler { [weak source] in
            guard let event = source?.data else { return }
            let pressure: MemoryPressure =
                event.contains(.critical) ? .critical : event.contains(.warning) ? .warning : .normal
            reported.value.withLock { $0.pressure = pressure }
        }
        source.activate()
        self.reported = reported
        pressureSource = source
    }

    deinit { pressureSource.cancel() }

    /// What UIKit says about the battery; nil for a level that it does not know.
    package func report(batteryLevel: Double?, isCharging: Bool) {
        reported.value.withLock {
            $0.batteryLevel = batteryLevel.flatMap { (0...1).contains($0) ? $0 : nil }
            $0.isCharging = isCharging
        }
    }

    /// What the scene is in.
    package func report(phase: AppPhase) { reported.value.withLock { $0.phase = phase } }

    /// Asks the system, and adds what was reported.
    package func current() -> DeviceConditions {
        let (batteryLevel, isCharging, phase, pressure) = reported.value.withLock {
            ($0.batteryLevel, $0.isCharging, $0.phase, $0.pressure)
        }
        var conditions = DeviceConditions(
            batteryLevel: batteryLevel, isCharging: isCharging,
            isLowPower: ProcessInfo.processInfo.isLowPowerModeEnabled,
            thermal: Self.thermal, memoryPressure: pressure, phase: phase,
            memoryTotal: Int(clamping: ProcessInfo.processInfo.physicalMemory))
        #if os(macOS)
        if let battery = Self.macBattery {
            (conditions.batteryLevel, conditions.isCharging) = battery
        }
        #endif
        #if os(iOS) || os(tvOS) || os(visionOS)
        // What is left until the system ends this process; with what it holds, its limit.
        let available = Int(clamping: os_proc_available_memory())
        if available > 0 {
            conditions.memoryAvailable = available
            if let own = ProcessMemory.current()?.dirty { conditions.memoryLimit = available + own }
        }
        #endif
        return conditions
    }

    /// Looks once an interval, on a queue of its own.
    package func conditions() -> AsyncStream<DeviceConditions> {
        PolledConditions.stream(every: interval) { [self] in current() }
    }

    /// Names the system services.
    package func sources() -> [String: String] {
        let conditions = current()
        var sources = [
            "thermal": "ProcessInfo", "isLowPower": "ProcessInfo", "memoryPressure": "Dispatch",
            "memoryTotal": "ProcessInfo",
        ]
        if conditions.batteryLevel != nil {
            sources["batteryLevel"] = "power sources"
            sources["isCharging"] = "power sources"
        }
        if conditions.memoryLimit != nil { sources["memoryLimit"] = "os_proc_available_memory" }
        if conditions.memoryAvailable != nil { sources["memoryAvailable"] = "os_proc_available_memory" }
        return sources
    }

    private static var thermal: ThermalState {
        switch ProcessInfo.processInfo.thermalState {
        case .nominal: .nominal
        case .fair: .fair
        case .serious: .serious
        case .critical: .critical
        @unknown default: .unknown
        }
    }

    #if os(macOS)
    /// Level and whether it runs on mains power; nil for a Mac without a battery.
    private static var macBattery: (Double?, Bool)? {
        guard let snapshot = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
            let list = IOPSCopyPowerSourcesList(snapshot)?.takeRetainedValue() as? [CFTypeRef]
        else { return nil }
        for source in list {
            guard
                let facts = IOPSGetPowerSourceDescription(snapshot, source)?.takeUnretainedValue() as? [String: Any],
                facts[kIOPSTypeKey] as? String == kIOPSInternalBatteryType,
                let now = facts[kIOPSCurrentCapacityKey] as? Int, let full = facts[kIOPSMaxCapacityKey] as? Int,
                full > 0
            else { continue }
            let isOnMains = facts[kIOPSPowerSourceStateKey] as? String == kIOPSACPowerValue
            return (min(max(Double(now) / Double(full), 0), 1), isOnMains)
        }
        return nil
    }
    #endif
}
#endif
