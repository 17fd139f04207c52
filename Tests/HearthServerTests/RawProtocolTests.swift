import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// Bytes over real sockets: what comes back is one answer with one head, in this server's own form, whatever was sent.
@Suite("Bytes and answers", .serialized, .timeLimit(.minutes(20)))
struct RawProtocolTests {
    /// Sent as it is, `HOST` replaced; whether the server closes the connection afterwards without being asked to.
    private static let rows: [(name: String, bytes: String, status: Int, closes: Bool)] = [
        ("plain", "GET /health HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, false),
        ("an empty line before", "\r\nGET /health HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, false),
        ("old", "GET /health HTTP/1.0\r\nHost: HOST\r\n\r\n", 200, true),
        ("asked to close", "GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: keep-alive, Close\r\n\r\n", 200, true),
        ("absolute", "GET http://HOST/health HTTP/1.1\r\nHost: HOST\r\n\r\n", 200, false),
        ("absolute, of others", "GET http://evil.example/health HTTP/1.1\r\nHost: HOST\r\n\r\n", 403, false),
        ("absolute, another scheme", "GET https://HOST/health HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, true),
        ("no host", "GET /health HTTP/1.1\r\n\r\n", 400, false),
        ("nothing there", "GET /nothing HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, false),
        ("star", "OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n", 404, false),
        ("tunnel", "CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, true),
        ("blank before the colon", post("Content-Length : 2\r\n", "{}"), 400, true),
        ("tab before the colon", post("Content-Length\t: 2\r\n", "{}"), 400, true),
        ("two lengths", post("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400, true),
        ("a list of lengths", post("Content-Length: 2, 2\r\n", "{}"), 400, true),
        ("length and coding", post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, true),
        ("two codings", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400, true),
        ("an unknown coding", post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400, true),
        ("a coding in disguise", post("Transfer-Encoding: \u{B}chunked\r\n", "0\r\n\r\n"), 400, true),
        ("a bad chunk", post("Transfer-Encoding: chunked\r\n", "zz\r\n"), 400, true),
        ("a chunk with a sign", post("Transfer-Encoding: chunked\r\n", "+2\r\n{}\r\n0\r\n\r\n"), 400, true),
        ("a chunk that is longer", post("Transfer-Encoding: chunked\r\n", "2\r\n{}{}\r\n"), 400, true),
        ("a chunk line with LF", post("Transfer-Encoding: chunked\r\n", "2\n{}\n0\n\n"), 400, true),
        ("a negative length", post("Content-Length: -1\r\n", ""), 400, true),
        ("a length with a sign", post("Content-Length: +2\r\n", "{}"), 400, true),
        ("a length in hexadecimal", post("Content-Length: 0x2\r\n", "{}"), 400, true),
        ("a huge length", post("Content-Length: 9223372036854775807\r\n", "{}"), 413, true),
        ("a length too large", post("Content-Length: 1048577\r\n", "{}"), 413, true),
        ("lines that end in LF", "GET /health HTTP/1.1\nHost: HOST\n\n", 400, true),
        ("one line that ends in LF", "GET /health HTTP/1.1\r\nHost: HOST\nA: b\r\n\r\n", 400, true),
        ("CR alone", "GET /health HTTP/1.1\r\nHost: HOST\rA: b\r\n\r\n", 400, true),
        ("folded", "GET /health HTTP/1.1\r\nHost: HOST\r\nA: b\r\n c\r\n\r\n", 400, true),
        ("no colon", "GET /health HTTP/1.1\r\nHost: HOST\r\nA b\r\n\r\n", 400, true),
        ("a zero byte", "GET /health HTTP/1.1\r\nHost: HOST\r\nA: \u{0}\r\n\r\n", 400, true),
        ("no version", "GET /health\r\n\r\n", 400, true),
        ("another version", "GET /health HTTP/2.0\r\nHost: HOST\r\n\r\n", 505, true),
        ("a word too many", "GET /health x HTTP/1.1\r\nHost: HOST\r\n\r\n", 400, true),
        ("TLS", "\u{16}\u{3}\u{1}\u{0}", 400, true),
        ("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, true),
        ("a long path", "GET /" + String(repeating: "a", count: 40_000) + " HTTP/1.1\r\nHost: HOST\r\n\r\n", 431, true),
        ("a long header", "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 40_000) + "\r\n\r\n", 431, true),
        ("many headers", "GET / HTTP/1.1\r\n" + (0..<200).map { "A\($0): b\r\n" }.joined() + "\r\n", 431, true),
        ("a method that is not there", "PUT /health HTTP/1.1\r\nHost: HOST\r\n\r\n", 405, false),
        ("a body with GET", "GET /health HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}", 400, true),
        (
            "an expectation of HTTP/1.0",
            post("Content-Length: 13\r\nExpect: 100-continue\r\n", #"{"input":"a"}"#)
                .replacing("/v1/completions HTTP/1.1", with: "/v1/moderations HTTP/1.0"), 200, true
        ),
        ("another expectation", post("Content-Length: 2\r\nExpect: tea\r\n", "{}"), 417, true),
        ("fields that are wrong", post("Content-Length: 2\r\n", "{}"), 400, false),
        ("UTF-16", post("Content-Length: 4\r\n", "{\u{0}}\u{0}"), 400, false),
        ("a mark", post("Content-Length: 5\r\n", "\u{FEFF}{}"), 400, false),
        ("chunked, and wrong", post("Transfer-Encoding: chunked\r\n", "2;a=b\r\n{}\r\n0\r\nT: x\r\n\r\n"), 400, false),
        ("a name twice", post("Content-Length: 13\r\n", #"{"a":1,"a":2}"#), 400, false),
    ]

    private static func post(_ headers: String, _ body: String) -> String {
        "POST /v1/completions HTTP/1.1\r\nHost: HOST\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body
    }

    @Test("Each of them: one head, the headers of every answer, JSON, and the connection kept or closed")
    func table() async throws {
        try await TestServer.run(ready: false) { server in
            let port = server.port
            for row in Self.rows {
                let text = row.bytes.replacing("HOST", with: "localhost:\(port)")
                // A second request shows whether the connection still answers, and ends it.
                let next = "GET /v1/models HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n"
                let bytes = try await blocking {
                    let client = try RawClient(port: port)
                    client.send(text)
                    let first = Self.readAnswer(client)
                    let goesOn = client.send(next)
                    return (first, goesOn ? client.rest() : [])
                }
                let answer = RawAnswer(bytes.0)
                #expect(answer.status == row.status, "\(row.name): \(answer.head)")
                Self.check(answer, row.name)
                #expect(bytes.1.isEmpty == row.closes, "\(row.name)")
                #expect((answer.header("Connection") == "close") == row.closes, "\(row.name)")
                if !row.closes { #expect(RawAnswer(bytes.1).status == 200, "\(row.name)") }
            }
            #expect(try await server.figure("hearth_generated_tokens_total") == 0)
        }
    }

    /// One head and its body.
    private static func readAnswer(_ client: RawClient) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let answer = RawAnswer(all)
            if let length = answer.header("Content-Length").flatMap({ Int($0) }), answer.body.count >= length {
                return all
            }
            let piece = client.receive()
            if piece.isEmpty { return all }
            all += piece
        }
    }

    private static func check(_ answer: RawAnswer, _ name: String) {
        #expect(answer.head.components(separatedBy: "HTTP/1.1 ").count == 2, "\(name)")
        #expect(answer.header("Content-Length").flatMap { Int($0) } == answer.body.count, "\(name)")
        #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true, "\(name)")
        #expect(answer.header("X-Content-Type-Options") == "nosniff", "\(name)")
        #expect(answer.header("X-Frame-Options") == "DENY", "\(name)")
        #expect(answer.header("Cross-Origin-Resource-Policy") == "same-origin", "\(name)")
        #expect(answer.header("Content-Type") == "application/json" && answer.header("Date") != nil, "\(name)")
        if answer.status >= 400 {
            #expect(Set(answer.error.keys) == ["message", "type", "param", "code"], "\(name): \(answer.text)")
        }
    }

    @Test("Requests in one packet are answered in their order; what is behind a refused one is not read as a request")
    func pipelined() async throws {
        try await TestServer.run(ready: false) { server in
            let host = "Host: localhost:\(server.port)\r\n"
            let two = try await server.raw(
                "GET /nothing HTTP/1.1\r\n\(host)\r\nHEAD /health HTTP/1.1\r\n\(host)\r\nGET /v1/models HTTP/1.1\r\n\(host)"
                    + "Connection: close\r\n\r\n")
            let text = two.head + "\r\n\r\n" + two.text
            let statuses = text.matches(of: #/HTTP/1\.1 (\d+) /#).map { String($0.1) }
            #expect(statuses == ["404", "200", "200"])
            let smuggled = try await server.raw(
                "POST /v1/completions HTTP/1.1\r\n\(host)Content-Type: application/json\r\nContent-Length: 6\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /v1/models HTTP/1.1\r\n\(host)\r\n")
            #expect(smuggled.status == 400 && !smuggled.text.contains("HTTP/1.1"))
        }
    }

    @Test("What a client sends behind its last request does not reset the connection, which could cost it the answer")
    func sentBehind() async throws {
        try await TestServer.run(ready: false) { server in
            let port = server.port
            let head = "GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n"
            let behind = String(repeating: "\(head)\r\n", count: 2000)
            var isTaken = false
            // The server waits two seconds for the client to go away, which a busy machine may take for one step.
            for _ in 0..<5 where !isTaken {
                let (answer, taken) = try await blocking {
                    let client = try RawClient(port: port)
                    client.send("\(head)Connection: close\r\n\r\n" + behind)
                    let answer = client.rest()
                    return (answer, client.send(behind) && client.send(behind))
                }
                #expect(RawAnswer(answer).status == 200)
                isTaken = taken
            }
            #expect(isTaken)
        }
    }

    @Test("A body is asked for where its client waits for that, and is not where it is refused")
    func expectation() async throws {
        try await TestServer.run(ready: false) { server in
            let port = server.port
            @Sendable func head(_ length: Int) -> String {
                "POST /v1/moderations HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
                    + "Connection: close\r\nExpect: 100-continue\r\nContent-Length: \(length)\r\n\r\n"
            }
            let (first, rest) = try await blocking {
                let client = try RawClient(port: port)
                client.send(head(13))
                let first = client.read(until: "\r\n\r\n")
                client.send(#"{"input":"a"}"#)
                return (first, client.rest())
            }
            #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(RawAnswer(rest).status == 200)
            #expect(try await server.raw(head(2 << 20)).status == 413)
        }
    }

    @Test("Who closes its half after asking is answered all the same")
    func halfClosed() async throws {
        try await TestServer.run(ready: false) { server in
            let port = server.port
            let answer = try await blocking {
                let client = try RawClient(port: port)
                client.send("GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
                client.endSending()
                return client.rest()
            }
            #expect(RawAnswer(answer).status == 200)
        }
    }

    @Test("A connection ends with its answer although a child that was started meanwhile holds its socket as well")
    func inherited() async throws {
        try await TestServer.run(ready: false) { server in
            let port = server.port
            try await blocking {
                let client = try RawClient(port: port)
                client.send("GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
                #expect(RawAnswer(Self.readAnswer(client)).status == 200)
                let copies = Self.sockets(at: port).map { dup($0) }
                defer { for copy in copies { close(copy) } }
                #expect(copies.count == 1 && copies.allSatisfy { $0 >= 0 })
                client.send("GET /health HTTP/1.1\r\nHost: localhost:\(port)\r\nConnection: close\r\n\r\n")
                #expect(RawAnswer(client.rest()).status == 200 && client.hasEnded)
            }
        }
    }

    /// Descriptors of this process that are the server's end of a connection.
    private static func sockets(at port: Int) -> [Int32] {
        (0..<4096).filter { (descriptor: Int32) in
            func name(
                _ call: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
            ) -> sockaddr_in? {
                var name = sockaddr_in()
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                let status = withUnsafeMutablePointer(to: &name) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
                }
                return status == 0 && Int32(name.sin_family) == AF_INET ? name : nil
            }
            return name(getpeername) != nil && name(getsockname)?.sin_port == UInt16(port).bigEndian
        }
    }

    @Test("A stream whose turn does not come has its head soon, and a sign of life now and then")
    func waiting() async throws {
        try await TestServer.withSlowModel { model in
            try await TestServer.run(
                [model],
                {
                    ($0.limits.patience, $0.limits.heartbeat) = (.milliseconds(50), .milliseconds(50))
                    $0.pace = .still
                }
            ) { server in
                let port = server.port
                let request = server.request(
                    "POST", "/v1/completions", ["Content-Type: application/json"],
                    #"{"prompt":"a","max_tokens":8000,"temperature":0,"stream":true}"#)
                try await blocking {
                    let first = try RawClient(port: port)
                    first.send(request)
                    #expect(first.read(until: "data: ").hasPrefix("HTTP/1.1 200 OK\r\n"))
                    let second = try RawClient(port: port)
                    second.send(request)
                    var text = ""
                    while text.components(separatedBy: ": waiting\n\n").count < 4 {
                        let piece = second.receive()
                        if piece.isEmpty { break }
                        text += String(decoding: piece, as: UTF8.self)
                    }
                    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n") && !text.contains("data: "))
                    #expect(text.components(separatedBy: ": waiting\n\n").count >= 4)
                    // Its turn comes.
                    first.close()
                    #expect(second.read(until: "data: {").contains("data: {"))
                    second.close()
                }
                try await server.becomeIdle()
            }
        }
    }
}
