extension SchemaCompiler {
    /// The bounds from `minItems` and `maxItems`.
    func itemCounts(_ flat: [Item]) throws(GrammarError) -> (least: Int, most: Int?) {
        var least = 0, most: Int?
        for item in flat {
            if let count = try count(item, "minItems") { least = max(least, count) }
            if let count = try count(item, "maxItems") { most = min(most ?? count, count) }
        }
        return (least, most)
    }

    /// The keyword for the first items, and the keyword for the remaining ones.
    private func itemKeywords(_ item: Item) -> (first: (name: String, count: Int)?, rest: String?) {
        if case .array(let list)? = field(item, "items") {
            return (("items", list.count), field(item, "additionalItems") == nil ? nil : "additionalItems")
        }
        let rest = field(item, "items") == nil ? nil : "items"
        if case .array(let list)? = field(item, "prefixItems") {
            return (("prefixItems", list.count), rest)
        }
        return (nil, rest)
    }

    /// The schemas that apply to the item at an index.
    func itemSchemas(_ flat: [Item], _ index: Int) throws(GrammarError) -> [Item] {
        var schemas: [Item] = []
        for item in flat {
            let (first, rest) = itemKeywords(item)
            if let first, index < first.count {
                schemas.append(Item(schema: try document.child(item.schema, "\(first.name)/\(index)")))
            } else if let rest {
                schemas.append(Item(schema: try document.child(item.schema, rest)))
            }
        }
        return schemas
    }

    mutating func refuseUnevaluatedItems(_ flat: [Item]) {
        for item in flat {
            if let rest = field(item, "unevaluatedItems"), rest != .bool(true) { refuse(item, "unevaluatedItems") }
        }
    }

    mutating func array(_ flat: [Item]) throws(GrammarError) -> Term {
        var (least, most) = try itemCounts(flat)
        var firstCount = 0
        for item in flat {
            if let firsts = field(item, "prefixItems") {
                guard case .array = firsts else { throw malformed(item, "prefixItems", "must be an array") }
            }
            firstCount = max(firstCount, itemKeywords(item).first?.count ?? 0)
        }
        refuseUnevaluatedItems(flat)
        for value in excepted(flat) {
            guard case .array(let values) = value else { continue }
            if values.isEmpty { least = max(least, 1) } else if let item = flat.first { refuse(item, "const") }
        }
        if let counted = try countedArray(flat, firstCount, least, most) { return counted }
        var firsts: [Term] = []
        for index in 0..<min(firstCount, most ?? firstCount) {
            let term = try compile(try itemSchemas(flat, index))
            if term == TermArena.none {
                most = index
                break
            }
            firsts.append(term)
        }
        var rest = TermArena.none
        if firsts.count < most ?? .max {
            rest = try compile(try itemSchemas(flat, firstCount))
            if rest == TermArena.none { most = min(most ?? .max, firsts.count) }
        }
        if let most, least > most { return TermArena.none }
        let opening = terms.literal("["), closing = terms.literal("]"), comma = terms.literal(",")
        /// The remaining items after `count` items.
        func repeated(_ count: Int, _ terms: inout TermArena) -> Term {
            terms.repetition(
                terms.sequence(comma, rest), Int32(max(0, least - count)),
                most.map { Int32(max(0, $0 - count)) } ?? RegexArena.unbounded)
        }
        var tail: Term
        if rest == TermArena.none || firsts.count >= most ?? .max {
            tail = closing
        } else if firsts.isEmpty {
            let some = terms.sequence([rest, repeated(1, &terms), closing])
            tail = least == 0 ? terms.choice([closing, some]) : some
        } else {
            tail = terms.sequence(repeated(firsts.count, &terms), closing)
        }
        for index in firsts.indices.reversed() {
            let more = terms.sequence([index > 0 ? comma : TermArena.empty, firsts[index], tail])
            tail = index >= least ? terms.choice([closing, more]) : more
        }
        least = 0
        return terms.sequence(opening, tail)
    }
}
