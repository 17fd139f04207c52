/// Watches a device.
public protocol DeviceMonitor: Sendable {
    /// The conditions now; reads what has to be read, in well under a millisecond.
    func current() -> DeviceConditions
    /// The conditions now, then each change, for as long as somebody listens. A slow listener misses what was overtaken,
    /// never the last value.
    func conditions() -> AsyncStream<DeviceConditions>
}
