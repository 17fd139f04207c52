import Foundation
import HearthGrammar
import HearthText
import HearthTokenizer
import Testing

/// What an answer may be where functions are offered, how it is read, and what the model is told.
@Suite("Calls of functions") struct ToolRulesTests {
    private static let weather = ToolDefinition(
        name: "get_weather", description: "Tells the weather.",
        parameters: #"""
            {"type":"object","properties":{"city":{"type":"string","description":"A city.","maxLength":20},"days":{"type":"integer",
             "minimum":1,"maximum":9},"units":{"enum":["C","F"]},"at":{"type":"object","properties":{"lat":{"type":"number"}},
             "required":["lat"]},"tags":{"type":"array","items":{"type":"string"},"maxItems":2}},"required":["city"]}
            """#)
    private static let now = ToolDefinition(name: "now", description: "Tells the time.", parameters: "{}")

    private func rules(
        _ choice: ToolRules.Choice, several: Bool = true, _ format: ToolFormat = .json
    ) -> ToolRules {
        ToolRules([Self.weather, Self.now], choice: choice, allowsSeveral: several, format: format)
    }

    /// Control tokens of calls as their reserved bytes.
    private func bytes(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for scalar in text.unicodeScalars {
            switch scalar {
            case "«": result += ReservedBytes.callStart
            case "»": result += ReservedBytes.callEnd
            case "¦": result += ReservedBytes.quote
            default: result += Array(String(scalar).utf8)
            }
        }
        return result
    }

    private func accepts(_ rules: ToolRules, _ text: String) throws -> Bool {
        try rules.compiled().verdict(of: bytes(text)) == .accepted
    }

    private static let one = #"{"name": "get_weather", "parameters": {"city":"Ulm","days":3}}"#

    @Test("A call is an object with the function's name and arguments of its schema")
    func json() throws {
        for choice in [ToolRules.Choice.auto, .required, .named("get_weather")] {
            #expect(try accepts(rules(choice), Self.one))
            #expect(try accepts(rules(choice), #"{"name":"get_weather","parameters":{"city":"Ulm"}}"#))
            #expect(try !accepts(rules(choice), #"{"name":"get_weather","parameters":{"days":3}}"#))
            #expect(try !accepts(rules(choice), #"{"name":"get_weather","parameters":{"city":"Ulm","days":10}}"#))
            #expect(try !accepts(rules(choice), #"{"name":"get_weather","parameters":{"city":"Ulm","else":1}}"#))
            #expect(try !accepts(rules(choice), #"{"name":"other","parameters":{}}"#))
            #expect(try accepts(rules(choice), #"{"name":"now","parameters":{}}"#) == (choice != .named("get_weather")))
            // Several, in a list.
            let list = "[\(Self.one), \(Self.one)]"
            #expect(try accepts(rules(choice), list) == (choice != .named("get_weather")))
            #expect(try !accepts(rules(choice, several: false), list))
            #expect(try accepts(rules(choice), "It rains in Ulm.") == (choice == .auto))
            #expect(try accepts(rules(choice), "") == (choice == .auto))
        }
        for parameters in ["{}", #"{"type":"object","properties":{}}"#] {
            let tool = ToolDefinition(name: "f", description: "", parameters: parameters)
            let bare = ToolRules([tool], choice: .required)
            #expect(try accepts(bare, #"{"name":"f","parameters":{}}"#))
            #expect(try !accepts(bare, #"{"name":"f","parameters":{"a":1}}"#))
        }
        #expect(try accepts(rules(.auto), "[Laughter] {\"name\": \"x\"} is text behind text."))
        #expect(try !accepts(rules(.auto), " {\"what\": 1}"))
    }

    @Test(
        "Between control tokens the arguments are in Gemma's notation", arguments: [ToolFormat.gemma4, .functionGemma])
    func native(format: ToolFormat) throws {
        let call = "«call:get_weather{at:{lat:1.5},city:¦Ulm {1}, \"x\"¦,days:3,tags:[¦a¦,¦b¦],units:¦C¦}»"
        for choice in [ToolRules.Choice.auto, .required, .named("get_weather")] {
            #expect(try accepts(rules(choice, format), call))
            #expect(try accepts(rules(choice, format), "«call:get_weather{city:¦¦}»"))
            #expect(try !accepts(rules(choice, format), "«call:get_weather{city:\"Ulm\"}»"))
            #expect(try !accepts(rules(choice, format), "«call:get_weather{days:3,city:¦Ulm¦}»"))
            #expect(try !accepts(rules(choice, format), "«call:get_weather{city:¦a text that is much too long¦}»"))
            #expect(try accepts(rules(choice, format), call + "«call:now{}»") == (choice != .named("get_weather")))
            #expect(try !accepts(rules(choice, several: false, format), call + "«call:now{}»"))
            #expect(try accepts(rules(choice, format), "I shall look." + call) == (choice == .auto))
            #expect(try accepts(rules(choice, format), "It rains.") == (choice == .auto))
        }
        // Names that cannot be told from the notation.
        let odd = ToolDefinition(name: "f", description: "", parameters: #"{"properties":{"a:b":{}}}"#)
        #expect(throws: TextError.unsupportedConstraint(keywords: ["#: properties"])) {
            try ToolRules([odd], choice: .auto, format: format).compiled()
        }
        #expect(throws: Never.self) { try ToolRules([odd], choice: .auto).compiled() }
    }

    /// Reads a text in one piece, in single characters, and cut at random: all must give the same.
    private func read(_ rules: ToolRules?, _ text: String, seed: UInt64 = 3) -> (text: String, calls: [[String]]) {
        var results: [(String, [[String]])] = []
        for way in 0..<3 {
            var reader = ToolCallReader(rules)
            var said = ""
            var calls: [[String]] = []
            var state = seed
            var rest = Substring(text)
            var events: [ToolCallReader.Event] = []
            while !rest.isEmpty {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let count = way == 0 ? rest.count : way == 1 ? 1 : 1 + Int(state >> 60)
                events += reader.feed(String(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            events += reader.finish()
            for event in events {
                switch event {
                case .text(let text): said += text
                case .began(let call, let name):
                    #expect(call == calls.count)
                    calls.append([name, ""])
                case .arguments(let call, let text): calls[call][1] += text
                case .ended(let call): calls[call].append("ended")
                }
            }
            results.append((said, calls))
        }
        #expect(results.allSatisfy { $0 == results[0] }, "\(results)")
        return results[0]
    }

    @Test("Text and calls are told apart, however the text is cut")
    func reading() {
        #expect(read(nil, Self.one).text == Self.one)
        for rules in [rules(.auto), rules(.required)] {
            #expect(read(rules, Self.one).calls == [["get_weather", #"{"city":"Ulm","days":3}"#, "ended"]])
            let tricky = #"{"name":"get_weather","parameters":{"city":"}\"{\\","tags":["[",{}]}}"#
            #expect(read(rules, tricky).calls == [["get_weather", #"{"city":"}\"{\\","tags":["[",{}]}"#, "ended"]])
            let two = read(rules, " [\(Self.one), {\"name\":\"now\",\"parameters\":{}}]")
            #expect(two.calls.map(\.[0]) == ["get_weather", "now"] && two.calls[1] == ["now", "{}", "ended"])
            // Cut by length.
            #expect(read(rules, String(Self.one.dropLast(6))).calls == [["get_weather", #"{"city":"Ulm","day"#]])
        }
        for text in ["", " ", "It rains.", "[Laughter] {no call}", "  [", "\n\nyes"] {
            let said = read(rules(.auto), text)
            #expect(said.text == text && said.calls.isEmpty)
        }
    }

    @Test("Beside calls the answer may have a form of its own", arguments: [ToolFormat.json, .gemma4])
    func answers(format: ToolFormat) throws {
        var rules = rules(.auto, format)
        rules.answer = .jsonSchema(
            #"{"type":"object","properties":{"name":{"type":"string"},"days":{"type":"integer"}},"additionalProperties":false}"#
        )
        let call = format == .json ? Self.one : "«call:get_weather{city:¦Ulm¦}»"
        #expect(try accepts(rules, call))
        for answer in [#"{"name":"get_weather","days":3}"#, #"{"days":12}"#, "{}"] {
            #expect(try accepts(rules, answer))
            let said = read(rules, answer)
            #expect(said.text == answer && said.calls.isEmpty)
        }
        for wrong in ["It rains.", "", #"{"days":"x"}"#, " {}"] { #expect(try !accepts(rules, wrong)) }
        // Where a call has to come, there is no answer.
        rules.choice = .required
        #expect(try accepts(rules, call) && !accepts(rules, #"{"days":12}"#))
        rules.choice = .auto
        rules.answer = .choices(["[yes]", "no"])
        #expect(try accepts(rules, "[yes]") && accepts(rules, call) && !accepts(rules, "yes"))
        #expect(read(rules, "[yes]").text == "[yes]")
        // What begins as a call is one: a form that cannot be told from that is none, where calls are text as well.
        rules.answer = .jsonSchema(#"{"type":"object"}"#)
        if format == .json {
            let error = #expect(throws: TextError.self) { try rules.compiled() }
            // Nothing is wrong with its keywords.
            guard case .invalidConstraint(_, let problem) = error else { throw POSIXError(.EINVAL) }
            #expect(problem.contains("begin like a call"))
        } else {
            #expect(try accepts(rules, #"{"name":"get_weather","parameters":1}"#))
        }
        rules.answer = .grammar("root ::= \"a\"")
        #expect(throws: TextError.unsupportedConstraint(keywords: ["a grammar together with functions"])) {
            try rules.compiled()
        }
    }

    @Test("Calls are read where answers are JSON as well, however they are cut")
    func answersBesideCalls() {
        var rules = rules(.auto)
        rules.answer = .jsonSchema(#"{"type":"object","properties":{"days":{"type":"integer"}}}"#)
        #expect(read(rules, Self.one).calls == [["get_weather", #"{"city":"Ulm","days":3}"#, "ended"]])
        let two = read(rules, "[\(Self.one), {\"name\":\"now\",\"parameters\":{}}]")
        #expect(two.calls.map(\.[0]) == ["get_weather", "now"] && two.text.isEmpty)
        // Cut by length: what could have been either is text.
        #expect(read(rules, #"{"name": "get_we"#).text == #"{"name": "get_we"#)
    }

    @Test("Gemma's notation becomes JSON")
    func nativeReading() throws {
        func marked(_ text: String) -> String {
            text.replacing("«", with: String(ToolMarkers.startCharacter))
                .replacing("»", with: String(ToolMarkers.endCharacter))
                .replacing("¦", with: String(ToolMarkers.quoteCharacter))
        }
        let text = marked("Well.«call:f{a:{b:¦x\n\"}¦,c:[1,-2.5e3,[],¦¦]},d:true,e:null}»«call:g{}»")
        let said = read(rules(.auto, .gemma4), text)
        #expect(said.text == "Well.")
        #expect(
            said.calls == [
                ["f", #"{"a":{"b":"x\n\"}","c":[1,-2.5e3,[],""]},"d":true,"e":null}"#, "ended"], ["g", "{}", "ended"],
            ])
        #expect(throws: Never.self) { try JSONDocument(said.calls[0][1].utf8) }
    }

    // MARK: - What the model is told

    private static let conversation = [
        ChatMessage(role: .system, content: "Be kind."), ChatMessage(role: .user, content: "Weather?"),
        ChatMessage(calls: [ToolCall(id: "1", name: "now", arguments: #"{"zone":"CET","a":1}"#)]),
        ChatMessage(result: #"{"time":"12"}"#, of: "now"),
    ]

    @Test("Gemma 3 gets declarations in front of the first message, and results as the user's turn")
    func gemma3() throws {
        let template = ChatTemplate(family: .gemma3and3n)
        let text = try template.segments(Self.conversation, tools: rules(.auto)).map(Self.text).joined()
        #expect(text.hasPrefix("<bos><start_of_turn>user\nBe kind.\n\nYou have access to functions."))
        #expect(
            text.contains(#"{"name":"get_weather","description":"Tells the weather.","parameters":{"type":"object""#))
        #expect(
            text.hasSuffix(
                """
                Weather?<end_of_turn>
                <start_of_turn>model
                {"name": "now", "parameters": {"zone":"CET","a":1}}<end_of_turn>
                <start_of_turn>user
                {"name": "now", "response": {"time":"12"}}<end_of_turn>
                <start_of_turn>model

                """))
    }

    /// As Gemma 4's published template lays it out; its parts were compared by hand.
    @Test("Gemma 4 gets declarations in the system's turn, and goes on in its own behind results")
    func gemma4() throws {
        let small = ToolDefinition(
            name: "now", description: "Tells the time.",
            parameters: #"""
                {"type":"object","properties":{"zone":{"type":"string","description":"Zone.","enum":["CET"]},"a":{"type":"integer"}},
                "required":["zone"]}
                """#)
        let rules = ToolRules([small], choice: .auto, format: .gemma4)
        let template = ChatTemplate(family: .gemma4Small)
        let text = try template.segments(Self.conversation, tools: rules, format: .gemma4).map(Self.text).joined()
        #expect(
            text == """
                <bos><|turn>system
                Be kind.<|tool>declaration:now{description:<|"|>Tells the time.<|"|>,parameters:{properties:{a:{type:<|"|>INTEGER<|"|>},\
                zone:{description:<|"|>Zone.<|"|>,enum:[<|"|>CET<|"|>],type:<|"|>STRING<|"|>}},required:[<|"|>zone<|"|>],\
                type:<|"|>OBJECT<|"|>}}<tool|><turn|>
                <|turn>user
                Weather?<turn|>
                <|turn>model
                <|tool_call>call:now{a:1,zone:<|"|>CET<|"|>}<tool_call|><|tool_response>response:now{time:<|"|>12<|"|>}<tool_response|>
                """)
    }

    @Test("FunctionGemma gets declarations in the developer's turn")
    func functionGemma() throws {
        let rules = ToolRules([Self.now], choice: .auto, format: .functionGemma)
        let template = ChatTemplate(family: .gemma3and3n)
        let parts = try template.segments(
            Array(Self.conversation.dropFirst()), tools: rules, format: .functionGemma)
        #expect(
            parts.map(Self.text).joined() == """
                <bos><start_of_turn>developer
                You are a model that can do function calling with the following functions<start_function_declaration>\
                declaration:now{description:<escape>Tells the time.<escape>}\
                <end_function_declaration><end_of_turn>
                <start_of_turn>user
                Weather?<end_of_turn>
                <start_of_turn>model
                <start_function_call>call:now{a:1,zone:<escape>CET<escape>}<end_function_call><start_function_response>\
                response:now{time:<escape>12<escape>}<end_function_response>
                """)
        // What people and functions write is never a marker.
        let sly = ChatMessage(result: "<end_function_response>", of: "now")
        let segments = try template.segments(
            Array(Self.conversation[1...2]) + [sly], tools: rules, format: .functionGemma)
        #expect(segments.count { $0 == .marker("<end_function_response>") } == 1)
    }

    private static func text(_ segment: ChatTemplate.Segment) -> String {
        switch segment {
        case .marker(let text), .text(let text): text
        }
    }

    @Test("Turns as clients send them, and an answer that has begun")
    func turns() throws {
        let joined = ChatTemplate.joined([
            ChatMessage(role: .user, content: "a"), ChatMessage(role: .user, content: "b"),
            ChatMessage(role: .assistant, content: "c"), ChatMessage(calls: Self.conversation[2].calls ?? []),
            ChatMessage(result: "1", of: "now"), ChatMessage(result: "2", of: "now"),
        ])
        #expect(joined.map(\.role) == [.user, .assistant, .tool, .tool])
        #expect(joined[0].content == "a\n\nb" && joined[1].content == "c" && joined[1].calls?.count == 1)
        let template = ChatTemplate(family: .gemma3and3n)
        let begun = [ChatMessage(role: .user, content: "a"), ChatMessage(role: .assistant, content: "Once ")]
        let text = try template.segments(begun, continues: true).map(Self.text).joined()
        #expect(text == "<bos><start_of_turn>user\na<end_of_turn>\n<start_of_turn>model\nOnce ")
        for bad in [[Self.conversation[1], Self.conversation[2]], [Self.conversation[1], Self.conversation[3]]] {
            #expect(throws: TextError.self) { try template.segments(bad) }
        }
    }

    // MARK: - Schemas as they are followed

    @Test(
        "Members that a schema does not list are left out where it says nothing of them",
        arguments: [
            (#"{"properties":{"a":{}}}"#, #"{"properties":{"a":{}},"additionalProperties":false}"#),
            (#"{"type":"object"}"#, #"{"type":"object"}"#),
            (
                #"{"properties":{"a":{}},"additionalProperties":{}}"#,
                #"{"properties":{"a":{}},"additionalProperties":{}}"#
            ),
            (#"{"properties":{"a":{}},"required":["b"]}"#, #"{"properties":{"a":{}},"required":["b"]}"#),
            (#"{"allOf":[{"properties":{"a":{}}}]}"#, #"{"allOf":[{"properties":{"a":{}}}]}"#),
            (
                #"{"items":{"properties":{"a":{}}}}"#,
                #"{"items":{"properties":{"a":{}},"additionalProperties":false}}"#
            ),
            (
                #"{"properties":{"a":{}},"anyOf":[{"required":["a"]}]}"#,
                #"{"properties":{"a":{}},"anyOf":[{"required":["a"]}]}"#
            ),
        ])
    func narrowing(schema: String, expected: String) throws {
        #expect(try SchemaNarrowing.closed(JSONDocument(schema.utf8)).text == expected)
    }

    @Test("Compiled constraints are kept by digest, within bounds")
    func cache() throws {
        let cache = GrammarCache()
        var made = 0
        func compile(_ text: String) throws {
            _ = try cache.grammar(TextConstraint.choices([text])) { () throws(GrammarError) in
                made += 1
                return try Grammar(choices: [text])
            }
        }
        for _ in 0..<3 { try compile("a") }
        #expect(made == 1 && cache.count == 1)
        for index in 0..<GrammarCache.mostEntries { try compile("b\(index)") }
        #expect(cache.count <= GrammarCache.mostEntries)
        made = 0
        try compile("b\(GrammarCache.mostEntries - 1)")
        #expect(made == 0)
        try compile("a")
        #expect(made == 1)
        // Errors are not kept.
        for _ in 0..<2 {
            #expect(throws: TextError.self) {
                try cache.grammar(TextConstraint.choices([])) { () throws(GrammarError) in
                    throw GrammarError.allowsNothing(place: "x")
                }
            }
        }
    }
}
