import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// Bodies: bounded before they are read, and each number within its range.
@Suite("Bodies of requests", .timeLimit(.minutes(20)))
struct RequestBodyTests {
    private let reader = JSONGuard(limits: ServerLimits())

    private func failure(_ json: String) -> HTTPFailure? {
        do {
            _ = try reader.decode(ChatRequest.self, from: Array(json.utf8))
            return nil
        } catch {
            return error
        }
    }

    private func chat(_ fields: String) -> String {
        #"{"messages":[{"role":"user","content":"Hello"}]"# + (fields.isEmpty ? "" : ",") + fields + "}"
    }

    @Test("What is in order")
    func good() throws {
        let request = try reader.decode(
            ChatRequest.self,
            from: Array(
                chat(
                    #""model":"m","max_tokens":12,"temperature":0,"top_p":0.5,"seed":-7,"stop":["a","b"],"stream":true,"stream_options":{"include_usage":true},"n":1,"frequency_penalty":0,"logprobs":false,"tools":[],"response_format":{"type":"text"},"user":"x","nobody_knows":[1]"#
                ).utf8))
        #expect(request.options.maximumTokens == 12 && request.options.sampling(.init()).temperature == 0)
        #expect(request.options.sampling(.init()).seed == UInt64(bitPattern: -7) && request.options.stop == ["a", "b"])
        #expect(request.options.stream && request.options.includesUsage)
        let parts = try reader.decode(
            ChatRequest.self,
            from: Array(
                #"{"messages":[{"role":"developer","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}"#
                    .utf8))
        #expect(parts.messages.map(\.content) == ["ab", "c"] && parts.messages[0].role == .system)
    }

    /// Values that a number must not have, in any of the fields.
    private static let badNumbers = [
        "-1e308", "1e308", "9223372036854775808", "-9223372036854775809", "\"1\"", "[]", "{}", "1e400", "-1e400",
    ]

    @Test(
        "Every number has its range, and its refusal its name",
        arguments: [
            "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "n", "frequency_penalty",
            "presence_penalty",
        ],
        badNumbers)
    func numbers(field: String, value: String) {
        let failure = failure(chat("\"\(field)\":\(value)"))
        #expect(failure?.status == 400, "\(field): \(value)")
        #expect(failure?.field == field, "\(field): \(value)")
    }

    @Test(
        "Numbers at their ranges' ends",
        arguments: [
            ("max_tokens", "1", nil), ("max_tokens", "0", 400), ("max_tokens", "-1", 400), ("max_tokens", "1.5", 400),
            ("max_tokens", "1000000", nil), ("max_tokens", "1000001", 400), ("max_tokens", "null", nil),
            ("temperature", "0", nil), ("temperature", "2", nil), ("temperature", "2.0001", 400),
            ("temperature", "-0.0001", 400), ("temperature", "NaN", 400), ("temperature", "Infinity", 400),
            ("top_p", "1", nil), ("top_p", "0", nil), ("top_p", "1.01", 400), ("seed", "9223372036854775807", nil),
            ("seed", "1.5", 400), ("n", "2", nil), ("n", "17", 400), ("presence_penalty", "0.5", nil),
            ("presence_penalty", "2.1", 400), ("best_of", "2", 400),
            ("logprobs", "true", nil), ("tools", "[{}]", 400), ("stop", "5", 400),
            ("stop", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", 400),
            ("stream", "1", 400), ("model", "5", 400), ("response_format", "{\"type\":\"json_object\"}", nil),
        ] as [(String, String, Int?)])
    func ends(field: String, value: String, expected: Int?) {
        #expect(failure(chat("\"\(field)\":\(value)"))?.status == expected)
    }

    @Test(
        "What is no conversation",
        arguments: [
            ("{}", "messages"), (#"{"messages":[]}"#, "messages"), (#"{"messages":{}}"#, "messages"),
            (#"{"messages":[{"role":"user"}]}"#, "messages[0].content"),
            (#"{"messages":[{"role":"critic","content":"x"}]}"#, "messages[0].role"),
            (#"{"messages":[{"role":"tool","content":"x"}]}"#, "messages[0].tool_call_id"),
            (
                #"{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"file:///etc/passwd"}}]}]}"#,
                "messages[0].content[0].type"
            ),
            (#"{"messages":[5]}"#, "messages[0]"),
        ])
    func conversations(body: String, field: String) {
        #expect(failure(body)?.status == 400)
        #expect(failure(body)?.field == field)
    }

    @Test(
        "What is no JSON",
        arguments: ["", " ", "nul", "[1,2", "{\"messages\":", "\u{0}", "{'a':1}", "]]]]", "\"", "\\"])
    func noJSON(body: String) { #expect(failure(body)?.status == 400) }

    @Test("Depth and strings are bounded before anything is made of them")
    func bounds() throws {
        func nested(_ depth: Int) -> String {
            chat("\"x\":" + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1))
        }
        #expect(failure(nested(32)) == nil)
        #expect(failure(nested(33))?.code == "too_deep")
        #expect(failure(String(repeating: "[", count: 1 << 20))?.code == "too_deep")
        #expect(failure(String(repeating: "{\"a\":", count: 100_000))?.code == "too_deep")
        // Brackets in strings are text.
        #expect(failure(chat("\"x\":\"" + String(repeating: "[", count: 1000) + "\\\"[[\"")) == nil)
        #expect(failure(chat("\"x\":\"" + String(repeating: "a", count: 65_000) + "\"")) == nil)
        #expect(failure(chat("\"x\":\"" + String(repeating: "a", count: 65_537) + "\""))?.code == "string_too_long")
        #expect(failure("{\"" + String(repeating: "k", count: 70_000) + "\":1}")?.code == "string_too_long")
    }

    @Test("No random body crashes", arguments: 0..<4)
    func fuzz(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        let valid = Array(chat(#""temperature":0.5,"stop":["x"],"seed":3,"stream_options":{}"#).utf8)
        let count = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] == nil ? 250 : 10_000
        for _ in 0..<count {
            var body = valid
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                if body.isEmpty { break }
                let at = Int.random(in: 0..<body.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: body[at] = UInt8.random(in: 0...255, using: &random)
                case 1: body.remove(at: at)
                case 2: body.insert(Array("{}[]\",:\\e9-.".utf8).randomElement(using: &random) ?? 0, at: at)
                default: body = Array(body[..<max(1, at)])
                }
            }
            _ = try? reader.decode(ChatRequest.self, from: body)
            _ = try? reader.decode(CompletionRequest.self, from: body)
        }
    }
}
