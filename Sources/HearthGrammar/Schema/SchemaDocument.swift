/// A parsed schema, with an index of all subschemas for resolving references.
struct SchemaDocument {
    struct Place {
        let value: JSONDocument
        /// The JSON pointer from the root: `#/properties/a`.
        let pointer: String
        /// The base URI for references.
        let base: String
    }

    private(set) var places: [Place] = []
    let draft: SchemaDraft
    private var numbers: [[UInt8]: Int] = [:]
    /// Embedded resources and anchors, by URI.
    private var resources: [String: Int] = [:]
    private var anchors: [String: Int] = [:]
    /// Schemas derived from other schemas' keywords, by their origin.
    var derived: [String: Int] = [:]

    private static let single = [
        "additionalProperties", "items", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames",
        "unevaluatedItems", "unevaluatedProperties", "contentSchema",
    ]
    private static let listed = ["allOf", "anyOf", "oneOf", "prefixItems", "items"]
    private static let named = [
        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies",
    ]

    init(_ root: JSONDocument) throws(GrammarError) {
        switch root {
        case .bool, .object: break
        default: throw .malformed(place: "#", problem: "a schema is an object, true or false")
        }
        if case .string(let address)? = root["$schema"] {
            guard let named = SchemaDraft(address: address) else { throw .unsupported(["#: $schema"]) }
            draft = named
        } else {
            draft = .draft2020
        }
        register(root, "#", "")
    }

    var root: Int { 0 }

    /// Registers a schema and its subschemas.
    private mutating func register(_ value: JSONDocument, _ pointer: String, _ base: String) {
        var base = base
        let number = places.count
        let value = draft.current(value)
        if !(draft.refStandsAlone && value["$ref"] != nil), case .string(let id)? = value["$id"] {
            if draft <= .draft7, id.hasPrefix("#") {
                anchors[base + id] = number
            } else {
                let address = URIReference.resolve(id, against: base)
                base = address.hasSuffix("#") ? String(address.dropLast()) : address
                resources[base] = number
            }
        }
        if pointer == "#" { resources[base] = number }
        places.append(Place(value: value, pointer: pointer, base: base))
        numbers[Array(pointer.utf8)] = number
        if case .string(let anchor)? = value["$anchor"] { anchors[base + "#" + anchor] = number }
        if case .string(let anchor)? = value["$dynamicAnchor"] { anchors[base + "#" + anchor] = number }
        registerParts(of: value, pointer, base)
    }

    private mutating func registerParts(of value: JSONDocument, _ pointer: String, _ base: String) {
        guard case .object(let fields) = value else { return }
        for (name, field) in fields {
            let inner = pointer + "/" + Self.escaped(name)
            switch field {
            case .bool where Self.single.contains(name), .object where Self.single.contains(name):
                register(field, inner, base)
            case .array(let values) where Self.listed.contains(name):
                for (index, value) in values.enumerated() { registerIfSchema(value, "\(inner)/\(index)", base) }
            case .object(let members) where Self.named.contains(name):
                for (key, value) in members { registerIfSchema(value, inner + "/" + Self.escaped(key), base) }
            default: break
            }
        }
    }

    private mutating func registerIfSchema(_ value: JSONDocument, _ pointer: String, _ base: String) {
        switch value {
        case .bool, .object: register(value, pointer, base)
        default: break
        }
    }

    /// Reserves the number of a schema that is filled later, because it may refer to itself.
    mutating func reserve(_ pointer: String, _ base: String) -> Int {
        places.append(Place(value: .bool(false), pointer: pointer, base: base))
        numbers[Array(pointer.utf8)] = places.count - 1
        return places.count - 1
    }

    mutating func fill(_ number: Int, _ value: JSONDocument) {
        let place = places[number]
        places[number] = Place(value: value, pointer: place.pointer, base: place.base)
        registerParts(of: value, place.pointer, place.base)
    }

