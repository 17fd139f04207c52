import HearthServer
import HearthTestSupport
import Testing

/// Heads and chunked bodies, byte by byte.
@Suite("What arrives", .timeLimit(.minutes(20)))
struct HTTPHeadParserTests {
    private func parse(_ text: String, pieces: [Int] = []) -> Result<(head: RequestHead, count: Int)?, HTTPFailure> {
        var parser = HTTPHeadParser(limit: 16 << 10)
        let bytes = Array(text.utf8)
        do {
            for end in pieces + [bytes.count] {
                if let whole = try parser.parse(Array(bytes[..<end])) { return .success(whole) }
            }
            return .success(nil)
        } catch {
            return .failure(error)
        }
    }

    private static let good =
        "POST /v1/completions?a=1&b=%41+c HTTP/1.1\r\nHost: localhost:8080\r\nX-Empty:\r\nX-Wide: \t a  b \t\r\n\r\n{}"

    @Test("A head, however it is cut")
    func head() throws {
        let bytes = Self.good.utf8.count
        for cut in 0..<bytes {
            let (head, count) = try #require(try parse(Self.good, pieces: [cut]).get())
            #expect(count == bytes - 2 && head.headerBytes == count)
            #expect(head.method == "POST" && head.path == "/v1/completions" && head.minorVersion == 1)
            #expect(head.query.map(\.name) == ["a", "b"] && head.query.map(\.value) == ["1", "A c"])
            #expect(head.values("host") == ["localhost:8080"] && head.values("x-empty") == [""])
            #expect(head.only("x-wide") == "a  b" && head.authority == nil && head.keepsAlive)
        }
        #expect(try parse(String(Self.good.dropLast(3))).get() == nil)
    }

    @Test(
        "What is not exactly a head",
        arguments: [
            "GET / HTTP/1.1\nHost: x\n\n", "GET / HTTP/1.1\r\nHost: x\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length\t: 5\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n",
            "GET / HTTP/1.1\r\n A: b\r\n\r\n", "GET / HTTP/1.1\r\nA\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\u{0}\r\n\r\n", "GET / HTTP/1.1\r\nA: \u{7F}\r\n\r\n",
            "GET / HTTP/1.1\r\nÄ: b\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET /\r\n\r\n", "/ HTTP/1.1\r\n\r\n",
            " GET / HTTP/1.1\r\n\r\n", "G[T / HTTP/1.1\r\n\r\n", "GET /ä HTTP/1.1\r\n\r\n", "GET /\t HTTP/1.1\r\n\r\n",
            "GET / http/1.1\r\n\r\n", "GET / HTTP/11\r\n\r\n", "GET / HTTP/1.10\r\n\r\n",
            "\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET localhost:80 HTTP/1.1\r\n\r\n", "CONNECT localhost:80 HTTP/1.1\r\n\r\n",
            "GET https://localhost/ HTTP/1.1\r\n\r\n", "GET /a#b HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}",
        ])
    func bad(text: String) {
        guard case .failure(let failure) = parse(text) else {
            Issue.record("taken: \(text.debugDescription)")
            return
        }
        #expect(failure.status == 400)
    }

    @Test(
        "Versions",
        arguments: [
            ("HTTP/1.0", 0, nil), ("HTTP/1.1", 1, nil), ("HTTP/1.2", 1, nil), ("HTTP/2.0", nil, 505),
            ("HTTP/0.9", nil, 505), ("HTTP/9.9", nil, 505),
        ] as [(String, Int?, Int?)])
    func versions(word: String, minor: Int?, status: Int?) {
        switch parse("GET / \(word)\r\n\r\n") {
        case .success(let whole): #expect(whole?.head.minorVersion == minor)
        case .failure(let failure): #expect(failure.status == status)
        }
    }

    @Test(
        "Targets that are whole addresses",
        arguments: [
            ("http://localhost:8080/health?a=b", "/health", "localhost:8080"), ("HTTP://[::1]:8080", "/", "[::1]:8080"),
            ("http://x?a", "/", "x"), ("http:///health", "/health", ""), ("http://u@x/", "/", "u@x"), ("*", "*", nil),
        ] as [(String, String, String?)])
    func targets(target: String, path: String, authority: String?) throws {
        let head = try #require(try parse("GET \(target) HTTP/1.1\r\n\r\n").get()).head
        #expect(head.path == path && head.authority == authority)
    }

    @Test("Heads that are too large end as soon as that is known")
    func large() {
        func status(_ text: String) -> Int? {
            if case .failure(let failure) = parse(text) { failure.status } else { nil }
        }
        #expect(status("GET /" + String(repeating: "a", count: 17_000)) == 431)
        #expect(status("GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 17_000)) == 431)
        let many = (0..<101).map { "A\($0): b\r\n" }.joined()
        #expect(status("GET / HTTP/1.1\r\n" + many) == 431)
        #expect(status("GET / HTTP/1.1\r\n" + (0..<100).map { "A\($0): b\r\n" }.joined() + "\r\n") == nil)
    }

