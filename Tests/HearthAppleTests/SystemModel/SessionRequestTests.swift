import HearthApple
import HearthText
import HearthTokenizer
import Testing

@Suite("A session's request and its answer, as values", .timeLimit(.minutes(20)))
struct SessionRequestTests {
    private static let look = ToolDefinition(
        name: "look", description: "Looks who is there.", parameters: SessionRunTests.parameters)

    // MARK: - Schemas

    @Test("members are in the order that the schema lists, at any depth, and others are not allowed")
    func schemas() throws {
        let encoded = """
            {"$defs":{"Bear":{"properties":{"age":{"type":"integer"},"name":{"type":"string"}},"required":["age","name"],\
            "type":"object","x-order":["name","age"]}},"properties":{"bears":{"items":{"$ref":"#/$defs/Bear"},"type":"array"},\
            "mood":{"enum":["x-order","shy"],"type":"string"},"x-order":{"type":"boolean"}},"required":["bears"],\
            "title":"Forest","type":"object","x-order":["x-order","mood","bears"]}
            """
        let ordered = try SessionSchema.ordered(encoded)
        #expect(
            ordered == """
                {"$defs":{"Bear":{"properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name","age"],\
                "type":"object"}},"properties":{"x-order":{"type":"boolean"},"mood":{"enum":["x-order","shy"],"type":"string"},\
                "bears":{"items":{"$ref":"#/$defs/Bear"},"type":"array"}},"required":["bears"],"title":"Forest",\
                "type":"object"}
                """)
        #expect(try SessionSchema.ordered(ordered) == ordered)
        let answer = try SessionSchema.answer(encoded)
        #expect(answer.ranges(of: #""additionalProperties":false"#).count == 2)
        #expect(throws: Never.self) { try TextConstraint.jsonSchema(answer).compiled() }
    }

    @Test("without a listed order the members stay as they come; what is no JSON is an error")
    func otherSchemas() throws {
        let plain = #"{"properties":{"b":{"type":"null"},"a":{"type":"null"}},"type":"object"}"#
        #expect(try SessionSchema.ordered(plain) == plain)
        #expect(try SessionSchema.answer(#"{"type":"string"}"#) == #"{"type":"string"}"#)
        let partly = #"{"properties":{"c":{},"b":{},"a":{}},"x-order":["a",1,"unknown"]}"#
        #expect(try SessionSchema.ordered(partly) == #"{"properties":{"a":{},"c":{},"b":{}}}"#)
        #expect(throws: TextError.self) { try SessionSchema.answer("{") }
        #expect(throws: TextError.self) { try SessionSchema.ordered(String(repeating: "[", count: 100)) }
    }

    // MARK: - Plans

    @Test("a schema constrains the answer, and the prompt contains it unless the session says otherwise")
    func guided() throws {
        var request = SessionRequest([.prompt("x"), .response("y"), .prompt("Who?")], schema: #"{"type":"string"}"#)
        var plan = try request.plan()
        #expect(plan.constraint == .jsonSchema(#"{"type":"string"}"#) && plan.rules == nil && plan.declared == nil)
        let described = plan.messages.filter { $0.content.contains(#"{"type":"string"}"#) }
        #expect(described.count == 1)
        #expect(plan.messages[2].content.hasPrefix("Who?\n\n"))
        request.showsSchema = false
        plan = try request.plan()
        #expect(plan.messages[2].content == "Who?" && plan.constraint != nil)
        request.schema = nil
        request.showsSchema = true
        #expect(try request.plan().constraint == nil)
    }

    @Test("tools are declared and may, must or cannot be called, as the session says")
    func modes() throws {
        var request = SessionRequest([.prompt("Who?")], tools: [Self.look])
        var plan = try request.plan()
        #expect(plan.rules?.choice == .auto && plan.rules?.answer == nil && plan.declared?.tools == [Self.look])
        request.schema = #"{"type":"string"}"#
        plan = try request.plan()
        #expect(plan.rules?.answer == .jsonSchema(#"{"type":"string"}"#) && plan.constraint == nil)
        request.toolMode = .required
        plan = try request.plan()
        #expect(plan.rules?.choice == .required && plan.rules?.answer == nil && plan.constraint == nil)
        request.toolMode = .disallowed
        plan = try request.plan()
        #expect(plan.rules == nil && plan.declared == nil && plan.constraint != nil)
        (request.tools, request.toolMode) = ([], .required)
        plan = try request.plan()
        #expect(plan.rules == nil && plan.constraint != nil)
    }

    @Test("after eight rounds of calls the model answers, unless calls are required")
    func rounds() throws {
        func entries(_ count: Int) -> [SessionTranscript.Entry] {
            [.prompt("Who?")]
                + (0..<count).flatMap { round -> [SessionTranscript.Entry] in
                    let call = ToolCall(id: "\(round)", name: "look", arguments: "{}")
                    return [.toolCalls([call]), .toolOutput(id: call.id, tool: "look", "nobody")]
                }
        }
        var request = SessionRequest(entries(7), tools: [Self.look])
        #expect(try request.plan().rules?.choice == .auto)
        request.entries = entries(8)
        #expect(try request.plan().rules?.choice == ToolRules.Choice.none)
        #expect(try request.plan().declared?.choice == .auto)
        request.schema = #"{"type":"string"}"#
        #expect(try request.plan().rules == nil && request.plan().constraint != nil && request.plan().declared != nil)
        request.toolMode = .required
        #expect(try request.plan().rules?.choice == .required)
        // Earlier rounds belong to another prompt.
        (request.toolMode, request.entries) = (.allowed, entries(8) + [.response("Nobody."), .prompt("And now?")])
        #expect(try request.plan().rules?.choice == .auto)
    }

    @Test("a name that no format can express is an error, and so is one that is there twice")
    func names() {
        var tool = Self.look
        tool.name = "look up"
        #expect(throws: TextError.self) { try SessionRequest([.prompt("x")], tools: [tool]).plan() }
        #expect(throws: TextError.self) { try SessionRequest([.prompt("x")], tools: [Self.look, Self.look]).plan() }
    }

    // MARK: - Events

    private func summary(_ stop: StopReason, tokens: Int) -> GenerationSummary {
        GenerationSummary(promptTokens: 9, generatedTokens: tokens, stop: stop, prefillMS: 1, decodeMS: 1)
    }

    private func usage(_ tokens: Int, ofCalls: Bool) -> SessionAnswer.Event {
        .usage(.init(promptTokens: 9, cachedTokens: 0, generatedTokens: tokens, isOfCalls: ofCalls))
    }

    private func events(
        _ pieces: [String], last: String = "", _ rules: ToolRules?, _ stop: StopReason = .end
    ) -> [SessionAnswer.Event] {
        var answer = SessionAnswer(rules, id: "r")
        return pieces.flatMap { answer.token($0) } + answer.finish(last, summary(stop, tokens: pieces.count))
    }

    @Test("text comes as it is; tokens without text are counted with the next piece")
    func text() {
        #expect(
            events(["A ", "", "bear", ""], last: ".", nil) == [
                .text("A ", tokens: 1), .text("bear", tokens: 2), .text(".", tokens: 1), usage(4, ofCalls: false),
            ])
        #expect(events([], nil) == [usage(0, ofCalls: false)])
    }

    @Test("calls come as their arguments, piece by piece, in either notation")
    func calls() {
        let rules = ToolRules([Self.look], choice: .auto)
        #expect(
            events(
                [#"[{"name":"look","#, #""parameters":{"ho"#, #"ur":3}},"#, #"{"name":"look","parameters":{}}]"#], rules
            )
                == [
                    .arguments(call: "r-0", tool: "look", #"{"ho"#, tokens: 2),
                    .arguments(call: "r-0", tool: "look", #"ur":3}"#, tokens: 1),
                    .arguments(call: "r-1", tool: "look", "{}", tokens: 1), usage(4, ofCalls: true),
                ])
        var native = rules
        native.format = .functionGemma
        let (start, end) = (String(ToolMarkers.startCharacter), String(ToolMarkers.endCharacter))
        #expect(
            events(["Let me see.", start, "call:look{", "hour:3}", end], native) == [
                .text("Let me see.", tokens: 1), .arguments(call: "r-0", tool: "look", "{", tokens: 2),
                .arguments(call: "r-0", tool: "look", #""hour":3}"#, tokens: 1), usage(5, ofCalls: false),
            ])
    }

    @Test("a call that the limit cuts off is retracted, and complete ones remain")
    func retracted() {
        let rules = ToolRules([Self.look], choice: .required)
        #expect(
            events([#"{"name":"look","parameters":"#, #"{"hour""#], rules, .length) == [
                .arguments(call: "r-0", tool: "look", #"{"hour""#, tokens: 2), .retracted(call: "r-0"),
                usage(2, ofCalls: false),
            ])
        #expect(
            events([#"[{"name":"look","parameters":{}},"#, #"{"name":"look","parameters":{"#], rules, .length) == [
                .arguments(call: "r-0", tool: "look", "{}", tokens: 1),
                .arguments(call: "r-1", tool: "look", "{", tokens: 1), .retracted(call: "r-1"), usage(2, ofCalls: true),
            ])
        // Cut off before its arguments, it was never told.
        #expect(events([#"{"name":"look","#], rules, .length) == [usage(1, ofCalls: false)])
    }
}
