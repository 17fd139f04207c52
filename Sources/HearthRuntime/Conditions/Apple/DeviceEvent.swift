/// What an Apple system says about the device, in the numbers of its frameworks. What each means is decided by
/// ``DeviceReadings``, which needs none of them.
package enum DeviceEvent: Sendable, Equatable {
    /// `UIDevice.batteryLevel`, 0 to 1 or negative where it is unknown, and `UIDevice.BatteryState` by its number.
    case battery(level: Float, state: Int)
    /// The internal battery of a Mac; nil for a Mac without one.
    case powerSource(MacBattery?)
    /// `ProcessInfo.isLowPowerModeEnabled`.
    case lowPower(Bool)
    /// `ProcessInfo.ThermalState` by its number.
    case thermal(Int)
    /// `UIApplication.didReceiveMemoryWarningNotification`: a moment, not a state.
    case memoryWarning
    /// `DispatchSource.MemoryPressureEvent` by its bits.
    case memoryPressure(UInt)
    /// A notification of the app's life.
    case lifecycle(Lifecycle)

    /// Notifications of `UIApplication` and `NSApplication` that tell whether the user sees the app.
    package enum Lifecycle: String, Sendable, CaseIterable {
        case didBecomeActive, willResignActive, didEnterBackground, willEnterForeground
        case didHide, didUnhide

        /// The phase that the app is in from now on.
        package var phase: AppPhase {
            switch self {
            case .didBecomeActive: .active
            // Visible but not in use: behind a call, the control centre, another app's window.
            case .willResignActive, .willEnterForeground, .didUnhide: .inactive
            case .didEnterBackground, .didHide: .background
            }
        }
    }
}

/// The internal battery of a Mac, as IOKit describes it.
package struct MacBattery: Sendable, Equatable {
    /// 0 to 1; nil if the description makes no sense.
    package var level: Double?
    /// Whether the Mac runs on mains power.
    package var isOnMains: Bool

    /// The first internal battery among power sources; nil without one.
    /// - Parameter sources: descriptions by the keys of IOKit's `IOPSKeys.h`.
    package init?(sources: [[String: Any]]) {
        guard let battery = sources.first(where: { $0["Type"] as? String == "InternalBattery" }) else { return nil }
        let (now, full) = (battery["Current Capacity"] as? Int, battery["Max Capacity"] as? Int)
        if let now, let full, full > 0 { level = min(max(Double(now) / Double(full), 0), 1) }
        isOnMains = battery["Power Source State"] as? String == "AC Power"
    }
}
