extension SchemaCompiler {
    /// The maximum number of combinations of patterns that names may match.
    static let mostKindsOfNames = 40

    /// The members of an object, without their values.
    struct Members {
        /// The listed names, in output order.
        var names: [[UInt8]] = []
        var required: Set<[UInt8]> = []
        var least = 0
        var most: Int?
    }

    func objectMembers(_ flat: [Item]) throws(GrammarError) -> Members {
        var members = Members()
        var listed: Set<[UInt8]> = []
        func list(_ name: String) {
            let bytes = Array(name.utf8)
            if listed.insert(bytes).inserted { members.names.append(bytes) }
        }
        for item in flat {
            if case .array(let order)? = field(item, "x-order") {
                for case .string(let name) in order { list(name) }
            }
        }
        for item in flat {
            guard let properties = field(item, "properties") else { continue }
            guard case .object(let fields) = properties else {
                throw malformed(item, "properties", "must be an object")
            }
            for (name, _) in fields { list(name) }
        }
        for item in flat {
            if let count = try count(item, "minProperties") { members.least = max(members.least, count) }
            if let count = try count(item, "maxProperties") { members.most = min(members.most ?? count, count) }
            guard let required = field(item, "required") else { continue }
            guard case .array(let names) = required else { throw malformed(item, "required", "must be an array") }
            for name in names {
                guard case .string(let text) = name else { throw malformed(item, "required", "has to hold strings") }
                list(text)
                members.required.insert(Array(text.utf8))
            }
        }
        return members
    }

    private func patterns(_ item: Item) throws(GrammarError) -> [String] {
        guard let value = field(item, "patternProperties") else { return [] }
        guard case .object(let fields) = value else {
            throw malformed(item, "patternProperties", "must be an object")
        }
        return fields.map(\.name)
    }

    /// The schemas that apply to the value of a listed name.
    mutating func propertySchemas(_ flat: [Item], _ name: [UInt8]) throws(GrammarError) -> [Item] {
        let text = String(decoding: name, as: UTF8.self)
        var schemas: [Item] = []
        for item in flat {
            var isEvaluated = false
            if case .object(let fields)? = field(item, "properties"),
                fields.contains(where: { $0.name.utf8.elementsEqual(name) })
            {
                let path = "properties/" + SchemaDocument.escaped(text)
                schemas.append(Item(schema: try document.child(item.schema, path)))
                isEvaluated = true
            }
            for pattern in try patterns(item) {
                guard let node = try patternNode(pattern, .somewhere, item, "patternProperties") else { continue }
                guard matches(notation.spelled(text), node) else { continue }
                let path = "patternProperties/" + SchemaDocument.escaped(pattern)
                schemas.append(Item(schema: try document.child(item.schema, path)))
                isEvaluated = true
            }
            if !isEvaluated, let other = try otherSchema(flat, item) { schemas.append(other) }
        }
        return schemas
    }

    /// `additionalProperties`, or an equivalent keyword.
    private mutating func otherSchema(_ flat: [Item], _ item: Item) throws(GrammarError) -> Item? {
        if field(item, "additionalProperties") != nil {
            return Item(schema: try document.child(item.schema, "additionalProperties"))
        }
        guard let rest = field(item, "unevaluatedProperties"), rest != .bool(true) else {
            return nil
        }
        // If no other keyword evaluates properties, all properties that this schema does not list are unevaluated.
        let isAlone =
            flat.count == 1
            && ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"]
                .allSatisfy { field(item, $0) == nil }
        guard isAlone else {
            refuse(item, "unevaluatedProperties")
            return nil
        }
        return Item(schema: try document.child(item.schema, "unevaluatedProperties"))
    }

