internal import HearthGrammar

/// Renders function declarations, calls and results as the model reads them.
package struct ToolText: Sendable {
    package let format: ToolFormat

    package init(_ format: ToolFormat) { self.format = format }

    typealias Segment = ChatTemplate.Segment

    private var quote: String { format == .gemma4 ? "<|\"|>" : "<escape>" }
    private func markers(_ what: String) -> (open: String, close: String) {
        switch (format, what) {
        case (.gemma4, "declaration"): ("<|tool>", "<tool|>")
        case (.gemma4, "call"): ("<|tool_call>", "<tool_call|>")
        case (.gemma4, _): ("<|tool_response>", "<tool_response|>")
        default: ("<start_function_\(what)>", "<end_function_\(what)>")
        }
    }

    /// The function declarations for the prompt.
    func declarations(_ rules: ToolRules) throws(TextError) -> [Segment] {
        guard format != .json else { return [.text(try instructions(rules))] }
        var parts: [Segment] = []
        for tool in rules.tools {
            let (open, close) = markers("declaration")
            parts.append(.marker(open))
            parts.append(.text("declaration:\(tool.name){description:"))
            parts += string(tool.description)
            let schema = try document(tool.parameters, "parameters of \(tool.name)")
            if case .object(let keywords) = schema, !keywords.isEmpty {
                parts.append(.text(",parameters:"))
                parts += parameters(schema)
            }
            parts.append(.text("}"))
            parts.append(.marker(close))
        }
        return parts
    }

    /// Instructions for models without tool call tokens, in Google's wording.
    private func instructions(_ rules: ToolRules) throws(TextError) -> String {
        var tools: [String] = []
        for tool in rules.tools {
            let fields: [(name: String, value: JSONDocument)] = [
                ("name", .string(tool.name)), ("description", .string(tool.description)),
                ("parameters", try document(tool.parameters, "parameters of \(tool.name)")),
            ]
            tools.append(JSONDocument.object(fields).text)
        }
        let when =
            switch rules.choice {
            case .auto, .none: "If you decide to invoke any of the function(s), you MUST put it in the format of"
            case .required: "You MUST invoke at least one of the function(s), in the format of"
            case .named(let name): "You MUST invoke the function \(name), in the format of"
            }
        var text = """
            You have access to functions. \(when)
            {"name": function name, "parameters": dictionary of argument name and its value}

            You SHOULD NOT include any other text in the response if you call a function

            """
        if rules.allowsSeveral { text += "Several calls are a list: [call, call]\n" }
        return text + "[\n" + tools.joined(separator: ",\n") + "\n]"
    }

    /// Renders the calls of a message.
    func calls(_ calls: [ToolCall]) throws(TextError) -> [Segment] {
        var parts: [Segment] = []
        for (index, call) in calls.enumerated() {
            let arguments = try document(call.arguments, "arguments of \(call.name)")
            if format == .json {
                let lead = index > 0 ? ", " : calls.count > 1 ? "[" : ""
                let name = JSONDocument.string(call.name).text
                parts.append(.text(lead + "{\"name\": \(name), \"parameters\": \(arguments.text)}"))
            } else {
                parts.append(.marker(markers("call").open))
                parts.append(.text("call:\(call.name)"))
                parts += value(arguments)
                parts.append(.marker(markers("call").close))
            }
        }
        if format == .json, calls.count > 1 { parts.append(.text("]")) }
        return parts
    }

    /// Renders the result of a function: a JSON object, or any text.
    func result(_ text: String, of name: String) -> [Segment] {
        let given = (try? JSONDocument(text.utf8)) ?? .string(text)
        if format == .json {
            return [.text("{\"name\": \(JSONDocument.string(name).text), \"response\": \(given.text)}")]
        }
        let fields: JSONDocument = if case .object = given { given } else { .object([("value", given)]) }
        return [.marker(markers("response").open), .text("response:\(name)")] + value(fields)
            + [.marker(markers("response").close)]
    }

    /// FunctionGemma's developer message if there is no other.
    static let developerText = "You are a model that can do function calling with the following functions"

    /// Converts calls and results to plain text turns; results become user turns.
    func plain(_ turns: ArraySlice<ChatMessage>) throws(TextError) -> ArraySlice<ChatMessage> {
        guard turns.contains(where: { $0.role == .tool || $0.calls != nil }) else { return turns }
        var result: [ChatMessage] = []
        for turn in turns {
            var plain = ChatMessage(role: turn.role == .assistant ? .assistant : .user, content: turn.content)
            if let calls = turn.calls {
                let text = try Self.text(self.calls(calls))
                plain.content += (plain.content.isEmpty ? "" : "\n") + text
            }
            if turn.role == .tool { plain.content = Self.text(self.result(turn.content, of: turn.toolName ?? "")) }
            if let last = result.last, last.role == plain.role {
                result[result.count - 1].content = last.content + "\n" + plain.content
            } else {
                result.append(plain)
            }
        }
        return result[...]
    }

    private static func text(_ segments: [Segment]) -> String {
        segments.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    }

    private func document(_ text: String, _ place: String) throws(TextError) -> JSONDocument {
        do {
            return try JSONDocument(text.utf8)
        } catch {
            throw .invalidConstraint(place: place, problem: "it is not valid JSON")
        }
    }

    // MARK: - Notation of values

    private func string(_ text: String) -> [Segment] { [.marker(quote), .text(text), .marker(quote)] }

    /// - Parameter quotesNames: whether the names of members are strings, as inside a declaration.
    private func value(_ value: JSONDocument, quotesNames: Bool = false) -> [Segment] {
        switch value {
        case .string(let text): string(text)
        case .array(let values):
            [.text("[")] + Self.joined(values.map { self.value($0, quotesNames: quotesNames) }) + [.text("]")]
        case .object(let fields):
            object(
                Self.sorted(fields).map { ($0.name, self.value($0.value, quotesNames: quotesNames)) },
                quotesNames: quotesNames)
        default: [.text(value.text)]
        }
    }

    private func object(_ fields: [(name: String, value: [Segment])], quotesNames: Bool = false) -> [Segment] {
        let members = fields.map { field in
            (quotesNames ? string(field.name) : [.text(field.name)]) + [.text(":")] + field.value
        }
        return [.text("{")] + Self.joined(members) + [.text("}")]
    }

    private static func joined(_ values: [[Segment]]) -> [Segment] {
        Array(values.joined(separator: [.text(",")]))
    }

    private static func sorted(
        _ fields: [(name: String, value: JSONDocument)]
    ) -> [(name: String, value: JSONDocument)] {
        fields.sorted { ($0.name.lowercased(), $0.name) < ($1.name.lowercased(), $1.name) }
    }

    /// The schema of all arguments, in the notation of the published templates, with the same keywords left out.
    private func parameters(_ schema: JSONDocument) -> [Segment] {
        var fields: [(name: String, value: [Segment])] = []
        if case .object(let members)? = schema["properties"], !members.isEmpty {
            fields.append(("properties", properties(members)))
        }
        if let names = Self.required(schema) { fields.append(("required", value(names))) }
        fields.append(("type", string(Self.type(schema) ?? "OBJECT")))
        return object(fields)
    }

    private func properties(_ members: [(name: String, value: JSONDocument)]) -> [Segment] {
        object(Self.sorted(members).map { ($0.name, property($0.value)) })
    }

    /// The schema of one argument: which keywords it has depends on its type.
    private func property(_ schema: JSONDocument) -> [Segment] {
        let type = Self.type(schema) ?? "STRING"
        var fields: [(name: String, value: [Segment])] = []
        if case .string(let text)? = schema["description"], !text.isEmpty {
            fields.append(("description", string(text)))
        }
        if type == "STRING", case .array(let values)? = schema["enum"], !values.isEmpty {
            fields.append(("enum", value(.array(values), quotesNames: true)))
        }
        if type == "ARRAY", case .object(let members)? = schema["items"], !members.isEmpty {
            fields.append(("items", items(members)))
        }
        if case .bool(true)? = schema["nullable"] { fields.append(("nullable", [.text("true")])) }
        if type == "OBJECT" {
            var members: [(name: String, value: JSONDocument)] = []
            if case .object(let given)? = schema["properties"] { members = given }
            fields.append(("properties", properties(members)))
            if let names = Self.required(schema) { fields.append(("required", value(names))) }
        }
        fields.append(("type", string(type)))
        return object(fields)
    }

    /// The schema of an array's elements, which keeps all keywords.
    private func items(_ keywords: [(name: String, value: JSONDocument)]) -> [Segment] {
        let fields = Self.sorted(keywords).compactMap { keyword -> (name: String, value: [Segment])? in
            switch (keyword.name, keyword.value) {
            case (_, .null): nil
            case ("properties", .object(let members)): (keyword.name, properties(members))
            case ("type", .string): (keyword.name, value(Self.capitals(keyword.value)))
            case ("type", .array(let names)): (keyword.name, value(.array(names.map(Self.capitals))))
            default: (keyword.name, value(keyword.value, quotesNames: true))
            }
        }
        return object(fields)
    }

    private static func required(_ schema: JSONDocument) -> JSONDocument? {
        guard case .array(let names)? = schema["required"], !names.isEmpty else { return nil }
        return .array(names)
    }

    private static func capitals(_ name: JSONDocument) -> JSONDocument {
        if case .string(let text) = name { .string(text.uppercased()) } else { name }
    }

    /// The type in capitals, the first one if there are several; nil if the schema has none.
    private static func type(_ schema: JSONDocument) -> String? {
        switch schema["type"] {
        case .string(let name): name.uppercased()
        case .array(let names): if case .string(let name)? = names.first { name.uppercased() } else { nil }
        default: nil
        }
    }
}
