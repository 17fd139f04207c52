import Foundation
import HearthDelivery
import HearthSystem
import HearthTestSupport
import Testing

/// `pull` and its like as processes, against a server on this machine.
@Suite("hearth pull", .serialized, .timeLimit(.minutes(20)))
struct PullTests {
    private static let old =
        (try? Data(contentsOf: URL(fileURLWithPath: HearthProcess.fixture("gemma3-q8_0.gguf")))) ?? Data()
    private static let new =
        (try? Data(contentsOf: URL(fileURLWithPath: HearthProcess.fixture("gemma3-f16.gguf")))) ?? Data()

    private func withServer(_ body: (MisbehavingServer, String) throws -> Void) throws {
        let (old, new) = (Array(Self.old), Array(Self.new))
        let server = try MisbehavingServer { request in
            switch request.path {
            case "/old/m.gguf": return MisbehavingServer.reply(request, old, tag: "\"old\"")
            case "/new/m.gguf": return MisbehavingServer.reply(request, new, tag: "\"new\"")
            case "/slow/m.gguf":
                var reply = MisbehavingServer.reply(request, new, tag: "\"new\"")
                reply.stallAfter = new.count / 2
                return reply
            case "/page.gguf":
                return .init(
                    headers: ["Content-Type": "application/octet-stream"], body: Array(repeating: 7, count: 5000))
            default: return .init(status: 404)
            }
        }
        let home = try HearthProcess.temporaryFolder()
        defer {
            server.stop()
            try? FileManager.default.removeItem(atPath: home)
        }
        try body(server, home)
    }

    private func run(_ home: String, _ words: String...) throws -> HearthProcess.Outcome {
        let outcome = try HearthProcess.run(words, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"])
        #expect(outcome.signal == nil)
        return outcome
    }

    @Test("Installed, used, upgraded, rolled back, removed")
    func lifeOfAModel() throws {
        try withServer { server, home in
            let digest = SHA256.digest(of: Self.old)
            let pulled = try run(home, "pull", server.url("/old/m.gguf"), "--sha256", digest, "--json")
            #expect(pulled.status == 0, "\(pulled.error)")
            #expect(pulled.json["name"] as? String == "m")
            #expect(pulled.json["version"] as? String == String(digest.prefix(12)))
            #expect(pulled.json["bytes"] as? Int == Self.old.count)
            #expect(pulled.json["sha256"] as? String == digest)
            #expect(pulled.json["resumedFrom"] as? Int == 0)
            #expect(pulled.json["seconds"] is Double)
            let path = try #require(pulled.json["path"] as? String)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Self.old)

            let words = ["generate", "--model", "m", "--prompt", "x", "--max-tokens", "2", "--json"]
            let generated = try HearthProcess.run(words, environment: ["HEARTH_HOME": home])
            #expect(generated.status == 0, "\(generated.error)")

            #expect(try run(home, "pull", server.url("/new/m.gguf")).status == 0)
            let models = try #require(try run(home, "models", "--json").json["models"] as? [[String: Any]])
            #expect(models.count == 2)
            #expect(models.allSatisfy { ($0["artifacts"] as? [Any])?.isEmpty == false })
            #expect(models.count { $0["lastUsed"] is String } == 1)
            #expect(
                models.first { $0["current"] as? Bool == true }?["sha256"] as? String == SHA256.digest(of: Self.new))
            #expect(try run(home, "rollback", "m", "--json").json["version"] as? String == String(digest.prefix(12)))
            #expect(try run(home, "models").output.contains("current"))

            let removed = try run(home, "remove", "m", "--json")
            #expect(removed.status == 0, "\(removed.error)")
            #expect((removed.json["removed"] as? [Any])?.count == 2)
            #expect(try run(home, "remove", "m").status == 3)
            let listed = try run(home, "models", "--json")
            #expect((listed.json["models"] as? [Any])?.isEmpty == true)
        }
    }

    @Test("What is refused, and with which status")
    func refusals() throws {
        try withServer { server, home in
            let wrong = String(repeating: "0", count: 64)
            for (words, status) in [
                (["pull", server.url("/old/m.gguf"), "--sha256", wrong], 1), (["pull", server.url("/none.gguf")], 1),
                (["pull", server.url("/page.gguf")], 3), (["pull", "http://example.org/x.gguf"], 2),
                (["pull", "ftp://example.org/x.gguf"], 2), (["pull", server.url(), "--sha256", "12"], 2),
                (["pull", server.url(), "--name", "../x"], 2), (["pull", "/no/such/file.gguf"], 3),
                (["prune", "--to", "lots"], 2), (["remove", "none"], 3), (["rollback", "none"], 3),
            ] as [([String], Int32)] {
                let outcome = try HearthProcess.run(words, environment: ["HEARTH_HOME": home])
                #expect(outcome.status == status, "\(words): \(outcome.error)")
                #expect(outcome.error.hasPrefix("hearth: error: ") && outcome.output.isEmpty, "\(words)")
            }
            // The file itself may be the user's, on this disk: it is not what was deleted.
            let other = try run(home, "pull", server.url("/old/m.gguf"), "--sha256", wrong)
            #expect(other.error.contains("Nothing was installed") && !other.error.contains("deleted"))
            let listed = try run(home, "models", "--json")
            #expect((listed.json["models"] as? [Any])?.isEmpty == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/Models/partial").isEmpty)
        }
    }

