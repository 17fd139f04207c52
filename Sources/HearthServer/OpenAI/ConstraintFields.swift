internal import HearthGrammar
internal import HearthText

/// The fields that constrain the text of a completion: OpenAI's `response_format`, and those of llama.cpp and vLLM.
enum ConstraintFields {
    /// A constraint, and the field that requests it.
    struct Wish: Sendable {
        var constraint: TextConstraint
        var field: String
    }

    private static let names = [
        "response_format", "json_schema", "grammar", "guided_json", "guided_regex", "guided_choice", "guided_grammar",
    ]

    /// The requested constraint; nil if any text is allowed.
    /// - Throws: `HTTPFailure`, naming the field; also if two fields request a constraint.
    static func wish(_ decoder: any Decoder) throws -> Wish? {
        let fields = try decoder.container(keyedBy: JSONValue.Name.self)
        var wish: Wish?
        for name in names {
            let key = JSONValue.Name(name)
            guard let value = try? fields.value(key), value != .null else { continue }
            guard let found = try self.wish(name, value, OrderedBody.of(decoder)) else { continue }
            if let wish {
                throw HTTPFailure.field(found.field, "cannot be combined with '\(wish.field)'. Send one of them.")
            }
            wish = found
        }
        return wish
    }

    private static func wish(_ name: String, _ value: JSONValue, _ body: OrderedBody) throws(HTTPFailure) -> Wish? {
        switch name {
        case "response_format": return try format(value, body)
        case "json_schema", "guided_json":
            // vLLM also accepts the schema as a string.
            if name == "guided_json", case .string(let text) = value {
                return Wish(constraint: .jsonSchema(try narrowed(document(text, name))), field: name)
            }
            return try schema(value, [name], body)
        case "grammar", "guided_grammar", "guided_regex":
            guard case .string(let text) = value else {
                throw .field(name, "must be a string, but is \(value.kind).")
            }
            if text.isEmpty { return nil }
            return Wish(constraint: name == "guided_regex" ? .regularExpression(text) : .grammar(text), field: name)
        default:
            guard case .array(let values) = value else {
                throw .field(name, "must be an array of strings, but is \(value.kind).")
            }
            if values.isEmpty { return nil }
            var choices: [String] = []
            for (index, value) in values.enumerated() {
                guard case .string(let text) = value else {
                    throw .field("\(name)[\(index)]", "must be a string, but is \(value.kind).")
                }
                choices.append(text)
            }
            return Wish(constraint: .choices(choices), field: name)
        }
    }

