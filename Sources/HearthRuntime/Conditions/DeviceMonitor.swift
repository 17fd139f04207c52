/// Watches a device.
public protocol DeviceMonitor: Sendable {
    /// The conditions now; reads what has to be read, in well under a millisecond.
    func current() -> DeviceConditions
    /// The conditions now, then each change, for as long as somebody listens. A slow listener misses what was overtaken,
    /// never the last value. A monitor that knows of no further change ends the stream; its last value stays true.
    func conditions() -> AsyncStream<DeviceConditions>
    /// Where each reading comes from, for people, by the name of the field; what nobody measures is not there.
    func sources() -> [String: String]
}

extension DeviceMonitor {
    /// Nothing is known about sources.
    public func sources() -> [String: String] { [:] }
}

/// The monitor of the system that this runs on.
public enum SystemMonitor {
    /// A new monitor; cheap, it watches nothing until somebody listens.
    public static func make() -> any DeviceMonitor {
        #if canImport(Darwin)
        AppleDeviceMonitor()
        #else
        LinuxDeviceMonitor()
        #endif
    }
}
