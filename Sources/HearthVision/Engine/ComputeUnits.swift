internal import HearthCompute

/// What of the device computes: a part of the profile, as Core ML's choice of the same name is.
public enum ComputeUnits: String, Sendable, CaseIterable, Codable {
    /// Every processor that the process may use.
    case all
    /// One thread a processor core, so that two threads of one core do not share its arithmetic.
    case cpuOnly
    /// One thread: slower, at the least power, and the rest stays with the app.
    case cpuSingle

    /// Threads that compute.
    public var threads: Int {
        switch self {
        case .all: WorkerPool.defaultThreads
        case .cpuOnly: min(ProcessorCores.physical, WorkerPool.defaultThreads)
        case .cpuSingle: 1
        }
    }
}