    static func escaped(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The number of a subschema.
    func child(_ number: Int, _ path: String) throws(GrammarError) -> Int {
        let pointer = places[number].pointer + "/" + path
        guard let found = numbers[Array(pointer.utf8)] else {
            throw .malformed(place: pointer, problem: "a schema is an object, true or false")
        }
        return found
    }

    /// The target of a reference; nil if it is in another document or does not exist.
    mutating func target(of reference: String, from number: Int) -> Int? {
        if reference.hasPrefix("\u{0}"), let known = Int(reference.dropFirst()), places.indices.contains(known) {
            return known
        }
        let base = places[number].base
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? URIReference.decoded(String(parts[1])) : ""
        let address = parts[0].isEmpty ? base : URIReference.resolve(String(parts[0]), against: base)
        guard let resource = resources[address] else { return nil }
        if fragment.isEmpty { return resource }
        if !fragment.hasPrefix("/") { return anchors[address + "#" + fragment] }
        // Step by step, to find the base URI of embedded resources on the path.
        var value = places[resource].value
        var pointer = places[resource].pointer
        var inner = places[resource].base
        for step in fragment.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let name = String(step).replacing("~1", with: "/").replacing("~0", with: "~")
            switch value {
            case .object(let fields):
                guard let field = fields.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else { return nil }
                value = field.value
            case .array(let values):
                guard let index = Int(name), values.indices.contains(index) else { return nil }
                value = values[index]
            default: return nil
            }
            pointer += "/" + Self.escaped(name)
            if let known = numbers[Array(pointer.utf8)] { inner = places[known].base }
        }
        if let known = numbers[Array(pointer.utf8)] { return known }
        switch value {
        case .bool, .object: register(value, pointer, inner)
        default: return nil
        }
        return numbers[Array(pointer.utf8)]
    }
}

/// The part of RFC 3986 that is needed for references between schemas.
enum URIReference {
    static func decoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2, let high = HexDigit.value(rest[rest.startIndex]),
                let low = HexDigit.value(rest[rest.startIndex + 1])
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Splits a URI reference into scheme and authority, including their separators, and path.
    private static func parts(_ text: String) -> (scheme: String, authority: String, path: String) {
        var rest = Substring(text)
        var scheme = ""
        if let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains(where: { "/?#".contains($0) }) {
            scheme = String(rest[...colon])
            rest = rest[rest.index(after: colon)...]
        }
        var authority = ""
        if rest.hasPrefix("//") {
            let end = rest.dropFirst(2).firstIndex { "/?#".contains($0) } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        }
        return (scheme, authority, String(rest))
    }

    static func resolve(_ reference: String, against base: String) -> String {
        let (scheme, authority, path) = parts(reference)
        if !scheme.isEmpty { return scheme + authority + withoutDots(path) }
        let outer = parts(base)
        if !authority.isEmpty { return outer.scheme + authority + withoutDots(path) }
        if path.isEmpty { return base }
        let ownPath = String(outer.path.prefix { !"?#".contains($0) })
        if path.hasPrefix("/") { return outer.scheme + outer.authority + withoutDots(path) }
        if path.hasPrefix("?") { return outer.scheme + outer.authority + ownPath + path }
        let folder = ownPath.lastIndex(of: "/").map { String(ownPath[...$0]) } ?? (outer.authority.isEmpty ? "" : "/")
        return outer.scheme + outer.authority + withoutDots(folder + path)
    }

    private static func withoutDots(_ path: String) -> String {
        guard path.contains("./") || path.hasSuffix("/..") || path.hasSuffix("/.") else { return path }
        var result: [Substring] = []
        let steps = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, step) in steps.enumerated() {
            let isLast = index == steps.count - 1
            if step == ".." {
                if result.count > 1 || result.first?.isEmpty == false { result.removeLast() }
                if isLast { result.append("") }
            } else if step == "." {
                if isLast { result.append("") }
            } else {
                result.append(step)
            }
        }
        return result.joined(separator: "/")
    }
}
