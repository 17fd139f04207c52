internal import HearthGrammar
package import HearthText

/// A `GenerationSchema`, as the framework encodes it, converted to a JSON Schema for Hearth.
///
/// The encoder of a `Codable` type does not preserve the order of members. The encoded schema lists it as `x-order`, and that is
/// the order in which the model writes them.
package enum SessionSchema {
    /// The schema with its members in order.
    /// - Throws: `TextError.invalidConstraint` if the text is not JSON.
    package static func ordered(_ json: String) throws(TextError) -> String { try document(json).text }

    /// The schema of an answer: in order, and without members that it does not list.
    /// - Throws: as `ordered`.
    package static func answer(_ json: String) throws(TextError) -> String {
        SchemaNarrowing.closed(try document(json)).text
    }

    private static func document(_ json: String) throws(TextError) -> JSONDocument {
        do {
            return ordered(try JSONDocument(json.utf8, depth: 64))
        } catch {
            throw TextError(error)
        }
    }

    /// Values, in which `x-order` has no meaning.
    private static let values: Set<String> = ["enum", "const", "default", "examples"]

    private static func ordered(_ schema: JSONDocument) -> JSONDocument {
        switch schema {
        case .array(let schemas): return .array(schemas.map(ordered))
        case .object(let fields):
            guard case .array(let order)? = schema["x-order"] else {
                return .object(fields.map { ($0.name, values.contains($0.name) ? $0.value : ordered($0.value)) })
            }
            var places: [String: Int] = [:]
            for (place, name) in order.enumerated() {
                if case .string(let name) = name, places[name] == nil { places[name] = place }
            }
            return .object(
                fields.filter { $0.name != "x-order" }.map { name, value in
                    switch (name, value) {
                    case ("properties", .object(let members)):
                        (name, .object(sorted(members, places).map { ($0.name, ordered($0.value)) }))
                    case ("required", .array(let names)):
                        (name, .array(sorted(names.map { (text($0), $0) }, places).map(\.value)))
                    default: (name, values.contains(name) ? value : ordered(value))
                    }
                })
        default: return schema
        }
    }

    /// Listed names first, the others in the order in which they came.
    private static func sorted(
        _ fields: [(name: String, value: JSONDocument)], _ places: [String: Int]
    ) -> [(name: String, value: JSONDocument)] {
        fields.enumerated().sorted { a, b in
            (places[a.element.name] ?? .max, a.offset) < (places[b.element.name] ?? .max, b.offset)
        }.map(\.element)
    }

    private static func text(_ name: JSONDocument) -> String { if case .string(let text) = name { text } else { "" } }
}
