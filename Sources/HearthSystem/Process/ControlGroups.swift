/// What control groups let this process use: the least of all limits from its own group up to the root.
///
/// Version 2 of the hierarchy, alone or beside version 1; the memory limit of version 1 if that is in effect.
package struct ControlGroups: Sendable, Equatable {
    /// The lowest limit in bytes; nil if there is none.
    package var limit: Int?
    /// Bytes left below the tightest limit, file pages that can be dropped counted as free.
    package var available: Int?
    /// How often a limit was reached, and how often something was killed or failed for it, since the groups were made.
    package var events = Events()
    /// Stalls within this process's group; nil if it has no limit, or the kernel does not measure them.
    package var stall: PressureStall?

    package struct Events: Sendable, Equatable {
        package var reached = 0
        package var outOfMemory = 0
    }

    /// Deeper than any known arrangement of groups.
    private static let mostLevels = 64

    package init(root: String) {
        let list = SmallFile.text(root + "/proc/self/cgroup") ?? ""
        for line in list.systemLines.prefix(64) {
            // hierarchy : controllers : path; the path may hold colons.
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            if fields[0] == "0", fields[1].isEmpty {
                for base in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
                    read(Self.levels(root + base, fields[2]), .two)
                }
            } else if fields[1].split(separator: ",").contains("memory") {
                read(Self.levels(root + "/sys/fs/cgroup/memory", fields[2]), .one)
            }
        }
    }

    /// Folders from the root of the hierarchy to the own group.
    ///
    /// In a container the path may be one of the host's, which does not exist here, or lead out of what is visible
    /// (`/../other`); the root that is visible is the container's own group then.
    private static func levels(_ base: String, _ path: Substring) -> [String] {
        let parts = path.split(separator: "/")
        guard parts.count < mostLevels, !parts.contains(".."), !parts.contains(".") else { return [base] }
        return parts.reduce(into: [base]) { $0.append(($0.last ?? base) + "/" + $1) }
    }

    /// File names of a version of the hierarchy.
    private struct Names {
        var limits: [String]
        var usage: String
        /// Prefix of the fields of `memory.stat` that include groups below.
        var total: String
        static let two = Names(limits: ["memory.max", "memory.high"], usage: "memory.current", total: "")
        static let one = Names(limits: ["memory.limit_in_bytes"], usage: "memory.usage_in_bytes", total: "total_")
    }

    private mutating func read(_ folders: [String], _ names: Names) {
        for folder in folders {
            guard let limit = names.limits.compactMap({ Self.limit("\(folder)/\($0)") }).min() else { continue }
            self.limit = min(self.limit ?? limit, limit)
            if let usage = Self.number("\(folder)/\(names.usage)") {
                let left = max(0, limit - min(usage, limit) + Self.droppable(folder, names))
                available = min(available ?? limit, left, limit)
            }
            addEvents(folder)
            stall = PressureStall(path: folder + "/memory.pressure") ?? stall
        }
    }

    private mutating func addEvents(_ folder: String) {
        func add(_ sum: inout Int, _ value: Int?) { sum = sum.addingReportingOverflow(value ?? 0).partialValue }
        if let text = SmallFile.text(folder + "/memory.events", limit: 4096) {
            for name in ["high", "max"] { add(&events.reached, Self.field(name, in: text)) }
            for name in ["oom", "oom_kill"] { add(&events.outOfMemory, Self.field(name, in: text)) }
        } else {
            add(&events.reached, Self.number(folder + "/memory.failcnt"))
            let text = SmallFile.text(folder + "/memory.oom_control", limit: 4096)
            add(&events.outOfMemory, text.flatMap { Self.field("oom_kill", in: $0) })
        }
    }

    /// Bytes of file pages that need not be written first.
    private static func droppable(_ folder: String, _ names: Names) -> Int {
        guard let text = SmallFile.text(folder + "/memory.stat") else { return 0 }
        func bytes(_ name: String) -> Int { min(field(names.total + name, in: text) ?? 0, Int.max / 4) }
        let unwritten = names.total.isEmpty ? bytes("file_dirty") : bytes("dirty")
        return max(0, bytes("inactive_file") + bytes("active_file") - unwritten)
    }

    /// A limit; "max", and the page-rounded maximum of version 1, are none.
    private static func limit(_ path: String) -> Int? {
        number(path).flatMap { $0 < 1 << 60 ? $0 : nil }
    }

    private static func number(_ path: String) -> Int? {
        SmallFile.text(path, limit: 64).flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// The value of a line `name value`.
    private static func field(_ name: String, in text: String) -> Int? {
        for line in text.systemLines {
            let parts = line.systemFields
            guard parts.count == 2, parts[0] == name[...] else { continue }
            return Int(parts[1]).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }
}