    mutating func object(_ flat: [Item]) throws(GrammarError) -> Term {
        var members = try objectMembers(flat)
        for value in excepted(flat) {
            guard case .object(let fields) = value else { continue }
            if fields.isEmpty {
                members.least = max(members.least, 1)
            } else if let item = flat.first {
                refuse(item, "const")
            }
        }
        members.names = notation.ordered(members.names) { String(decoding: $0, as: UTF8.self) }
        for name in members.names where !notation.canName(String(decoding: name, as: UTF8.self)) {
            if let item = flat.first { refuse(item, "properties") }
        }
        let nameContent = try nameContent(flat)
        var entries: [(key: RegexArena.Node, value: Term, isRequired: Bool)] = []
        for name in members.names {
            let text = encoder.text(String(decoding: name, as: UTF8.self), notation.encoding, &terms.regex)
            let isRequired = members.required.contains(name)
            let spelled = notation.spelled(String(decoding: name, as: UTF8.self))
            let isAllowed = nameContent.map { matches(spelled, $0) } ?? true
            let value = isAllowed ? try compile(try propertySchemas(flat, name)) : TermArena.none
            if value == TermArena.none {
                if isRequired { return TermArena.none }
                continue
            }
            entries.append((text, value, isRequired))
        }
        let others = try otherMembers(flat, members, nameContent)
        // Bounds that always hold need no counting.
        let required = entries.count { $0.isRequired }
        if members.least <= required { members.least = 0 }
        if others.isEmpty, let most = members.most, most >= entries.count { members.most = nil }
        if let most = members.most, most < max(members.least, required) { return TermArena.none }
        if others.isEmpty, members.least > entries.count { return TermArena.none }
        return try objectTerm(entries, others, members, at: flat.first)
    }

    private mutating func objectTerm(
        _ entries: [(key: RegexArena.Node, value: Term, isRequired: Bool)],
        _ others: [(key: RegexArena.Node, value: Term)],
        _ members: Members, at item: Item?
    ) throws(GrammarError) -> Term {
        let closing = terms.literal("}")
        func member(_ name: RegexArena.Node, _ value: Term, isFirst: Bool, _ compiler: inout SchemaCompiler) -> Term {
            let key = compiler.key(name, after: isFirst ? "" : ",")
            return compiler.terms.sequence(compiler.terms.lexeme(key), value)
        }
        // Counting is limited to relevant numbers; 0 is separate because it determines the comma.
        let mostCounted = max(1, members.most.map { max($0, members.least) } ?? members.least)
        guard mostCounted <= 1_000_000, (entries.count + 1) * (mostCounted + 1) <= 1_000_000 || entries.isEmpty else {
            throw .tooComplex(item.map { document.places[$0.schema].pointer } ?? "#")
        }
        let firstOthers = others.map { member($0.key, $0.value, isFirst: true, &self) }
        let nextOthers = others.map { member($0.key, $0.value, isFirst: false, &self) }
        let firstOther = terms.choice(firstOthers), nextOther = terms.choice(nextOthers)
        func behind(_ count: Int, _ arena: inout TermArena) -> Term {
            let least = Int32(max(0, members.least - count))
            let most = members.most.map { Int32(max(0, $0 - count)) } ?? RegexArena.unbounded
            guard count == 0 else { return arena.sequence(arena.repetition(nextOther, least, most), closing) }
            var forms = least == 0 ? [closing] : []
            if most != 0 {
                let more = arena.repetition(
                    nextOther, max(0, least - 1), most == RegexArena.unbounded ? most : most - 1)
                forms.append(arena.sequence([firstOther, more, closing]))
            }
            return arena.choice(forms)
        }
        // By the number of members so far; the last entry also covers all higher numbers, unless there is a maximum.
        let counted = entries.isEmpty ? 0 : min(mostCounted, max(entries.count, 1))
        var tails = (0...counted).map { behind($0, &terms) }
        for entry in entries.reversed() {
            let first = member(entry.key, entry.value, isFirst: true, &self)
            let next = member(entry.key, entry.value, isFirst: false, &self)
            tails = (0...counted).map { count in
                let isFull = members.most.map { count >= $0 } ?? false
                let after = tails[min(count + 1, counted)]
                let with = isFull ? TermArena.none : terms.sequence(count == 0 ? first : next, after)
                return entry.isRequired ? with : terms.choice([with, tails[count]])
            }
        }
        return terms.sequence(terms.literal("{"), tails[0])
    }

