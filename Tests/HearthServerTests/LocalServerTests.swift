import Foundation
import HearthServer
import HearthTestSupport
import HearthText
import Testing

/// The whole server, over real sockets, with the model that comes with Hearth.
@Suite("The local server", .serialized, .timeLimit(.minutes(20)))
struct LocalServerTests {
    private static let chat = #"{"messages":[{"role":"user","content":"Tell a bedtime story about a sleepy bear."}]"#

    @Test("Both loopback addresses answer; no other does without a token")
    func addresses() async throws {
        try await TestServer.run { server in
            let four = try await server.get("/health")
            #expect(four.status == 200)
            if (try? RawClient(port: server.port, address: "::1")) != nil {
                let six = try await server.get("/health", address: "::1")
                #expect(six.status == 200)
            }
            for address in ServerNames.interfaces() where address.contains(".") && !ServerNames.isLoopback(address) {
                #expect(throws: POSIXError.self) { try RawClient(port: server.port, address: address) }
            }
        }
        await #expect(throws: ServerError.tokenMissing(address: "0.0.0.0")) {
            try await TestServer.run(ready: false, { $0.host = "0.0.0.0" }, { _ in })
        }
        await #expect(throws: ServerError.badAddress("localhost")) {
            try await TestServer.run(ready: false, { $0.host = "localhost" }, { _ in })
        }
        await #expect(throws: ServerError.weakToken(minimum: 16)) {
            try await TestServer.run(ready: false, { ($0.host, $0.token) = ("0.0.0.0", "short") }, { _ in })
        }
        await #expect(throws: ServerError.self) {
            try await TestServer.run(ready: false, { $0.port = 99999 }, { _ in })
        }
    }

    @Test("A token opens what it should, and the page is there to ask for it")
    func token() async throws {
        let token = "correct-horse-battery-staple"
        try await TestServer.run([TestServer.nano], { ($0.host, $0.token) = ("0.0.0.0", token) }) { server in
            let bare = try await server.get("/health")
            #expect(bare.status == 401 && bare.header("WWW-Authenticate") == "Bearer")
            let wrong = try await server.get("/v1/models", ["Authorization: Bearer wrong-horse-battery-staple"])
            #expect(wrong.status == 401)
            let right = try await server.get("/v1/models", ["Authorization: Bearer \(token)"])
            #expect(right.status == 200)
            let page = try await server.get("/")
            #expect(page.status == 200)
            let post = try await server.post("/v1/completions", "{}")
            #expect(post.status == 401)
        }
    }

    @Test("Answers whole, the same for the same seed, with usage")
    func whole() async throws {
        try await TestServer.run { server in
            let body = Self.chat + #","max_tokens":20,"seed":5}"#
            let first = try await server.post("/v1/chat/completions", body)
            #expect(first.status == 200)
            #expect(first.header("Access-Control-Allow-Origin") == nil)
            #expect(first.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            let second = try await server.post("/v1/chat/completions", body)
            #expect(Self.content(first) == Self.content(second))
            #expect(Self.content(first).map { $0.count > 20 } == true)
            let usage = Self.usage(first.json), again = Self.usage(second.json)
            #expect(usage["completion_tokens"] == 20)
            #expect(usage["total_tokens"] == 20 + (usage["prompt_tokens"] ?? 0))
            // The second prompt was there already.
            #expect(usage["cached_tokens"] ?? .max < usage["prompt_tokens"] ?? 0)
            #expect(again["cached_tokens"] == (usage["prompt_tokens"] ?? 0) - 1)
            let other = try await server.post("/v1/chat/completions", Self.chat + #","max_tokens":20,"seed":6}"#)
            #expect(Self.content(other) != Self.content(first))
        }
    }

    /// The figures, those of details among them.
    private static func usage(_ object: [String: Any]?) -> [String: Int] {
        let usage = object?["usage"] as? [String: Any] ?? [:]
        let details = usage["prompt_tokens_details"] as? [String: Int] ?? [:]
        return usage.compactMapValues { $0 as? Int }.merging(details) { first, _ in first }
    }

    private static func choice(_ answer: RawAnswer) -> [String: Any] {
        (answer.json["choices"] as? [[String: Any]])?.first ?? [:]
    }
    private static func content(_ answer: RawAnswer) -> String? {
        (choice(answer)["message"] as? [String: Any])?["content"] as? String
    }

    @Test("Streamed pieces are the whole answer; stop strings end both alike")
    func streamed() async throws {
        try await TestServer.run { server in
            let text = Self.content(
                try await server.post("/v1/chat/completions", Self.chat + #","max_tokens":40,"seed":5}"#))
            let word = text?.split(separator: " ").dropFirst(3).first { $0.allSatisfy(\.isLetter) } ?? ""
            for stop in ["", #","stop":["\#(word)"]"#] {
                let fields = #","max_tokens":40,"seed":5"# + stop
                let whole = try await server.post("/v1/chat/completions", Self.chat + fields + "}")
                let stream = try await server.post(
                    "/v1/chat/completions",
                    Self.chat + fields + #","stream":true,"stream_options":{"include_usage":true}}"#)
                #expect(stream.header("Content-Type") == "text/event-stream")
                let events = stream.text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
                #expect(events.last == "data: [DONE]")
                let objects = events.dropLast().map { event in
                    (try? JSONSerialization.jsonObject(with: Data(event.dropFirst(6).utf8))) as? [String: Any] ?? [:]
                }
                let choices = objects.compactMap { ($0["choices"] as? [[String: Any]])?.first }
                let text = choices.compactMap { ($0["delta"] as? [String: Any])?["content"] as? String }.joined()
                #expect(text == Self.content(whole))
                #expect(choices.last?["finish_reason"] as? String == Self.choice(whole)["finish_reason"] as? String)
                #expect(Self.usage(objects.last)["completion_tokens"] == Self.usage(whole.json)["completion_tokens"])
                if !stop.isEmpty {
                    #expect(!text.contains(word))
                    #expect(choices.last?["finish_reason"] as? String == "stop")
                }
            }
        }
    }

    @Test("Refusals are OpenAI's errors, name the field, and name no file")
    func refusals() async throws {
        try await TestServer.run { server in
            let bad = try await server.post("/v1/chat/completions", Self.chat + #","temperature":-1}"#)
            #expect(bad.status == 400)
            #expect(bad.error["param"] as? String == "temperature")
            #expect(bad.error["type"] as? String == "invalid_request_error")
            let model = try await server.post("/v1/chat/completions", Self.chat + #","model":"../../etc/passwd"}"#)
            #expect(model.status == 404 && model.error["code"] as? String == "model_not_found")
            #expect(!model.text.contains("passwd"))
            let path = try await server.post("/v1/completions", #"{"prompt":"a","model":"\#(TestServer.nano.path)"}"#)
            #expect(path.status == 404 && !path.text.contains("/Models"))
            let long = String(repeating: "many words and ", count: 4000)
            let overflow = try await server.post("/v1/completions", #"{"prompt":"\#(long)"}"#)
            #expect(overflow.status == 400 && overflow.error["code"] as? String == "context_length_exceeded")
            #expect(overflow.error["param"] as? String == "prompt")
            let talk = try await server.post(
                "/v1/chat/completions", #"{"messages":[{"role":"user","content":"\#(long)"}]}"#)
            #expect(talk.status == 400 && talk.error["param"] as? String == "messages")
            let ids = try await server.post("/v1/completions", #"{"prompt":[1,99999999]}"#)
            #expect(ids.status == 400 && ids.error["param"] as? String == "prompt")
            let turns = try await server.post(
                "/v1/chat/completions", #"{"messages":[{"role":"assistant","content":"x"}]}"#)
            #expect(turns.status == 400)
            let large = try await server.post(
                "/v1/completions", #"{"prompt":""# + String(repeating: "a", count: 1 << 20) + #""}"#)
            #expect(large.status == 413)
            // One that does not say how long it is.
            let chunks = (0..<40).map { _ in "8000\r\n" + String(repeating: " ", count: 0x8000) + "\r\n" }.joined()
            let chunked = try await server.raw(
                "POST /v1/completions HTTP/1.1\r\nHost: localhost:\(server.port)\r\nConnection: close\r\n"
                    + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n")
            #expect(chunked.status == 413)
            let form = try await server.raw(
                server.request("POST", "/v1/completions", ["Content-Type: text/plain"], "{}"))
            #expect(form.status == 415)
            let host = try await server.raw("GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            #expect(host.status == 403)
            let none = try await server.raw("GET /health HTTP/1.1\r\nConnection: close\r\n\r\n")
            #expect(none.status == 400)
            let twice = try await server.get("/health", ["Host: localhost:\(server.port)"])
            #expect(twice.status == 400)
            let heads = try await server.get(
                "/health", (0..<40).map { "X-\($0): " + String(repeating: "a", count: 500) })
            #expect(heads.status == 431)
            #expect(try await server.get("/health", ["Origin: null"]).status == 403)
            #expect(try await server.get("/health", ["Origin: http://localhost:\(server.port)"]).status == 200)
        }
    }

    @Test("Who takes his time on purpose is cut off, with his head and with his body")
    func slow() async throws {
        try await TestServer.run(
            [TestServer.nano],
            {
                ($0.limits.headerTime, $0.limits.bodyTime, $0.limits.idleTime) = (
                    .milliseconds(300), .milliseconds(300), .seconds(1)
                )
            }
        ) { server in
            let port = server.port
            let results = try await blocking {
                let head = try RawClient(port: port)
                let body = try RawClient(port: port)
                body.send(
                    "POST /v1/completions HTTP/1.1\r\nHost: localhost:\(port)\r\nContent-Type: application/json\r\n"
                        + "Content-Length: 1000\r\n\r\n")
                var isOpen = (head: true, body: true)
                // A byte now and then, which would keep a limit of idleness content forever.
                for _ in 0..<12_000 where isOpen.head || isOpen.body {
                    if isOpen.head { isOpen.head = head.send("G") }
                    if isOpen.body { isOpen.body = body.send(" ") }
                    usleep(50_000)
                }
                return [isOpen.head, isOpen.body]
            }
            #expect(results == [false, false])
        }
    }

    @Test("Fifty at once: each gets its answer, one after the other")
    func fifty() async throws {
        try await TestServer.run { server in
            let answers = try await withThrowingTaskGroup(of: (Int, RawAnswer).self) { group in
                for seed in 0..<50 {
                    group.addTask {
                        let body = Self.chat + #","max_tokens":8,"seed":\#(seed % 5)}"#
                        return (seed, try await server.post("/v1/chat/completions", body))
                    }
                }
                var answers: [Int: String] = [:]
                for try await (seed, answer) in group {
                    #expect(answer.status == 200)
                    answers[seed] = Self.content(answer)
                }
                return answers
            }
            #expect(answers.count == 50)
            // The same seed gives the same text, whoever came between.
            for seed in 5..<50 { #expect(answers[seed] == answers[seed % 5]) }
            #expect(Set(answers.values).count > 1)
        }
    }

    @Test("Beyond the line: 503, and when to come back")
    func full() async throws {
        try await TestServer.withSlowModel { model in
            try await TestServer.run([model], { ($0.limits.waiting, $0.pace) = (1, .still) }) { server in
                let port = server.port
                let endless = server.request(
                    "POST", "/v1/completions", ["Content-Type: application/json"],
                    #"{"prompt":"a","max_tokens":8000,"temperature":0,"stream":true}"#)
                let first = try await blocking {
                    let client = try RawClient(port: port)
                    client.send(endless)
                    _ = client.read(until: "data: ")
                    return client
                }
                let second = try RawClient(port: port)
                second.send(endless)
                try await server.wait(forQueue: 1)
                let third = try await server.post("/v1/completions", #"{"prompt":"a"}"#)
                #expect(third.status == 503)
                #expect(third.header("Retry-After").flatMap { Int($0) } != nil)
                // The rest of the server answers meanwhile.
                #expect(try await server.get("/v1/models").status == 200)
                // Who leaves the line makes room in it.
                second.close()
                try await server.wait(forQueue: 0)
                first.close()
                try await server.becomeIdle()
            }
        }
    }

    @Test("Time is up: the text ends, and says that it is not whole")
    func timeLimit() async throws {
        try await TestServer.withSlowModel { model in
            try await TestServer.run(
                [model], { ($0.limits.generationTime, $0.pace) = (.milliseconds(400), .still) }
            ) { server in
                let answer = try await server.post(
                    "/v1/completions", #"{"prompt":"a","max_tokens":8000,"temperature":0}"#)
                #expect(answer.status == 200)
                #expect(Self.choice(answer)["finish_reason"] as? String == "length")
                #expect((Self.usage(answer.json)["completion_tokens"] ?? .max) <= 1)
            }
        }
    }

    @Test("Stopping ends whoever waits, and what is written")
    func stopping() async throws {
        try await TestServer.withSlowModel { model in
            let waiting = try await Self.stopInTheMiddle(model)
            // The connection ends without an answer, or with a refusal; it does not hang.
            _ = try await blocking { waiting.map { $0.rest().count } }
        }
    }

    private static func stopInTheMiddle(_ model: ServedModel) async throws -> [RawClient] {
        var clients: [RawClient] = []
        try await TestServer.run([model], { $0.pace = .still }) { server in
            for streams in [true, false, true] {
                let client = try RawClient(port: server.port)
                client.send(
                    server.request(
                        "POST", "/v1/completions", ["Content-Type: application/json"],
                        #"{"prompt":"a","max_tokens":8000,"temperature":0,"stream":\#(streams)}"#))
                clients.append(client)
            }
            try await server.wait { try await server.figure("hearth_generated_tokens_total") ?? 0 >= 1 }
        }
        return clients
    }

    @Test("Stories come sentence by sentence, can be heard, and are gone for who guesses")
    func story() async throws {
        try await TestServer.run { server in
            for language in ["en", "es", "zh-Hans"] {
                let answer = try await server.post(
                    "/api/story", #"{"wish":"sleepy-bear","language":"\#(language)","seed":3}"#)
                let events = answer.text.components(separatedBy: "\n\n").filter { !$0.isEmpty }
                #expect(answer.status == 200)
                #expect(events.dropFirst().first?.hasPrefix("event: start\n") == true)
                #expect(events.last?.hasPrefix("event: end\n") == true)
                #expect(events.count { $0.hasPrefix("event: sentence\n") } > 5)
                #expect(answer.text.contains(#""source":"\#(language == "en" ? "model" : "library")""#))
                // The tale that the model tells, for another evening with its friends.
                if language == "en" {
                    let tale = try #require(
                        events.dropFirst().first?.firstMatch(of: /"id":"([a-z-]+)"/).map { String($0.1) })
                    let next = try await server.post("/api/story", #"{"after":"\#(tale)","seed":3}"#)
                    #expect(next.text.contains(#""evening":2"#))
                }
                let id = events.dropFirst().first?.firstMatch(of: /"story":"([0-9a-f]{32})"/).map { String($0.1) } ?? ""
                let sound = try await server.get("/api/story/\(id)/audio/0")
                if sound.status != 503 {
                    #expect(sound.status == 200 && sound.body.starts(with: Array("RIFF".utf8)))
                    #expect(sound.body.count > 10_000)
                }
                #expect(try await server.get("/api/story/\(id)/audio/999").status == 404)
            }
            #expect(try await server.get("/api/story/\(String(repeating: "0", count: 32))/audio/0").status == 404)
            #expect(try await server.post("/api/story", #"{"wish":"a gun"}"#).error["param"] as? String == "wish")
            #expect(try await server.post("/api/story", #"{"wish":"sleepy-bear","language":"tlh"}"#).status == 400)
        }
    }

    @Test("A model by its name, whatever characters it has")
    func modelNames() async throws {
        let names = ["my model", "größer", "org/model", "50%", "a+b"]
        let models = names.map { ServedModel(name: $0, path: TestServer.nano.path) }
        try await TestServer.run(models, ready: false) { server in
            for (name, path) in [
                ("my model", "my%20model"), ("größer", "gr%C3%B6%c3%9fer"), ("org/model", "org%2Fmodel"),
                ("50%", "50%25"), ("50%", "50%"), ("a+b", "a+b"),
            ] {
                let answer = try await server.get("/v1/models/" + path)
                #expect(answer.status == 200 && answer.json["id"] as? String == name, "\(path): \(answer.text)")
            }
            #expect(try await server.get("/v1/models/my+model").status == 404)
        }
    }

    @Test("What the filter says, in OpenAI's form")
    func moderation() async throws {
        try await TestServer.run(ready: false) { server in
            let answer = try await server.post(
                "/v1/moderations", #"{"input":["The bear went to sleep.","He stabbed the man with a knife."]}"#)
            let results = answer.json["results"] as? [[String: Any]] ?? []
            #expect(results.map { $0["flagged"] as? Bool } == [false, true])
            #expect((results.last?["categories"] as? [String: Bool])?["violence"] == true)
            #expect((results.first?["categories"] as? [String: Bool])?.values.contains(true) == false)
            let spanish = try await server.post(
                "/v1/moderations", #"{"input":"Lo mató con una pistola.","language":"es"}"#)
            #expect(((spanish.json["results"] as? [[String: Any]])?.first?["flagged"]) as? Bool == true)
            for (input, field, problem) in [
                ("[]", "input", "must contain from 1 to 64 texts."), ("null", "input", "is missing."),
                ("3", "input", "must be a string or an array of strings, but is a number."),
                (#"["a",3]"#, "input[1]", "must be a string, but is a number."),
            ] {
                let refused = try await server.post("/v1/moderations", #"{"input":\#(input)}"#)
                #expect(refused.status == 400 && refused.error["param"] as? String == field)
                #expect(refused.error["message"] as? String == "'\(field)' \(problem)")
            }
        }
    }

    @Test("Random requests: an answer or a closed connection, and a server that lives")
    func fuzz() async throws {
        let count = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] == nil ? 2_000 : 50_000
        try await TestServer.run([TestServer.nano], { $0.limits.bodyTime = .milliseconds(500) }) { server in
            let port = server.port
            let answers = try await blocking {
                var random = SeededNumbers(seed: 42)
                var answers: [String] = []
                for number in 0..<count {
                    let client = try RawClient(port: port)
                    client.send(RequestFuzzer.request(port: port, &random))
                    // Most leave at once; some stay to hear what there is to hear, and say that nothing more comes.
                    if number.isMultiple(of: 8) {
                        client.endSending()
                        answers.append(String(decoding: client.receive().prefix(9), as: UTF8.self))
                    }
                    client.close()
                }
                return answers
            }
            #expect(answers.allSatisfy { $0.isEmpty || $0 == "HTTP/1.1 " || $0 == "HTTP/1.0 " })
            #expect(answers.count { !$0.isEmpty } > answers.count / 4)
            try await server.becomeIdle()
            #expect(try await server.post("/v1/completions", #"{"prompt":"a","max_tokens":1}"#).status == 200)
        }
    }
}