    @Test("Random bytes: a head, a refusal, or more is wanted – the same however they are cut", arguments: 0..<4)
    func random(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        for _ in 0..<2000 {
            var bytes = Array(Self.good.utf8)
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    [0, 9, 10, 13, 32, 58, 65, 127, 200].randomElement(using: &random) ?? 0
            }
            var whole = HTTPHeadParser(limit: 16 << 10)
            var cut = HTTPHeadParser(limit: 16 << 10)
            let expected = Result { () throws(HTTPFailure) in try whole.parse(bytes)?.count }
            var found: Result<Int?, HTTPFailure> = .success(nil)
            var end = 0
            while end < bytes.count {
                end = min(bytes.count, end + Int.random(in: 1...9, using: &random))
                found = Result { () throws(HTTPFailure) in try cut.parse(Array(bytes[..<end]))?.count }
                if case .success(nil) = found { continue }
                break
            }
            #expect(found == expected, "\(bytes)")
        }
    }

    // MARK: - Chunked bodies

    private func unchunk(_ text: String, piece: Int) -> Result<(body: String, isWhole: Bool, left: Int), HTTPFailure> {
        var chunks = ChunkedBody()
        var body: [UInt8] = []
        var rest = Array(text.utf8)[...]
        do {
            while !rest.isEmpty {
                var now = rest.prefix(piece)
                rest = rest.dropFirst(piece)
                if try chunks.take(&now, { body += $0 }) {
                    return .success((String(decoding: body, as: UTF8.self), true, now.count + rest.count))
                }
            }
            return .success((String(decoding: body, as: UTF8.self), false, 0))
        } catch {
            return .failure(error)
        }
    }

    @Test("A chunked body, however it is cut", arguments: [1, 2, 3, 7, 1000])
    func chunks(piece: Int) throws {
        let text = "4\r\nWiki\r\n5;name=\"v\"\r\npedia\r\n00\r\nX-Trailer: a\r\n\r\nGET"
        let (body, isWhole, left) = try unchunk(text, piece: piece).get()
        #expect(body == "Wikipedia" && isWhole && left == 3)
        #expect(try unchunk("4\r\nWi", piece: piece).get().isWhole == false)
        let many = String(repeating: "1\r\na\r\n", count: 5000) + "0\r\n\r\n"
        #expect(try unchunk(many, piece: piece).get().body.count == 5000)
    }

    @Test(
        "What is none",
        arguments: [
            "zz\r\n", "\r\n", "-1\r\n", "+4\r\n", "0x4\r\n", " 4\r\n", "4 \r\n", "4\nWiki", "4\rWiki", "4\r\nWikiX\r\n",
            "4\r\nWiki\n", "ffffffffffffffff\r\n", "1000000000000000\r\n", "0\r\nA : b\r\n", "0\r\n A: b\r\n",
            "4;\u{0}\r\n",
            "4;" + String(repeating: "a", count: 20_000),
        ])
    func badChunks(text: String) {
        for piece in [1, 1000] {
            guard case .failure(let failure) = unchunk(text, piece: piece) else {
                Issue.record("taken: \(text.prefix(40).debugDescription)")
                return
            }
            #expect(failure.status == 400)
        }
    }

    // MARK: - Who makes room

    @Test("Room is made by who said nothing, then who was answered, then who takes its time; never by who is busy")
    func places() {
        let now = ContinuousClock.now
        func holder(_ serial: UInt64, _ use: ConnectionPlaces.Use, _ address: String, _ age: Int)
            -> ConnectionPlaces.Holder
        {
            .init(serial: serial, use: use, address: address, since: now - .seconds(age))
        }
        typealias Places = ConnectionPlaces
        #expect(Places.victim(among: []) == nil)
        #expect(Places.victim(among: [holder(1, .busy, "a", 9)]) == nil)
        #expect(Places.victim(among: [holder(1, .idle, "a", 9), holder(2, .silent, "a", 1)]) == 2)
        #expect(
            Places.victim(among: [holder(1, .head, "a", 9), holder(2, .idle, "a", 1), holder(3, .busy, "a", 99)]) == 2)
        #expect(Places.victim(among: [holder(1, .silent, "a", 1), holder(2, .silent, "a", 2)]) == 2)
        // Who holds most places gives one up first, however old others are.
        #expect(
            Places.victim(among: [
                holder(1, .silent, "a", 99), holder(2, .silent, "b", 1), holder(3, .busy, "b", 1),
                holder(4, .silent, "b", 2),
            ]) == 4)
    }
}

extension HTTPHeadParserTests {
    /// The address in a target and `Host`: both have to be the server.
    @Test(
        arguments: [
            ("localhost:8080", "localhost:8080", nil), ("127.0.0.1:8080", "localhost:8080", nil),
            ("LOCALHOST:8080", "127.0.0.1:8080", nil), ("evil.example", "localhost:8080", 403),
            ("localhost:8080", "evil.example", 403), ("localhost", "localhost:8080", 403), ("", "localhost:8080", 403),
            ("u@localhost:8080", "localhost:8080", 403),
        ] as [(String, String, Int?)])
    func authorities(authority: String, host: String, status: Int?) {
        let rules = RequestRules(hosts: ServerNames.all(host: nil, port: 8080), token: nil, limits: ServerLimits())
        var head = RequestHead(method: "GET", path: "/health", headers: [("host", host)], headerBytes: 50)
        head.authority = authority
        #expect(rules.judge(head).1?.status == status)
    }
}
