import Foundation
import HearthSystem
import HearthTestSupport
import Testing

/// Two programs want the same file at once: one fetches it, the other waits and shares; where the first one dies, the
/// other goes on from where it was.
@Suite("hearth pull, twice at once", .serialized, .timeLimit(.minutes(20)), .enabled(if: HearthProcess.showsOpenFiles))
struct SharedPullTests {
    private static let bytes =
        (try? Data(contentsOf: URL(fileURLWithPath: HearthProcess.fixture("gemma3-f16.gguf")))).map(Array.init) ?? []

    /// A server that stops in the middle of its first answer until `go` is set.
    private func withServer(_ body: (MisbehavingServer, _ home: String, _ go: Switch) throws -> Void) throws {
        let go = Switch()
        let server = try MisbehavingServer { request in
            var reply = MisbehavingServer.reply(request, Self.bytes)
            if request.number == 0 { reply.hold = (after: Self.bytes.count / 2, until: { go.isOn }) }
            return reply
        }
        let home = try HearthProcess.temporaryFolder()
        defer {
            server.stop()
            try? FileManager.default.removeItem(atPath: home)
        }
        try body(server, home, go)
    }

    /// Starts one that downloads, then one that waits for it.
    private func startBoth(
        _ server: MisbehavingServer, _ home: String, _ words: [String]
    ) throws -> (first: HearthProcess.Running, second: HearthProcess.Running) {
        let environment = ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"]
        let first = try HearthProcess.start(["pull", server.url(), "--json"] + words, environment: environment)
        #expect(HearthProcess.wait { HearthProcess.hasPart(of: home) })
        let second = try HearthProcess.start(["pull", server.url(), "--json"] + words, environment: environment)
        #expect(HearthProcess.wait { second.openFiles.contains { $0.hasSuffix(".lock") && $0.contains("/partial/") } })
        return (first, second)
    }

    @Test("One downloads, the other shares; the server sends each byte once", arguments: [false, true])
    func shared(knowsDigest: Bool) throws {
        try withServer { server, home, go in
            let digest = SHA256.digest(of: Self.bytes)
            let (first, second) = try startBoth(server, home, knowsDigest ? ["--sha256", digest] : [])
            go.turnOn()
            for outcome in [first.wait(), second.wait()] {
                #expect(outcome.status == 0, "\(outcome.error)")
                #expect(outcome.json["sha256"] as? String == digest)
                #expect(outcome.json["current"] as? Bool == true)
            }
            #expect(server.requests.count == 1)
            #expect(server.bytesSent == Self.bytes.count)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/Models/partial").isEmpty)
            let models = try HearthProcess.run(["models", "--json"], environment: ["HEARTH_HOME": home])
            #expect((models.json["models"] as? [Any])?.count == 1)
        }
    }

    @Test("The first is killed: the other takes over what has arrived", arguments: [SIGKILL, SIGINT])
    func takenOver(signal: Int32) throws {
        try withServer { server, home, _ in
            let (first, second) = try startBoth(server, home, [])
            let ended = first.end(by: signal)
            #expect(signal == SIGKILL ? ended.signal == SIGKILL : ended.status == 130)
            let outcome = second.wait()
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.json["sha256"] as? String == SHA256.digest(of: Self.bytes))
            let resumedFrom = outcome.json["resumedFrom"] as? Int ?? 0
            #expect(resumedFrom > 0 && resumedFrom <= Self.bytes.count / 2)
            let asked = server.requests
            #expect(asked.count == 2)
            #expect(asked.last?.range?.start == resumedFrom && asked.last?.headers["if-range"] == "\"v1\"")
            #expect(try FileManager.default.contentsOfDirectory(atPath: home + "/Models/partial").isEmpty)
        }
    }
}

/// Off until it is turned on, from any thread.
final class Switch: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isOn: Bool { lock.withLock { value } }
    func turnOn() { lock.withLock { value = true } }
}
