internal import HearthCompute

/// Which processors compute; part of the profile, like Core ML's option of the same name.
public enum ComputeUnits: String, Sendable, CaseIterable, Codable {
    /// Every processor available to the process.
    case all
    /// One thread per core, so that two threads do not share the arithmetic units of a core.
    case cpuOnly
    /// One thread: slower, with the least power, and leaves the rest to the app.
    case cpuSingle

    /// Number of threads that compute.
    package var threads: Int {
        switch self {
        case .all: WorkerPool.defaultThreads
        case .cpuOnly: min(ProcessorCores.physical, WorkerPool.defaultThreads)
        case .cpuSingle: 1
        }
    }
}
