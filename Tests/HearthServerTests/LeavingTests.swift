import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// A client that goes away, at whatever moment: at most the token being written is finished after the server has seen it.
@Suite("Leaving", .serialized, .timeLimit(.minutes(20)))
struct LeavingTests {
    private static func body(_ path: String, streams: Bool) -> String {
        path == "/api/story"
            ? #"{"wish":"sleepy-bear","seed":3}"#
            : #"{"prompt":"a","max_tokens":8000,"temperature":0,"stream":\#(streams)}"#
    }

    @Test(
        "A client that leaves stops its text within one token",
        arguments: [("/v1/completions", true), ("/v1/completions", false)])
    func leaving(path: String, streams: Bool) async throws {
        try await TestServer.withSlowModel { model in
            // At its own speed a text might be at its end before its client has left.
            try await TestServer.run([model], { $0.pace = .at(0.1) }) { server in
                try await leave(server, path, streams: streams, times: 6)
            }
        }
    }

    @Test("A child that leaves stops the story within one token")
    func leavingStory() async throws {
        // Slowly: the model writes for as long as the client looks on.
        try await TestServer.run([TestServer.nano], { ($0.threads, $0.pace) = (1, .at(0.1)) }) { server in
            let port = server.port
            for tokens in 1...6 {
                let late = try await server.figure("hearth_late_tokens_total") ?? 0
                let made = try await server.figure("hearth_generated_tokens_total") ?? 0
                let client = try RawClient(port: port)
                client.send(
                    server.request(
                        "POST", "/api/story", ["Content-Type: application/json"],
                        Self.body("/api/story", streams: true)))
                try await waitForTokens(server, made + Double(tokens))
                client.close()
                try await settle(server)
                let after = try await server.figure("hearth_late_tokens_total") ?? 0
                #expect(after - late <= 1)
            }
        }
    }

    private func leave(_ server: TestServer, _ path: String, streams: Bool, times: Int) async throws {
        for time in 1...times {
            let late = try await server.figure("hearth_late_tokens_total") ?? 0
            let made = try await server.figure("hearth_generated_tokens_total") ?? 0
            let client = try RawClient(port: server.port)
            client.send(
                server.request(
                    "POST", path, ["Content-Type: application/json"], Self.body(path, streams: streams)))
            try await waitForTokens(server, made + Double(time))
            client.close()
            try await settle(server)
            let after = try await server.figure("hearth_late_tokens_total") ?? 0
            #expect(after - late <= 1, "leaving \(time)")
            // Counted when the next text may have begun already.
            try await server.wait {
                try await server.figure(#"hearth_generations_total{outcome="cancelled"}"#) ?? 0 >= Double(time)
            }
            #expect(try await server.figure(#"hearth_generations_total{outcome="cancelled"}"#) == Double(time))
        }
    }

    private func waitForTokens(_ server: TestServer, _ count: Double) async throws {
        try await server.wait { try await server.figure("hearth_generated_tokens_total") ?? 0 >= count }
    }

    /// Until the text has ended, and the model has written another one: by then it has counted whatever came late.
    private func settle(_ server: TestServer) async throws {
        try await server.becomeIdle()
        let next = try await server.post("/v1/completions", #"{"prompt":"a","max_tokens":1}"#)
        #expect(next.status == 200)
    }
}
