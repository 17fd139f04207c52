#if canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import HearthSystem
internal import Synchronization

#if os(iOS)
internal import UIKit
#elseif os(macOS)
internal import IOKit.ps
#endif

/// Watches an Apple device by the system's notifications; nothing is asked again and again. What they mean is decided by
/// ``DeviceReadings``.
///
/// The phase is that of the whole app. An app of several scenes, or one that was started in the background, says it itself
/// (``ModelStore/report(phase:)``).
package final class AppleDeviceMonitor: DeviceMonitor {
    private let watch = DeviceWatch()

    /// A monitor that observes while there are listeners.
    package init() {}

    /// What was reported, and what may be read on this thread.
    package func current() -> DeviceConditions { watch.current() }

    /// The conditions now, then each change that a notification brings.
    package func conditions() -> AsyncStream<DeviceConditions> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let id = watch.add(continuation)
            continuation.onTermination = { [watch] _ in watch.remove(id) }
        }
    }

    /// Names the system services.
    package func sources() -> [String: String] {
        let conditions = current()
        var sources = [
            "thermal": "ProcessInfo", "isLowPower": "ProcessInfo", "memoryPressure": "Dispatch",
            "memoryTotal": "ProcessInfo", "phase": "notifications",
        ]
        if conditions.batteryLevel != nil {
            sources["batteryLevel"] = "power sources"
            sources["isCharging"] = "power sources"
        }
        if conditions.memoryLimit != nil { sources["memoryLimit"] = "os_proc_available_memory" }
        if conditions.memoryAvailable != nil { sources["memoryAvailable"] = "os_proc_available_memory" }
        return sources
    }
}

/// The readings, the listeners, and the observers, which exist while there are listeners.
private final class DeviceWatch: Sendable {
    private struct State {
        var readings = DeviceReadings()
        var listeners: [Int: AsyncStream<DeviceConditions>.Continuation] = [:]
        var last: DeviceConditions?
        var nextID = 0
        var observers: DeviceObservers?
    }

    private let state = Mutex(State())
    private let start = ContinuousClock.now

    private var now: Duration { start.duration(to: .now) }

    func current() -> DeviceConditions {
        let events = Self.askable()
        let time = now
        return state.withLock { state in
            state.readings.expire(at: time)
            for event in events { state.readings.apply(event, at: time) }
            return Self.completed(state.readings.conditions)
        }
    }

    func add(_ continuation: AsyncStream<DeviceConditions>.Continuation) -> Int {
        let conditions = current()
        let (id, isFirst) = state.withLock { state in
            state.nextID += 1
            state.listeners[state.nextID] = continuation
            state.last = conditions
            return (state.nextID, state.listeners.count == 1)
        }
        continuation.yield(conditions)
        if isFirst {
            let observers = DeviceObservers { [weak self] event in self?.take(event) }
            // Who listened may be gone by now.
            let isWanted = state.withLock { state in
                guard !state.listeners.isEmpty, state.observers == nil else { return false }
                state.observers = observers
                return true
            }
            if !isWanted { observers.end() }
        }
        return id
    }

    func remove(_ id: Int) {
        // Given back outside of the lock: an observer may be about to deliver.
        let unused = state.withLock { state -> DeviceObservers? in
            state.listeners[id] = nil
            guard state.listeners.isEmpty else { return nil }
            defer { state.observers = nil }
            return state.observers
        }
        unused?.end()
    }

    private func take(_ event: DeviceEvent?) {
        let time = now
        let ends = state.withLock { state in
            if let event { state.readings.apply(event, at: time) } else { state.readings.expire(at: time) }
            let next = Self.completed(state.readings.conditions)
            if state.last.map({ next.isNews(after: $0) }) ?? true {
                state.last = next
                for listener in state.listeners.values { listener.yield(next) }
            }
            return event == .memoryWarning ? state.readings.warningEnds : nil
        }
        guard let ends else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + (ends - time) / .seconds(1)) { [weak self] in
            self?.take(nil)
        }
    }

    /// What any thread may ask; the battery of a phone is known to the main thread alone.
    private static func askable() -> [DeviceEvent] {
        let process = ProcessInfo.processInfo
        var events: [DeviceEvent] = [
            .lowPower(process.isLowPowerModeEnabled), .thermal(process.thermalState.rawValue),
        ]
        #if os(iOS)
        if Thread.isMainThread { MainActor.assumeIsolated { events.append(DeviceObservers.battery) } }
        #elseif os(macOS)
        events.append(DeviceObservers.battery)
        #endif
        return events
    }

    /// Adds the measurements of memory.
    private static func completed(_ conditions: DeviceConditions) -> DeviceConditions {
        var conditions = conditions
        conditions.memoryTotal = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        #if os(iOS)
        // What is left until the system ends this process; with what it holds, its limit.
        if let available = ProcessMemory.available() {
            conditions.memoryAvailable = available
            if let own = ProcessMemory.current()?.dirty { conditions.memoryLimit = available + own }
        }
        #endif
        return conditions
    }
}
#endif
