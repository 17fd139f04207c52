internal import Synchronization

#if canImport(os)
internal import os
#endif

/// Records what the program did and when: intervals and instants that show how the time of a start is spent.
///
///     Trace.shared.interval("load") { … }                       // on the thread that runs it
///     try await Trace.shared.interval("compile") { … }          // on a track for work that changes threads
///     let prefill = Trace.shared.begin("prefill"); …; Trace.shared.end(prefill)
///     Trace.shared.event("first token")
///
/// Safe from any thread and any task. Off, each call costs one relaxed atomic load. On Apple systems the intervals also
/// go to `os_signpost` (subsystem `hearth`), where Instruments shows them; a recording, made by `start`, is a Chrome
/// trace (`TraceRecording`) on every system.
package final class Trace: Sendable {
    /// The trace of the process.
    package static let shared = Trace()

    private let recording = Atomic(false)
    private let state = Mutex(TraceRecording())
    #if canImport(os)
    private let signposter = OSSignposter(subsystem: "hearth", category: "work")
    #endif

    /// A trace that is off.
    package init() {}

    /// Whether anybody looks.
    package var isOn: Bool {
        #if canImport(os)
        recording.load(ordering: .relaxed) || signposter.isEnabled
        #else
        recording.load(ordering: .relaxed)
        #endif
    }

    /// Begins to record, from nothing.
    package func start() {
        state.withLock { $0 = TraceRecording() }
        recording.store(true, ordering: .relaxed)
    }

    /// Ends recording.
    /// - Returns: the recording; an interval that has not ended yet ends now, and is marked.
    package func stop() -> TraceRecording {
        recording.store(false, ordering: .relaxed)
        let now = ContinuousClock.now
        return state.withLock { state in
            state.closeOpenIntervals(at: now)
            return state
        }
    }

    /// An interval around work that stays on its thread.
    /// - Parameter arguments: shown with the interval; computed only while tracing is on.
    @inlinable package func interval<Result, Failure: Error>(
        _ name: StaticString, _ arguments: @autoclosure () -> [String: String] = [:],
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard isOn else { return try body() }
        let token = begin(name, arguments(), onThisThread: true)
        defer { end(token) }
        return try body()
    }

    /// An interval around work that may go from thread to thread.
    @inlinable package func interval<Result, Failure: Error>(
        _ name: StaticString, _ arguments: @autoclosure () -> [String: String] = [:],
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        guard isOn else { return try await body() }
        let token = begin(name, arguments(), onThisThread: false)
        defer { end(token) }
        return try await body()
    }

    @usableFromInline
    func begin(_ name: StaticString, _ arguments: [String: String], onThisThread: Bool) -> TraceToken {
        begin(name, arguments, thread: onThisThread ? ThreadIdentity.current : nil)
    }

    /// An interval that begins and ends in different places, on any threads; pass the token to `end` once.
    package func begin(_ name: StaticString, _ arguments: @autoclosure () -> [String: String] = [:]) -> TraceToken {
        isOn ? begin(name, arguments(), thread: nil) : TraceToken()
    }

    /// Ends an interval that `begin` returned; a second call does nothing.
    package func end(_ token: TraceToken) {
        #if canImport(os)
        if let signpost = token.signpost { signposter.endInterval(token.name, signpost) }
        #endif
        guard let id = token.id else { return }
        let now = ContinuousClock.now
        state.withLock { $0.end(id, at: now) }
    }

    /// One moment.
    package func event(_ name: StaticString, _ arguments: @autoclosure () -> [String: String] = [:]) {
        guard isOn else { return }
        #if canImport(os)
        signposter.emitEvent(name)
        #endif
        guard recording.load(ordering: .relaxed) else { return }
        let moment = TraceRecording.Instant(
            name: "\(name)", arguments: arguments(), time: .now, thread: ThreadIdentity.current)
        state.withLock { $0.add(moment) }
    }

    private func begin(_ name: StaticString, _ arguments: [String: String], thread: Int?) -> TraceToken {
        var token = TraceToken()
        token.name = name
        #if canImport(os)
        if signposter.isEnabled { token.signpost = signposter.beginInterval(name, id: signposter.makeSignpostID()) }
        #endif
        guard recording.load(ordering: .relaxed) else { return token }
        let now = ContinuousClock.now
        token.id = state.withLock { $0.begin("\(name)", arguments, thread: thread, at: now) }
        return token
    }
}

/// An interval that has begun.
package struct TraceToken: Sendable {
    /// Its place in the recording; nil if nothing is recorded.
    var id: UInt64?
    var name: StaticString = ""
    #if canImport(os)
    var signpost: OSSignpostIntervalState?
    #endif
}
