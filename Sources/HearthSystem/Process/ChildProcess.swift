internal import Foundation
internal import Synchronization

/// A child process whose input and output this process controls.
///
/// Made with `posix_spawn` and waited for with `waitpid`: waiting blocks a thread (use `OwnThread`), and `kill()` ends
/// the process at once, from any thread. None outlives this process: `leaveProcess` kills those that run.
package final class ChildProcess: Sendable {
    /// What a program got to read.
    package enum Input: Sendable {
        /// These bytes, as a file without a name: it may be opened again as `/dev/stdin`.
        case file([UInt8])
        /// What `exchange` will send; until then the program waits.
        case later
    }

    /// How it ended.
    package struct Outcome: Sendable, Equatable {
        /// The exit status; 128 plus the signal's number if a signal ended it.
        package var status: Int32
        /// All of standard output.
        package var output: [UInt8]
        /// The beginning of standard error.
        package var message: [UInt8]
    }

    private enum State { case running, ended }
    private let state = Mutex(State.running)
    private let killed = Atomic<Bool>(false)
    private let process: pid_t
    private let input: Mutex<Int32>
    private let output: Int32
    private let message: Int32
    /// Standard error of a program that is read piece by piece.
    private let said = Mutex<(isOpen: Bool, bytes: [UInt8])>((true, []))

    /// Whether `kill()` was called.
    package var wasKilled: Bool { killed.load(ordering: .acquiring) }

    /// Starts a program.
    /// - Parameters:
    ///   - path: of the program; no shell, no search.
    ///   - variables: its environment, besides that of this process.
    /// - Throws: `POSIXError`.
    package init(
        _ path: String, _ arguments: [String], input: Input, environment variables: [String: String] = [:]
    ) throws {
        var ends = Ends()
        defer { ends.closeTheirs() }
        do {
            try ends.open(input)
            process = try RunningPrograms.shared.start { [ends] in
                try Self.spawn([path] + arguments, variables, ends)
            }
        } catch {
            ends.closeOurs()
            throw error
        }
        self.input = Mutex(ends.input.ours)
        output = ends.output.ours
        message = ends.message.ours
    }

    deinit {
        kill()
        closeInput()
        close(output)
        close(message)
        reap()
    }

    /// Sends `bytes` if the program was started with an input, reads its output until it is closed, and waits for its
    /// end. To be called once, on a thread that may block.
    /// - Parameter most: bytes of output that are kept; a program that writes more is killed.
    package func exchange(_ bytes: [UInt8] = [], most: Int = 256 << 20) -> Outcome {
        var sent = 0
        var outcome = Outcome(status: 0, output: [], message: [])
        var isOpen = (output: true, message: true)
        if bytes.isEmpty { closeInput() }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while isOpen.output || isOpen.message {
            let writer = input.withLock { $0 }
            var polls = [
                pollfd(fd: isOpen.output ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOpen.message ? message : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: writer, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&polls, nfds_t(polls.count), 50) >= 0 || errno == EINTR else { break }
            // Processes that a killed program has started may keep its output open.
            if wasKilled { break }
            if polls[2].revents != 0, writer >= 0 {
                sent += Self.send(bytes[sent...], to: writer) ?? bytes.count
                if sent >= bytes.count { closeInput() }
            }
            if polls[0].revents != 0 { isOpen.output = Self.read(output, &buffer) { outcome.output += $0 } }
            if polls[1].revents != 0 {
                isOpen.message = Self.read(message, &buffer) {
                    outcome.message += $0.prefix(max(0, 4096 - outcome.message.count))
                }
            }
            if outcome.output.count > most {
                kill()
                break
            }
        }
        closeInput()
        outcome.status = reap()
        return outcome
    }

    /// Waits for output of the program, and reads the available bytes: at most as many as `buffer` has room for after `begin`.
    ///
    /// The program waits while its output is not read. Standard error is read at the same time. Blocks; to be
    /// called on one thread at a time, and not together with `exchange`.
    /// - Returns: bytes that were put into `buffer` from `begin` on; 0 at the end of the output, or when it was killed.
    package func read(into buffer: inout [UInt8], from begin: Int) -> Int {
        closeInput()
        while begin < buffer.count, !wasKilled {
            let isMessageOpen = said.withLock { $0.isOpen }
            var polls = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isMessageOpen ? message : -1, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&polls, nfds_t(polls.count), 50) >= 0 || errno == EINTR else { return 0 }
            if polls[1].revents != 0 { listen() }
            guard polls[0].revents != 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { bytes in
                Foundation.read(output, bytes.baseAddress.map { $0 + begin }, bytes.count - begin)
            }
            if count < 0, errno == EINTR { continue }
            return max(0, count)
        }
        return 0
    }

    /// Waits for the end of a program whose output was read to its end.
    /// - Returns: the outcome, without output. Blocks.
    package func finish() -> Outcome {
        closeInput()
        while !wasKilled, said.withLock({ $0.isOpen }) {
            var polls = [pollfd(fd: message, events: Int16(POLLIN), revents: 0)]
            guard poll(&polls, 1, 50) >= 0 || errno == EINTR else { break }
            if polls[0].revents != 0 { listen() }
        }
        return Outcome(status: reap(), output: [], message: said.withLock { $0.bytes })
    }

    /// Reads the available bytes of standard error; keeps the beginning.
    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 4096)
        said.withLock { said in
            said.isOpen = Self.read(message, &buffer) { said.bytes += $0.prefix(max(0, 4096 - said.bytes.count)) }
        }
    }

    /// Kills the program and all its children; has no effect if it has ended.
    package func kill() {
        killed.store(true, ordering: .releasing)
        state.withLock { state in
            // With all that it has started: they are a group.
            if case .running = state { _ = Foundation.kill(-process, SIGKILL) }
        }
    }

    private func closeInput() {
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    /// Waits for the end, which makes the number of the process free for others.
    @discardableResult
    private func reap() -> Int32 {
        if state.withLock({ $0 == .ended }) { return 0 }
        // Waits without taking the number away, so that a kill meanwhile meets this process and no other.
        var info = siginfo_t()
        while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        RunningPrograms.shared.remove(process)
        return state.withLock { state in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            state = .ended
            return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
        }
    }

    // MARK: - System calls

    /// nil if it is no longer read.
    private static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int? {
        #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #else
        let flags = MSG_DONTWAIT
        #endif
        let count = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EINTR || errno == EAGAIN ? 0 : nil
    }

    /// - Returns: false at the end.
    private static func read(_ descriptor: Int32, _ buffer: inout [UInt8], _ take: (ArraySlice<UInt8>) -> Void) -> Bool
    {
        let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { take(buffer[..<count]) }
        return count > 0 || count < 0 && errno == EINTR
    }

    private static func spawn(_ words: [String], _ variables: [String: String], _ ends: Ends) throws -> pid_t {
        let environment = variables.isEmpty ? nil : ProcessInfo.processInfo.environment.merging(variables) { $1 }
        return try SpawnedProcess.start(words, environment) { actions in
            for (number, end) in [ends.input.theirs, ends.output.theirs, ends.message.theirs].enumerated() {
                posix_spawn_file_actions_adddup2(&actions, end, Int32(number))
            }
        }
    }
}

