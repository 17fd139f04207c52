internal import HearthRuntime
internal import Synchronization

/// A device whose conditions are set by the simulation.
final class SimulatedDevice: DeviceMonitor {
    private struct Storage {
        var conditions: DeviceConditions
        var listeners: [AsyncStream<DeviceConditions>.Continuation] = []
    }
    private let storage: Mutex<Storage>

    init(_ conditions: DeviceConditions) { storage = Mutex(Storage(conditions: conditions)) }

    func current() -> DeviceConditions { storage.withLock { $0.conditions } }

    func conditions() -> AsyncStream<DeviceConditions> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeviceConditions.self, bufferingPolicy: .bufferingNewest(1))
        storage.withLock { storage in
            storage.listeners.append(continuation)
            continuation.yield(storage.conditions)
        }
        return stream
    }

    func change(_ change: (inout DeviceConditions) -> Void) {
        var conditions = current()
        change(&conditions)
        let listeners = storage.withLock { storage in
            storage.conditions = conditions
            return storage.listeners
        }
        for listener in listeners { listener.yield(conditions) }
    }
}
