import Foundation

/// What a process has to have before anything else can work: the three standard descriptors, room for more of them, and
/// room for memory. Looked at first thing, because Swift's and Dispatch's own start takes these for granted.
enum ProcessLimits {
    /// Descriptors that a command may need besides those that it was given: event queues, a model, a compiled artifact, pipes to a
    /// helper program. Server and downloads say themselves where they need more.
    static let fewestDescriptors: Int32 = 24
    /// With less than this, threads and allocations of the runtime fail in ways that it does not survive: it hangs or crashes.
    static let leastAddressSpace: UInt64 = 1 << 30

    /// Opens the standard descriptors that are closed, so that no file that is opened later takes their place: a story printed into a
    /// model's file, a pipe taken for standard input. Reading or writing results there stays the error that it is.
    static func openStandardDescriptors() {
        // Input that cannot be read and output that cannot be written, as GNU's programs do it; notices may get lost.
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
        where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            let opened = open("/dev/null", mode)
            guard opened >= 0, opened != descriptor else { continue }
            // A lower one is free, which the loop has passed: only where /dev/null cannot be opened.
            _ = dup2(opened, descriptor)
            close(opened)
        }
    }

    /// - Throws: `CommandFailure` where a limit of the system leaves too little for any command.
    static func check() throws {
        try checkDescriptors()
        try checkAddressSpace()
    }

    private static func checkDescriptors() throws {
        var limit = rlimit()
        guard getrlimit(descriptorLimit, &limit) == 0, limit.rlim_cur < 4096 else { return }
        let wanted = min(limit.rlim_max, 4096)
        if limit.rlim_cur < wanted {
            // What the user may raise is raised: a soft limit of a shell is not meant for a program that asks.
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
