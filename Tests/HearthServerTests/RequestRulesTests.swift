import HearthServer
import Testing

/// What a request's head has to be, as tables.
@Suite("Rules for requests", .timeLimit(.minutes(20)))
struct RequestRulesTests {
    private static let hosts = ServerNames.all(host: nil, port: 8080)
    private let rules = RequestRules(hosts: hosts, token: nil, limits: ServerLimits())

    private func status(
        _ method: String = "GET", _ path: String = "/health",
        _ headers: [(String, String)] = [("host", "localhost:8080")],
        bytes: Int = 100, rules: RequestRules? = nil
    ) -> Int? {
        let head = RequestHead(
            method: method, path: path, headers: headers.map { (name: $0.0, value: $0.1) }, headerBytes: bytes)
        return (rules ?? self.rules).judge(head).1?.status
    }

    @Test(
        "Only its own names, with the port, once",
        arguments: [
            (["localhost:8080"], nil), (["127.0.0.1:8080"], nil), (["[::1]:8080"], nil), (["LOCALHOST:8080"], nil),
            ([], 400), (["localhost:8080", "localhost:8080"], 400), (["localhost:8080", "evil.example"], 400),
            (["localhost"], 403), (["localhost:80"], 403), (["127.0.0.1"], 403), (["evil.example:8080"], 403),
            (["localhost.evil.example:8080"], 403), (["127.0.0.1.nip.io:8080"], 403), (["0.0.0.0:8080"], 403),
            (["foo.local:8080"], 403), (["x.internal:8080"], 403), ([""], 403), (["localhost:8080 "], 403),
            (["localhost:08080"], 403), (["user@localhost:8080"], 403), (["[::ffff:127.0.0.1]:8080"], 403),
            (["2130706433:8080"], 403), (["localhost.:8080"], 403),
        ] as [([String], Int?)])
    func host(values: [String], expected: Int?) {
        #expect(status("GET", "/health", values.map { ("Host".lowercased(), $0) }) == expected)
    }

    @Test("Port 80 is left out by clients, and by no others")
    func port80() {
        #expect(ServerNames.all(host: nil, port: 80).contains("localhost"))
        #expect(!Self.hosts.contains("localhost"))
    }

    @Test(
        "Its own origin only, under the name of the request",
        arguments: [
            ("http://localhost:8080", nil), ("null", 403), ("", 403), ("http://localhost", 403),
            ("https://localhost:8080", 403), ("http://127.0.0.1:8080", 403), ("http://evil.example", 403),
            ("http://localhost:8080.evil.example", 403), ("file://", 403), ("http://localhost:8080/", 403),
        ] as [(String, Int?)])
    func origin(value: String, expected: Int?) {
        #expect(status("GET", "/health", [("host", "localhost:8080"), ("origin", value)]) == expected)
        let post = [("host", "localhost:8080"), ("origin", value), ("content-type", "application/json")]
        #expect(status("POST", "/v1/completions", post) == expected)
    }

    @Test("Two origins are one too many")
    func twoOrigins() {
        let origin = ("origin", "http://localhost:8080")
        #expect(status("GET", "/health", [("host", "localhost:8080"), origin, origin]) == 403)
    }

    @Test(
        "Other sites embed nothing; a link to the page may be followed",
        arguments: [
            ("/", "none", "navigate", "document", nil), ("/", "same-origin", "navigate", "document", nil),
            ("/", "cross-site", "navigate", "document", nil), ("/", "cross-site", "navigate", "iframe", 403),
            ("/", "cross-site", "no-cors", "script", 403), ("/page/icon.svg", "cross-site", "no-cors", "script", 403),
            ("/health", "cross-site", "navigate", "document", 403), ("/health", "same-site", "no-cors", "image", 403),
            ("/health", "same-origin", "cors", "empty", nil), ("/v1/models", "cross-site", "cors", "empty", 403),
        ] as [(String, String, String, String, Int?)])
    func site(path: String, site: String, mode: String, destination: String, expected: Int?) {
        let headers = [
            ("host", "localhost:8080"), ("sec-fetch-site", site), ("sec-fetch-mode", mode),
            ("sec-fetch-dest", destination),
        ]
        #expect(status("GET", path, headers) == expected)
    }

    @Test(
        "A body is JSON and says so",
        arguments: [
            ("application/json", nil), ("application/json; charset=utf-8", nil),
            ("Application/JSON;charset=\"UTF-8\"", nil),
            ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
            ("application/json; charset=utf-16", 415), ("text/plain, application/json", 415), ("", 415),
            ("application/jsonp", 415), ("text/json", 415),
        ] as [(String, Int?)])
    func type(value: String, expected: Int?) {
        #expect(status("POST", "/v1/completions", [("host", "localhost:8080"), ("content-type", value)]) == expected)
    }

    @Test("Without a type, with two, or packed: refused")
    func noType() {
        let host = ("host", "localhost:8080")
        let json = ("content-type", "application/json")
        #expect(status("POST", "/v1/completions", [host]) == 415)
        #expect(status("POST", "/v1/completions", [host, json, json]) == 415)
        #expect(status("POST", "/v1/completions", [host, json, ("content-encoding", "gzip")]) == 415)
    }

