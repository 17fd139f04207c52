import Foundation
import HearthServer
import HearthTestSupport
import Testing

/// Answers of a given form and calls of functions, from a server with the bundled model: what it says is of no matter.
@Suite("Answers of a given form", .timeLimit(.minutes(20)))
struct StructureTests {
    private static let city = #"""
        {"type":"object","properties":{"city":{"enum":["Ulm","Köln"]},"days":{"type":"integer","minimum":1,"maximum":9}},
        "required":["city","days"],"additionalProperties":false}
        """#
    private static let tools =
        #""tools":[{"type":"function","function":{"name":"get_weather","parameters":\#(city)}},"#
        + #"{"type":"function","function":{"name":"now"}}]"#

    private static let anyNumber = #""tool_choice":"required""#

    private func chat(_ fields: String) -> String {
        #"{"messages":[{"role":"user","content":"Tell a story."}],"max_tokens":200,"# + fields + "}"
    }

    private func value(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func check(city text: String) throws {
        let city = try value(text)
        #expect(["Ulm", "Köln"].contains(city["city"] as? String))
        #expect((1...9).contains(try #require(city["days"] as? Int)) && city.count == 2)
    }

    private func choice(_ answer: RawAnswer) throws -> (finish: String?, message: [String: Any]) {
        #expect(answer.status == 200, "\(answer.text)")
        let choice = try #require((answer.json["choices"] as? [[String: Any]])?.first)
        return (choice["finish_reason"] as? String, choice["message"] as? [String: Any] ?? choice)
    }

    /// The events of a stream, read as JSON.
    private func events(_ answer: RawAnswer) -> [[String: Any]] {
        answer.text.split(separator: "\n").compactMap { line in
            guard let start = line.range(of: "data: {") else { return nil }
            let text = line[line.index(before: start.upperBound)...]
            let end = text.lastIndex(of: "}").map { text[...$0] } ?? text
            return (try? JSONSerialization.jsonObject(with: Data(end.utf8))) as? [String: Any]
        }
    }

    @Test("A schema holds whatever the model says, whole and cut; others are refused with keyword and pointer")
    func schemas() async throws {
        try await TestServer.run { server in
            func format(_ schema: String) -> String {
                #""response_format":{"type":"json_schema","json_schema":{"name":"a","schema":\#(schema)}}"#
            }
            for seed in 0..<3 {
                let body = chat(format(Self.city) + #","seed":\#(seed),"temperature":1.5"#)
                let (finish, message) = try choice(try await server.post("/v1/chat/completions", body))
                #expect(finish == "stop")
                try check(city: try #require(message["content"] as? String))
            }
            let cut = try choice(
                try await server.post("/v1/chat/completions", chat(format(Self.city) + #","max_completion_tokens":3"#)))
            #expect(cut.finish == "length" && (cut.message["content"] as? String)?.hasPrefix("{\"") == true)
            let choices = try await server.post(
                "/v1/completions", #"{"prompt":"Once","guided_choice":["red","green"]}"#)
            #expect(["red", "green"].contains(try choice(choices).message["text"] as? String))
            for (schema, words) in [
                (#"{"properties":{"a/b":{"uniqueItems":true}}}"#, "#/properties/a~1b: uniqueItems"),
                ("false", "nothing satisfies"),
                (##"{"$defs":{"a":{"type":3}},"$ref":"#/$defs/a"}"##, "type"),
            ] {
                let refused = try await server.post("/v1/chat/completions", chat(format(schema)))
                #expect(
                    refused.status == 400 && refused.error["param"] as? String == "response_format.json_schema.schema")
                #expect((refused.error["message"] as? String)?.contains(words) == true, "\(refused.text)")
            }
            let filtered = try await server.post(
                "/v1/chat/completions", chat(format("{}") + #","hearth_filter":true"#))
            #expect(filtered.status == 400)
        }
    }

    @Test("Schemas that refer to each other a thousand times are compiled or refused")
    func chains() async throws {
        try await TestServer.run { server in
            for count in [200, 3000] {
                let links = (0..<count).map {
                    ##""t\##($0)":{"type":"object","properties":{"x":{"$ref":"#/$defs/t\##($0 + 1)"}}}"##
                }
                let definitions = links.joined(separator: ",") + #","t\#(count)":{"type":"null"}"#
                let schema = ##"{"$defs":{\##(definitions)},"$ref":"#/$defs/t0"}"##
                let answer = try await server.post(
                    "/v1/chat/completions",
                    chat(#""max_completion_tokens":2,"response_format":{"type":"json_object","schema":\#(schema)}"#))
                #expect(answer.status == 200 || answer.status == 400 && answer.text.contains("complex"))
            }
        }
    }

    @Test("Calls follow their functions' schemas, whole and streamed")
    func calls() async throws {
        try await TestServer.run { server in
            for (fields, name) in [
                (Self.anyNumber, nil), (#""tool_choice":"required","parallel_tool_calls":false"#, nil),
                (#""tool_choice":{"type":"function","function":{"name":"get_weather"}}"#, "get_weather"),
            ] as [(String, String?)] {
                let body = Self.tools + "," + fields + #","seed":3,"temperature":1.2,"max_completion_tokens":900"#
                let (finish, message) = try choice(try await server.post("/v1/chat/completions", chat(body)))
                // A list of calls may reach the end of the context.
                let isWhole = finish == "tool_calls"
                #expect((isWhole || fields == Self.anyNumber && finish == "length") && message["content"] is NSNull)
                let calls = try #require(message["tool_calls"] as? [[String: Any]])
                let made = try calls.map { call in
                    let function = try #require(call["function"] as? [String: Any])
                    #expect(
                        call["type"] as? String == "function" && (call["id"] as? String)?.hasPrefix("call_") == true)
                    return (function["name"] as? String ?? "", function["arguments"] as? String ?? "")
                }
                #expect(fields == Self.anyNumber || made.count == 1)
                for (function, arguments) in isWhole ? made[...] : made.dropLast() {
                    #expect(function == name ?? function)
                    if function == "get_weather" { try check(city: arguments) } else { #expect(arguments == "{}") }
                }
                var pieces: [(name: String, arguments: String)] = []
                var last: String?
                for event in events(try await server.post("/v1/chat/completions", chat(body + #","stream":true"#))) {
                    let choice = try #require((event["choices"] as? [[String: Any]])?.first)
                    last = choice["finish_reason"] as? String ?? last
                    let delta = choice["delta"] as? [String: Any]
                    for call in delta?["tool_calls"] as? [[String: Any]] ?? [] {
                        let function = try #require(call["function"] as? [String: Any])
                        if let name = function["name"] as? String {
                            #expect(call["index"] as? Int == pieces.count)
                            pieces.append((name, ""))
                        }
                        pieces[try #require(call["index"] as? Int)].arguments += function["arguments"] as? String ?? ""
                    }
                }
                #expect(last == finish && pieces.map(\.name) == made.map(\.0))
                #expect(pieces.map(\.arguments) == made.map(\.1))
            }
        }
    }

    @Test("A conversation goes on behind a call's result; neighbours are one turn; an answer that has begun goes on")
    func conversations() async throws {
        try await TestServer.run { server in
            let call = #"{"id":"c1","type":"function","function":{"name":"now","arguments":"{}"}}"#
            let result = #"{"role":"tool","tool_call_id":"c1","content":"noon"}"#
            for messages in [
                #"{"role":"developer","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":null,"tool_calls":[\#(call)]},\#(result)"#,
                #"{"role":"user","content":"a"},{"role":"user","content":"b"}"#,
                #"{"role":"user","content":"a"},{"role":"assistant","content":"Once upon"}"#,
            ] {
                let body = #"{"messages":[\#(messages)],"max_tokens":4,\#(Self.tools),"tool_choice":"none"}"#
                let (finish, message) = try choice(try await server.post("/v1/chat/completions", body))
                #expect(finish == "length" && (message["content"] as? String)?.isEmpty == false)
            }
        }
    }

    @Test("Responses: text, a form, calls, as a whole and as events")
    func responses() async throws {
        try await TestServer.run { server in
            func output(_ json: [String: Any]) throws -> [[String: Any]] {
                try #require(json["output"] as? [[String: Any]])
            }
            func text(_ item: [String: Any]?) -> String? {
                ((item?["content"] as? [[String: Any]])?.first)?["text"] as? String
            }
            let plain = #"{"input":"Tell a story.","instructions":"Be kind.","max_output_tokens":8,"temperature":0}"#
            let whole = try await server.post("/v1/responses", plain)
            #expect(whole.status == 200 && whole.json["status"] as? String == "incomplete", "\(whole.text)")
            let said = try #require(text(try output(whole.json).first))
            #expect((whole.json["usage"] as? [String: Any])?["output_tokens"] as? Int == 8)

            let streamed = events(
                try await server.post("/v1/responses", plain.replacing("\"input\"", with: "\"stream\":true,\"input\"")))
            #expect(streamed.compactMap { $0["sequence_number"] as? Int } == Array(0..<streamed.count))
            #expect(streamed.first?["type"] as? String == "response.created")
            #expect(streamed.last?["type"] as? String == "response.incomplete")
            let deltas = streamed.filter { $0["type"] as? String == "response.output_text.delta" }
            #expect(deltas.compactMap { $0["delta"] as? String }.joined() == said)

            let form = #""text":{"format":{"type":"json_schema","name":"a","schema":\#(Self.city),"strict":true}}"#
            let city = try await server.post("/v1/responses", #"{"input":[{"role":"user","content":"a"}],\#(form)}"#)
            #expect(city.json["status"] as? String == "completed", "\(city.text)")
            try check(city: try #require(text(try output(city.json).first)))

            let tools = #""tools":[{"type":"function","name":"f","parameters":\#(Self.city)}],"tool_choice":"required""#
            let called = try await server.post("/v1/responses", #"{"input":"a","parallel_tool_calls":false,\#(tools)}"#)
            let item = try #require(try output(called.json).first)
            #expect(item["type"] as? String == "function_call" && item["name"] as? String == "f")
            try check(city: try #require(item["arguments"] as? String))
            let id = try #require(item["call_id"] as? String)
            let next = try await server.post(
                "/v1/responses",
                #"{"max_output_tokens":3,"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]},{"type":"function_call","#
                    + #""call_id":"\#(id)","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"\#(id)","output":"x"}]}"#
            )
            #expect(next.status == 200, "\(next.text)")

            for (body, field) in [
                (#"{}"#, "input"), (#"{"input":3}"#, "input"),
                (#"{"input":[{"type":"item_reference"}]}"#, "input[0].type"),
                (#"{"input":"a","previous_response_id":"x"}"#, "previous_response_id"),
                (#"{"input":"a","text":{"format":{"type":"xml"}}}"#, "text.format.type"),
                (#"{"input":"a","tools":[{"type":"web_search"}]}"#, "tools[0].type"),
                (#"{"input":[{"type":"function_call_output","call_id":"x","output":"y"}]}"#, "input[0].call_id"),
                (
                    #"{"input":[{"type":"function_call","call_id":"x","name":"f","arguments":"{"}]}"#,
                    "input[0].arguments"
                ),
                (#"{"input":[{"type":"function_call","call_id":"x","name":"a b","arguments":""}]}"#, "input[0].name"),
                (#"{"input":[{"type":"function_call","call_id":"x","name":"f"}]}"#, "input[0].arguments"),
                (
                    #"{"input":"a","tools":[{"type":"function","name":"f","parameters":{"type":"array"}}]}"#,
                    "tools[0].parameters"
                ),
                (
                    #"{"input":"a","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function","name":"g"}}"#,
                    "tool_choice.name"
                ),
                (#"{"input":"a","logprobs":true,"top_logprobs":2}"#, "logprobs"),
                (#"{"input":"a","top_logprobs":2}"#, "top_logprobs"), (#"{"input":"a","echo":true}"#, "echo"),
                (#"{"input":"a","reasoning":{"effort":"low"}}"#, "reasoning.effort"),
                (#"{"input":"a","reasoning":{"effort":null,"summary":"auto"}}"#, "reasoning.summary"),
                (#"{"input":"a","reasoning":3}"#, "reasoning"),
                ("{\"input\":\"" + String(repeating: "word ", count: 2000) + "\"}", "input"),
                (#"{"input":[{"role":"assistant","content":"a"}]}"#, "input"),
            ] {
                let refused = try await server.post("/v1/responses", body)
                #expect(refused.status == 400 && refused.error["param"] as? String == field, "\(refused.text)")
            }
            // The message shows the form that this endpoint takes.
            let choice = try await server.post(
                "/v1/responses",
                #"{"input":"a","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function"}}"#)
            #expect(choice.text.contains(#"{\"type\":\"function\",\"name\":\"f\"}"#), "\(choice.text)")
            for reasoning in ["{}", #"{"effort":"none"}"#, #"{"effort":null,"summary":null}"#] {
                let body = #"{"input":"a","max_output_tokens":1,"logprobs":false,"reasoning":\#(reasoning)}"#
                #expect(try await server.post("/v1/responses", body).status == 200, "\(reasoning)")
            }
        }
    }
}
