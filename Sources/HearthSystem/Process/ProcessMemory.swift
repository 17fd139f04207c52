internal import Foundation

#if os(iOS)
internal import os
#endif

#if canImport(Darwin)
internal import CHearthSystem
internal import Darwin
#endif

/// What a process holds in memory at one moment, in bytes.
package struct ProcessMemory: Sendable, Equatable, Codable {
    /// Pages in memory, mapped files included.
    package var resident: Int
    /// The most that `resident` has been.
    package var peakResident: Int
    /// Pages that the system cannot drop and read again: written, private, in memory.
    package var dirty: Int

    /// This process now; nil if the system does not say.
    package static func current() -> ProcessMemory? {
        #if canImport(Darwin)
        var info = task_vm_info_data_t()
        var count = mach_msg_type_number_t(MemoryLayout<task_vm_info_data_t>.size / MemoryLayout<integer_t>.size)
        let status = withUnsafeMutablePointer(to: &info) { pointer in
            pointer.withMemoryRebound(to: integer_t.self, capacity: Int(count)) {
                task_info(hearth_task_self(), task_flavor_t(TASK_VM_INFO), $0, &count)
            }
        }
        guard status == KERN_SUCCESS else { return nil }
        return ProcessMemory(
            resident: Int(info.resident_size), peakResident: Int(info.resident_size_peak),
            dirty: Int(info.phys_footprint))
        #else
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let resident = kilobytes("VmRSS:", in: status), let peak = kilobytes("VmHWM:", in: status)
        else { return nil }
        // The roll-up walks the page tables: exact, and about a millisecond a gigabyte.
        let rollup = try? String(contentsOfFile: "/proc/self/smaps_rollup", encoding: .utf8)
        let dirty = rollup.flatMap { kilobytes("Private_Dirty:", in: $0) } ?? kilobytes("RssAnon:", in: status)
        return ProcessMemory(resident: resident, peakResident: peak, dirty: dirty ?? resident)
        #endif
    }

    /// The maximum number of bytes that this process may use: the machine's memory, or less if the system limits the process.
    package static func limit() -> Int {
        let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        #if os(iOS)
        return min(machine, available().map { $0 + (current()?.dirty ?? 0) } ?? machine)
        #elseif canImport(Darwin)
        return machine
        #else
        return min(machine, ControlGroups(root: "").limit ?? machine)
        #endif
    }

    #if os(iOS)
    /// Bytes that are left until the system ends this process; nil if it does not say.
    package static func available() -> Int? {
        let bytes = Int(clamping: os_proc_available_memory())
        return bytes > 0 ? bytes : nil
    }
    #endif

    #if !canImport(Darwin)
    private static func kilobytes(_ field: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(field) {
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
        }
        return nil
    }
    #endif
}
