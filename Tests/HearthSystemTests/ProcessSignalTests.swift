#if os(Linux)
import Foundation
import HearthSystem
import Testing

@Suite("Signals of started programs", .timeLimit(.minutes(20)))
struct ProcessSignalTests {
    /// Runs `body` on a thread that blocks signals, as those of Dispatch do.
    private func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await OwnThread.run { _ in
            var signals = sigset_t()
            sigfillset(&signals)
            #expect(pthread_sigmask(SIG_BLOCK, &signals, nil) == 0)
            return try body()
        }
    }

    private static func isFree(_ text: String) -> Bool {
        text.split(separator: "\n").contains {
            $0.hasPrefix("SigBlk:") && $0.dropFirst(7).allSatisfy { "0\t ".contains($0) }
        }
    }

    @Test("A program that is waited for can be told to end, whatever its starter blocks")
    func child() async throws {
        let outcome = try await blocking {
            try ChildProcess("/bin/cat", ["/proc/self/status"], input: .file([])).exchange()
        }
        #expect(Self.isFree(String(decoding: outcome.output, as: UTF8.self)))
    }

    @Test("So can one in the background, of which nothing is left when it has ended")
    func background() async throws {
        let path = "\(NSTemporaryDirectory())/hearth-signals-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let script = "{ echo $$; cat /proc/self/status; } > \(path).part; mv \(path).part \(path)"
        try await blocking { BackgroundProcess.start(["/bin/sh", "-c", script]) }
        // The suite's time limit ends a wait for nothing.
        while !FileManager.default.fileExists(atPath: path) { try await Task.sleep(for: .milliseconds(5)) }
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(Self.isFree(text))
        let process = try #require(text.split(separator: "\n").first.flatMap { pid_t($0) })
        while kill(process, 0) == 0 { try await Task.sleep(for: .milliseconds(5)) }
        #expect(errno == ESRCH)
    }

    @Test("Variables are set beside those of this process")
    func variables() throws {
        func said(_ variables: [String: String]) throws -> String {
            let process = try ChildProcess(
                "/bin/sh", ["-c", "echo \"$HEARTH_TOLD $PATH\""], input: .file([]), environment: variables)
            return String(decoding: process.exchange().output, as: UTF8.self)
        }
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        #expect(try said([:]) == " \(path)\n")
        #expect(try said(["HEARTH_TOLD": "a=b c"]) == "a=b c \(path)\n")
    }
}
#endif
