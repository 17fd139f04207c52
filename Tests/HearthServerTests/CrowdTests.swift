import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// More at once than a server gives: a clear answer, at once, and nobody who was there before loses anything.
@Suite("A crowd", .serialized, .timeLimit(.minutes(20)))
struct CrowdTests {
    private static let endless = #"{"prompt":"a","max_tokens":8000,"temperature":0,"stream":true}"#

    @Test("Beyond the streams: 503 and when to come back; texts that are sent whole have a line of their own")
    func streams() async throws {
        try await TestServer.withSlowModel { model in
            let pace = GenerationPace.still
            try await TestServer.run([model], { ($0.limits.streams, $0.pace) = (2, pace) }) { server in
                let request = server.request(
                    "POST", "/v1/completions", ["Content-Type: application/json"], Self.endless)
                let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
                for client in clients { client.send(request) }
                try await server.wait(forQueue: 1)
                for (path, body) in [("/v1/completions", Self.endless), ("/api/story", #"{"wish":"sleepy-bear"}"#)] {
                    let third = try await server.post(path, body)
                    #expect(third.status == 503 && third.error["code"] as? String == "server_busy")
                    #expect(third.header("Retry-After").flatMap { Int($0) } == 5)
                }
                let whole = try RawClient(port: server.port)
                whole.send(
                    server.request(
                        "POST", "/v1/completions", ["Content-Type: application/json"],
                        #"{"prompt":"a","max_tokens":1}"#))
                try await server.wait(forQueue: 2)
                for client in clients { client.close() }
                pace.share = 1
                let answer = RawAnswer(try await blocking { whole.rest() })
                #expect(answer.status == 200)
                // Who left has made room.
                try await server.becomeIdle()
                let again = try await server.post("/api/story", #"{"wish":"sleepy-bear"}"#)
                #expect(again.status == 200)
            }
        }
    }

    private static func health(_ port: Int) -> String { "GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n" }

    @Test("Beyond the connections: 503, a short body, closed at once; who is there is served, and room comes back")
    func connections() async throws {
        try await TestServer.run(
            [TestServer.nano], { ($0.limits.connections, $0.limits.spareConnections) = (8, 4) }
        ) { server in
            let port = server.port
            try await blocking {
                let here = try Self.fill(port)
                for number in 0..<12 {
                    let more = try RawClient(port: port)
                    if number.isMultiple(of: 2) {
                        more.send(Self.health(port))
                    } else {
                        more.send(
                            "POST /v1/completions HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Length: 14\r\n"
                                + "Content-Type: application/json\r\n\r\n{\"prompt\":\"a\"}")
                    }
                    let answer = RawAnswer(more.rest())
                    #expect(answer.status == 503 && answer.header("Connection")?.lowercased() == "close")
                    #expect(answer.header("Retry-After").flatMap { Int($0) } == 5)
                    #expect(answer.body.count < 300 && answer.error["code"] as? String == "server_busy")
                }
                for client in here { client.close() }
            }
            try await server.wait { try await server.get("/health").status == 200 }
        }
    }

    /// Takes all places, with clients that are being answered.
    private static func fill(_ port: Int) throws -> [RawClient] {
        let here = try (0..<8).map { _ in try RawClient(port: port) }
        for client in here {
            client.send("GET /api/state/events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            #expect(client.read(until: "event: state").hasPrefix("HTTP/1.1 200"))
        }
        return here
    }

    @Test("Who takes a spare place and says nothing is put out soon")
    func silent() async throws {
        try await TestServer.run(
            [TestServer.nano],
            {
                ($0.limits.connections, $0.limits.spareConnections) = (8, 4)
                $0.limits.spareTime = .milliseconds(300)
            }
        ) { server in
            let port = server.port
            try await blocking {
                let here = try Self.fill(port)
                let silent = try (0..<4).map { _ in try RawClient(port: port) }
                for client in silent { #expect(client.rest().isEmpty) }
                for client in here { client.close() }
            }
        }
    }

    @Test("Who does nothing makes room: first who never said anything, then who was answered; who is busy stays")
    func idle() async throws {
        try await TestServer.run(
            [TestServer.nano], { ($0.limits.connections, $0.limits.spareConnections) = (8, 4) }
        ) { server in
            let port = server.port
            try await blocking {
                func open(_ text: String, until sign: String) throws -> RawClient {
                    let client = try RawClient(port: port)
                    client.send(text)
                    if !sign.isEmpty { #expect(client.read(until: sign).hasPrefix("HTTP/1.1 200")) }
                    return client
                }
                let busy = try open(
                    "GET /api/state/events HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n", until: "event: state")
                let answered = try (0..<3).map { _ in try open(Self.health(port), until: "waiting") }
                // Four silent ones fill the house; twenty more of them push each other out, and nobody else.
                let silent = try (0..<24).map { _ in try RawClient(port: port) }
                let last = try open(Self.health(port), until: "waiting")
                for client in silent[..<20] { #expect(client.rest().isEmpty) }
                for client in answered {
                    client.send(Self.health(port))
                    #expect(client.read(until: "waiting").hasPrefix("HTTP/1.1 200"))
                }
                // Without silent ones it is those who were answered, the longest ago first.
                let more = try (0..<6).map { _ in try open(Self.health(port), until: "waiting") }
                for client in [last] + answered[..<2] { #expect(client.rest().isEmpty) }
                busy.close()
                for client in more { client.close() }
            }
        }
    }
}
