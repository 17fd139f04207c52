import Foundation
import HearthSystem
import Synchronization

/// Ends the process in order when the user (SIGINT), the system (SIGTERM) or the terminal's end (SIGHUP) asks for it.
///
/// One thread waits for signals, so that ordinary code reacts to them and not a signal handler: it prints the output so
/// far, removes unfinished files and exits with status 130. It does not depend on the computation, so it reacts in the
/// middle of a long prefill as fast as between two tokens.
final class Interruption: Sendable {
    static let shared = Interruption()

    private struct State {
        var firstAct: (@Sendable () -> Void)?
        var lastWords: (@Sendable () -> Void)?
        var closing: (@Sendable () -> ExitStatus?)?
        var termination: (@Sendable () -> ExitStatus)?
        var taker: (@Sendable (Int32) -> Bool)?
        var isEnding = false
    }
    private let state = Mutex(State())
    /// Files that are removed if the process is told to end before they are complete.
    let unfinished = UnfinishedFiles()

    /// Begins to wait. Called once, when the program starts.
    ///
    /// The handler only writes a byte into a pipe. Blocking the signals and waiting for them would not do: a program
    /// whose main thread is parked by Dispatch takes signals there, whatever was blocked before.
    /// - Throws: `CommandFailure` where the system has no descriptors left.
    func install() throws {
        signal(SIGPIPE, SIG_IGN)
        // A file that grows beyond what the user allows is an error of that write.
        signal(SIGXFSZ, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw CommandFailure(
                .unavailable, "cannot create a pipe: \(String(cString: strerror(errno)))", at: "RLIMIT_NOFILE",
                todo: "Raise the limit on open files, or close some programs.")
        }
        // Programs that are started from here have no business with them.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        interruptionPipe = ends[1]
        for number in [SIGINT, SIGTERM] { signal(number, noteInterruption) }
        // A program that was started with 'nohup' should outlive the terminal.
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
            // A second signal does not wait for what the first one began.
            Thread.detachNewThread { [self] in terminate(termination) }
            while read(reader, &number, 1) != 1, errno == EINTR {}
            _exit(ExitStatus.interrupted.rawValue)
        }
    }

    private static func ignores(_ handler: @escaping @convention(c) (Int32) -> Void) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// What to print when the work is cut short; replaces what was set before.
    /// - Parameter act: done before that, however long a busy machine takes for it.
    func setLastWords(_ words: (@Sendable () -> Void)?, after act: (@Sendable () -> Void)? = nil) {
        state.withLock { ($0.lastWords, $0.firstAct) = (words, act) }
    }

    /// Asked first about a signal, by its number; if it returns true, the process goes on.
    func setTaker(_ taker: @escaping @Sendable (Int32) -> Bool) { state.withLock { $0.taker = taker } }

    /// What SIGTERM and SIGHUP do in the place of an interruption: an orderly end that takes the time it needs, and the status to
    /// leave with. Any second signal ends the process at once.
    func setTermination(_ action: @escaping @Sendable () -> ExitStatus) {
        state.withLock { $0.termination = action }
    }

    /// What has to be done at the end of the process, however it ends: by itself, by an error or interrupted. Returns
    /// the status to leave with where it failed.
    func setClosing(_ action: @escaping @Sendable () -> ExitStatus?) {
        state.withLock { $0.closing = action }
    }

    /// Runs work that an interruption cancels: it then has 100 ms to come to its own end, before `words` are said and the
    /// process ends. Returns only if there was no interruption.
    /// - Parameter atOnce: done first, while the work may still run: a busy machine may give no time for more.
    /// - Throws: what `work` throws of its own accord.
    func cancelling<Result: Sendable>(
        atOnce: @escaping @Sendable () -> Void = {}, lastWords words: @escaping @Sendable () -> Void,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // Before the work begins: nothing that it makes may be unknown to an interruption.
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

    /// The interruption ends the process.
    private func waitForEnd() async -> Never {
        while true { try? await Task.sleep(for: .seconds(1)) }
    }

    /// Ends the process, once: a second caller waits for the first to finish.
    func end(_ status: ExitStatus) -> Never {
        guard claimEnding() else { while true { sleep(1) } }
        let failed = state.withLock { $0.closing }?()
        // Not exit(): it would run destructors of objects that other threads still use.
        _exit((status == .success ? failed ?? status : status).rawValue)
    }

    /// Runs `action` unless an interruption has begun to print. What a command prints at its end goes through here,
    /// so that it and the last words never both appear.
    func finish(_ action: () -> Void) {
        let words = state.withLock { state in
            let isFirst = !state.isEnding
            if isFirst { (state.lastWords, state.firstAct) = (nil, nil) }
            return isFirst
        }
        if words { action() }
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
        _exit((status == .success ? failed ?? status : status).rawValue)
    }

    private func interrupt() {
        guard claimEnding() else { return }
        let state = state.withLock { $0 }
        unfinished.removeAll()
        state.firstAct?()
        // A reader that stopped reading must not keep the process: it has this long to take the last words.
        Thread.detachNewThread {
            usleep(150_000)
            _exit(ExitStatus.interrupted.rawValue)
        }
        state.lastWords?()
        _ = state.closing?()
        _exit(ExitStatus.interrupted.rawValue)
    }
}

/// How to cancel a task that may not have begun.
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

/// Where the handler writes. Set once, before the handler is installed.
nonisolated(unsafe) private var interruptionPipe: Int32 = -1

/// The signal handler: nothing but a write, which is safe there.
private func noteInterruption(_ number: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(interruptionPipe, &byte, 1)
    errno = saved
}
