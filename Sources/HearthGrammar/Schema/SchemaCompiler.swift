/// Compiles a JSON Schema (drafts 4 to 2020-12) to a grammar.
///
/// The unit of compilation is a list of schemas that must all hold: `allOf`, `$ref` and adjacent keywords extend the list;
/// `anyOf` and `oneOf` produce a choice of lists. Each list is compiled once; one that contains itself becomes a rule.
struct SchemaCompiler {
    typealias Term = TermArena.Term

    /// A schema of a list, and the keywords already handled.
    struct Item: Hashable {
        var schema: Int
        var done: Done = []
    }

    struct Done: OptionSet, Hashable {
        let rawValue: UInt8
        static let anyOf = Done(rawValue: 1)
        static let oneOf = Done(rawValue: 2)
        /// `$ref` and `allOf`, whose schemas are already in the list.
        static let expanded = Done(rawValue: 4)
    }

    struct Types: OptionSet {
        let rawValue: UInt8
        static let null = Types(rawValue: 1), boolean = Types(rawValue: 2), string = Types(rawValue: 4)
        static let array = Types(rawValue: 8), object = Types(rawValue: 16)
        static let integer = Types(rawValue: 32), fraction = Types(rawValue: 64)
        static let number: Types = [.integer, .fraction]
        static let all = Types(rawValue: 127)

        static func named(_ name: String) -> Types? {
            switch name {
            case "null": .null
            case "boolean": .boolean
            case "string": .string
            case "array": .array
            case "object": .object
            case "integer": .integer
            case "number": .number
            default: nil
            }
        }
    }

    /// The maximum number of compiled lists: combinations of choices grow fast.
    static let mostLists = 6_000
    static let mostNesting = 1_000

    var document: SchemaDocument
    var terms = TermArena()
    var encoder = ScalarEncoder()
    var unsupported: [String] = []
    let notation: ValueNotation
    private var known: [[Item]: Term] = [:]
    private var open: [[Item]: Int32?] = [:]
    private var nesting = 0
    private var compiled = 0

    /// Creates a compiler.
    /// - Parameter terms: the arena to add to, if the schema is part of a larger grammar.
    init(
        _ root: JSONDocument, _ notation: ValueNotation = .json, terms: TermArena = TermArena(),
        encoder: ScalarEncoder = ScalarEncoder()
    ) throws(GrammarError) {
        document = try SchemaDocument(root)
        self.notation = notation
        self.terms = terms
        self.encoder = encoder
    }

    /// Compiles the whole schema.
    mutating func compile() throws(GrammarError) -> Term {
        let root = try compile([Item(schema: document.root)])
        guard unsupported.isEmpty else { throw .unsupported(unsupported) }
        guard !terms.isExhausted, !terms.regex.isExhausted else { throw .tooComplex("#") }
        return root
    }

    // MARK: - Lists of schemas

    /// The texts of all values that every schema of the list accepts.
    mutating func compile(_ list: [Item]) throws(GrammarError) -> Term {
        guard let flat = try flattened(list) else { return TermArena.none }
        if let term = known[flat] { return term }
        if let rule = open[flat] {
            let number = rule ?? terms.rule()
            open[flat] = .some(number)
            return terms.call(number)
        }
        compiled += 1
        nesting += 1
        defer { nesting -= 1 }
        guard compiled <= Self.mostLists, nesting <= Self.mostNesting else {
            throw .tooComplex(flat.first.map { document.places[$0.schema].pointer } ?? "#")
        }
        open[flat] = .some(nil)
        let body = try compileFlat(flat)
        let rule = open.removeValue(forKey: flat) ?? nil
        var term = body
        if let rule {
            terms.define(rule, as: body)
            term = terms.call(rule)
        }
        known[flat] = term
        return term
    }

    /// Expands a list to schemas without `$ref` and `allOf`, in the order of their properties; nil if one accepts nothing.
    mutating func flattened(_ list: [Item]) throws(GrammarError) -> [Item]? {
        var result: [Item] = []
        var seen: Set<Int> = []
        for item in list { guard try flatten(item, &seen, &result, 0) else { return nil } }
        return result
    }

