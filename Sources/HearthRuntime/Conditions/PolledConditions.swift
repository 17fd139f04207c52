internal import Dispatch
internal import Synchronization

/// A stream of conditions made by looking again and again.
enum PolledConditions {
    /// The first value at once, then each that differs. Looks on a queue of its own, because reading a sensor may wait for
    /// firmware; ends when nobody is listening any more.
    /// - Parameter ended: called once, after the last look.
    static func stream(
        every interval: Duration, ended: (@Sendable () -> Void)? = nil, read: @escaping @Sendable () -> DeviceConditions
    ) -> AsyncStream<DeviceConditions> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let timer = Timer(interval: interval, ended: ended)
            let last = Mutex<DeviceConditions?>(nil)
            timer.start {
                let next = read()
                let isNews = last.withLock { last in
                    if let known = last, !next.isNews(after: known) { return false }
                    last = next
                    return true
                }
                if isNews { continuation.yield(next) }
            }
            continuation.onTermination = { _ in timer.cancel() }
        }
    }

    /// A Dispatch timer that may be cancelled from anywhere.
    private final class Timer: @unchecked Sendable {
        // Sendable: the source is only started and cancelled, which any thread may do.
        private let source: any DispatchSourceTimer

        init(interval: Duration, ended: (@Sendable () -> Void)?) {
            source = DispatchSource.makeTimerSource(
                queue: DispatchQueue(label: "hearth.conditions", qos: .utility))
            let parts = max(interval, .milliseconds(1)).components
            let milliseconds = Int(min(parts.seconds, 86400)) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
            source.schedule(
                deadline: .now(), repeating: .milliseconds(max(1, milliseconds)),
                leeway: .milliseconds(milliseconds / 10))
            if let ended { source.setCancelHandler(handler: ended) }
        }

        func start(_ look: @escaping @Sendable () -> Void) {
            source.setEventHandler(handler: look)
            source.resume()
        }

        func cancel() { source.cancel() }
    }
}

extension DeviceConditions {
    /// Whether this is worth telling: available memory moves by some pages at every look, which changes nothing.
    package func isNews(after known: DeviceConditions) -> Bool {
        guard let before = known.memoryAvailable, let now = memoryAvailable else { return self != known }
        var settled = self
        settled.memoryAvailable = before
        return settled != known || abs(Double(now) - Double(before)) >= max(Double(before) / 20, Double(16 << 20))
    }
}
