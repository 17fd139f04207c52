import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// The server's end: nobody new, what is under way comes to its end, and no stream ends in the middle of an event.
@Suite("Draining", .serialized, .timeLimit(.minutes(20)))
struct DrainTests {
    private static func body(_ tokens: Int, stream: Bool = true) -> String {
        #"{"prompt":"a","max_tokens":\#(tokens),"temperature":0,"stream":\#(stream)}"#
    }

    private func client(_ server: TestServer, _ path: String, _ body: String?) throws -> RawClient {
        let client = try RawClient(port: server.port)
        client.send(
            server.request(
                body == nil ? "GET" : "POST", path, body == nil ? [] : ["Content-Type: application/json"], body))
        return client
    }

    /// What is left of a stream that has begun: whole events, and the end of the chunked body.
    private func isWhole(_ text: String) -> Bool { text.hasSuffix("\n\n\r\n0\r\n\r\n") }

    @Test("A text that has time comes to its own end; one that has not ends with its last event; who waits is refused")
    func drain() async throws {
        for (tokens, hasTime) in [(40, true), (100_000, false)] {
            try await TestServer.withSlowModel { model in
                let pace = GenerationPace.still
                // As long as the whole drain, there is no other time: texts are cut at once.
                let (limit, lastWords) = (Duration.seconds(600), Duration.seconds(hasTime ? 1 : 600))
                try await TestServer.run([model], { ($0.pace, $0.limits.lastWords) = (pace, lastWords) }) { server in
                    let running = try client(server, "/v1/completions", Self.body(tokens))
                    let first = try await blocking { running.read(until: "data: ") }
                    #expect(first.contains("200 OK"))
                    let watching = try client(server, "/api/state/events", nil)
                    #expect(try await blocking { watching.read(until: "event: state") }.contains("200 OK"))
                    let idle = try RawClient(port: server.port)
                    let waiting =
                        hasTime ? nil : try client(server, "/v1/completions", Self.body(1, stream: false))
                    if waiting != nil { try await server.wait(forQueue: 1) }
                    let begun = ContinuousClock.now
                    async let drained: Void = server.server.drain(within: limit)
                    // Nobody new is let in; then the text goes on.
                    try await server.wait { (try? RawClient(port: server.port)) == nil }
                    if hasTime { pace.share = 1 }
                    await drained
                    #expect(.now - begun < limit)
                    let rest = try await blocking {
                        [running, watching, idle].map { String(decoding: $0.rest(), as: UTF8.self) }
                    }
                    #expect(
                        isWhole(rest[0]) && rest[0].contains("\"finish_reason\":\"length\""),
                        "\(rest[0].suffix(300))")
                    #expect(rest[0].contains("data: [DONE]\n\n"))
                    let tokensSent = (first + rest[0]).components(separatedBy: "data: {").count
                    #expect(hasTime ? tokensSent > 30 : tokensSent < 30)
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
        try await TestServer.run([model], { $0.pace = .still }) { server in
            let running = try client(server, "/v1/completions", Self.body(100_000))
            _ = try await blocking { running.read(until: "data: ") }
            clients = [running, try client(server, "/v1/completions", Self.body(5))]
            try await server.wait(forQueue: 1)
        }
        return clients
    }

    @Test("A story that is told ends with its last event")
    func story() async throws {
        try await TestServer.run(
            [TestServer.nano], { ($0.threads, $0.pace, $0.limits.lastWords) = (1, .at(0.1), .seconds(600)) }
        ) { server in
            let telling = try client(server, "/api/story", #"{"wish":"sleepy-bear","seed":3}"#)
            let first = try await blocking { telling.read(until: "event: start") }
            await server.server.drain(within: .seconds(600))
            // On a machine that stood still, all of it may have come before.
            let all = first + String(decoding: try await blocking { telling.rest() }, as: UTF8.self)
            #expect(isWhole(all) && all.contains("event: end\n"), "\(all.suffix(300))")
        }
    }
}
