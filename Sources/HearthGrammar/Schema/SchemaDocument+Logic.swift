/// Rewrites keywords in terms of others: `not`, `if` and dependencies are expressed by `anyOf`, `allOf` and negated keywords.
/// Keywords that cannot be negated exactly are marked, and refused if they have to be compiled.
extension SchemaDocument {
    /// Internal keywords: excluded values, strings that do not match a pattern, non-integral numbers, and a keyword that cannot
    /// be negated. The names cannot clash with those of real schemas.
    static let except = "\u{0}except", unlike = "\u{0}unlike", fraction = "\u{0}fraction", refused = "\u{0}refused"

    private func reference(_ number: Int) -> JSONDocument { .object([("$ref", .string("\u{0}\(number)"))]) }

    /// The schemas equivalent to `not`, `if` and the dependencies of a schema.
    mutating func logic(of number: Int) throws(GrammarError) -> [Int] {
        let value = places[number].value
        var found: [Int] = []
        if value["not"] != nil { found.append(negation(of: try child(number, "not"))) }
        if value["if"] != nil, value["then"] != nil || value["else"] != nil {
            found.append(
                try written("if", number) { (document) throws(GrammarError) in try document.conditional(number) })
        }
        for name in ["dependentRequired", "dependentSchemas", "dependencies"] {
            guard case .object(let entries)? = value[name], !entries.isEmpty else { continue }
            found.append(
                try written(name, number) { (document) throws(GrammarError) in
                    try document.dependent(number, name, entries)
                })
        }
        return found
    }

    private mutating func written(
        _ name: String, _ number: Int, _ make: (inout SchemaDocument) throws(GrammarError) -> JSONDocument
    ) throws(GrammarError) -> Int {
        if let known = derived["\(number) \(name)"] { return known }
        let place = places[number]
        let schema = reserve(place.pointer + "\u{0}" + name, place.base)
        derived["\(number) \(name)"] = schema
        fill(schema, try make(&self))
        return schema
    }

    private mutating func conditional(_ number: Int) throws(GrammarError) -> JSONDocument {
        let condition = try child(number, "if")
        var (yes, no) = ([reference(condition)], [reference(negation(of: condition))])
        if places[number].value["then"] != nil { yes.append(reference(try child(number, "then"))) }
        if places[number].value["else"] != nil { no.append(reference(try child(number, "else"))) }
        return .object([("anyOf", .array([.object([("allOf", .array(yes))]), .object([("allOf", .array(no))])]))])
    }

    private func dependent(
        _ number: Int, _ name: String, _ entries: [(name: String, value: JSONDocument)]
    ) throws(GrammarError) -> JSONDocument {
        var all: [JSONDocument] = []
        for (key, value) in entries {
            let absent = JSONDocument.object([("properties", .object([(key, .bool(false))]))])
            let present: JSONDocument
            if case .array(let names) = value {
                present = .object([("required", .array([.string(key)] + names))])
            } else {
                let schema = try child(number, name + "/" + Self.escaped(key))
                present = .object([
                    ("allOf", .array([.object([("required", .array([.string(key)]))]), reference(schema)]))
                ])
            }
            all.append(.object([("anyOf", .array([absent, present]))]))
        }
        return .object([("allOf", .array(all))])
    }

    /// A schema that accepts exactly the values that the given one does not accept.
    mutating func negation(of number: Int) -> Int {
        if let known = derived["\(number) not"] { return known }
        let place = places[number]
        let schema = reserve(place.pointer + "\u{0}not", place.base)
        derived["\(number) not"] = schema
        fill(schema, negated(number))
        return schema
    }

    private mutating func negated(_ number: Int) -> JSONDocument {
        let value = places[number].value
        if case .bool(let accepts) = value { return .bool(!accepts) }
        guard case .object(var fields) = value else { return .bool(false) }
        if draft.refStandsAlone, value["$ref"] != nil { fields = fields.filter { $0.name == "$ref" } }
        var ways: [JSONDocument] = []
        for (name, field) in fields {
            guard let more = opposites(name, field, number) else {
                return .object([(Self.refused, .string(name))])
            }
            ways += more
        }
        return ways.isEmpty ? .bool(false) : .object([("anyOf", .array(ways))])
    }

    private static func typed(_ type: String, _ name: String, _ value: JSONDocument) -> JSONDocument {
        .object([("type", .string(type)), (name, value)])
    }

