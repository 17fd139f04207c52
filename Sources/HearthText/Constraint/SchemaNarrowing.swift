package import HearthGrammar

/// Narrows schemas for generation. A schema that does not mention other members allows any, and a small model that may invent
/// members tends never to finish. Generated objects therefore have only the listed members, which the schema accepts as well.
package enum SchemaNarrowing {
    /// The schema of a function's arguments, which must be an object.
    /// - Throws: `GrammarError.malformed` if the schema is not that of an object.
    package static func arguments(_ schema: JSONDocument) throws(GrammarError) -> JSONDocument {
        guard case .object(var fields) = schema else {
            throw .malformed(place: "#", problem: "the schema of arguments is an object")
        }
        switch schema["type"] {
        case nil: fields.append(("type", .string("object")))
        case .string("object"): break
        default: throw .malformed(place: "#/type", problem: "arguments are an object")
        }
        if !fields.contains(where: { merging.contains($0.name) || referring.contains($0.name) }),
            schema["properties"] ?? .object([]) == .object([]), schema["additionalProperties"] == nil,
            schema["patternProperties"] == nil
        {
            // A function without parameters.
            fields.append(("additionalProperties", .bool(false)))
        }
        return closed(.object(fields))
    }

    /// Adds `"additionalProperties": false` to objects that list their members without mentioning others. A schema that may
    /// combine several schemas is returned unchanged, because each would reject the others' members.
    package static func closed(_ schema: JSONDocument) -> JSONDocument {
        mergesSchemas(schema) ? schema : narrowed(schema)
    }

    private static let merging: Set<String> = ["allOf", "$dynamicRef", "if", "unevaluatedProperties"]
    private static let referring: Set<String> = ["$ref", "anyOf", "oneOf"]
    private static let members: Set<String> = ["properties", "required", "patternProperties", "minProperties"]

    private static func mergesSchemas(_ value: JSONDocument) -> Bool {
        switch value {
        case .array(let values): return values.contains(where: mergesSchemas)
        case .object(let fields):
            let names = Set(fields.map(\.name))
            if !names.isDisjoint(with: referring) && !names.isDisjoint(with: members) { return true }
            if !names.isDisjoint(with: merging) { return true }
            return fields.contains { mergesSchemas($0.value) }
        default: return false
        }
    }

    private static func narrowed(_ schema: JSONDocument) -> JSONDocument {
        guard case .object(let fields) = schema else { return schema }
        var result = fields.map { name, value -> (name: String, value: JSONDocument) in
            switch (name, value) {
            case ("properties", .object(let schemas)), ("$defs", .object(let schemas)),
                ("definitions", .object(let schemas)), ("patternProperties", .object(let schemas)):
                (name, .object(schemas.map { ($0.name, narrowed($0.value)) }))
            case ("anyOf", .array(let schemas)), ("oneOf", .array(let schemas)), ("prefixItems", .array(let schemas)),
                ("items", .array(let schemas)):
                (name, .array(schemas.map(narrowed)))
            case ("items", _), ("additionalProperties", .object), ("additionalItems", .object):
                (name, narrowed(value))
            default: (name, value)
            }
        }
        if case .object(let listed)? = schema["properties"], !listed.isEmpty, schema["additionalProperties"] == nil,
            schema["patternProperties"] == nil, schema["minProperties"] == nil
        {
            // Required names count as members too; leave the object open if one is not listed.
            var names: [String] = []
            if case .array(let required)? = schema["required"] {
                for case .string(let name) in required { names.append(name) }
            }
            if names.allSatisfy({ name in listed.contains { $0.name == name } }) {
                result.append(("additionalProperties", .bool(false)))
            }
        }
        return .object(result)
    }
}