/// The programs that this process has started and that have not ended yet.
///
/// A program is in the list from the moment when it exists: whoever ends the process meanwhile does not miss it.
package final class RunningPrograms: Sendable {
    package static let shared = RunningPrograms()
    private let state = Mutex<(processes: Set<pid_t>, isClosed: Bool)>(([], false))

    package init() {}

    /// Starts a program.
    /// - Throws: errors of `spawn`; `POSIXError.ECANCELED` once all have been killed.
    package func start(_ spawn: () throws -> Int32) throws -> Int32 {
        try state.withLock { state in
            guard !state.isClosed else { throw POSIXError(.ECANCELED) }
            let process = try spawn()
            state.processes.insert(process)
            return process
        }
    }

    /// Removes a program that has ended, before its number becomes free for others.
    package func remove(_ process: Int32) { state.withLock { _ = $0.processes.remove(process) } }

    /// Kills all programs with all that they have started, and lets no further one start.
    package func killAll() {
        state.withLock { state in
            for process in state.processes { _ = kill(-process, SIGKILL) }
            state = ([], true)
        }
    }
}

/// Both ends of a program's three streams. None is passed on to other programs that start at the same time.
private struct Ends {
    var input = (ours: Int32(-1), theirs: Int32(-1))
    var output = (ours: Int32(-1), theirs: Int32(-1))
    var message = (ours: Int32(-1), theirs: Int32(-1))

    mutating func open(_ kind: ChildProcess.Input) throws {
        switch kind {
        case .file([]):
            input.theirs = Foundation.open("/dev/null", O_RDONLY | O_CLOEXEC)
            if input.theirs < 0 { throw Self.failure() }
        case .file(let bytes): input.theirs = try Self.unlinkedFile(bytes)
        // A socket, because writing to it without a reader raises no signal.
        case .later: (input.ours, input.theirs) = try Self.sockets()
        }
        (output.ours, output.theirs) = try Self.sockets()
        (message.ours, message.theirs) = try Self.sockets()
    }

    mutating func closeTheirs() {
        for end in [input.theirs, output.theirs, message.theirs] where end >= 0 { close(end) }
    }

    mutating func closeOurs() {
        for end in [input.ours, output.ours, message.ours] where end >= 0 { close(end) }
    }

    private static func sockets() throws -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw failure() }
        #if canImport(Darwin)
        var on: Int32 = 1
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        #endif
        return (ends[0], ends[1])
    }

    private static func unlinkedFile(_ bytes: [UInt8]) throws -> Int32 {
        var template = Array("\(NSTemporaryDirectory())/hearth-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw failure() }
        template.withUnsafeBufferPointer { _ = $0.baseAddress.map { unlink($0) } }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure()
                close(descriptor)
                throw error
            }
            done += count
        }
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            close(descriptor)
            throw failure()
        }
        return descriptor
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
