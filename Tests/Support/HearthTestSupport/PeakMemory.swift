internal import Foundation

/// Resident memory of the process, from the kernel's accounts.
package enum PeakMemory {
    /// Bytes that `body` adds to the process's peak.
    ///
    /// Other tests run beside it and can only add, so the smallest of several tries is an upper bound of what `body`
    /// needs; a try that stays within `limit` ends the search. One at a time: the process has one peak, which each try begins
    /// anew.
    package static func added(upTo limit: Int, _ body: () -> Void) -> Int {
        if isSanitized {
            body()
            return 0
        }
        var smallest = Int.max
        for _ in 0..<100 where smallest > limit {
            turn.withLock {
                try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
                let before = status("VmHWM")
                body()
                smallest = min(smallest, status("VmHWM") - before)
            }
        }
        return smallest
    }

    private static let turn = NSLock()

    /// The address sanitizer pads, shadows and keeps what is freed: figures under it say nothing.
    package static var isSanitized: Bool { dlsym(nil, "__asan_init") != nil }

    /// Bytes resident now.
    package static var resident: Int { status("VmRSS") }

    /// A figure of `/proc/self/status` in bytes; 0 where there is none.
    private static func status(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") }),
            let kilobytes = Int(line.filter(\.isNumber))
        else { return 0 }
        return kilobytes << 10
    }
}
