internal import HearthGrammar
internal import HearthText

/// The tool fields of a chat: `tools`, `tool_choice`, `parallel_tool_calls`.
enum ToolFields {
    static let mostTools = 128

    /// The tools of a request; nil if none may be called. Their `format` is set once the model is known.
    /// - Parameter isFlat: whether a function's fields are next to its type, as in `/v1/responses`.
    static func rules(_ decoder: any Decoder, isFlat: Bool = false) throws -> ToolRules? {
        let fields = try decoder.container(keyedBy: JSONValue.Name.self)
        let several = try fields.value(JSONValue.Name("parallel_tool_calls"))
        let tools = try tools(fields.value(JSONValue.Name("tools")), OrderedBody.of(decoder), isFlat)
        let choice = try choice(fields.value(JSONValue.Name("tool_choice")), tools, isFlat)
        let isSeveral: Bool
        switch several {
        case .null: isSeveral = true
        case .bool(let value): isSeveral = value
        default:
            throw HTTPFailure.field("parallel_tool_calls", "must be true or false, but is \(several.kind).")
        }
        guard !tools.isEmpty, let choice else { return nil }
        return ToolRules(tools, choice: choice, allowsSeveral: isSeveral)
    }

    private static func tools(
        _ value: JSONValue, _ body: OrderedBody, _ isFlat: Bool
    ) throws(HTTPFailure) -> [ToolDefinition] {
        if value == .null { return [] }
        guard case .array(let sent) = value else {
            throw .field("tools", "must be an array, but is \(value.kind).")
        }
        guard sent.count <= mostTools else { throw .field("tools", "holds too many. Send at most \(mostTools).") }
        guard !sent.isEmpty else { return [] }
        let ordered = try body.value(["tools"])
        var tools: [ToolDefinition] = []
        for (index, value) in sent.enumerated() {
            let tool = try tool(value, "tools[\(index)]", index, ordered, isFlat)
            if tools.contains(where: { $0.name == tool.name }) {
                throw .field(
                    "tools[\(index)]\(isFlat ? "" : ".function").name", "occurs twice: \(tool.name.debugDescription)."
                )
            }
            tools.append(tool)
        }
        return tools
    }

