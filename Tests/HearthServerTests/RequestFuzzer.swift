import HearthTestSupport

/// Requests that are nearly right, and some that are not at all.
enum RequestFuzzer {
    static func request(port: Int, _ random: inout SeededNumbers) -> [UInt8] {
        func pick(_ words: [String]) -> String { words.randomElement(using: &random) ?? "" }
        let method = pick([
            "GET", "POST", "POST", "POST", "HEAD", "OPTIONS", "PUT", "\u{0}", "G E T",
            String(repeating: "A", count: 5000),
        ])
        let path = pick([
            "/", "/health", "/v1/models", "/v1/chat/completions", "/v1/completions", "/v1/moderations", "/api/story",
            "/v1/models/%00", "/../..", "/api/story/x/audio/1", "*", "", "http://evil.example/",
            "/" + String(repeating: "a", count: 30_000),
        ])
        var lines = ["\(method) \(path) \(pick(["HTTP/1.1", "HTTP/1.0", "HTTP/9.9", "", "HTTP/1.1 x"]))"]
        lines.append(
            pick([
                "Host: localhost:\(port)", "Host: localhost:\(port)", "Host: localhost:\(port)", "Host: evil", "Hos",
                "",
            ]))
        let body = pick([
            "", "{}", #"{"messages":[{"role":"user","content":"Hi"}],"max_tokens":2}"#,
            #"{"prompt":"a","max_tokens":1}"#,
            #"{"prompt":"a","max_tokens":1,"stream":true}"#, #"{"input":"kill"}"#,
            #"{"wish":"sleepy-bear","language":"es"}"#,
            String(repeating: "[", count: 3000), "{\"prompt\":\"\u{0}\u{7F}\"}", "\"",
        ])
        let length = pick([
            "Content-Length: \(body.utf8.count)", "Content-Length: \(body.utf8.count)", "Content-Length: -1",
            "Content-Length: 99999999999999999999", "Content-Length: \(body.utf8.count + 5)",
            "Transfer-Encoding: chunked", "",
        ])
        lines += [
            length,
            pick(["Content-Type: application/json", "Content-Type: application/json", "Content-Type: text/plain", ""]),
        ]
        lines += [
            pick(["", "Origin: null", "Expect: 100-continue", "Connection: close", ": x", "A\u{0}B: c", " folded"])
        ]
        var bytes = Array(
            (lines.filter { !$0.isEmpty }.joined(separator: pick(["\r\n", "\r\n", "\r\n", "\n"])) + "\r\n\r\n" + body)
                .utf8)
        if Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
            bytes = Array(bytes[..<Int.random(in: 0..<bytes.count, using: &random)])
        }
        return bytes
    }
}
