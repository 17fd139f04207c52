/// Reports the conditions of a device.
public protocol DeviceMonitor: Sendable {
    /// The current conditions. Takes well under a millisecond.
    func current() -> DeviceConditions
    /// The current conditions, then each change, until the caller stops listening. A slow listener may miss intermediate
    /// values, but never the last one. If no further changes are possible the stream ends, and its last value stays valid.
    func conditions() -> AsyncStream<DeviceConditions>
    /// A description of each reading's source, by field name. Fields that are not measured are missing.
    func sources() -> [String: String]
}

extension DeviceMonitor {
    /// Nothing is known about sources.
    public func sources() -> [String: String] { [:] }
}

/// The monitor of this system.
public enum SystemMonitor {
    /// Creates a monitor. It is cheap, and watches nothing until there is a listener.
    public static func make() -> any DeviceMonitor {
        #if canImport(Darwin)
        AppleDeviceMonitor()
        #else
        LinuxDeviceMonitor()
        #endif
    }
}
