import Foundation
import HearthRuntime
import HearthServer
import HearthSystem
import HearthTestSupport
import HearthText

/// A real server with a real model, on ports of its own.
struct TestServer {
    let server: LocalServer
    var port: Int { server.port }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let nano = ServedModel(name: "hearth-nano", path: "\(root)/Models/hearth-nano.gguf")

    /// Starts a server, waits until its model is ready, and stops it afterwards.
    static func run(
        _ models: [ServedModel] = [nano], ready: Bool = true, _ change: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Void
    ) async throws {
        var configuration = ServerConfiguration(models: models, monitor: StillMonitor(), version: "test")
        // Its texts have no end: tests let others wait for them.
        if models.first?.name == "slow" { configuration.parallel = 1 }
        configuration.limits.bePatient()
        change(&configuration)
        let server = TestServer(server: try await LocalServer(configuration))
        do {
            if ready { try await server.becomeReady(configuration.token) }
            try await body(server)
        } catch {
            await server.server.stop()
            throw error
        }
        await server.server.stop()
    }

    /// A model whose texts end with their limit only, and whose tokens take some milliseconds.
    static func withSlowModel(_ body: (ServedModel) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).gguf")
            .path
        try SlowModel.write(to: path, layers: 2)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(ServedModel(name: "slow", path: path))
    }

    /// The bundled model with one of its words in place of another one of the same length.
    static func withWord(_ word: String, for other: String, _ body: (ServedModel) async throws -> Void) async throws {
        func piece(_ word: String) -> Data {
            let text = Data("\u{2581}\(word)".utf8)
            return withUnsafeBytes(of: UInt64(text.count).littleEndian) { Data($0) } + text
        }
        var data = try Data(contentsOf: URL(fileURLWithPath: nano.path))
        guard piece(word).count == piece(other).count, let place = data.range(of: piece(other)),
            data.range(of: piece(word)) == nil
        else { throw POSIXError(.EINVAL) }
        data.replaceSubrange(place, with: piece(word))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).gguf")
        try data.write(to: path)
        defer { try? FileManager.default.removeItem(at: path) }
        try await body(ServedModel(name: "rude", path: path.path))
    }

    private func becomeReady(_ token: String?) async throws {
        let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
        try await wait {
            let model = try await get("/health", headers).json["model"] as? [String: Any]
            return model?["state"] as? String == "ready"
        }
    }

    /// Asks again and again until the answer is yes; the suite's time limit ends it where it never is.
    func wait(until condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Waits until so many requests are in the queue.
    func wait(forQueue length: Int) async throws {
        try await wait { try await get("/health").json["waiting"] as? Int == length }
    }

    /// Sends bytes and takes what comes until the other side closes.
    func raw(_ text: String, address: String = "127.0.0.1") async throws -> RawAnswer {
        let port = port
        return RawAnswer(
            try await blocking {
                let client = try RawClient(port: port, address: address)
                client.send(text)
                return client.rest()
            })
    }

    func get(_ path: String, _ headers: [String] = [], address: String = "127.0.0.1") async throws -> RawAnswer {
        try await raw(request("GET", path, headers), address: address)
    }

    func post(_ path: String, _ body: String, _ headers: [String] = []) async throws -> RawAnswer {
        try await raw(request("POST", path, headers + ["Content-Type: application/json"], body))
    }

    func request(_ method: String, _ path: String, _ headers: [String] = [], _ body: String? = nil) -> String {
        let all =
            ["\(method) \(path) HTTP/1.1", "Host: localhost:\(port)", "Connection: close"] + headers
            + (body.map { ["Content-Length: \($0.utf8.count)"] } ?? [])
        return all.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// A figure of /metrics.
    func figure(_ name: String) async throws -> Double? {
        try await get("/metrics").text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?
            .split(separator: " ").last.flatMap { Double($0) }
    }

    /// Waits until nothing is written any more.
    func becomeIdle() async throws {
        try await wait {
            let health = try await get("/health").json
            return health["generating"] as? Bool == false && health["waiting"] as? Int == 0
        }
    }
}

extension ServerLimits {
    /// However long either side stands still on a busy machine, no time limit is what a test sees, but for those that it sets.
    fileprivate mutating func bePatient() {
        let long = Duration.seconds(3600)
        (headerTime, bodyTime, idleTime, replyTime, requestTime, spareTime) = (long, long, long, long, long, long)
        (patience, waitingTime, generationTime, storyPatience) = (long, long, long, long)
    }
}

extension GenerationPace {
    /// A text stands still after its first token, until the share is raised or the text is stopped.
    static var still: GenerationPace { at(0) }

    static func at(_ share: Double) -> GenerationPace {
        let pace = GenerationPace()
        pace.share = share
        return pace
    }
}

/// A device on which nothing happens.
struct StillMonitor: DeviceMonitor {
    var now = DeviceConditions()
    func current() -> DeviceConditions { now }
    func conditions() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
}