    private mutating func flatten(
        _ item: Item, _ seen: inout Set<Int>, _ result: inout [Item], _ depth: Int
    ) throws(GrammarError) -> Bool {
        let place = document.places[item.schema]
        if case .bool(let accepts) = place.value { return accepts }
        if !seen.insert(item.schema).inserted {
            // The same schema with other keywords handled: merge both.
            if let index = result.firstIndex(where: { $0.schema == item.schema }) {
                result[index].done.formUnion(item.done)
            }
            return true
        }
        if item.done.contains(.expanded) {
            result.append(item)
            return true
        }
        guard case .object(let fields) = place.value, depth < Self.mostNesting else { throw .tooComplex(place.pointer) }
        if document.draft.refStandsAlone, let reference = place.value["$ref"] {
            return try follow(reference, "$ref", item, &seen, &result, depth)
        }
        let own = result.count
        var position: Int?
        for (name, value) in fields {
            switch name {
            case "$ref":
                guard try follow(value, name, item, &seen, &result, depth) else { return false }
            case "$dynamicRef", "$recursiveRef": refuse(item, name)
            case "allOf":
                guard case .array(let parts) = value else { throw malformed(item, name, "must be an array") }
                for index in parts.indices {
                    let part = Item(schema: try document.child(item.schema, "allOf/\(index)"))
                    guard try flatten(part, &seen, &result, depth + 1) else { return false }
                }
            case "properties": position = result.count
            default: break
            }
        }
        for schema in try document.logic(of: item.schema) {
            guard try flatten(Item(schema: schema), &seen, &result, depth + 1) else { return false }
        }
        let constrains = fields.contains { !Self.annotations.contains($0.name) }
        if constrains {
            var item = item
            item.done.insert(.expanded)
            result.insert(item, at: min(position ?? own, result.count))
        }
        return true
    }

    /// Keywords that need no further work once their schemas are in the list, or that do not constrain values.
    private static let annotations: Set<String> = [
        "$ref", "allOf", "$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "title", "description",
        "default", "examples", "deprecated", "readOnly", "writeOnly", "$vocabulary", "$dynamicAnchor",
    ]

    private mutating func follow(
        _ value: JSONDocument, _ name: String, _ item: Item, _ seen: inout Set<Int>, _ result: inout [Item],
        _ depth: Int
    ) throws(GrammarError) -> Bool {
        guard case .string(let reference) = value else { throw malformed(item, name, "must be a string") }
        guard let target = document.target(of: reference, from: item.schema) else {
            refuse(item, name)
            return true
        }
        return try flatten(Item(schema: target), &seen, &result, depth + 1)
    }

    // MARK: - Choices

    private mutating func compileFlat(_ flat: [Item]) throws(GrammarError) -> Term {
        for (index, item) in flat.enumerated() {
            let value = document.places[item.schema].value
            for (name, done) in [("anyOf", Done.anyOf), ("oneOf", .oneOf)] where !item.done.contains(done) {
                guard let branches = value[name] else { continue }
                guard case .array(let list) = branches, !list.isEmpty else {
                    throw malformed(item, name, "must be a non-empty array")
                }
                var rest = flat
                rest[index].done.insert(done)
                var parts: [Term] = []
                var members: [Item] = []
                for branch in list.indices {
                    let member = Item(schema: try document.child(item.schema, "\(name)/\(branch)"))
                    if try flattened([member])?.contains(where: { $0.schema == item.schema }) == true {
                        // The schema would be defined by itself.
                        refuse(item, name)
                        continue
                    }
                    var list = rest
                    list.insert(member, at: index + 1)
                    let part = try compile(list)
                    if part == TermArena.none { continue }
                    parts.append(part)
                    members.append(member)
                }
                if done == .oneOf, try !areDisjoint(members, rest) {
                    return try exactlyOne(of: members, rest, item, at: index + 1)
                }
                return terms.choice(parts)
            }
        }
        return try compilePlain(flat)
    }