    private static func tool(
        _ value: JSONValue, _ outer: String, _ index: Int, _ ordered: JSONDocument, _ isFlat: Bool
    ) throws(HTTPFailure) -> ToolDefinition {
        guard case .object(let fields) = value else {
            let form = isFlat ? #"{"type":"function","name":"f"}"# : #"{"type":"function","function":{…}}"#
            throw .field(outer, "must look like \(form), but is \(value.kind).")
        }
        guard fields["type"] == .string("function") else {
            let sent = fields["type"]?.text.prefix(64) ?? "missing"
            throw .field(outer + ".type", #"must be "function", but is \#(sent)."#)
        }
        let place = isFlat ? outer : outer + ".function"
        guard case .object(let function) = isFlat ? value : fields["function"] else {
            throw .field(place, "must be an object, but is \(fields["function"]?.kind ?? "missing").")
        }
        guard case .string(let name) = function["name"], ToolDefinition.isName(name) else {
            throw .field(
                place + ".name", "must be a string of letters, digits, '_' and '-', at most 64 of them.")
        }
        var description = ""
        switch function["description"] ?? .null {
        case .null: break
        case .string(let text): description = text
        case let other:
            throw .field(place + ".description", "must be a string, but is \(other.kind).")
        }
        let field = place + ".parameters"
        let isStrict = try StrictSchema.wish(function["strict"], place + ".strict")
        var schema = JSONDocument.object([])
        switch function["parameters"] ?? .null {
        case .null: break
        case .object:
            if case .array(let values) = ordered {
                let sent = isFlat ? values[index] : values[index]["function"]
                schema = sent?["parameters"] ?? schema
            }
            if isStrict { try StrictSchema.check(schema, field) }
        case let other: throw .field(field, "must be a schema: an object, but is \(other.kind).")
        }
        return ToolDefinition(name: name, description: description, parameters: schema.text)
    }

    /// nil if no tool may be called.
    private static func choice(
        _ value: JSONValue, _ tools: [ToolDefinition], _ isFlat: Bool
    ) throws(HTTPFailure) -> ToolRules.Choice? {
        let choice: ToolRules.Choice
        switch value {
        case .null, .string("auto"): return .auto
        case .string("none"): return nil
        case .string("required"): choice = .required
        case .object(let fields):
            guard fields["type"] == .string("function"),
                case .object(let function) = isFlat ? value : fields["function"],
                case .string(let name) = function["name"]
            else {
                let form =
                    isFlat ? #"{"type":"function","name":"f"}"# : #"{"type":"function","function":{"name":"f"}}"#
                throw .field("tool_choice", "must look like \(form) if it is an object.")
            }
            guard tools.contains(where: { $0.name == name }) else {
                throw .field(
                    "tool_choice\(isFlat ? "" : ".function").name",
                    "is not one of the functions in 'tools': \(name.debugDescription).")
            }
            choice = .named(name)
        default:
            throw .field("tool_choice", #"must be "none", "auto", "required" or a function."#)
        }
        guard !tools.isEmpty else { throw .field("tool_choice", "requires 'tools'.") }
        return choice
    }

    /// The tool calls of an assistant message; nil for none.
    /// - Throws: `HTTPFailure`, naming the field.
    static func calls(_ value: JSONValue, _ place: String) throws(HTTPFailure) -> [ToolCall]? {
        switch value {
        case .null, .array([]): return nil
        case .array(let values):
            var calls: [ToolCall] = []
            for (index, value) in values.enumerated() { calls.append(try call(value, "\(place)[\(index)]")) }
            return calls
        default: throw .field(place, "must be an array, but is \(value.kind).")
        }
    }

    private static func call(_ value: JSONValue, _ place: String) throws(HTTPFailure) -> ToolCall {
        guard case .object(let fields) = value, case .object(let function) = fields["function"] else {
            throw .field(
                place, #"must look like {"id":"…","type":"function","function":{"name":"f","arguments":"{}"}}."#)
        }
        guard fields["type"] == nil || fields["type"] == .string("function") else {
            throw .field(place + ".type", #"must be "function"."#)
        }
        var id = ""
        if case .string(let text) = fields["id"] ?? .null { id = text }
        return try call(id, function, place + ".function")
    }

    /// - Parameters:
    ///   - function: contains `name` and `arguments`.
    ///   - place: where it is in the request.
    static func call(_ id: String, _ function: [String: JSONValue], _ place: String) throws(HTTPFailure) -> ToolCall {
        guard case .string(let name) = function["name"], ToolDefinition.isName(name) else {
            throw .field(place + ".name", "must be the name of a function.")
        }
        guard case .string(let text) = function["arguments"] ?? .string("{}") else {
            throw .field(place + ".arguments", "must be a string that holds an object of JSON.")
        }
        let arguments = text.isEmpty ? "{}" : text
        guard let document = try? JSONDocument(arguments.utf8, depth: 32), case .object = document else {
            throw .field(place + ".arguments", "must be a string that holds an object of JSON.")
        }
        return ToolCall(id: id, name: name, arguments: document.text)
    }

    /// Fills in the function names of tool results: a result has the ID of its call, and the call names the function.
    /// - Throws: `HTTPFailure`, naming the message.
    static func named(
        _ messages: [ChatMessage], _ ids: [String?], _ list: String = "messages", _ field: String = "tool_call_id"
    ) throws(HTTPFailure) -> [ChatMessage] {
        var messages = messages
        var names: [String: String] = [:]
        for index in messages.indices {
            for call in messages[index].calls ?? [] where !call.id.isEmpty { names[call.id] = call.name }
            guard messages[index].role == .tool, messages[index].toolName == nil else { continue }
            let place = "\(list)[\(index)].\(field)"
            guard let id = ids[index] else { throw .field(place, "is missing.") }
            guard let name = names[id] else { throw .field(place, "is not the id of an earlier call.") }
            messages[index].toolName = name
        }
        return messages
    }
}
