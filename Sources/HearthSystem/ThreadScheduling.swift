#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// How the system ranks a thread against others.
///
/// Only ways that a thread may take back without privilege: on Linux a raised nice value or `SCHED_IDLE` would stay for
/// ever (sched(7)), so that a thread which once prepared something in the background could never serve a user again.
public enum ThreadScheduling: UInt8, Sendable {
    /// As any other thread.
    case normal
    /// Steps back when another thread wakes up, and has all the processor that nobody else wants: `SCHED_BATCH` on
    /// Linux, the utility class on Apple systems.
    case preparation

    /// Work that nobody waits for is preparation.
    public init(_ priority: TaskPriority) { self = priority < .medium ? .preparation : .normal }

    /// Ranks the calling thread; does nothing where the system refuses.
    public func apply() {
        #if canImport(Darwin)
        pthread_set_qos_class_self_np(self == .normal ? QOS_CLASS_USER_INITIATED : QOS_CLASS_UTILITY, 0)
        #else
        var parameters = sched_param()
        _ = sched_setscheduler(0, self == .normal ? SCHED_OTHER : SCHED_BATCH, &parameters)
        #endif
    }
}
