/// A version of JSON Schema. Schemas of older drafts are rewritten to the current keywords when they are read.
enum SchemaDraft: Int, Comparable {
    case draft4, draft6, draft7, draft2019, draft2020

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// - Parameter address: the value of `$schema`; nil is returned for one that is not a draft's.
    init?(address: String) {
        let address = address.hasSuffix("#") ? String(address.dropLast()) : address
        switch address.replacing("https://", with: "http://", maxReplacements: 1) {
        case "http://json-schema.org/draft/2020-12/schema", "http://json-schema.org/schema": self = .draft2020
        case "http://json-schema.org/draft/2019-09/schema": self = .draft2019
        case "http://json-schema.org/draft-07/schema": self = .draft7
        case "http://json-schema.org/draft-06/schema": self = .draft6
        case "http://json-schema.org/draft-04/schema": self = .draft4
        default: return nil
        }
    }

    /// Whether keywords beside `$ref` are ignored.
    var refStandsAlone: Bool { self <= .draft7 }

    /// The draft that introduced a keyword: for earlier ones it is unknown, and unknown keywords say nothing about values.
    private static let introduced: [String: SchemaDraft] = [
        "$id": .draft6, "const": .draft6, "contains": .draft6, "propertyNames": .draft6,
        "if": .draft7, "then": .draft7, "else": .draft7,
        "$anchor": .draft2019, "$recursiveRef": .draft2019, "dependentRequired": .draft2019,
        "dependentSchemas": .draft2019, "maxContains": .draft2019, "minContains": .draft2019,
        "unevaluatedItems": .draft2019, "unevaluatedProperties": .draft2019,
        "$dynamicAnchor": .draft2020, "$dynamicRef": .draft2020, "prefixItems": .draft2020,
    ]

    /// The schema in the keywords of draft 2020-12, but for those that older drafts alone have. Its subschemas stay as they are.
    func current(_ schema: JSONDocument) -> JSONDocument {
        guard case .object(var fields) = schema else { return schema }
        fields.removeAll { name, _ in
            name == "dependencies" ? self > .draft2019 : Self.introduced[name].map { self < $0 } ?? false
        }
        guard self == .draft4 else { return .object(fields) }
        // The exclusive bounds were flags of the other two.
        for (flag, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            guard case .bool(let isExclusive)? = schema[flag] else { continue }
            fields.removeAll { $0.name == flag }
            if isExclusive {
                for index in fields.indices where fields[index].name == bound { fields[index].name = flag }
            }
        }
        for index in fields.indices where fields[index].name == "id" {
            if case .string = fields[index].value { fields[index].name = "$id" }
        }
        return .object(fields)
    }
}
