import Foundation
import HearthSystem
import Testing

@Suite("Child process", .timeLimit(.minutes(20)))
struct ChildProcessTests {
    private func run(_ script: String, _ input: ChildProcess.Input, _ bytes: [UInt8] = []) async throws
        -> ChildProcess.Outcome
    {
        let process = try ChildProcess("/bin/sh", ["-c", script], input: input)
        return try await OwnThread.run { _ in process.exchange(bytes) }
    }

    @Test("Output, messages and status, with the input given before or after the start")
    func streams() async throws {
        let bytes = Array("one\ntwo\n".utf8)
        for (input, later) in [(ChildProcess.Input.file(bytes), []), (.later, bytes)] {
            let outcome = try await run("cat; echo no >&2; exit 3", input, later)
            #expect(outcome.status == 3)
            #expect(outcome.output == bytes)
            #expect(outcome.message == Array("no\n".utf8))
        }
        #expect(try await run("cat /dev/stdin", .file(bytes)).output == bytes)
        #expect(try await run("cat", .later).output.isEmpty)
    }

    @Test("More than a pipe holds goes through in both directions, and a reader that goes away is no error")
    func large() async throws {
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        #expect(try await run("cat", .later, bytes).output == bytes)
        #expect(try await run("exit 0", .later, bytes).status == 0)
        #expect(try await run("head -c 5", .file(bytes)).output == Array(bytes.prefix(5)))
    }

    @Test("Output without end is cut off")
    func endless() async throws {
        let process = try ChildProcess("/bin/sh", ["-c", "yes; true"], input: .later)
        let outcome = try await OwnThread.run { _ in process.exchange(most: 100_000) }
        #expect(outcome.status == 128 + SIGKILL)
        #expect(process.wasKilled)
    }

    @Test("Killing ends it at once, before, during and after it is waited for")
    func kill() async throws {
        for delay in [0, 20] {
            let process = try ChildProcess("/bin/sleep", ["1000"], input: .later)
            let waiting = Task { try await OwnThread.run { _ in process.exchange() } }
            try await Task.sleep(for: .milliseconds(delay))
            process.kill()
            #expect(try await waiting.value.status == 128 + SIGKILL)
            process.kill()
        }
        // What it has started goes with it, and is not waited for.
        let parent = try ChildProcess("/bin/sh", ["-c", "sleep 1000; true"], input: .later)
        let waiting = Task { try await OwnThread.run { _ in parent.exchange() } }
        try await Task.sleep(for: .milliseconds(20))
        parent.kill()
        #expect(try await waiting.value.status == 128 + SIGKILL)
        // Never waited for: gone with its last reference.
        _ = try ChildProcess("/bin/sleep", ["1000"], input: .later)
    }

    @Test("What runs when the process ends is killed, and nothing starts after that")
    func end() throws {
        let programs = RunningPrograms()
        func spawn() throws -> pid_t {
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setpgroup(&attributes, 0)
            var signals = sigset_t()
            sigemptyset(&signals)
            posix_spawnattr_setsigmask(&attributes, &signals)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sleep"), strdup("1000"), nil]
            defer { words.forEach { free($0) } }
            var process = pid_t()
            #expect(posix_spawn(&process, "/bin/sleep", nil, &attributes, &words, nil) == 0)
            return process
        }
        func end(of process: pid_t) -> Int32 {
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status & 0x7F
        }
        let (first, second, removed) = (
            try programs.start(spawn), try programs.start(spawn), try programs.start(spawn)
        )
        programs.remove(removed)
        programs.killAll()
        #expect(end(of: first) == SIGKILL)
        #expect(end(of: second) == SIGKILL)
        _ = Foundation.kill(removed, SIGTERM)
        #expect(end(of: removed) == SIGTERM)
        #expect(throws: POSIXError(.ECANCELED)) { try programs.start(spawn) }
    }

    @Test("A program gets the signals that this process ignores or blocks")
    func signals() async throws {
        #expect(try await run("kill -TERM $$; exit 0", .later).status == 128 + SIGTERM)
        #expect(try await run("kill -PIPE $$; exit 0", .later).status == 128 + SIGPIPE)
    }

    @Test("A program that is not there is an error")
    func missing() {
        #expect(throws: POSIXError.self) { try ChildProcess("/no/such/program", [], input: .later) }
    }

    @Test("Many at once: none holds another's streams")
    func many() async throws {
        let bytes = Array("hello".utf8)
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<40 { group.addTask { try await run("cat", .later, bytes).output } }
            for try await output in group { #expect(output == bytes) }
        }
    }
}
