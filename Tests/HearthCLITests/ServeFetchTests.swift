import Foundation
import HearthSystem
import HearthTestSupport
import Testing

/// `hearth serve` with a model that is not installed: fetched while it serves, kept through whatever ends the process.
@Suite("hearth serve, fetching", .serialized, .timeLimit(.minutes(20)))
struct ServeFetchTests {
    private static let bytes =
        (try? Data(contentsOf: URL(fileURLWithPath: "\(HearthProcess.root)/Models/hearth-nano.gguf"))).map(Array.init)
        ?? []

    /// A source that stops in the middle until it is told to go on, and a home.
    private func withSource(_ body: (MisbehavingServer, _ home: String, _ go: Switch) throws -> Void) throws {
        let go = Switch()
        let source = try MisbehavingServer { request in
            var reply = MisbehavingServer.reply(request, Self.bytes)
            reply.hold = (after: reply.body.count / 3, until: { go.isOn })
            return reply
        }
        let home = try HearthProcess.temporaryFolder()
        defer {
            source.stop()
            try? FileManager.default.removeItem(atPath: home)
        }
        try body(source, home, go)
    }

    private func start(_ home: String, _ words: [String]) throws -> (running: HearthProcess.Running, port: Int) {
        let running = try HearthProcess.start(
            ["serve", "--port", "0"] + words, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"])
        var port: Int?
        _ = HearthProcess.wait {
            port = running.error.firstMatch(of: /listening on http:\/\/127\.0\.0\.1:(\d+)\n/).flatMap { Int($0.1) }
            return port != nil || running.hasEnded
        }
        return (running, try #require(port, "\(running.error)"))
    }

    private func ask(_ port: Int, _ path: String, _ body: String? = nil) throws -> RawAnswer {
        let client = try RawClient(port: port)
        let head =
            "\(body == nil ? "GET" : "POST") \(path) HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n"
        let type = body.map { "Content-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n" } ?? ""
        client.send(head + type + "\r\n" + (body ?? ""))
        return RawAnswer(client.rest())
    }

    private func state(_ port: Int) throws -> [String: Any] { try ask(port, "/api/state").json }

    @Test("Fetched, told by, and there at the next start without a question to anybody")
    func fetched() throws {
        try withSource { source, home, go in
            let digest = SHA256.digest(of: Self.bytes)
            let words = ["--model", source.url("/teller.gguf"), "--name", "bedtime", "--sha256", digest]
            let (running, port) = try start(home, words)
            #expect(try HearthProcess.wait { try state(port)["bytes"] as? Int ?? 0 > 0 })
            let before = try state(port)
            #expect(before["model"] as? String == "bedtime" && before["phase"] as? String == "downloading")
            #expect(before["total"] as? Int == Self.bytes.count)
            #expect(try ask(port, "/api/story", #"{"wish":"lost-star"}"#).text.contains(#""source":"library""#))
            let refused = try ask(port, "/v1/completions", #"{"prompt":"a"}"#)
            #expect(refused.status == 503 && refused.header("Retry-After") != nil)
            #expect(try !ask(port, "/v1/models").text.contains("bedtime"))
            go.turnOn()
            #expect(try HearthProcess.wait { try state(port)["state"] as? String == "ready" })
            #expect(try ask(port, "/v1/models").text.contains("bedtime"))
            let told = try ask(port, "/api/story", #"{"wish":"lost-star"}"#)
            #expect(told.text.contains(#""source":"model""#))
            let outcome = running.end(by: SIGINT)
            #expect(outcome.status == 130 && outcome.output.isEmpty)

            let asked = source.requests.count
            let (again, other) = try start(home, ["--model", source.url("/teller.gguf")])
            #expect(try HearthProcess.wait { try state(other)["state"] as? String == "ready" })
            #expect(try state(other)["model"] as? String == "bedtime")
            #expect(source.requests.count == asked)
            #expect(again.end(by: SIGTERM).status == 0)
        }
    }

    @Test("Ended in the middle, softly or the hard way, it goes on from there", arguments: [SIGINT, SIGKILL])
    func ended(signal: Int32) throws {
        try withSource { source, home, go in
            let words = ["--model", source.url("/teller.gguf")]
            let (running, port) = try start(home, words)
            let third = Self.bytes.count / 3
            #expect(try HearthProcess.wait { try state(port)["bytes"] as? Int ?? 0 >= third })
            let outcome = running.end(by: signal)
            if signal == SIGINT {
                #expect(outcome.status == 130 && outcome.error.contains("the same command resumes from here"))
                #expect(outcome.isPrompt)
                #expect(!outcome.error.contains("retrying"))
            }
            go.turnOn()
            let (again, other) = try start(home, words)
            #expect(try HearthProcess.wait { try state(other)["state"] as? String == "ready" })
            #expect(source.requests.last?.range?.start ?? 0 >= third)
            #expect(again.end(by: SIGINT).status == 130)
        }
    }

    @Test("A model whose bytes the system removed is fetched again by its name")
    func removed() throws {
        try withSource { source, home, go in
            go.turnOn()
            let environment = ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"]
            let pulled = try HearthProcess.run(
                ["pull", source.url("/teller.gguf"), "--purgeable", "--json"], environment: environment)
            #expect(pulled.status == 0, "\(pulled.error)")
            let path = pulled.json["path"] as? String ?? ""
            #expect(unlink(path) == 0)
            let (running, port) = try start(home, ["--model", "teller"])
            #expect(try HearthProcess.wait { try state(port)["state"] as? String == "ready" })
            #expect(FileManager.default.fileExists(atPath: path))
            #expect(running.end(by: SIGINT).status == 130)
        }
    }

    @Test(
        "What can be known to be wrong is said before the door opens",
        arguments: [
            (["--model", "http://models.example/x.gguf"], 2, "http reaches no further"),
            (["--model", "ftp://models.example/x.gguf"], 2, "not fetched from"),
            (["--model", "https://models.example/x.gguf", "--sha256", "12"], 2, "64 hexadecimal"),
            (["--model", "https://models.example/x.gguf", "--name", "../x"], 2, "--name"),
            (["--name", "x"], 2, "need a model address"),
            (["--model", "/no/such/manifest.json"], 3, "no such file"),
        ] as [([String], Int32, String)])
    func refusals(words: [String], status: Int32, text: String) throws {
        let outcome = try HearthProcess.run(["serve", "--port", "0"] + words)
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.error.contains(text) && outcome.error.hasPrefix("hearth: error: "))
        #expect(!outcome.error.contains("listening"))
    }
}