    /// Schemas of the values that violate a keyword; nil if they cannot be expressed exactly.
    private mutating func opposites(_ name: String, _ field: JSONDocument, _ number: Int) -> [JSONDocument]? {
        let value = places[number].value
        func inner(_ path: String) -> Int? { try? child(number, path) }
        func counted(_ type: String, _ other: String, _ step: Int) -> [JSONDocument]? {
            guard case .number(let text) = field, let count = DecimalNumber(text)?.count, count < Int32.max else {
                return nil
            }
            return count + step < 0 ? [] : [Self.typed(type, other, .number("\(count + step)"))]
        }
        switch name {
        case "type": return otherTypes(field)
        case "const": return [.object([(Self.except, .array([field]))])]
        case "enum":
            guard case .array = field else { return nil }
            return [.object([(Self.except, field)])]
        case "minimum": return [Self.typed("number", "exclusiveMaximum", field)]
        case "maximum": return [Self.typed("number", "exclusiveMinimum", field)]
        case "exclusiveMinimum": return [Self.typed("number", "maximum", field)]
        case "exclusiveMaximum": return [Self.typed("number", "minimum", field)]
        case "minLength": return counted("string", "maxLength", -1)
        case "maxLength": return counted("string", "minLength", 1)
        case "minItems": return counted("array", "maxItems", -1)
        case "maxItems": return counted("array", "minItems", 1)
        case "minProperties": return counted("object", "maxProperties", -1)
        case "maxProperties": return counted("object", "minProperties", 1)
        case "pattern": return [Self.typed("string", Self.unlike, field)]
        case "required":
            guard case .array(let names) = field else { return nil }
            var ways: [JSONDocument] = []
            for case .string(let name) in names {
                ways.append(Self.typed("object", "properties", .object([(name, .bool(false))])))
            }
            return ways.count == names.count ? ways : nil
        case "properties":
            guard case .object(let entries) = field else { return nil }
            var ways: [JSONDocument] = []
            for (key, _) in entries {
                guard let schema = inner("properties/" + Self.escaped(key)) else { return nil }
                ways.append(
                    .object([
                        ("type", .string("object")), ("required", .array([.string(key)])),
                        ("properties", .object([(key, reference(negation(of: schema)))])),
                    ]))
            }
            return ways
        case "items":
            guard value["prefixItems"] == nil, let schema = inner("items") else { return nil }
            return [Self.typed("array", "contains", reference(negation(of: schema)))]
        case "contains":
            guard value["minContains"] == nil, value["maxContains"] == nil, let schema = inner("contains") else {
                return nil
            }
            return [Self.typed("array", "items", reference(negation(of: schema)))]
        case "not": return inner("not").map { [reference($0)] }
        case "$ref":
            guard case .string(let text) = field, let target = target(of: text, from: number) else { return nil }
            return [reference(negation(of: target))]
        case "anyOf", "allOf":
            guard case .array(let parts) = field else { return nil }
            var opposites: [JSONDocument] = []
            for index in parts.indices {
                guard let schema = inner("\(name)/\(index)") else { return nil }
                opposites.append(reference(negation(of: schema)))
            }
            return name == "allOf" ? opposites : [.object([("allOf", .array(opposites))])]
        case "uniqueItems": return field == .bool(false) ? [] : nil
        case "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems":
            return field == .bool(true) || field == .object([]) ? [] : nil
        case "if": return value["then"] == nil && value["else"] == nil ? [] : nil
        case "oneOf", "multipleOf", "format", "patternProperties", "propertyNames", "dependentRequired",
            "dependentSchemas", "dependencies", "prefixItems", "$dynamicRef", "$recursiveRef", Self.except, Self.unlike,
            Self.fraction, Self.refused:
            return nil
        // Keywords that do not constrain values, or only together with another keyword.
        default: return []
        }
    }

    private func otherTypes(_ field: JSONDocument) -> [JSONDocument]? {
        let all = ["null", "boolean", "string", "array", "object", "number"]
        var listed: [String] = []
        let names: [JSONDocument] = if case .array(let list) = field { list } else { [field] }
        for name in names {
            guard case .string(let text) = name, all.contains(text) || text == "integer" else { return nil }
            listed.append(text)
        }
        var rest = all.filter { !listed.contains($0) }
        var ways: [JSONDocument] = []
        if listed.contains("integer"), !listed.contains("number") {
            rest.removeAll { $0 == "number" }
            ways.append(Self.typed("number", Self.fraction, .bool(true)))
        }
        if !rest.isEmpty { ways.append(.object([("type", .array(rest.map(JSONDocument.string)))])) }
        return ways
    }
}
