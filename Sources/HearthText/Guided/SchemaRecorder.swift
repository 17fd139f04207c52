internal import Foundation
internal import HearthGrammar

/// What is known of a value from the way its type decodes itself.
final class SchemaNode {
    /// Schema keywords other than those for members.
    var keywords: [(name: String, value: JSONDocument)] = []
    /// Members of an object, in the order in which they were decoded.
    var members: [(name: String, node: SchemaNode, isRequired: Bool)] = []
    var isObject = false
    /// Whether the type asked which members its value has.
    var asksForNames = false
    var items: SchemaNode?
    /// The value type of a dictionary.
    var values: SchemaNode?
    var mayBeNull = false
    /// The type that is described elsewhere and referred to by `$ref`.
    var reference: ObjectIdentifier?

    func member(_ name: String, isRequired: Bool) -> SchemaNode {
        isObject = true
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].isRequired = members[index].isRequired || isRequired
            return members[index].node
        }
        let node = SchemaNode()
        members.append((name, node, isRequired))
        return node
    }

    func say(_ name: String, _ value: JSONDocument) {
        keywords.removeAll { $0.name == name }
        keywords.append((name, value))
    }
}

/// Lets types decode themselves from placeholders, and records what they decode.
final class SchemaRecorder {
    /// Types being decoded, outermost first, with their nodes.
    private var open: [(type: ObjectIdentifier, node: SchemaNode)] = []
    /// Types that contain themselves.
    private var recursive: [(type: ObjectIdentifier, name: String, node: SchemaNode)] = []

    func describe(_ type: any Decodable.Type) throws -> SchemaNode {
        let node = SchemaNode()
        _ = try placeholder(type, node)
        return node
    }

    /// Whether a type is being decoded already, that is, contains itself; if so, `node` becomes a reference to it.
    func refers(_ type: any Decodable.Type, _ node: SchemaNode) -> Bool {
        let id = ObjectIdentifier(type)
        guard let outer = open.first(where: { $0.type == id }) else { return false }
        if !recursive.contains(where: { $0.type == id }) {
            recursive.append((id, "type\(recursive.count)", outer.node))
        }
        node.reference = id
        return true
    }

    /// Describes a type in `node` and returns a placeholder value of it.
    func placeholder<Value: Decodable>(_ type: Value.Type, _ node: SchemaNode) throws -> Value {
        if let known = try Self.known(type, node) ?? collection(type, node) {
            guard let value = known as? Value else { throw fault(type, "it is not described as itself") }
            return value
        }
        if let cases = type as? any (CaseIterable & RawRepresentable).Type {
            guard let value = try Self.firstCase(cases, node) as? Value else {
                throw fault(type, "its raw values are neither strings nor whole numbers, or it has none")
            }
            return value
        }
        guard !refers(type, node) else { throw fault(type, "it contains itself, and not in an optional or an array") }
        guard open.count < 64 else { throw fault(type, "it holds too many types inside each other") }
        open.append((ObjectIdentifier(type), node))
        defer { open.removeLast() }
        let value: Value
        do {
            value = try Value(from: RecordingDecoder(recorder: self, node: node))
        } catch let error as TextError {
            throw error
        } catch {
            // Enumerations with associated values ask for their members' names; others decode a single value.
            throw fault(
                type,
                node.members.isEmpty
                    ? "an enumeration must be CaseIterable with raw values; others are not decoded from a placeholder value"
                    : "its init(from:) refuses a placeholder value: \(error)")
        }
        // Its schema would allow an empty object and nothing else.
        guard !(node.asksForNames && node.members.isEmpty) else {
            throw fault(type, "it takes members of any name, which only dictionaries with string keys may")
        }
        if let hints = type as? any TextSchemaHints.Type { try apply(hints.schemaHints, node, type) }
        return value
    }

    func fault(_ type: any Decodable.Type, _ reason: String) -> TextError {
        .indescribableType(name: "\(type)", reason: reason)
    }

    // MARK: - Types that are known

    private static func known(_ type: any Decodable.Type, _ node: SchemaNode) throws -> Any? {
        func described(_ value: Any, _ keywords: KeyValuePairs<String, JSONDocument>) -> Any {
            for (name, keyword) in keywords { node.say(name, keyword) }
            return value
        }
        func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Any {
            described(
                Number.zero,
                ["type": "integer", "minimum": .number("\(type.min)"), "maximum": .number("\(type.max)")])
        }
        // The range in which the type represents every integer exactly, which also avoids exponents.
        func fraction(_ zero: Any, _ most: String) -> Any {
            described(zero, ["type": "number", "minimum": .number("-" + most), "maximum": .number(most)])
        }
        switch type {
        case is Bool.Type: return described(false, ["type": "boolean"])
        case is String.Type: return described("", ["type": "string"])
        case let type as any (FixedWidthInteger & Decodable).Type: return integer(type, number)
        case is Double.Type: return fraction(Double.zero, "1000000000000000")
        case is Float.Type: return fraction(Float.zero, "16777216")
        case is Decimal.Type: return fraction(Decimal.zero, "1000000000000000")
        case is Date.Type:
            // As read by the ISO 8601 decoding strategy: whole seconds.
            return described(
                Date(timeIntervalSince1970: 0),
                [
                    "type": "string", "format": "date-time",
                    "pattern": #"^[0-9-]{10}T[0-9:]{8}Z$"#,
                ])
        case is URL.Type:
            return URL(string: "https://example.org").map { described($0, ["type": "string", "format": "uri"]) }
        case is UUID.Type: return described(UUID(), ["type": "string", "format": "uuid"])
        case is Data.Type:
            let base64 = "^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
            return described(Data(), ["type": "string", "pattern": .string(base64)])
        default: return nil
        }
    }

