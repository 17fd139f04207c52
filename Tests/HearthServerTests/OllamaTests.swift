import Foundation
import HearthServer
import HearthTestSupport
import Testing

/// Ollama's API over real sockets: `Tests/Server/ollama_test.py` asks with Ollama's own client.
@Suite("Ollama's API", .serialized, .timeLimit(.minutes(20)))
struct OllamaTests {
    /// The lines of a stream, or the one object of a whole answer.
    private static func lines(_ answer: RawAnswer) -> [[String: Any]] {
        answer.text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }

    @Test("Models are listed, described and shown while they are loaded")
    func models() async throws {
        try await TestServer.run { server in
            #expect(try await server.get("/api/version").json["version"] as? String == "0.12.11")
            let tags = try await server.get("/api/tags").json["models"] as? [[String: Any]] ?? []
            let size = try Data(contentsOf: URL(fileURLWithPath: TestServer.nano.path)).count
            #expect(tags.count == 1 && tags.first?["name"] as? String == "hearth-nano:latest")
            #expect(tags.first?["size"] as? Int == size)
            let details = tags.first?["details"] as? [String: Any] ?? [:]
            #expect(details["format"] as? String == "gguf" && details["family"] as? String == "gemma3")
            #expect((details["parameter_size"] as? String)?.hasSuffix("M") == true)

            let running = try await server.get("/api/ps").json["models"] as? [[String: Any]] ?? []
            #expect(running.first?["model"] as? String == "hearth-nano:latest")
            #expect(running.first?["context_length"] as? Int == 1024 && running.first?["modified_at"] == nil)

            for name in ["hearth-nano", "hearth-nano:latest"] {
                let shown = try await server.post("/api/show", #"{"model":"\#(name)"}"#).json
                #expect((shown["capabilities"] as? [String])?.first == "completion")
                #expect(shown["modelfile"] as? String == "FROM hearth-nano:latest\n")
                let facts = shown["model_info"] as? [String: Any] ?? [:]
                #expect(facts["general.architecture"] as? String == "gemma3")
                #expect((facts["general.parameter_count"] as? Int).map { $0 > 4_000_000 } == true)
            }
            for (body, status, text) in [
                (#"{"model":"none"}"#, 404, "model 'none' not found"), ("{}", 400, "model is required"),
                (#"{"name":"hearth-nano","verbose":true}"#, 400, "'verbose' asks for full vocabularies"),
                (#"{"model":5}"#, 400, "'model'"),
            ] {
                let answer = try await server.post("/api/show", body)
                #expect(answer.status == status)
                #expect((answer.json["error"] as? String)?.hasPrefix(text) == true, "\(answer.text)")
            }
            // Models are not changed through it, and that too is said in Ollama's form.
            for path in ["/api/pull", "/api/delete", "/api/blobs/sha256:0"] {
                let answer = try await server.post(path, #"{"model":"x"}"#)
                #expect(answer.status == 404 && answer.json["error"] is String)
            }
        }
    }

    @Test("A text is the same whole and streamed, with counts and times at its end")
    func generate() async throws {
        try await TestServer.run { server in
            func body(_ more: String) -> String {
                #"{"model":"hearth-nano","prompt":"Once","options":{"num_predict":5,"seed":3}\#(more)}"#
            }
            let whole = try await server.post("/api/generate", body(#","stream":false"#))
            #expect(whole.status == 200 && whole.header("Content-Type")?.hasPrefix("application/json") == true)
            let last = whole.json
            #expect(last["done"] as? Bool == true && last["done_reason"] as? String == "length")
            #expect(last["eval_count"] as? Int == 5 && (last["prompt_eval_count"] as? Int).map { $0 > 1 } == true)
            let times = ["load_duration", "prompt_eval_duration", "eval_duration"].compactMap { last[$0] as? Int }
            let total = try #require(last["total_duration"] as? Int)
            #expect(times.count == 3 && times.allSatisfy { $0 >= 0 } && times.reduce(0, +) <= total)

            let stream = try await server.post("/api/generate", body(""))
            #expect(stream.header("Content-Type") == "application/x-ndjson")
            let lines = Self.lines(stream)
            #expect(lines.dropLast().allSatisfy { $0["done"] as? Bool == false && $0["eval_count"] == nil })
            #expect(lines.last?["done"] as? Bool == true && lines.last?["eval_count"] as? Int == 5)
            let text = lines.compactMap { $0["response"] as? String }.joined()
            #expect(text == last["response"] as? String && !text.isEmpty)

            // A raw prompt is continued as it is, without the marks of a conversation.
            let raw = try await server.post("/api/generate", body(#","stream":false,"raw":true"#)).json
            #expect(raw["prompt_eval_count"] as? Int == 2)
        }
    }

    @Test("A chat's messages are read, its likelihoods told, and its model loaded and let go")
    func chat() async throws {
        try await TestServer.run { server in
            let told = try await server.post(
                "/api/chat",
                """
                {"model":"hearth-nano:latest","stream":false,"logprobs":true,"top_logprobs":2,"keep_alive":"5m",
                 "messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"A bear"},
                  {"role":"assistant","content":null,"tool_calls":[{"function":{"name":"f","arguments":{"x":1}}}]},
                  {"role":"tool","content":"y"}],"options":{"num_predict":3,"seed":3}}
                """)
            #expect(told.status == 200 && told.json["model"] as? String == "hearth-nano:latest", "\(told.text)")
            let message = told.json["message"] as? [String: Any] ?? [:]
            #expect(message["role"] as? String == "assistant" && message["content"] is String)
            let likelihoods = told.json["logprobs"] as? [[String: Any]] ?? []
            #expect(likelihoods.count == 3)
            #expect(likelihoods.allSatisfy { ($0["top_logprobs"] as? [Any])?.count == 2 })

            let unloaded = try await server.post("/api/chat", #"{"model":"hearth-nano","keep_alive":0}"#)
            #expect(Self.lines(unloaded).map { $0["done_reason"] as? String } == ["unload"])
            #expect((try await server.get("/api/ps").json["models"] as? [Any])?.isEmpty == true)
            let loaded = try await server.post("/api/generate", #"{"model":"hearth-nano","stream":false}"#)
            #expect(loaded.json["done_reason"] as? String == "load" && loaded.json["response"] as? String == "")
            #expect((try await server.get("/api/ps").json["models"] as? [Any])?.count == 1)
        }
    }

    /// Fields besides the model, and how the answer begins.
    private static let wrong: [(path: String, fields: String, error: String)] = [
        ("chat", #""messages":[{"role":"user","content":"A","images":["x"]}]"#, "'messages[0].images' asks for"),
        ("chat", #""messages":[{"role":"user","content":5}]"#, "'messages[0].content' must be a string"),
        ("chat", #""messages":[{"role":"king","content":"x"}]"#, "'messages[0].role' must be"),
        ("chat", #""messages":["x"]"#, "'messages[0]' must be an object"),
        ("chat", #""messages":"x""#, "'messages' must be an array"),
        ("chat", #""messages":[{"role":"tool","content":"x"}]"#, "'messages[0].tool_name' is missing"),
        (
            "chat", #""messages":[{"role":"tool","content":"x","tool_name":"a b"}]"#,
            "'messages[0].tool_name' must be the name"
        ),
        (
            "chat", #""messages":[{"role":"user","content":"x","tool_calls":[{"function":{"name":"f"}}]}]"#,
            "'messages[0].tool_calls' belongs to"
        ),
        (
            "chat", #""messages":[{"role":"assistant","tool_calls":[{"function":{"name":"a b"}}]}]"#,
            "'messages[0].tool_calls[0].function.name' must be"
        ),
        (
            "chat", #""messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"x"}}]}]"#,
            "'messages[0].tool_calls[0].function.arguments' must be"
        ),
        ("chat", #""messages":[{"role":"assistant","tool_calls":["x"]}]"#, "'messages[0].tool_calls[0].function' must"),
        // Only the model knows. A stream that waits for it has begun its answer after a second.
        (
            "chat", #""messages":[{"role":"user","content":"x"}],"think":true,"stream":false"#,
            "'think' is true, and this model"
        ),
        ("chat", #""think":"much""#, "'think' must be true, false"),
        ("chat", #""options":5"#, "'options' must be an object"),
        ("chat", #""options":{"num_predict":"x"}"#, "'options.num_predict' must be a whole number"),
        ("chat", #""options":{"mirostat":2}"#, "'options.mirostat' asks for"),
        (
            "chat", #""options":{"stop":["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q"]}"#,
            "'options.stop' has too many"
        ),
        ("chat", #""keep_alive":"soon""#, "'keep_alive' must be a number of seconds"),
        ("chat", #""keep_alive":true"#, "'keep_alive' must be a number or a string"),
        ("chat", #""top_logprobs":2"#, "'top_logprobs' requires"),
        ("chat", #""template":"x""#, "'template' asks for"),
        ("chat", #""hearth_language":"xx""#, "'hearth_language' must be one of"),
        ("generate", #""prompt":5"#, "'prompt' must be a string"),
        ("generate", #""prompt":"a","raw":true,"system":"b""#, "'system' cannot be combined"),
        ("generate", #""prompt":"a","raw":true,"think":true"#, "'think' cannot be combined"),
        ("generate", #""prompt":"a","tools":[1]"#, "'tools' asks for"),
        ("generate", #""prompt":"a","suffix":"x""#, "'suffix' asks for"),
    ]

    @Test("A field that cannot be honoured is named, in Ollama's form")
    func refusals() async throws {
        try await TestServer.run(ready: false) { server in
            for (path, fields, error) in Self.wrong {
                let answer = try await server.post("/api/\(path)", #"{"model":"hearth-nano",\#(fields)}"#)
                #expect(answer.status == 400, "\(fields)")
                #expect((answer.json["error"] as? String)?.hasPrefix(error) == true, "\(fields): \(answer.text)")
                #expect(answer.json.count == 1)
            }
            for path in ["chat", "generate", "embed", "embeddings"] {
                let nameless = try await server.post("/api/\(path)", "{}")
                #expect(nameless.status == 400 && nameless.json["error"] as? String == "model is required")
                let unknown = try await server.post("/api/\(path)", #"{"model":"none","prompt":"a","input":"a"}"#)
                #expect(unknown.status == 404, "\(path): \(unknown.text)")
                #expect(unknown.json["error"] as? String == "model 'none' not found")
            }
        }
    }
}
