import Foundation
import HearthRuntime
import HearthSystem

@testable import HearthServer

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

    private func becomeReady(_ token: String?) async throws {
        let headers = token.map { ["Authorization: Bearer \($0)"] } ?? []
        for _ in 0..<3000 {
            let model = try await get("/health", headers).json["model"] as? [String: Any]
            if model?["state"] as? String == "ready" { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw POSIXError(.ETIMEDOUT)
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
        for _ in 0..<3000 {
            let health = try await get("/health").json
            if health["generating"] as? Bool == false, health["waiting"] as? Int == 0 { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw POSIXError(.ETIMEDOUT)
    }
}

/// A device on which nothing happens.
struct StillMonitor: DeviceMonitor {
    func current() -> DeviceConditions { DeviceConditions() }
    func conditions() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
}
