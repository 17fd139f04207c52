import Foundation
import Testing

/// `hearth serve` as a process: what it refuses before it opens its door, what it says, and how it ends.
@Suite("hearth serve", .serialized, .timeLimit(.minutes(20)))
struct ServeCommandTests {
    @Test(
        "What cannot be served is refused before anybody can connect",
        arguments: [
            (["--port", "99999"], 2, "--port"), (["--host", "0.0.0.0"], 2, "needs a token"),
            (["--host", "example.com"], 2, "numeric address"), (["--model", "no-such-model"], 3, "(no-such-model)"),
            (["--model", "/no/such/file.gguf"], 3, "--model"), (["--token-file", "/no/such/file"], 3, "--token-file"),
            (["--drain", "-1"], 2, "--drain"), (["--drain", "3601"], 2, "--drain"),
        ] as [([String], Int32, String)])
    func refusals(words: [String], status: Int32, text: String) throws {
        let outcome = try HearthProcess.run(["serve", "--port", "0"] + words)
        #expect(outcome.status == status)
        #expect(outcome.error.contains(text) && outcome.error.hasPrefix("hearth: error: "))
        #expect(!outcome.error.contains("listening") && outcome.output.isEmpty)
    }

    @Test("A token that can be guessed is none, and a file that is no model is told about")
    func weak() throws {
        let weak = try HearthProcess.run(["serve", "--port", "0"], environment: ["HEARTH_TOKEN": "secret"])
        #expect(weak.status == 3 && !weak.error.contains("secret"))
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("not a model".utf8).write(to: URL(fileURLWithPath: "\(folder)/x.gguf"))
        let outcome = try HearthProcess.run(["serve", "--port", "0", "--model", "\(folder)/x.gguf"])
        #expect(outcome.status == 3 && outcome.error.contains("x.gguf"))
        let noModel = try HearthProcess.run(["serve", "--port", "0", "--model", folder])
        #expect(noModel.status == 3 && noModel.error.contains("holds no compiled text model"))
    }

    @Test("A token file that others can read is refused, and one that is private is taken")
    func privateToken() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/token"
        try Data("0123456789abcdef0123456789abcdef\n".utf8).write(to: URL(fileURLWithPath: path))
        for mode in [0o644, 0o640, 0o604, 0o620] {
            #expect(chmod(path, mode_t(mode)) == 0)
            let outcome = try HearthProcess.run(["serve", "--port", "0", "--token-file", path])
            #expect(outcome.status == 3 && outcome.error.contains("chmod 600 \(path)"), "\(outcome.error)")
        }
        #expect(chmod(path, 0o600) == 0)
        let outcome = try HearthProcess.run(
            ["serve", "--port", "0", "--host", "0.0.0.0", "--token-file", path], signal: SIGHUP,
            when: { $0.error.contains("without encryption") })
        #expect(outcome.status == 0)
        #expect(outcome.error.components(separatedBy: "without encryption").count == 2)
    }

    @Test("It says where it listens, on standard error, and ends when it is told to")
    func listening() throws {
        let outcome = try HearthProcess.run(
            ["serve", "--port", "0"], signal: SIGINT, when: { $0.error.contains("listening on") })
        #expect(outcome.status == 130)
        #expect(outcome.error.contains(/listening on http:\/\/127\.0\.0\.1:\d+\n/))
        #expect(outcome.output.isEmpty)
    }
}
