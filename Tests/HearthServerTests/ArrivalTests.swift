import Foundation
import HearthCompute
import HearthDelivery
import HearthGGUF
import HearthServer
import HearthSystem
import HearthTestSupport
import HearthText
import Testing

/// A model that is fetched while the server runs.
@Suite("A model on its way", .serialized, .timeLimit(.minutes(20)))
struct ArrivalTests {
    private static func step(_ phase: PullProgress.Phase, _ bytes: Int, _ total: Int?) -> PullProgress {
        PullProgress(phase: phase, bytes: bytes, total: total, bytesPerSecond: 0, secondsLeft: nil)
    }

    @Test("The road has one end and no way back: four fifths for bytes that come, a tenth for those that are compiled")
    func progress() {
        var progress = ArrivalProgress()
        var seen: [Double] = []
        for (step, phase, fraction) in [
            (Self.step(.downloading, 0, nil), "downloading", 0.0),
            (Self.step(.downloading, 50, 200), "downloading", 0.2),
            // Another attempt begins with less.
            (Self.step(.downloading, 20, 200), "downloading", 0.2), (Self.step(.waiting, 100, 200), "downloading", 0.4),
            (Self.step(.downloading, 400, 200), "downloading", 0.8),
            (Self.step(.installing, 0, nil), "downloading", 0.8),
            (Self.step(.compiling, 0, 80), "compiling", 0.8), (Self.step(.compiling, 40, 80), "compiling", 0.85),
            (Self.step(.compiling, 80, 80), "compiling", 0.9),
        ] {
            progress.take(step)
            #expect(progress.phase.rawValue == phase)
            #expect(abs(progress.fraction - fraction) < 1e-12, "\(step)")
            seen.append(progress.fraction)
        }
        #expect(seen == seen.sorted())
        #expect(progress.downloaded == (200, 200))
        #expect(ArrivalProgress.fraction(.warming, 0) == 0.9 && ArrivalProgress.fraction(.warming, 1) == 1)
    }

