import Foundation
import HearthSystem
import Synchronization

/// Ends the process cleanly on SIGINT, SIGTERM or SIGHUP.
///
/// A dedicated thread waits for signals, so that ordinary code handles them instead of a signal handler: it prints the
/// output so far, removes unfinished files and exits with status 130. It is independent of the computation, so it
/// reacts during a long prefill as fast as between two tokens.
final class Interruption: Sendable {
    static let shared = Interruption()

    private struct State {
        var firstAct: (@Sendable () -> Void)?
        var lastWords: (@Sendable () -> Void)?
        var lastAct: (@Sendable () -> Void)?
        var closing: (@Sendable () -> ExitStatus?)?
        var termination: (@Sendable () -> ExitStatus)?
        var taker: (@Sendable (Int32) -> Bool)?
        var isEnding = false
    }
    private let state = Mutex(State())
    /// Files to remove if the process ends before they are complete.
    let unfinished = UnfinishedFiles()

    /// Starts to wait for signals. Called once, at program start.
    ///
    /// The handler only writes a byte to a pipe. Blocking the signals and waiting for them would not work: a main
    /// thread parked by Dispatch receives signals regardless of what was blocked before.
    /// - Throws: `CommandFailure` if no file descriptors are left.
    func install() throws {
        signal(SIGPIPE, SIG_IGN)
        // A file that exceeds the user's size limit is an error of that write.
        signal(SIGXFSZ, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure(
                .unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))", at: "RLIMIT_NOFILE",
                todo: "Raise the limit on open files, or close some programs.")
        }
        // Child processes must not inherit the pipe.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        interruptionPipe = ends[1]
        for number in [SIGINT, SIGTERM] { signal(number, noteInterruption) }
        // A program started with `nohup` should outlive the terminal.
        if let before = signal(SIGHUP, noteInterruption), Self.ignores(before) { signal(SIGHUP, SIG_IGN) }
        let reader = ends[0]
        Thread.detachNewThread { [self] in
            var number: UInt8 = 0
            repeat {
                while read(reader, &number, 1) != 1, errno == EINTR {}
            } while state.withLock({ $0.taker })?(Int32(number)) == true
            guard Int32(number) != SIGINT, let termination = state.withLock({ $0.termination }) else {
                return interrupt()
            }
            // A second signal ends the process at once.
            Thread.detachNewThread { [self] in terminate(termination) }
            while read(reader, &number, 1) != 1, errno == EINTR {}
            leaveProcess(ExitStatus.interrupted.rawValue)
        }
    }

    private static func ignores(_ handler: @escaping @convention(c) (Int32) -> Void) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Sets what to print on an interruption, replacing what was set before.
    /// - Parameter act: runs first, without a time limit.
    func setLastWords(_ words: (@Sendable () -> Void)?, after act: (@Sendable () -> Void)? = nil) {
        state.withLock { ($0.lastWords, $0.firstAct) = (words, act) }
    }

    /// Sets what to do, without printing, when nobody reads the output any more.
    func setLastAct(_ act: @escaping @Sendable () -> Void) { state.withLock { $0.lastAct = act } }

    /// Sets a closure that sees each signal first, by number; if it returns true, the process continues.
    func setTaker(_ taker: @escaping @Sendable (Int32) -> Bool) { state.withLock { $0.taker = taker } }

    /// Sets the action for SIGTERM and SIGHUP in place of an interruption: a clean end that may take time, and returns
    /// the exit status. Any second signal ends the process at once.
    func setTermination(_ action: @escaping @Sendable () -> ExitStatus) {
        state.withLock { $0.termination = action }
    }

    /// Sets what to do when the process ends, whether normally, by an error or interrupted. Returns the exit status if
    /// it fails.
    func setClosing(_ action: @escaping @Sendable () -> ExitStatus?) {
        state.withLock { $0.closing = action }
    }

    /// Runs work that an interruption cancels: the work then has 100 ms to end, before `words` is called and the
    /// process ends. Returns only if there was no interruption.
    /// - Parameter atOnce: called first, while the work may still be running, since a busy machine may leave no time
    ///   for more.
    /// - Throws: errors of `work`.
    func cancelling<Result: Sendable>(
        atOnce: @escaping @Sendable () -> Void = {}, lastWords words: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Set before the work begins, so that an interruption covers everything it does.
        let running = RunningTask()
        let ended = DispatchSemaphore(value: 0)
        setLastWords {
            _ = ended.wait(timeout: .now() + .milliseconds(100))
            words()
        } after: {
            running.cancel()
            atOnce()
        }
        guard !state.withLock({ $0.isEnding }) else { await waitForEnd() }
        let task = Task { try await work() }
        running.begin { task.cancel() }
        do {
            return try await task.value
        } catch is CancellationError {
            ended.signal()
            await waitForEnd()
        }
    }

    /// Waits until the interruption ends the process.
    private func waitForEnd() async -> Never {
        while true { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Ends the process once; a second caller waits for the first.
    func end(_ status: ExitStatus) -> Never {
        guard claimEnding() else { while true { sleep(1) } }
        // What is unfinished now, after an error, stays so.
        unfinished.removeAll()
        let failed = state.withLock { $0.closing }?()
        leaveProcess((status == .success ? failed ?? status : status).rawValue)
    }

    /// Ends the process because its output cannot be written; nothing more is printed.
    func abandon(_ status: ExitStatus) -> Never {
        unfinished.removeAll()
        state.withLock { $0.lastAct }?()
        leaveProcess(status.rawValue)
    }

    /// Runs `action` unless an interruption has begun to print. Final output of a command goes through here, so that it
    /// never appears in addition to the interruption's output.
    func finish(_ action: () -> Void) {
        let words = state.withLock { state in
            let isFirst = !state.isEnding
            if isFirst { (state.lastWords, state.firstAct) = (nil, nil) }
            return isFirst
        }
        if words { action() }
    }

    /// Ends the process after some microseconds, the time for the last output if nobody reads it: a reader that has stopped reading
    /// must not block the exit.
    ///
    /// Where the output takes more, it is a busy machine that needs longer, and nothing is lost: then the process ends after five
    /// seconds. Looks are counted, not time, as the process stands still on such a machine.
    static func leaveUnlessRead(after microseconds: UInt32) -> Never {
        usleep(microseconds)
        var looks = 0
        while looks < 500, takesOutput {
            usleep(10_000)
            looks += 1
        }
        leaveProcess(ExitStatus.interrupted.rawValue)
    }

    /// Whether standard output and standard error are files, or pipes or terminals with room.
    private static var takesOutput: Bool {
        var outputs = [STDOUT_FILENO, STDERR_FILENO].map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        return poll(&outputs, nfds_t(outputs.count), 0) > 0 && outputs.allSatisfy { $0.revents == Int16(POLLOUT) }
    }

    private func claimEnding() -> Bool {
        state.withLock { state in
            defer { state.isEnding = true }
            return !state.isEnding
        }
    }

    private func terminate(_ action: @Sendable () -> ExitStatus) {
        guard claimEnding() else { return }
        let state = state.withLock { $0 }
        unfinished.removeAll()
        let status = action()
        let failed = state.closing?()
        leaveProcess((status == .success ? failed ?? status : status).rawValue)
    }

    private func interrupt() {
        guard claimEnding() else { return }
        let state = state.withLock { $0 }
        unfinished.removeAll()
        state.firstAct?()
        // The last output has a time limit.
        Thread.detachNewThread { Self.leaveUnlessRead(after: 150_000) }
        state.lastWords?()
        _ = state.closing?()
        leaveProcess(ExitStatus.interrupted.rawValue)
    }
}

/// Cancels a task that may not have been created yet.
private final class RunningTask: Sendable {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var isCancelled = false
    }
    private let state = Mutex(State())

    func begin(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            state.cancel = cancel
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }
}

/// The pipe that the handler writes to. Set once, before the handler is installed.
nonisolated(unsafe) private var interruptionPipe: Int32 = -1

/// The signal handler: only writes to the pipe, which is async-signal-safe.
private func noteInterruption(_ number: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(interruptionPipe, &byte, 1)
    errno = saved
}
