internal import Foundation
internal import HearthCompute
internal import HearthSystem

#if canImport(Darwin)
internal import Darwin
#endif

/// Cores of the processor, as far as the system tells.
package enum ProcessorCores {
    /// Cores, each counted once however many threads it runs; on Apple systems the fast ones.
    static var physical: Int {
        #if canImport(Darwin)
        var count: Int32 = 0
        var size = MemoryLayout<Int32>.size
        for name in ["hw.perflevel0.physicalcpu", "hw.physicalcpu"]
        where sysctlbyname(name, &count, &size, nil, 0) == 0 && count > 0 {
            return Int(count)
        }
        return WorkerPool.defaultThreads
        #else
        return counted(ProcessInfo.processInfo.activeProcessorCount) { name in
            guard let bytes = try? SystemFiles().readFile("/sys/devices/system/cpu/\(name)", limit: 4096) else {
                return nil
            }
            return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        #endif
    }

    /// Counts groups of threads that share a core.
    /// - Parameter read: the content of a file of `/sys/devices/system/cpu`, nil where there is none.
    package static func counted(_ processors: Int, read: (String) -> String?) -> Int {
        var cores: Set<String> = []
        for processor in 0..<min(processors, 1024) {
            guard let siblings = read("cpu\(processor)/topology/thread_siblings_list") else { return processors }
            cores.insert(siblings)
        }
        return max(cores.count, 1)
    }
}
