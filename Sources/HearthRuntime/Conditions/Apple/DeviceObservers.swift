import HearthSystem

#if canImport(Darwin)
internal import Dispatch
internal import Foundation
internal import Synchronization

#if os(iOS)
internal import UIKit
#elseif os(macOS)
internal import AppKit
internal import IOKit.ps
#endif

/// Observes the system's notifications and hands each on as an event, from any thread.
final class DeviceObservers: @unchecked Sendable {
    // Sendable: the tokens and sources are made once, and given back once by `end`; those who deliver touch only `deliver`.
    private let deliver: @Sendable (DeviceEvent) -> Void
    private let pressure: any DispatchSourceMemoryPressure
    private var tokens: [any NSObjectProtocol] = []
    #if os(macOS)
    private var power: CFRunLoopSource?
    #endif

    init(_ deliver: @escaping @Sendable (DeviceEvent) -> Void) {
        self.deliver = deliver
        pressure = DispatchSource.makeMemoryPressureSource(
            eventMask: .all, queue: DispatchQueue(label: "hearth.memory-pressure", qos: .utility))
        observe(.NSProcessInfoPowerStateDidChange) { .lowPower(ProcessInfo.processInfo.isLowPowerModeEnabled) }
        observe(ProcessInfo.thermalStateDidChangeNotification) {
            .thermal(ProcessInfo.processInfo.thermalState.rawValue)
        }
        watchPressure()
        #if os(iOS)
        observePhone()
        #elseif os(macOS)
        observeMac()
        #endif
    }

    /// Observes nothing any more.
    func end() {
        pressure.cancel()
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        tokens = []
        #if os(macOS)
        // Where it is delivered, so that no delivery is under way; until then it needs this object.
        DispatchQueue.main.async { [self] in
            if let power { CFRunLoopRemoveSource(CFRunLoopGetMain(), power, .defaultMode) }
            power = nil
        }
        #endif
    }

    private func observe(_ name: Notification.Name, _ event: @escaping @Sendable () -> DeviceEvent) {
        let deliver = deliver
        tokens.append(
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in deliver(event()) })
    }

    private func observe(_ step: DeviceEvent.Lifecycle, _ name: Notification.Name) {
        observe(name) { .lifecycle(step) }
    }

    private func watchPressure() {
        // The handler holds the source weakly, or neither would ever go away.
        let source = WeakSource(pressure)
        let deliver = deliver
        pressure.setEventHandler {
            if let bits = source.source?.data.rawValue { deliver(.memoryPressure(bits)) }
        }
        pressure.activate()
    }

    /// Sendable: read on the source's own queue alone.
    private final class WeakSource: @unchecked Sendable {
        weak var source: (any DispatchSourceMemoryPressure)?
        init(_ source: any DispatchSourceMemoryPressure) { self.source = source }
    }

    #if os(iOS)
    /// The battery now.
    @MainActor static var battery: DeviceEvent {
        let device = UIDevice.current
        // Off, as it is at first, the level is unknown.
        if !device.isBatteryMonitoringEnabled { device.isBatteryMonitoringEnabled = true }
        return .battery(level: device.batteryLevel, state: device.batteryState.rawValue)
    }

    private func observePhone() {
        observe(.didBecomeActive, UIApplication.didBecomeActiveNotification)
        observe(.willResignActive, UIApplication.willResignActiveNotification)
        observe(.didEnterBackground, UIApplication.didEnterBackgroundNotification)
        observe(.willEnterForeground, UIApplication.willEnterForegroundNotification)
        observe(UIApplication.didReceiveMemoryWarningNotification) { .memoryWarning }
        let deliver = deliver
        for name in [UIDevice.batteryLevelDidChangeNotification, UIDevice.batteryStateDidChangeNotification] {
            tokens.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: .main) { _ in
                    MainActor.assumeIsolated { deliver(Self.battery) }
                })
        }
        Task { @MainActor in deliver(Self.battery) }
    }
    #elseif os(macOS)
    /// The battery now.
    static var battery: DeviceEvent {
        guard let snapshot = IOPSCopyPowerSourcesInfo()?.takeRetainedValue(),
            let list = IOPSCopyPowerSourcesList(snapshot)?.takeRetainedValue() as? [CFTypeRef]
        else { return .powerSource(nil) }
        let sources = list.compactMap {
            IOPSGetPowerSourceDescription(snapshot, $0)?.takeUnretainedValue() as? [String: Any]
        }
        return .powerSource(MacBattery(sources: sources))
    }

    private func observeMac() {
        observe(.didBecomeActive, NSApplication.didBecomeActiveNotification)
        observe(.willResignActive, NSApplication.didResignActiveNotification)
        observe(.didHide, NSApplication.didHideNotification)
        observe(.didUnhide, NSApplication.didUnhideNotification)
        // Delivered by the main run loop, which an app has; a command line tool asks when it wants to know.
        let context = Unmanaged.passUnretained(self).toOpaque()
        let source = IOPSNotificationCreateRunLoopSource(
            { context in
                guard let context else { return }
                Unmanaged<DeviceObservers>.fromOpaque(context).takeUnretainedValue().deliver(DeviceObservers.battery)
            }, context)
        guard let source = source?.takeRetainedValue() else { return }
        CFRunLoopAddSource(CFRunLoopGetMain(), source, .defaultMode)
        power = source
    }
    #endif
}
#endif