    /// Members that are not listed: sets of names, each with the term of its values.
    private mutating func otherMembers(
        _ flat: [Item], _ members: Members, _ nameContent: RegexArena.Node?
    ) throws(GrammarError) -> [(key: RegexArena.Node, value: Term)] {
        var patterns: [(item: Int, node: RegexArena.Node, schema: Item)] = []
        for (index, item) in flat.enumerated() {
            for pattern in try self.patterns(item) {
                guard let node = try patternNode(pattern, .somewhere, item, "patternProperties") else { continue }
                let path = "patternProperties/" + SchemaDocument.escaped(pattern)
                patterns.append((index, node, Item(schema: try document.child(item.schema, path))))
            }
        }
        let character = encoder.node(notation.nameCharacters, notation.encoding, &terms.regex)
        let any = terms.regex.universal(character)
        var base = [any] + (nameContent.map { [$0] } ?? [])
        if !members.names.isEmpty {
            let listed = members.names.map {
                encoder.text(String(decoding: $0, as: UTF8.self), notation.encoding, &terms.regex)
            }
            base.append(terms.regex.complement(terms.regex.union(listed)))
        }
        // Splits names by the patterns that they match; only combinations that occur are kept.
        var kinds: [(parts: [RegexArena.Node], chosen: Int)] = [(base, 0)]
        for (bit, pattern) in patterns.enumerated() {
            var more: [(parts: [RegexArena.Node], chosen: Int)] = []
            for kind in kinds {
                for (node, chosen) in [
                    (terms.regex.complement(pattern.node), kind.chosen), (pattern.node, kind.chosen | 1 << bit),
                ] where terms.regex.intersection(kind.parts + [node]) != RegexArena.none {
                    more.append((kind.parts + [node], chosen))
                }
            }
            kinds = more
            guard kinds.count <= Self.mostKindsOfNames, bit < 62 else {
                if let item = flat.first { refuse(item, "patternProperties") }
                return []
            }
        }
        var result: [(key: RegexArena.Node, value: Term)] = []
        for (parts, chosen) in kinds {
            let key = terms.regex.intersection(parts)
            if key == RegexArena.none { continue }
            var schemas: [Item] = []
            for (index, item) in flat.enumerated() {
                let matching = patterns.indices.filter { chosen >> $0 & 1 == 1 && patterns[$0].item == index }
                schemas += matching.map { patterns[$0].schema }
                if matching.isEmpty, let other = try otherSchema(flat, item) { schemas.append(other) }
            }
            let value = try compile(schemas)
            if value != TermArena.none { result.append((key, value)) }
        }
        return result
    }

    /// The names allowed by `propertyNames`; nil without that keyword.
    mutating func nameContent(_ flat: [Item]) throws(GrammarError) -> RegexArena.Node? {
        var parts: [RegexArena.Node] = []
        for item in flat where field(item, "propertyNames") != nil {
            let schema = try document.child(item.schema, "propertyNames")
            guard let names = try flattened([Item(schema: schema)]) else {
                parts.append(RegexArena.none)
                continue
            }
            let choosing = ["anyOf", "oneOf", "not", "if"]
            if names.contains(where: { name in choosing.contains { field(name, $0) != nil } }) {
                refuse(item, "propertyNames")
                continue
            }
            guard try types(names).contains(.string) else {
                parts.append(RegexArena.none)
                continue
            }
            if !names.isEmpty { parts.append(try stringContent(names, isName: true)) }
            guard let values = try values(names) else { continue }
            var listed: [RegexArena.Node] = []
            for case .string(let text) in values { listed.append(encoder.text(text, notation.encoding, &terms.regex)) }
            parts.append(terms.regex.union(listed))
        }
        return parts.isEmpty ? nil : terms.regex.intersection(parts)
    }
}