    private static func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ make: (Number.Type) -> Any) -> Any {
        make(type)
    }

    private static func firstCase<Value: CaseIterable & RawRepresentable>(
        _ type: Value.Type, _ node: SchemaNode
    ) throws -> Any? {
        var values: [JSONDocument] = []
        for value in type.allCases {
            switch value.rawValue {
            case let text as String: values.append(.string(text))
            case let number as any BinaryInteger: values.append(.number("\(number)"))
            default: return nil
            }
        }
        node.say("enum", .array(values))
        return type.allCases.first
    }

    private func collection(_ type: any Decodable.Type, _ node: SchemaNode) throws -> Any? {
        try (type as? any SchemaCollection.Type)?.record(self, node)
    }

    // MARK: - Hints

    private func apply(_ hints: [String: [TextSchemaHint]], _ node: SchemaNode, _ type: any Decodable.Type) throws {
        for (name, hints) in hints {
            guard let member = node.members.first(where: { $0.name == name })?.node else {
                throw fault(type, "it has hints for \(name.debugDescription), which is not one of its members")
            }
            for hint in hints { say(hint, member) }
        }
    }

    private func say(_ hint: TextSchemaHint, _ node: SchemaNode) {
        let value = node.items ?? node
        switch hint {
        case .description(let text): node.say("description", .string(text))
        case .range(let range):
            value.say("minimum", .number(Self.text(range.lowerBound)))
            value.say("maximum", .number(Self.text(range.upperBound)))
        case .count(let range):
            node.say("minItems", .number("\(range.lowerBound)"))
            node.say("maxItems", .number("\(range.upperBound)"))
        case .length(let range):
            value.say("minLength", .number("\(range.lowerBound)"))
            value.say("maxLength", .number("\(range.upperBound)"))
        case .pattern(let pattern): value.say("pattern", .string(pattern))
        case .anyOf(let texts): value.say("enum", .array(texts.map(JSONDocument.string)))
        }
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
    }

    // MARK: - The schema

    func document(_ root: SchemaNode) -> JSONDocument {
        guard !recursive.isEmpty else { return schema(root) }
        let definitions = recursive.map { (name: $0.name, value: schema($0.node)) }
        let isRoot = recursive.first { $0.node === root }
        var fields: [(name: String, value: JSONDocument)] = [("$defs", .object(definitions))]
        if let isRoot {
            fields.append(("$ref", .string("#/$defs/" + isRoot.name)))
        } else if case .object(let own) = schema(root) {
            fields += own
        }
        return .object(fields)
    }

    private func schema(_ node: SchemaNode) -> JSONDocument {
        var fields: [(name: String, value: JSONDocument)] = []
        if let reference = node.reference, let target = recursive.first(where: { $0.type == reference }) {
            fields.append(("$ref", .string("#/$defs/" + target.name)))
        } else if node.isObject {
            fields.append(("type", "object"))
            fields.append(("properties", .object(node.members.map { ($0.name, schema($0.node)) })))
            fields.append(("required", .array(node.members.filter(\.isRequired).map { .string($0.name) })))
            fields.append(("additionalProperties", .bool(false)))
        } else if let items = node.items {
            fields += [("type", "array"), ("items", schema(items))]
        } else if let values = node.values {
            fields += [("type", "object"), ("additionalProperties", schema(values))]
        }
        fields += node.keywords
        return node.mayBeNull
            ? .object([("anyOf", .array([.object(fields), .object([("type", "null")])]))]) : .object(fields)
    }
}

extension JSONDocument: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .string(value) }
}

/// Types that contain any number of values of another type.
protocol SchemaCollection {
    static func record(_ recorder: SchemaRecorder, _ node: SchemaNode) throws -> Any
}

extension Array: SchemaCollection where Element: Decodable {
    static func record(_ recorder: SchemaRecorder, _ node: SchemaNode) throws -> Any {
        let items = SchemaNode()
        node.items = items
        if recorder.refers(Element.self, items) { return [Element]() }
        return [try recorder.placeholder(Element.self, items)]
    }
}

extension Set: SchemaCollection where Element: Decodable {
    static func record(_ recorder: SchemaRecorder, _ node: SchemaNode) throws -> Any {
        let items = SchemaNode()
        node.items = items
        return Set([try recorder.placeholder(Element.self, items)])
    }
}

extension Dictionary: SchemaCollection where Key: Decodable, Value: Decodable {
    static func record(_ recorder: SchemaRecorder, _ node: SchemaNode) throws -> Any {
        guard Key.self == String.self else {
            throw recorder.fault(Self.self, "the keys of a dictionary must be strings")
        }
        let values = SchemaNode()
        node.values = values
        if recorder.refers(Value.self, values) { return [String: Value]() }
        return ["": try recorder.placeholder(Value.self, values)]
    }
}

extension Optional: SchemaCollection where Wrapped: Decodable {
    static func record(_ recorder: SchemaRecorder, _ node: SchemaNode) throws -> Any {
        node.mayBeNull = true
        if recorder.refers(Wrapped.self, node) { return Wrapped?.none as Any }
        return Wrapped?.some(try recorder.placeholder(Wrapped.self, node)) as Any
    }
}
