internal import Foundation
internal import HearthSystem

#if canImport(Darwin)
internal import Darwin
#endif

/// Cores of the processor, as far as the system tells.
package enum ProcessorCores {
    /// Cores, each counted once however many threads it runs; on Apple systems the fast ones.
    package static var physical: Int {
        #if canImport(Darwin)
        system("hw.perflevel0.physicalcpu") ?? system("hw.physicalcpu") ?? available
        #else
        counted(available, read: read)
        #endif
    }

    /// Processors of the performance cores, as many as this process may use; all of them if all cores are alike. A step ends when
    /// its last thread does, so that a slow core would hold up the fast ones.
    package static let performance: Int = {
        #if canImport(Darwin)
        min(system("hw.perflevel0.logicalcpu") ?? available, available)
        #else
        performance(of: available, read: read)
        #endif
    }()

    private static var available: Int { max(ProcessInfo.processInfo.activeProcessorCount, 1) }

    #if canImport(Darwin)
    private static func system(_ name: String) -> Int? {
        var count: Int32 = 0
        var size = MemoryLayout<Int32>.size
        return sysctlbyname(name, &count, &size, nil, 0) == 0 && count > 0 ? Int(count) : nil
    }
    #else
    private static func read(_ name: String) -> String? {
        guard let bytes = try? SystemFiles().readFile("/sys/devices/\(name)", limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
    #endif

    /// Counts groups of threads that share a core.
    /// - Parameter read: the content of a file of `/sys/devices`, nil where there is none.
    package static func counted(_ processors: Int, read: (String) -> String?) -> Int {
        var cores: Set<String> = []
        for processor in 0..<min(processors, 1024) {
            guard let siblings = read("system/cpu/cpu\(processor)/topology/thread_siblings_list") else {
                return processors
            }
            cores.insert(siblings)
        }
        return max(cores.count, 1)
    }

    /// Counts the processors of fast cores: those that Linux lists as such on hybrid processors of Intel, or else those with at
    /// least half the capacity of the fastest, which tells big and little cores of Arm apart.
    /// - Parameters:
    ///   - processors: processors that this process may use.
    ///   - read: the content of a file of `/sys/devices`, nil where there is none.
    package static func performance(of processors: Int, read: (String) -> String?) -> Int {
        if let fast = read("cpu_core/cpus").flatMap(length), fast > 0 { return min(fast, processors) }
        let capacities = (0..<min(processors, 1024)).compactMap {
            read("system/cpu/cpu\($0)/cpu_capacity").flatMap { Int($0) }
        }
        guard capacities.count == processors, let most = capacities.max(), most > 0 else { return processors }
        return capacities.count { 2 * $0 >= most }
    }

    /// The number of processors in a list such as `0-7,16`; nil if it is not one.
    private static func length(_ list: String) -> Int? {
        var count = 0
        for part in list.split(separator: ",") {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first <= last,
                last < 1 << 16
            else { return nil }
            count += last - first + 1
        }
        return count
    }
}