    /// Whether no value is accepted by two of the schemas.
    private mutating func areDisjoint(_ members: [Item], _ rest: [Item]) throws(GrammarError) -> Bool {
        guard members.count > 1 else { return true }
        guard members.count <= 64 else { return false }
        let before = unsupported
        for (index, first) in members.enumerated() {
            for second in members[(index + 1)...] {
                let both = try compile(rest + [first, second])
                let isKnown = unsupported == before
                unsupported = before
                guard both == TermArena.none, isKnown else { return false }
            }
        }
        return true
    }

    /// Values that exactly one of the schemas accepts; refused if a schema cannot be negated exactly.
    private mutating func exactlyOne(
        of members: [Item], _ rest: [Item], _ item: Item, at index: Int
    ) throws(GrammarError) -> Term {
        let before = unsupported
        var parts: [Term] = []
        for member in members where members.count <= 16 {
            let others = members.filter { $0 != member }.map { Item(schema: document.negation(of: $0.schema)) }
            var list = rest
            list.insert(contentsOf: [member] + others, at: index)
            parts.append(try compile(list))
        }
        if members.count > 16 || unsupported != before {
            unsupported = before
            refuse(item, "oneOf")
        }
        return terms.choice(parts)
    }

    // MARK: - Schemas without choices

    private mutating func compilePlain(_ flat: [Item]) throws(GrammarError) -> Term {
        for item in flat { try checkGeneral(item) }
        let types = try types(flat)
        if let values = try values(flat) {
            var parts: [RegexArena.Node] = []
            for value in values where try accepts(value, flat) { parts.append(text(of: value)) }
            return terms.lexeme(terms.regex.union(parts))
        }
        var scalars: [RegexArena.Node] = []
        let excepted = excepted(flat)
        var words: [JSONDocument] = types.contains(.null) ? [.null] : []
        if types.contains(.boolean) { words += [.bool(true), .bool(false)] }
        for word in words where !excepted.contains(word) {
            scalars.append(terms.regex.literal(Array(word.text.utf8)))
        }
        if !types.isDisjoint(with: .number) { scalars.append(try number(flat, types)) }
        if types.contains(.string) { scalars.append(quoted(try stringContent(flat))) }
        var parts = [terms.lexeme(terms.regex.union(scalars))]
        if types.contains(.array) { parts.append(try array(flat)) }
        if types.contains(.object) { parts.append(try object(flat)) }
        return terms.choice(parts)
    }

    /// Checks keywords that apply to every type.
    private mutating func checkGeneral(_ item: Item) throws(GrammarError) {
        if case .string(let name)? = field(item, SchemaDocument.refused) { refuse(item, name) }
    }

    func types(_ flat: [Item]) throws(GrammarError) -> Types {
        var types = Types.all
        for item in flat {
            guard let value = document.places[item.schema].value["type"] else { continue }
            let names: [JSONDocument] = if case .array(let list) = value { list } else { [value] }
            var allowed: Types = []
            for name in names {
                guard case .string(let text) = name, let type = Types.named(text) else {
                    throw malformed(item, "type", "names no type")
                }
                allowed.formUnion(type)
            }
            types.formIntersection(allowed)
        }
        if flat.contains(where: { field($0, SchemaDocument.fraction) != nil }) { types.remove(.integer) }
        return types
    }

    /// The values permitted by `enum` and `const`; nil if there is neither.
    func values(_ flat: [Item]) throws(GrammarError) -> [JSONDocument]? {
        var values: [JSONDocument]?
        for item in flat {
            let schema = document.places[item.schema].value
            if let list = schema["enum"] {
                guard case .array(let allowed) = list else { throw malformed(item, "enum", "must be an array") }
                values = values.map { $0.filter(allowed.contains) } ?? allowed
            }
            if let only = schema["const"] {
                values = values.map { $0.filter { $0 == only } } ?? [only]
            }
        }
        return values
    }

