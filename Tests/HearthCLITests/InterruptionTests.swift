import Foundation
import HearthTestSupport
import Testing

/// Ctrl-C, closed pipes, full disks: no command dies by a signal, and nothing that was made is lost.
@Suite("Interruptions", .serialized, .timeLimit(.minutes(20)))
struct InterruptionTests {
    private static let portable = ["HEARTH_KERNELS": "portable"]

    private func withSlowModel(_ body: (String, String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try SlowModel.write(to: "\(folder)/slow.gguf")
        try body("\(folder)/slow.gguf", folder)
    }

    /// Runs a program and interrupts it when it should be at what the test is about; where it was not there yet, again and later,
    /// and where it was beyond that, again and sooner.
    private func run(
        _ words: [String], by signal: Int32, until isThere: (HearthProcess.Outcome) -> Bool,
        isLate: (HearthProcess.Outcome) -> Bool = { $0.status == 0 }
    ) throws -> HearthProcess.Outcome {
        var seconds = 0.5
        for _ in 0..<40 {
            let outcome = try HearthProcess.run(words, environment: Self.portable, signal: signal, after: seconds)
            if isThere(outcome) { return outcome }
            seconds = isLate(outcome) ? 0.1 : min(seconds * 1.5, 60)
        }
        throw POSIXError(.ETIMEDOUT)
    }

    @Test("Ctrl-C while tokens come, in a long prompt, and while scoring")
    func interrupts() throws {
        try withSlowModel { model, folder in
            let generate = ["generate", "--model", model, "--threads", "1", "--max-tokens", "4000", "--greedy"]

            let decoding = try run(
                generate + ["--prompt", "x", "--json"], by: SIGINT,
                until: { $0.status != 0 && ($0.json["tokens"] as? [Int])?.isEmpty == false })
            #expect(decoding.status == 130)
            #expect(decoding.signal == nil)
            #expect(decoding.isPrompt)
            #expect(decoding.json["stop"] as? String == "cancelled")
            #expect((decoding.json["tokens"] as? [Int])?.isEmpty == false)

            let streaming = try run(
                generate + ["--prompt", "x"], by: SIGTERM, until: { $0.status != 0 && !$0.output.isEmpty })
            #expect(streaming.status == 130)
            #expect(streaming.output.hasSuffix("\n"))
            #expect(streaming.error.isEmpty)

            let ids = "\(folder)/ids.json"
            try Data("[\([String](repeating: "5", count: 4000).joined(separator: ","))]".utf8)
                .write(to: URL(fileURLWithPath: ids))
            func hasTokens(_ outcome: HearthProcess.Outcome) -> Bool { outcome.json["tokens"] as? [Int] ?? [] != [] }
            let prefill = try run(
                generate + ["--tokens-file", ids, "--json"], by: SIGINT,
                until: { $0.json["promptTokens"] as? Int == 4000 && !hasTokens($0) }, isLate: hasTokens)
            #expect(prefill.status == 130)
            #expect(prefill.isPrompt)
            #expect(prefill.json["stop"] as? String == "cancelled")
            #expect(prefill.json["tokens"] as? [Int] == [])
            #expect(prefill.json["promptTokens"] as? Int == 4000)

            let scoring = try run(
                ["score", "--model", model, "--threads", "1", "--tokens-file", ids, "--logits", "\(folder)/out.f32"],
                by: SIGINT, until: { $0.status != 0 })
            #expect(scoring.status == 130)
            #expect(scoring.isPrompt)
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: folder)) == ["slow.gguf", "ids.json"])

            let story = try run(
                ["story", "--model", model, "--threads", "1", "--json", "--seed", "1"], by: SIGINT,
                until: { $0.status != 0 && !$0.json.isEmpty })
            #expect(story.status == 130)
            #expect(story.json["stop"] as? String == "cancelled")
        }
    }

    @Test("A reader that goes away ends the program quietly")
    func brokenPipe() throws {
        for words in ["wishes", "help generate", "inspect '\(HearthProcess.fixture("gemma3-q8_0.gguf"))'"] {
            let script = "set -o pipefail; '\(HearthProcess.executable)' \(words) | (sleep 0.1; exit 0)"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-c", script]
            let error = Pipe()
            process.standardError = error
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(error.fileHandleForReading.readDataToEndOfFile().isEmpty)
        }
    }

    @Test(
        "Results that cannot be written are an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func fullDisk() throws {
        let outcome = try HearthProcess.run(["wishes"], output: "/dev/full")
        #expect(outcome.status == 1)
        #expect(outcome.error.hasPrefix("hearth: error: cannot write the results"))
    }
}