    @Test("Pauses grow, have an end, and are long where nothing suggests that it will go better")
    func pauses() {
        let pauses = FetchPauses(first: .seconds(2))
        #expect(
            [1, 2, 3, 8, 9, 1000].map { pauses.pause(afterFailures: $0, .network) }
                == [2, 4, 8, 256, 300, 300].map { .seconds($0) })
        #expect([1, 2, 1000].map { pauses.pause(afterFailures: $0, .refused) } == [30, 60, 4500].map { .seconds($0) })
    }

    @Test("Clients hear no paths and no addresses")
    func words() {
        let errors: [(any Error, ArrivalTrouble)] = [
            (DeliveryError.unreachable(url: "https://secret.example/x", reason: "/home/me"), .network),
            (DeliveryError.refusedByServer(url: "https://secret.example/x", status: 404), .refused),
            (DeliveryError.diskFull(path: "/home/me", needed: nil, available: nil), .space),
            (DeliveryError.wrongDigest(url: "https://secret.example/x", expected: "a", actual: "b"), .damaged),
            (DeliveryError.storage(path: "/home/me", reason: "no"), .other), (POSIXError(.EIO), .other),
        ]
        for (error, trouble) in errors { #expect(ArrivalTrouble(error) == trouble) }
        for trouble in ArrivalTrouble.allCases {
            #expect(!trouble.sentence.contains("/") && !trouble.sentence.contains("http"))
        }
    }

    /// What `hearth serve` compiles with, over the engine itself.
    private struct Compiler: ModelCompiler {
        var folders: HearthFolders

        func validate(_ path: String) throws { _ = try GGUFFile(path: path) }

        func compile(_ path: String, sha256: String, progress: (Int, Int) throws -> Void) throws -> CompilationOutcome {
            let compiler = TextCompiler(folders: folders, kernels: try KernelSet.selected(by: nil))
            let total = compiler.workload(path)
            _ = try compiler.compile(path, digest: .verified(sha256), progress: { try progress($0, total) })
            return .compiled
        }
    }

    /// Fetches the bundled model from a server that answers as it is told.
    private func run(
        _ answer: @escaping @Sendable (MisbehavingServer.Request, [UInt8]) -> MisbehavingServer.Reply,
        sha256: String? = nil, models: [ServedModel] = [], _ body: (TestServer, Lines) async throws -> Void
    ) async throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: TestServer.nano.path)))
        let source = try MisbehavingServer { answer($0, bytes) }
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path
        defer {
            source.stop()
            try? FileManager.default.removeItem(atPath: home)
        }
        let folders = HearthFolders(data: home, cache: home)
        let library = ModelLibrary(folders: folders)
        var limits = DeliveryLimits()
        (limits.firstPause, limits.fruitlessAttempts) = (0.001, 2)
        // However long the source stands still on a busy machine, that is not what ends an attempt.
        (limits.stallSeconds, limits.giveUpSeconds, limits.connectSeconds) = (3600, 3600, 3600)
        let installer = ModelInstaller(
            library: library, downloader: Downloader(limits: limits), compilers: [.text: Compiler(folders: folders)])
        let lines = Lines()
        try await TestServer.run(
            models, ready: false,
            {
                $0.folders = folders
                $0.onNotice = { lines.add($0) }
                ($0.limits.fetchPause, $0.limits.longestFetchPause) = (.milliseconds(2), .milliseconds(10))
                $0.awaited = AwaitedModel(name: "teller") { progress in
                    var request = PullRequest(.url(source.url()), name: "teller", sha256: sha256)
                    request.allowLittleMemory = true
                    let done = try await installer.pull(request, progress: progress)
                    return ServedModel(name: done.record.name, path: library.current("teller")?.path ?? "")
                }
            }, { try await body($0, lines) })
    }

    private final class Lines: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        var all: [String] { lock.withLock { lines } }
        func add(_ line: String) { lock.withLock { lines.append(line) } }
    }

    private final class Gate: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false
        var isOpen: Bool { lock.withLock { value } }
        func open() { lock.withLock { value = true } }
    }

    @Test("Stories are told meanwhile, the API says when to come back, and then the model tells them")
    func arriving() async throws {
        let gate = Gate()
        try await run({ request, bytes in
            var reply = MisbehavingServer.reply(request, bytes)
            reply.hold = (after: bytes.count / 2 - 3, until: { gate.isOpen })
            return reply
        }) { server, lines in
            var state: [String: Any] = [:]
            try await server.wait {
                state = try await server.get("/api/state").json
                return state["bytes"] as? Int ?? 0 > 4_000_000
            }
            #expect(state["state"] as? String == "unavailable" && state["phase"] as? String == "downloading")
            let (bytes, total) = (state["bytes"] as? Int ?? 0, state["total"] as? Int ?? 0)
            #expect(abs((state["progress"] as? Double ?? 0) - 0.8 * Double(bytes) / Double(total)) < 1e-9)
            #expect(state["trouble"] is NSNull)
            let health = try await server.get("/health").json["model"] as? [String: Any]
            #expect(health?["phase"] as? String == "downloading" && health?["model"] as? String == "teller")

            let story = try await server.post("/api/story", #"{"wish":"sleepy-bear","language":"es"}"#)
            #expect(story.status == 200 && story.text.contains(#""source":"library""#))
            for body in [#"{"prompt":"a"}"#, #"{"prompt":"a","model":"teller"}"#, #"{"prompt":"a","stream":true}"#] {
                let refused = try await server.post("/v1/completions", body)
                #expect(refused.status == 503 && refused.error["code"] as? String == "model_not_ready")
                #expect(refused.header("Retry-After").flatMap { Int($0) }.map { (1...300).contains($0) } == true)
            }
            #expect(try await server.post("/v1/completions", #"{"prompt":"a","model":"x"}"#).status == 404)
            #expect((try await server.get("/v1/models").json["data"] as? [Any])?.count == 0)
            #expect(try await server.get("/v1/models/teller").status == 404)
            #expect(try await server.figure("hearth_model_download_size_bytes") == Double(total))

            gate.open()
            var seen: [Double] = []
            try await server.wait {
                state = try await server.get("/api/state").json
                if let progress = state["progress"] as? Double { seen.append(progress) }
                return state["state"] as? String == "ready"
            }
            #expect(seen == seen.sorted() && seen.allSatisfy { $0 <= 1 })
            let told = try await server.post("/api/story", #"{"wish":"sleepy-bear"}"#)
            #expect(told.text.contains(#""source":"model""#))
            #expect(try await server.post("/v1/completions", #"{"prompt":"a","max_tokens":1}"#).status == 200)
            #expect(try await server.get("/v1/models/teller").status == 200)
            // Said after clients can see it.
            try await server.wait { lines.all.contains { $0.contains("'teller' has arrived") } }
        }
    }

    @Test("What cannot be fetched is said once, is tried again, and comes when it can")
    func trouble() async throws {
        let gate = Gate()
        let asked = Lines()
        try await run(
            { request, bytes in
                asked.add("again")
                return gate.isOpen ? MisbehavingServer.reply(request, bytes) : MisbehavingServer.Reply(status: 404)
            }, models: [TestServer.nano]
        ) { server, lines in
            try await server.wait { try await server.get("/api/state").json["trouble"] as? String == "refused" }
            let state = try await server.get("/api/state").json
            #expect(state["reason"] as? String == ArrivalTrouble.refused.sentence)
            #expect(state["state"] as? String == "unavailable")
            #expect(
                try await server.post("/api/story", #"{"wish":"sleepy-bear"}"#).text.contains(#""source":"library""#))
            // Another model that is here answers who asks for it; the page waits for its own anyway.
            let other = try await server.post(
                "/v1/completions", #"{"prompt":"a","max_tokens":1,"model":"hearth-nano"}"#)
            #expect(other.status == 200)
            #expect(try await server.get("/api/state").json["model"] as? String == "teller")
            // It has been asked for a few times more by then.
            let before = asked.all.count
            try await server.wait { asked.all.count >= before + 3 }
            #expect(lines.all.count { $0.contains("404") } == 1, "\(lines.all)")
            gate.open()
            try await server.wait { try await server.get("/api/state").json["state"] as? String == "ready" }
            #expect(try await server.get("/api/state").json["model"] as? String == "teller")
            let names = (try await server.get("/v1/models").json["data"] as? [[String: Any]])?.map {
                $0["id"] as? String
            }
            #expect(names == ["teller", "hearth-nano"])
        }
    }

    @Test("A file that is not the expected one is never served")
    func damaged() async throws {
        try await run(
            { MisbehavingServer.reply($0, $1) }, sha256: String(repeating: "a", count: 64)
        ) { server, lines in
            try await server.wait { try await server.get("/api/state").json["trouble"] as? String == "damaged" }
            #expect(try await server.post("/v1/completions", #"{"prompt":"a"}"#).status == 503)
            #expect((try await server.get("/v1/models").json["data"] as? [Any])?.count == 0)
            // Said after clients can see it.
            try await server.wait { lines.all.contains { $0.contains("SHA-256") } }
        }
    }
}
