import Foundation
import HearthServer
import HearthText
import Testing

/// What a completion may ask for: one table in code, and the same in docs/server.md.
@Suite("Fields of completions", .timeLimit(.minutes(1)))
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
            (#""grammar":"root ::= \"a\"""#, "grammar"), (#""modalities":["text","audio"]"#, "modalities"),
            (#""tool_choice":"required""#, "tool_choice"),
            (#""tool_choice":{"type":"function","function":{"name":"f"}}"#, "tool_choice"),
            (#""function_call":{"name":"f"}"#, "function_call"), (#""functions":[{"name":"f"}]"#, "functions"),
            (#""ignore_eos":true"#, "ignore_eos"), (#""min_tokens":5"#, "min_tokens"), (#""n":2"#, "n"),
            (#""logprobs":0"#, "logprobs"), (#""response_format":{"type":"json_object"}"#, "response_format"),
            (#""repetition_penalty":1.1"#, "repetition_penalty"), (#""json_schema":{}"#, "json_schema"),
        ])
    func known(fields: String, name: String) {
        for chat in [true, false] { #expect(failure(fields, chat: chat)?.field == name) }
    }

    @Test(
        "What changes no answer passes, whatever it holds",
        arguments: [
            "user", "metadata", "store", "service_tier", "parallel_tool_calls", "prompt_cache_key", "safety_identifier",
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
        for (field, values) in [
            "top_k": ["-2", "1.5", "\"5\""], "min_p": ["-0.1", "1.1", "true"], "repeat_penalty": ["0", "11", "[]"],
            "repeat_last_n": ["-1", "65537"],
        ] {
            for value in values { #expect(failure("\"\(field)\":\(value)", chat: true)?.field == field, "\(value)") }
        }
    }

    @Test(
        "A wrong type is told as such: where, what it has to be, what it is",
        arguments: [
            (
                #"{"messages":[{"role":"user","content":"a"},{"role":"user","content":5}]}"#, "messages[1].content",
                "has to be a string or an array of text parts, and is a number."
            ),
            (
                #"{"messages":[{"role":"user","content":null}]}"#, "messages[0].content",
                "has to be a string or an array of text parts, and is null."
            ),
            (
                #"{"messages":[{"role":"user","content":{"type":"text"}}]}"#, "messages[0].content",
                "has to be a string or an array of text parts, and is an object."
            ),
            (#"{"messages":[{"role":"user","content":["a"]}]}"#, "messages[0].content[0]", "and is a string."),
            (
                #"{"messages":[{"role":"user","content":[{"type":"text","text":1}]}]}"#, "messages[0].content[0].text",
                "has to be a string, and is a number."
            ),
            (#"{"messages":[{"role":5,"content":"a"}]}"#, "messages[0].role", "has to be a string, and is a number."),
            (#"{"messages":"a"}"#, "messages", "has to be an array, and is a string."),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stop":5}"#, "stop",
                "has to be a string or an array of strings, and is a number."
            ),
            (#"{"messages":[{"role":"user","content":"a"}],"stop":{"a":1}}"#, "stop", "and is an object."),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stop":["a",null]}"#, "stop[1]",
                "has to be a string, and is null."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"temperature":"1"}"#, "temperature",
                "has to be a number, and is a string."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"max_tokens":true}"#, "max_tokens",
                "has to be a whole number, and is true or false."
            ),
            (
                #"{"messages":[{"role":"user","content":"a"}],"stream":"yes"}"#, "stream",
                "has to be true or false, and is a string."
            ),
            (#"[1]"#, nil, "The body has to be a JSON object, and is an array."),
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
    }
}
