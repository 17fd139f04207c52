import Foundation
import HearthServer
import HearthText
import Testing

/// What a completion may ask for: one table in code, and the same in docs/server.md.
@Suite("Fields of completions", .timeLimit(.minutes(20)))
struct RequestFieldsTests {
    private let reader = JSONGuard(limits: ServerLimits())

    private func failure(_ fields: String, chat: Bool) -> HTTPFailure? {
        let rest = fields.isEmpty ? "" : "," + fields
        do {
            if chat {
                _ = try reader.decode(
                    ChatRequest.self, from: Array((#"{"messages":[{"role":"user","content":"a"}]"# + rest + "}").utf8))
            } else {
                _ = try reader.decode(CompletionRequest.self, from: Array((#"{"prompt":"a""# + rest + "}").utf8))
            }
            return nil
        } catch {
            return error
        }
    }

    /// Values of every type, so that some ask for something whatever the field.
    private static let others: [JSONValue] = [
        true, false, 3, 0.5, "required", "json", [1], [["type": "function"]], ["type": "json_object"], ["a": 1],
        ["text", "audio"],
    ]

    @Test("Refused, with the field's name, unless it asks for nothing", arguments: RequestFields.refused.keys.sorted())
    func refused(field: String) {
        let harmless = RequestFields.refused[field] ?? []
        for chat in [true, false] {
            for value in harmless + [.null] {
                #expect(failure("\"\(field)\":\(value.text)", chat: chat) == nil, "\(field): \(value.text)")
            }
            for value in Self.others where !harmless.contains(value) {
                let refusal = failure("\"\(field)\":\(value.text)", chat: chat)
                #expect(refusal?.status == 400 && refusal?.field == field, "\(field): \(value.text)")
            }
        }
    }

    @Test("An echo is for completions only")
    func echo() {
        #expect(failure(#""echo":true"#, chat: true)?.field == "echo")
        #expect(failure(#""echo":false"#, chat: true) == nil)
        for fields in [#""echo":true"#, #""echo":true,"max_tokens":0,"logprobs":5"#, #""echo":null"#] {
            #expect(failure(fields, chat: false) == nil, "\(fields)")
        }
        #expect(failure(#""echo":1"#, chat: false)?.field == "echo")
        #expect(failure(#""max_tokens":0"#, chat: false)?.field == "max_tokens")
        #expect(failure(#""max_tokens":-1,"echo":true"#, chat: false)?.field == "max_tokens")
    }

    @Test("A completion takes texts, token ids, and lists of both")
    func prompts() throws {
        func prompts(_ prompt: String, _ rest: String = "") throws -> [CompletionRequest.Prompt] {
            try reader.decode(CompletionRequest.self, from: Array(#"{"prompt":\#(prompt)\#(rest)}"#.utf8)).prompts
        }
        #expect(try prompts(#""a""#) == [.text("a")])
        #expect(try prompts("[1,2]") == [.tokens([1, 2])])
        #expect(try prompts(#"["a","b"]"#) == [.text("a"), .text("b")])
        #expect(try prompts(#"[[1,2],"b",[3]]"#) == [.tokens([1, 2]), .text("b"), .tokens([3])])
        func field(_ prompt: String, _ rest: String = "") -> String? {
            do {
                _ = try prompts(prompt, rest)
                return nil
            } catch {
                return (error as? HTTPFailure)?.field
            }
        }
        #expect(field("[1,\"a\"]") == "prompt[1]")
        #expect(field("[\"a\",1]") == "prompt[1]")
        #expect(field("[[1],[2,0.5]]") == "prompt[1][1]")
        let many = "[" + Array(repeating: "\"a\"", count: 43).joined(separator: ",") + "]"
        #expect(field(many, #","n":3"#) == "prompt")
        #expect(field(many, #","n":2"#) == nil)
    }

    @Test(
        "A message's fields as well", arguments: RequestFields.refusedInMessages.keys.sorted())
    func refusedInMessages(field: String) {
        func failure(_ value: JSONValue) -> HTTPFailure? {
            do {
                let body =
                    #"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","\#(field)":"#
                    + value.text + #"},{"role":"user","content":"c"}]}"#
                _ = try reader.decode(ChatRequest.self, from: Array(body.utf8))
                return nil
            } catch {
                return error
            }
        }
        for value in (RequestFields.refusedInMessages[field] ?? []) + [.null] { #expect(failure(value) == nil) }
        #expect(failure([["id": "x"]])?.field == "messages[1].\(field)")
    }

    @Test(
        "The ways in which clients ask for what is not there",
        arguments: [
            (#""modalities":["text","audio"]"#, "modalities"),
            (#""moderation":{"model":"omni-moderation-latest","policy":{"output":{"mode":"block"}}}"#, "moderation"),
            (#""function_call":{"name":"f"}"#, "function_call"), (#""functions":[{"name":"f"}]"#, "functions"),
            (#""ignore_eos":true"#, "ignore_eos"), (#""min_tokens":5"#, "min_tokens"), (#""n":17"#, "n"),
            (#""n":0"#, "n"),
            (#""logprobs":21"#, "logprobs"), (#""logprobs":"yes""#, "logprobs"), (#""top_logprobs":3"#, "top_logprobs"),
            (#""logprobs":true,"top_logprobs":21"#, "top_logprobs"), (#""logit_bias":[1]"#, "logit_bias"),
            (#""logit_bias":{"a":1}"#, "logit_bias"), (#""logit_bias":{"5":1,"05":-1}"#, "logit_bias"),
            (#""logit_bias":{"+5":1}"#, "logit_bias"), (#""logit_bias":{"5":101}"#, "logit_bias.5"),
            (#""presence_penalty":2.1"#, "presence_penalty"), (#""frequency_penalty":-3"#, "frequency_penalty"),
            (#""chat_template_kwargs":{"a":1}"#, "chat_template_kwargs"), (#""typical_p":0"#, "typical_p"),
            (#""response_format":{"type":"xml"}"#, "response_format.type"),
            (#""response_format":3"#, "response_format"),
            (#""response_format":{"type":"json_schema"}"#, "response_format.json_schema"),
            (
                #""response_format":{"type":"json_schema","json_schema":{"name":"a"}}"#,
                "response_format.json_schema.schema"
            ),
            (
                #""response_format":{"type":"json_schema","json_schema":{"name":"a b","schema":{}}}"#,
                "response_format.json_schema.name"
            ),
            (
                #""response_format":{"type":"json_schema","json_schema":{"schema":{},"strict":1}}"#,
                "response_format.json_schema.strict"
            ),
            (
                #""response_format":{"type":"json_schema","json_schema":{"strict":true,"schema":{"properties":{}}}}"#,
                "response_format.json_schema.schema"
            ),
            (#""response_format":{"type":"json_object"},"grammar":"root ::= \"a\"""#, "grammar"),
            (#""json_schema":3"#, "json_schema"), (#""grammar":3"#, "grammar"),
            (#""guided_choice":["a",3]"#, "guided_choice[1]"),
            (#""repetition_penalty":1.1"#, "repetition_penalty"),
        ])
    func known(fields: String, name: String) {
        for chat in [true, false] { #expect(failure(fields, chat: chat)?.field == name) }
    }

    @Test(
        "Functions that cannot be offered",
        arguments: [
            (#""tools":3"#, "tools"), (#""tools":[3]"#, "tools[0]"), (#""tools":[{}]"#, "tools[0].type"),
            (#""tools":[{"type":"web_search"}]"#, "tools[0].type"),
            (#""tools":[{"type":"function"}]"#, "tools[0].function"),
            (#""tools":[{"type":"function","function":{"name":"a b"}}]"#, "tools[0].function.name"),
            (
                #""tools":[{"type":"function","function":{"name":"a","parameters":3}}]"#,
                "tools[0].function.parameters"
            ),
            (
                #""tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"a"}}]"#,
                "tools[1].function.name"
            ),
            (
                #""tools":[{"type":"function","function":{"name":"a","strict":true,"parameters":{"type":"object"}}}]"#,
                "tools[0].function.parameters"
            ),
            (#""tool_choice":"required""#, "tool_choice"), (#""tool_choice":"maybe""#, "tool_choice"),
            (#""tool_choice":{"type":"function","function":{"name":"f"}}"#, "tool_choice.function.name"),
            (#""tools":[{"type":"function","function":{"name":"a"}}],"parallel_tool_calls":3"#, "parallel_tool_calls"),
            (#""parallel_tool_calls":"no""#, "parallel_tool_calls"),
            (
                #""tools":[{"type":"function","function":{"name":"a"}}],"grammar":"root ::= \"a\"""#,
                "grammar"
            ),
        ])
    func tools(fields: String, name: String) {
        #expect(failure(fields, chat: true)?.field == name)
        #expect(failure(fields, chat: true)?.status == 400)
    }

    @Test("Functions are offered in chats, and refused in completions")
    func toolsOfCompletions() {
        let tools = #""tools":[{"type":"function","function":{"name":"a"}}]"#
        #expect(failure(tools, chat: true) == nil)
        #expect(failure(tools, chat: false)?.field == "tools")
        #expect(failure(#""tools":[],"tool_choice":"auto""#, chat: false) == nil)
        #expect(failure(tools + #","tool_choice":"none","response_format":{"type":"json_object"}"#, chat: true) == nil)
    }

    @Test(
        "Calls and results in messages",
        arguments: [
            (#"{"role":"assistant","tool_calls":3}"#, "messages[1].tool_calls"),
            (#"{"role":"assistant","tool_calls":[3]}"#, "messages[1].tool_calls[0]"),
            (
                #"{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"[1"}}]}"#,
                "messages[1].tool_calls[0].function.arguments"
            ),
            (#"{"role":"user","content":"a","tool_calls":[{"function":{"name":"f"}}]}"#, "messages[1].tool_calls"),
            (#"{"role":"tool","content":"a"}"#, "messages[1].tool_call_id"),
            (#"{"role":"tool","content":"a","tool_call_id":"x"}"#, "messages[1].tool_call_id"),
            (#"{"role":"tool","content":"a","tool_call_id":3}"#, "messages[1].tool_call_id"),
            (#"{"role":"assistant"}"#, "messages[1].content"),
            (#"{"role":"user","content":null}"#, "messages[1].content"),
        ])
    func calls(message: String, name: String) {
        do {
            _ = try reader.decode(
                ChatRequest.self, from: Array(#"{"messages":[{"role":"user","content":"a"},\#(message)]}"#.utf8))
            Issue.record("\(message) passed")
        } catch {
            #expect(error.field == name && error.status == 400)
        }
    }

    @Test("A call, its result, and an answer without text")
    func conversation() throws {
        let request = try reader.decode(
            ChatRequest.self,
            from: Array(
                (#"{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":"1","#
                    + #""type":"function","function":{"name":"f","arguments":"{\"b\": 1, \"a\":2}"}}]},"#
                    + #"{"role":"tool","tool_call_id":"1","content":"x"},{"role":"assistant","content":null}]}"#).utf8))
        #expect(request.messages.map(\.role) == [.user, .assistant, .tool, .assistant])
        #expect(request.messages[1].calls == [ToolCall(id: "1", name: "f", arguments: #"{"b":1,"a":2}"#)])
        #expect(request.messages[2].toolName == "f" && request.messages[3].content.isEmpty)
    }

    @Test(
        "What changes no answer passes, whatever it holds",
        arguments: [
            "user", "metadata", "store", "service_tier", "prompt_cache_key", "safety_identifier",
            "cache_prompt", "id_slot", "n_keep", "priority", "request_id", "cache_salt", "prediction", "nobody_knows",
        ])
    func harmless(field: String) {
        for value in Self.others + [.null] { #expect(failure("\"\(field)\":\(value.text)", chat: true) == nil) }
    }

    @Test("What is followed reaches the sampler; what is not said stays the model's own")
    func sampling() throws {
        let body = #"{"prompt":"a","top_k":5,"min_p":0.25,"repeat_penalty":1.5,"repeat_last_n":9,"top_p":0.5}"#
        let options = try reader.decode(CompletionRequest.self, from: Array(body.utf8)).options.sampling(.init())
        #expect(options.topK == 5 && options.minP == 0.25 && options.repeatPenalty == 1.5)
        #expect(options.repeatWindow == 9 && options.topP == 0.5 && options.temperature == 1)
        let all = try reader.decode(CompletionRequest.self, from: Array(#"{"prompt":"a","top_k":-1}"#.utf8))
        #expect(all.options.sampling(.init()).topK == 0)
        let none = try reader.decode(CompletionRequest.self, from: Array(#"{"prompt":"a"}"#.utf8))
        #expect(none.options.sampling(.init(topK: 7)) == .init(topK: 7))
        let more = try reader.decode(
            CompletionRequest.self,
            from: Array(
                (#"{"prompt":"a","presence_penalty":1,"frequency_penalty":-0.5,"logit_bias":{"7":-100},"typical_p":0.5,"#
                    + #""top_n_sigma":2,"xtc_probability":0.5,"xtc_threshold":0.2,"dry_multiplier":1,"dry_base":2,"#
                    + #""dry_allowed_length":3,"n":3,"logprobs":2,"top_p":0}"#).utf8)
        ).options
        var expected = SamplingOptions(temperature: 0)
        (expected.presencePenalty, expected.frequencyPenalty, expected.logitBias) = (1, -0.5, [7: -100])
        (expected.typicalP, expected.topNSigma) = (0.5, 2)
        (expected.xtcProbability, expected.xtcThreshold) = (0.5, 0.2)
        (expected.dryMultiplier, expected.dryBase, expected.dryAllowedLength) = (1, 2, 3)
        #expect(more.sampling(.init()) == expected)
        #expect(more.answers == 3 && more.likelihoods == 2)
        let tiny = try reader.decode(CompletionRequest.self, from: Array(#"{"prompt":"a","top_p":1e-300}"#.utf8))
        #expect(tiny.options.sampling(.init()) == SamplingOptions(temperature: 0))
        let chat = try reader.decode(
            ChatRequest.self,
            from: Array(
                #"{"messages":[{"role":"user","content":"a"}],"logprobs":true,"top_logprobs":4,"logit_bias":[]}"#.utf8))
        #expect(chat.options.likelihoods == 4 && chat.options.sampling(.init()).logitBias.isEmpty)
        for (field, values) in [
            "top_k": ["-2", "1.5", "\"5\""], "min_p": ["-0.1", "1.1", "true"], "repeat_penalty": ["0", "11", "[]"],
            "repeat_last_n": ["-2", "65537"],
        ] {
            for value in values { #expect(failure("\"\(field)\":\(value)", chat: true)?.field == field, "\(value)") }
        }
    }

    @Test(
        "A wrong type is told as such: where, what it has to be, what it is",
        arguments: [
            (
                #"{"messages":[{"role":"user","content":"a"},{"role":"user","content":5}]}"#, "messages[1].content",
                "must be a string or an array of text parts, but is a number."
            ),
            (
                #"{"messages":[{"role":"user","content":null}]}"#, "messages[0].content",
                "must be a string or an array of text parts, but is null."
            ),
            (
                #"{"messages":[{"role":"user","content":{"type":"text"}}]}"#, "messages[0].content",
                "must be a string or an array of text parts, but is an object."
            ),
            (#"{"messages":[{"role":"user","content":["a"]}]}"#, "messages[0].content[0]", "but is a string."),
            (
                #"{"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}"#, "messages[0].content[0].text",
                "must be a string, but is a number."
            ),
            (#"{"messages":[{"role":5,"content":"a"}]}"#, "messages[0].role", "must be a string, but is a number."),
            (#"{"messages":"a"}"#, "messages", "must be an array, but is a string."),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stop":5}"#, "stop",
                "must be a string or an array of strings, but is a number."
            ),
            (#"{"messages":[{"role":"user","content":"a"}],"stop":{"a":1}}"#, "stop", "but is an object."),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stop":["a",null]}"#, "stop[1]",
                "must be a string, but is null."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"temperature":"1"}"#, "temperature",
                "must be a number, but is a string."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"max_tokens":true}"#, "max_tokens",
                "must be a whole number, but is true or false."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stream":"yes"}"#, "stream",
                "must be true or false, but is a string."
            ),
            (#"[1]"#, nil, "The body must be a JSON object, but is an array."),
        ] as [(String, String?, String)])
    func types(body: String, field: String?, words: String) {
        do {
            _ = try reader.decode(ChatRequest.self, from: Array(body.utf8))
            Issue.record("\(body) passed")
        } catch {
            #expect(error.status == 400 && error.field == field && error.message.hasSuffix(words), "\(error.message)")
            #expect(field.map { error.message.hasPrefix("'\($0)' ") } ?? true, "\(error.message)")
        }
    }

    // MARK: - Embeddings

    private func embeddingFailure(_ body: String) -> HTTPFailure? {
        do {
            _ = try reader.decode(EmbeddingRequest.self, from: Array(body.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("Embeddings: refused, with the field's name, unless it asks for nothing")
    func embeddings() {
        for (field, harmless) in EmbeddingRequest.refused {
            for value in harmless + [.null] {
                #expect(embeddingFailure(#"{"input":"a","\#(field)":\#(value.text)}"#) == nil, "\(field)")
            }
            for value in Self.others where !harmless.contains(value) {
                let refusal = embeddingFailure(#"{"input":"a","\#(field)":\#(value.text)}"#)
                #expect(refusal?.status == 400 && refusal?.field == field, "\(field): \(value.text)")
            }
        }
        let many = [String](repeating: "\"a\"", count: EmbeddingRequest.mostInputs + 1).joined(separator: ",")
        for (body, field) in [
            ("{}", "input"), (#"{"input":null}"#, "input"), (#"{"input":{}}"#, "input"), (#"{"input":[]}"#, "input"),
            (#"{"input":[null]}"#, "input[0]"), (#"{"input":["a",[1]],"dimensions":1.5}"#, "dimensions"),
            (#"{"input":[1,"a"]}"#, "input[1]"), (#"{"input":[[1],[]]}"#, "input[1]"),
            (#"{"input":[[1e20]]}"#, "input[0][0]"), (#"{"input":"a","model":5}"#, "model"),
            (#"{"input":[\#(many)]}"#, "input"), (#"{"input":"a","encoding_format":"hex"}"#, "encoding_format"),
        ] {
            let refusal = embeddingFailure(body)
            #expect(refusal?.status == 400 && refusal?.field == field, "\(body.prefix(60))")
        }
    }

    // MARK: - The page

    /// The rows of the table below a heading row: the names in the first cell, the code spans of the second.
    private func rows(below heading: String) throws -> [(names: [String], values: [String])] {
        let page = try String(contentsOfFile: "\(TestServer.root)/docs/server.md", encoding: .utf8)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        let start = try #require(lines.firstIndex { $0.hasPrefix(heading) })
        func spans(_ cell: Substring) -> [String] { cell.matches(of: /`([^`]+)`/).map { String($0.1) } }
        return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            let cells = line.split(separator: "|")
            return (spans(cells[0]), spans(cells[1]))
        }
    }

    @Test("docs/server.md has the same tables")
    func page() throws {
        for (heading, table) in [
            ("| field | passes with |", RequestFields.refused),
            ("| field of a message | passes with |", RequestFields.refusedInMessages),
        ] {
            let rows = try rows(below: heading)
            #expect(rows.allSatisfy { $0.names.count == 1 })
            #expect(rows.flatMap(\.names).sorted() == table.keys.sorted())
            for row in rows { #expect(row.values == table[row.names[0]]?.map(\.text), "\(row.names)") }
        }
        #expect(Set(try rows(below: "| field | what it does |").flatMap(\.names)) == RequestFields.supported)
        let embeddings = try rows(below: "| field of embeddings | what it does |")
        #expect(Set(embeddings.flatMap(\.names)) == EmbeddingRequest.supported)
        let refused = try rows(below: "| field of embeddings | passes with |")
        #expect(refused.flatMap(\.names).sorted() == EmbeddingRequest.refused.keys.sorted())
        for row in refused {
            #expect(row.values == EmbeddingRequest.refused[row.names[0]]?.map(\.text), "\(row.names)")
        }
        for (word, supported, refused) in [
            ("field", OllamaFields.supported, OllamaFields.refused),
            ("option", OllamaFields.options, OllamaFields.refusedOptions),
        ] {
            #expect(Set(try rows(below: "| \(word) for Ollama | what it does |").flatMap(\.names)) == supported)
            let rows = try rows(below: "| \(word) for Ollama | passes with |")
            #expect(rows.flatMap(\.names).sorted() == refused.keys.sorted())
            for row in rows { #expect(row.values == refused[row.names[0]]?.map(\.text), "\(row.names)") }
        }
    }

    @Test("Ollama's fields that ask for what is not there", arguments: OllamaFields.refused.keys.sorted())
    func ollama(field: String) {
        func failure(_ value: JSONValue) -> HTTPFailure? {
            do {
                let body = #"{"model":"a","prompt":"b","\#(field)":\#(value.text)}"#
                _ = try reader.decode(OllamaGenerateRequest.self, from: Array(body.utf8))
                return nil
            } catch {
                return error
            }
        }
        let harmless = OllamaFields.refused[field] ?? []
        for value in harmless + [.null] { #expect(failure(value) == nil) }
        for value in Self.others where !harmless.contains(value) { #expect(failure(value)?.field == field) }
    }

    @Test("Calls and results in Ollama's messages")
    func ollamaMessages() throws {
        let body = #"""
            {"model":"a","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[
            {"function":{"name":"f","arguments":{"b":1,"a":12345678901234567890}}},{"id":"7","function":{"name":"g"}}]},
            {"role":"tool","tool_call_id":"7","content":"x"},{"role":"tool","content":"y"}]}
            """#
        let messages = try reader.decode(OllamaChatRequest.self, from: Array(body.utf8)).messages
        #expect(messages[1].calls?.map(\.arguments) == [#"{"b":1,"a":12345678901234567890}"#, "{}"])
        #expect(messages[2...].map(\.toolName) == ["g", "f"])
        for (message, name) in [
            (#"{"role":"tool","content":"y"}"#, "messages[0].tool_name"), (#"{"content":"y"}"#, "messages[0].role"),
            (#"{"role":"user"}"#, "messages[0].content"),
            (#"{"role":"user","content":"a","images":["x"]}"#, "messages[0].images"),
            (
                #"{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#,
                "messages[0].tool_calls[0].function.arguments"
            ),
        ] {
            do {
                _ = try reader.decode(
                    OllamaChatRequest.self, from: Array(#"{"model":"a","messages":[\#(message)]}"#.utf8))
                Issue.record("\(message) passed")
            } catch {
                #expect(error.field == name && error.status == 400)
            }
        }
    }
}