    /// - Parameter path: of the field. `/v1/responses` has it at `text.format`, with the schema next to its type.
    static func format(
        _ value: JSONValue, _ body: OrderedBody, at path: [String] = ["response_format"]
    ) throws(HTTPFailure) -> Wish? {
        let field = path.joined(separator: ".")
        guard case .object(let fields) = value else {
            throw .field(field, "must be an object, but is \(value.kind).")
        }
        switch fields["type"] {
        case .string("text"): return nil
        case .string("json_object"):
            // llama.cpp's extension: a schema next to the type.
            if let sent = fields["schema"], sent != .null {
                return try schema(sent, path + ["schema"], body)
            }
            return Wish(constraint: .jsonSchema(#"{"type":"object"}"#), field: field)
        case .string("json_schema"):
            return path.count > 1
                ? try named(value, body, path) : try named(fields["json_schema"] ?? .null, body, path + ["json_schema"])
        case let type:
            throw .field(
                field + ".type",
                #"must be "text", "json_object" or "json_schema", but is \#(type?.text.prefix(64) ?? "missing")."#)
        }
    }

    /// Ollama's `format`: `"json"`, or a schema.
    static func ollama(_ value: JSONValue, _ body: OrderedBody) throws(HTTPFailure) -> Wish? {
        switch value {
        case .null, .string(""): return nil
        case .string("json"): return Wish(constraint: .jsonSchema(#"{"type":"object"}"#), field: "format")
        case .object: return try schema(value, ["format"], body)
        default: throw .field("format", #"must be "json" or a schema: an object, but is \#(value.text.prefix(64))."#)
        }
    }

    /// OpenAI's `{"name": …, "schema": …, "strict": …}`.
    private static func named(
        _ value: JSONValue, _ body: OrderedBody, _ outer: [String]
    ) throws(HTTPFailure) -> Wish {
        let place = outer.joined(separator: ".")
        guard case .object(let fields) = value else {
            throw .field(place, "must be an object, but is \(value == .null ? "missing" : value.kind).")
        }
        switch fields["name"] ?? .null {
        case .null: break
        case .string(let name) where ToolDefinition.isName(name): break
        default:
            throw .field(place + ".name", "must be a string of letters, digits, '_' and '-', at most 64 of them.")
        }
        let isStrict = try StrictSchema.wish(fields["strict"], place + ".strict")
        guard let sent = fields["schema"], sent != .null else { throw .field(place + ".schema", "is missing.") }
        let path = outer + ["schema"]
        if isStrict { try StrictSchema.check(body.value(path), path.joined(separator: ".")) }
        return try schema(sent, path, body)
    }

    private static func schema(
        _ sent: JSONValue, _ path: [String], _ body: OrderedBody
    ) throws(HTTPFailure) -> Wish {
        let field = path.joined(separator: ".")
        switch sent {
        case .object, .bool: break
        default: throw .field(field, "must be a schema: an object, but is \(sent.kind).")
        }
        return Wish(constraint: .jsonSchema(narrowed(try body.value(path))), field: field)
    }

    private static func document(_ text: String, _ field: String) throws(HTTPFailure) -> JSONDocument {
        do { return try JSONDocument(text.utf8, depth: 32) } catch { throw .field(field, "is not valid JSON.") }
    }

    private static func narrowed(_ schema: JSONDocument) -> String { SchemaNarrowing.closed(schema).text }
}

/// OpenAI's `strict`: every object in the schema has to exclude additional properties.
enum StrictSchema {
    static func wish(_ value: JSONValue?, _ field: String) throws(HTTPFailure) -> Bool {
        switch value ?? .null {
        case .null, .bool(false): return false
        case .bool(true): return true
        case let value: throw .field(field, "must be true or false, but is \(value.kind).")
        }
    }

    /// - Throws: `HTTPFailure`, with the JSON Pointer of an object that does not exclude additional properties.
    static func check(_ schema: JSONDocument, _ field: String, at pointer: String = "#") throws(HTTPFailure) {
        guard case .object(let fields) = schema else { return }
        let isObject = schema["type"] == .string("object") || schema["properties"] != nil
        if isObject, schema["additionalProperties"] != .bool(false) {
            throw .field(
                field,
                "is strict, so that every object needs \"additionalProperties\": false (\(pointer): additionalProperties)."
            )
        }
        for (name, value) in fields {
            let place = pointer + "/" + name
            switch (name, value) {
            case ("properties", .object(let schemas)), ("$defs", .object(let schemas)),
                ("definitions", .object(let schemas)):
                for (key, inner) in schemas { try check(inner, field, at: place + "/" + key) }
            case ("anyOf", .array(let schemas)), ("prefixItems", .array(let schemas)):
                for (index, inner) in schemas.enumerated() { try check(inner, field, at: "\(place)/\(index)") }
            case ("items", _): try check(value, field, at: place)
            default: break
            }
        }
    }
}

/// A request's body with its keys in the order sent, since text is generated in the order of the schema's properties.
struct OrderedBody: Sendable {
    var bytes: [UInt8]

    static let key: CodingUserInfoKey = CodingUserInfoKey(rawValue: "hearth.body") ?? { preconditionFailure() }()

    static func of(_ decoder: any Decoder) -> OrderedBody {
        decoder.userInfo[key] as? OrderedBody ?? OrderedBody(bytes: [])
    }

    /// The value at a path that is known to exist; numbers are array indices.
    func value(_ path: [String]) throws(HTTPFailure) -> JSONDocument {
        do {
            var value = try JSONDocument(bytes)
            for step in path {
                if case .array(let values) = value, let index = Int(step), values.indices.contains(index) {
                    value = values[index]
                } else {
                    value = value[step] ?? .null
                }
            }
            return value
        } catch {
            throw HTTPFailure(400, "invalid_json", "The body is not JSON. Send one JSON object.")
        }
    }
}

extension HTTPFailure {
    /// The failure for a constraint that cannot be enforced.
    static func constraint(_ error: TextError, _ field: String) -> HTTPFailure {
        switch error {
        case .unsupportedConstraint(let keywords):
            HTTPFailure(
                400, "unsupported_constraint",
                "'\(field)' uses unsupported keywords (\(keywords.joined(separator: ", "))). Remove them.",
                field: field)
        case .invalidConstraint(let place, let problem):
            HTTPFailure(
                400, "invalid_constraint", "'\(field)' cannot be honoured: \(problem) (\(place)).", field: field)
        default: HTTPFailure(400, "invalid_constraint", "'\(field)' cannot be honoured.", field: field)
        }
    }
}