    @Test("A message says what is wrong with which file, once")
    func message() throws {
        try withServer { server, home in
            let outcome = try run(home, "pull", server.url("/page.gguf"))
            let url = server.url("/page.gguf")
            #expect(
                outcome.error == """
                    hearth: error: this is not a model that Hearth can install: not a GGUF file: it begins with \
                    [7, 7, 7, 7] (page.gguf: magic) (\(url)). Check that the address leads to a model, and whether \
                    a network login is in the way.

                    """)
        }
    }

    @Test("An app ships an update: a manifest by its address, an older one refused, back and forth")
    func manifests() throws {
        try withServer { server, home in
            func manifest(_ version: String, _ path: String, _ bytes: Data) -> [String: Any] {
                [
                    "schema": 1, "name": "bedtime", "version": version, "engine": "text", "upgradeFrom": ["1.0.0"],
                    "files": [
                        [
                            "path": "model.gguf", "bytes": bytes.count, "sha256": SHA256.digest(of: bytes),
                            "urls": [server.url("/none.gguf"), server.url(path)],
                        ] as [String: Any]
                    ],
                ]
            }
            let first = try JSONSerialization.data(withJSONObject: manifest("1.0.0", "/old/m.gguf", Self.old))
            let second = try JSONSerialization.data(withJSONObject: manifest("1.1.0", "/new/m.gguf", Self.new))
            let publisher = try MisbehavingServer { request in
                MisbehavingServer.reply(request, Array(request.path == "/1.0.json" ? first : second))
            }
            defer { publisher.stop() }
            func version() throws -> String? {
                let models = try run(home, "models", "--json").json["models"] as? [[String: Any]]
                return models?.first { $0["current"] as? Bool == true }?["version"] as? String
            }
            let installed = try run(home, "pull", publisher.url("/1.0.json"), "--json")
            #expect(installed.status == 0, "\(installed.error)")
            #expect(installed.json["name"] as? String == "bedtime" && installed.json["version"] as? String == "1.0.0")
            let updated = try run(home, "pull", publisher.url("/1.1.json"))
            #expect(updated.status == 0, "\(updated.error)")
            #expect(try version() == "1.1.0")
            let older = try run(home, "pull", publisher.url("/1.0.json"))
            #expect(older.status == 1 && older.error.contains("--allow-downgrade"))
            #expect(try run(home, "rollback", "bedtime").status == 0)
            #expect(try version() == "1.0.0")
            #expect(try run(home, "rollback", "bedtime").status == 0)
            #expect(try version() == "1.1.0")
            let wrong = try run(home, "pull", publisher.url("/1.1.json"), "--sha256", String(repeating: "0", count: 64))
            #expect(wrong.status == 1)
            // Manifests are read and gone.
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/Models/partial/manifests").isEmpty)
        }
    }

    @Test("A model for larger devices is refused before a byte of it is fetched")
    func largeModel() throws {
        try withServer { server, home in
            let manifest: [String: Any] = [
                "schema": 1, "name": "large", "version": "1", "engine": "text", "leastMemory": 1 << 44,
                "files": [
                    [
                        "path": "model.gguf", "bytes": Self.old.count, "sha256": SHA256.digest(of: Self.old),
                        "urls": [server.url("/old/m.gguf")],
                    ] as [String: Any]
                ],
            ]
            let path = home + "-large.json"
            defer { try? FileManager.default.removeItem(atPath: path) }
            try JSONSerialization.data(withJSONObject: manifest).write(to: URL(fileURLWithPath: path))
            let refused = try run(home, "pull", path)
            #expect(refused.status == 4)
            #expect(refused.error.contains("large: leastMemory"))
            #expect(server.requests.isEmpty)
            #expect(try run(home, "pull", path, "--allow-little-memory").status == 0)
        }
    }

    @Test("Ctrl-C keeps what has arrived")
    func interruption() throws {
        try withServer { server, home in
            let cut = try HearthProcess.run(
                ["pull", server.url("/slow/m.gguf"), "--sha256", SHA256.digest(of: Self.new)],
                environment: ["HEARTH_HOME": home], signal: SIGINT, when: { _ in HearthProcess.hasPart(of: home) })
            #expect(cut.status == 130, "\(cut.error)")
            #expect(cut.isPrompt)
            let again = try run(
                home, "pull", server.url("/new/m.gguf"), "--sha256", SHA256.digest(of: Self.new), "--json")
            #expect(again.status == 0, "\(again.error)")
            #expect(again.json["resumedFrom"] as? Int ?? 0 > 0)
        }
    }
}