    @Test("On Ollama's paths a body without a type is a program's; a page says where it comes from")
    func bodiesOfOllama() {
        let host = ("host", "localhost:8080")
        #expect(status("POST", "/api/chat", [host, ("content-length", "2")]) == nil)
        #expect(status("POST", "/v1/chat/completions", [host, ("content-length", "2")]) == 415)
        for header in [
            ("content-type", "text/plain"), ("content-type", "application/x-www-form-urlencoded"), ("content-type", ""),
            ("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin"), ("content-encoding", "gzip"),
        ] {
            #expect(status("POST", "/api/chat", [host, ("content-length", "2"), header]) == 415, "\(header)")
        }
        for route in OllamaRoute.allCases {
            let isPost = [.chat, .generate, .show, .embed, .embedding].contains(route)
            #expect(status("GET", route.rawValue) == (isPost ? 405 : nil))
        }
    }

    @Test(
        "Lengths",
        arguments: [
            ([("content-length", "10")], nil), ([("content-length", "1048576")], nil),
            ([("content-length", "1048577")], 413),
            ([("content-length", "9223372036854775807")], 413), ([("content-length", "9223372036854775808")], 400),
            ([("content-length", "-1")], 400), ([("content-length", "1e3")], 400), ([("content-length", "")], 400),
            ([("content-length", "+5")], 400), ([("content-length", "5"), ("content-length", "5")], 400),
            ([("content-length", "5"), ("transfer-encoding", "chunked")], 400),
            ([("transfer-encoding", "chunked")], nil),
            ([("transfer-encoding", "gzip, chunked")], 400),
        ] as [([(String, String)], Int?)])
    func lengths(headers: [(String, String)], expected: Int?) {
        let base = [("host", "localhost:8080"), ("content-type", "application/json")]
        #expect(status("POST", "/v1/completions", base + headers) == expected)
    }

    @Test("Headers of at most 16 KiB, however few of them the parser kept")
    func headers() {
        #expect(status(bytes: 16 << 10) == nil)
        #expect(status(bytes: (16 << 10) + 1) == 431)
        let long = [("host", "localhost:8080"), ("x", String(repeating: "a", count: 16 << 10))]
        #expect(status("GET", "/health", long, bytes: 0) == 431)
    }

    @Test(
        "Paths are those of the list, as they are written",
        arguments: [
            ("/", nil), ("/health", nil), ("/metrics", nil), ("/v1/models", nil), ("/v1/models/hearth-nano", nil),
            ("/page/icon.svg", nil), ("/page/index.html", 404), ("/page/../health", 404), ("/health/", 404),
            ("//health", 404),
            ("/%68ealth", 404), ("/v1/models/", 404), ("/v1/models/a/b", 404), ("/etc/passwd", 404),
            ("/api/story/../../x/audio/1", 404), ("/api/story/00000000000000000000000000000000/audio/3", nil),
            ("/api/story/0000000000000000000000000000000/audio/3", 404),
            ("/api/story/00000000000000000000000000000000/audio/-3", 404),
            ("/api/story/00000000000000000000000000000000/audio/99999", 404), ("", 404), ("*", 404),
        ] as [(String, Int?)])
    func paths(path: String, expected: Int?) {
        #expect(status("GET", path) == expected)
    }

    @Test("Methods: one a path, no preflight, no tunnel")
    func methods() {
        #expect(status("HEAD", "/health") == nil)
        for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get"] {
            #expect(status(method, "/health") == 405)
        }
        for method in ["GET", "HEAD", "OPTIONS", "PUT"] { #expect(status(method, "/v1/chat/completions") == 405) }
        // What a browser asks before it sends JSON for a foreign page.
        let preflight = [
            ("host", "localhost:8080"), ("origin", "http://evil.example"), ("access-control-request-method", "POST"),
            ("access-control-request-headers", "content-type"),
        ]
        #expect(status("OPTIONS", "/v1/chat/completions", preflight) == 403)
        #expect(status("GET", "/health", [("host", "localhost:8080"), ("content-length", "3")]) == 400)
    }

    @Test("The token, where there is one: on everything but the page's own files")
    func token() throws {
        let secret = "0123456789abcdef0123456789abcdef"
        let rules = RequestRules(hosts: Self.hosts, token: try BearerToken(secret), limits: ServerLimits())
        func status(_ authorization: [String], _ path: String = "/health") -> Int? {
            self.status(
                "GET", path, [("host", "localhost:8080")] + authorization.map { ("authorization", $0) }, rules: rules)
        }
        #expect(status(["Bearer \(secret)"]) == nil)
        #expect(status(["bearer \(secret)"]) == nil)
        #expect(status([]) == 401)
        #expect(status(["Bearer \(secret.dropLast())"]) == 401)
        #expect(status(["Bearer \(secret)0"]) == 401)
        #expect(status(["Bearer "]) == 401)
        #expect(status(["Basic \(secret)"]) == 401)
        #expect(status([secret]) == 401)
        #expect(status(["Bearer \(secret)", "Bearer \(secret)"]) == 401)
        #expect(status([], "/metrics") == 401)
        #expect(status([], "/") == nil)
        #expect(status([], "/page/icon.svg") == nil)
        for weak in ["", "short", String(repeating: "a", count: 15), "with blanks in the middle", "тайна-тайна-тайна"] {
            #expect(throws: ServerError.weakToken(minimum: 16)) { try BearerToken(weak) }
        }
    }
}