    /// The values that are excluded.
    func excepted(_ flat: [Item]) -> [JSONDocument] {
        flat.flatMap { item -> [JSONDocument] in
            if case .array(let values)? = field(item, SchemaDocument.except) { values } else { [] }
        }
    }

    /// The notations of a value.
    mutating func text(of value: JSONDocument) -> RegexArena.Node {
        switch value {
        case .null, .bool: return terms.regex.literal(Array(value.text.utf8))
        case .number(let written):
            var forms = [terms.regex.literal(Array(written.utf8))]
            if let number = DecimalNumber(written), abs(number.exponent) < 100 {
                forms.append(terms.regex.literal(Array(number.plainText.utf8)))
                if number.isZero { forms.append(terms.regex.literal(Array("-0".utf8))) }
            }
            return terms.regex.union(forms)
        case .string(let text): return quoted(encoder.text(text, notation.encoding, &terms.regex))
        case .array(let values):
            var parts = [terms.regex.literal(Array("[".utf8))]
            for (index, value) in values.enumerated() {
                if index > 0 { parts.append(terms.regex.literal(Array(",".utf8))) }
                parts.append(text(of: value))
            }
            return terms.regex.sequence(parts + [terms.regex.literal(Array("]".utf8))])
        case .object(let fields):
            var parts = [terms.regex.literal(Array("{".utf8))]
            for (index, field) in notation.ordered(fields, by: { $0.name }).enumerated() {
                if index > 0 { parts.append(terms.regex.literal(Array(",".utf8))) }
                parts.append(key(encoder.text(field.name, notation.encoding, &terms.regex)))
                parts.append(text(of: field.value))
            }
            return terms.regex.sequence(parts + [terms.regex.literal(Array("}".utf8))])
        }
    }

    mutating func quoted(_ content: RegexArena.Node) -> RegexArena.Node {
        let mark = terms.regex.literal(notation.quote)
        return terms.regex.sequence([mark, content, mark])
    }

    /// A member's name with quotation marks, separator and colon.
    mutating func key(_ name: RegexArena.Node, after separator: String = "") -> RegexArena.Node {
        let mark = notation.quotesNames ? "\"" : ""
        return terms.regex.sequence([
            terms.regex.literal(Array((separator + mark).utf8)), name, terms.regex.literal(Array((mark + ":").utf8)),
        ])
    }

    // MARK: - Reading keywords

    mutating func refuse(_ item: Item, _ keyword: String) {
        // A derived schema is reported at the place of the keyword that it replaces.
        let text = "\(document.places[item.schema].pointer.prefix { $0 != "\u{0}" }): \(keyword)"
        if !unsupported.contains(text) { unsupported.append(text) }
    }

    func malformed(_ item: Item, _ keyword: String, _ problem: String) -> GrammarError {
        .malformed(place: "\(document.places[item.schema].pointer): \(keyword)", problem: "'\(keyword)' \(problem)")
    }

    func field(_ item: Item, _ name: String) -> JSONDocument? { document.places[item.schema].value[name] }

    /// The value of a keyword that must be a non-negative integer; nil if absent.
    func count(_ item: Item, _ name: String) throws(GrammarError) -> Int? {
        guard let value = field(item, name) else { return nil }
        guard case .number(let text) = value, let number = DecimalNumber(text), number.isInteger,
            !number.isNegative
        else { throw malformed(item, name, "must be a non-negative integer") }
        // Larger counts exceed any text and are equivalent.
        return min(number.count ?? Int(Int32.max) - 1, Int(Int32.max) - 1)
    }

    func decimal(_ item: Item, _ name: String) throws(GrammarError) -> DecimalNumber? {
        guard let value = field(item, name) else { return nil }
        guard case .number(let text) = value, let number = DecimalNumber(text) else {
            throw malformed(item, name, "must be a number")
        }
        return number
    }
}
