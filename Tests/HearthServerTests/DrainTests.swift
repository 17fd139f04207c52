import Foundation
import HearthServer
import HearthTestSupport
import Testing

/// The server's end: nobody new, what is under way comes to its end, and no stream ends in the middle of an event.
@Suite("Draining", .serialized, .timeLimit(.minutes(20)))
struct DrainTests {
    private static func body(_ tokens: Int, stream: Bool = true) -> String {
        #"{"prompt":"a","max_tokens":\#(tokens),"temperature":0,"stream":\#(stream)}"#
    }

    private func client(_ server: TestServer, _ path: String, _ body: String?) throws -> RawClient {
        let client = try RawClient(port: server.port, patience: 60)
        client.send(
            server.request(
                body == nil ? "GET" : "POST", path, body == nil ? [] : ["Content-Type: application/json"], body))
        return client
    }

    /// What is left of a stream that has begun: whole events, and the end of the chunked body.
    private func isWhole(_ text: String) -> Bool { text.hasSuffix("\n\n\r\n0\r\n\r\n") }

    @Test("A text that has time comes to its own end; one that has not ends with its last event; who waits is refused")
    func drain() async throws {
        for (tokens, limit, reason) in [(40, Duration.seconds(60), "length"), (100_000, .milliseconds(900), "length")] {
            try await TestServer.withSlowModel { model in
                try await TestServer.run([model]) { server in
                    let running = try client(server, "/v1/completions", Self.body(tokens))
                    let first = try await blocking { running.read(until: "data: ") }
                    #expect(first.contains("200 OK"))
                    let watching = try client(server, "/api/state/events", nil)
                    #expect(try await blocking { watching.read(until: "event: state") }.contains("200 OK"))
                    let idle = try RawClient(port: server.port, patience: 60)
                    let waiting =
                        tokens == 40 ? nil : try client(server, "/v1/completions", Self.body(1, stream: false))
                    while waiting != nil, try await server.get("/health").json["waiting"] as? Int != 1 {
                        try await Task.sleep(for: .milliseconds(5))
                    }
                    let begun = ContinuousClock.now
                    await server.server.drain(within: limit)
                    #expect(.now - begun < limit + .seconds(20))
                    #expect(throws: POSIXError.self) { try RawClient(port: server.port) }
                    let rest = try await blocking {
                        [running, watching, idle].map { String(decoding: $0.rest(), as: UTF8.self) }
                    }
                    #expect(
                        isWhole(rest[0]) && rest[0].contains("\"finish_reason\":\"\(reason)\""),
                        "\(rest[0].suffix(300))")
                    #expect(rest[0].contains("data: [DONE]\n\n"))
                    if tokens == 40 { #expect((first + rest[0]).components(separatedBy: "data: {").count > 30) }
                    #expect(rest[1].hasSuffix("0\r\n\r\n"))
                    #expect(rest[2].isEmpty)
                    if let waiting {
                        let answer = RawAnswer(try await blocking { waiting.rest() })
                        #expect(answer.status == 503 && answer.error["code"] as? String == "server_stopping")
                        #expect(answer.header("Connection") == "close" && answer.header("Retry-After") == "5")
                    }
                }
            }
        }
    }

    @Test("Stopped at once, a stream ends between two events")
    func atOnce() async throws {
        try await TestServer.withSlowModel { model in
            let clients = try await stopInTheMiddle(model)
            for client in clients {
                let text = String(decoding: try await blocking { client.rest() }, as: UTF8.self)
                #expect(
                    text.hasPrefix("HTTP/1.1 503 ") || text.hasSuffix("\n\n\r\n") || isWhole(text),
                    "\(text.suffix(200).debugDescription)")
            }
        }
    }

    private func stopInTheMiddle(_ model: ServedModel) async throws -> [RawClient] {
        var clients: [RawClient] = []
        try await TestServer.run([model]) { server in
            let running = try client(server, "/v1/completions", Self.body(100_000))
            _ = try await blocking { running.read(until: "data: ") }
            clients = [running, try client(server, "/v1/completions", Self.body(5))]
            while try await server.get("/health").json["waiting"] as? Int != 1 {
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return clients
    }

    @Test("A story that is told ends with its last event")
    func story() async throws {
        try await TestServer.run([TestServer.nano], { $0.threads = 1 }) { server in
            let telling = try client(server, "/api/story", #"{"wish":"sleepy-bear","seed":3}"#)
            _ = try await blocking { telling.read(until: "event: start") }
            await server.server.drain(within: .milliseconds(900))
            let rest = String(decoding: try await blocking { telling.rest() }, as: UTF8.self)
            #expect(isWhole(rest) && rest.contains("event: end\n"), "\(rest.suffix(300))")
        }
    }
}
