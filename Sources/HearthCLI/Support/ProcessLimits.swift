import Foundation

/// Minimum requirements of the process: the three standard descriptors, further descriptors, and address space. Checked
/// first, because the Swift runtime and Dispatch take them for granted when they start.
enum ProcessLimits {
    /// Number of descriptors that a command may need besides inherited ones: event queues, a model, a compiled
    /// artifact, pipes to a helper program. The server and downloads report themselves if they need more.
    static let fewestDescriptors: Int32 = 24
    /// With less address space, threads and allocations of the runtime fail fatally: it hangs or crashes.
    static let leastAddressSpace: UInt64 = 1 << 30

    /// Opens closed standard descriptors, so that no file opened later takes their numbers: a story could be printed
    /// into a model's file, or a pipe be read as standard input. Reading or writing results there still fails.
    static func openStandardDescriptors() {
        // In modes that make reading and writing fail, like GNU programs do; notices may get lost.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            let opened = open("/dev/null", mode)
            guard opened >= 0, opened != descriptor else { continue }
            // A lower descriptor was free: /dev/null could not be opened for it.
            _ = dup2(opened, descriptor)
            close(opened)
        }
    }

    /// - Throws: `CommandFailure` if a system limit is too low for any command.
    static func check() throws {
        try checkDescriptors()
        try checkAddressSpace()
    }

    private static func checkDescriptors() throws {
        var limit = rlimit()
        guard getrlimit(descriptorLimit, &limit) == 0, limit.rlim_cur < 4096 else { return }
        let wanted = min(limit.rlim_max, 4096)
        if limit.rlim_cur < wanted {
            // Raises the soft limit; shells set it low for programs that do not ask for more.
            limit.rlim_cur = wanted
            _ = setrlimit(descriptorLimit, &limit)
        }
        var taken: [Int32] = []
        defer { taken.forEach { close($0) } }
        for _ in 0..<fewestDescriptors {
            let next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
            guard next >= 0 else {
                throw CommandFailure(
                    .unavailable, "only \(limit.rlim_cur) files may be open at a time", at: "RLIMIT_NOFILE",
                    todo: "Raise the limit, for example with 'ulimit -n 256'.")
            }
            taken.append(next)
        }
    }

    private static func checkAddressSpace() throws {
        var limit = rlimit()
        guard getrlimit(addressSpaceLimit, &limit) == 0, limit.rlim_cur < leastAddressSpace else { return }
        throw CommandFailure(
            .unavailable, "the address space is limited to \(limit.rlim_cur >> 20) MiB", at: "RLIMIT_AS",
            todo: "Raise the limit, for example with 'ulimit -v unlimited'.")
    }

    #if os(Linux)
    private static let descriptorLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private static let addressSpaceLimit = __rlimit_resource_t(RLIMIT_AS.rawValue)
    #else
    private static let descriptorLimit = RLIMIT_NOFILE
    private static let addressSpaceLimit = RLIMIT_AS
    #endif
}
