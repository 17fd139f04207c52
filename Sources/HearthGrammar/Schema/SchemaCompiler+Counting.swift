/// Arrays with `contains` or `uniqueItems`, whose items have to be counted.
extension SchemaCompiler {
    /// The maximum number of distinct values in an array with unique items: each set of them is a state.
    static let mostUnique = 8
    /// The maximum number of counting states: items times matches.
    private static let mostCounted = 20_000

    /// A `contains` keyword.
    struct Contained {
        var schema: Item
        var opposite: Item?
        var least: Int
        var most: Int?
    }

    func isUnique(_ flat: [Item]) -> Bool { flat.contains { field($0, "uniqueItems") == .bool(true) } }

    /// The `contains` keywords that need counting.
    mutating func contained(_ flat: [Item]) throws(GrammarError) -> [Contained] {
        var found: [Contained] = []
        for item in flat where field(item, "contains") != nil {
            let least = try count(item, "minContains") ?? 1, most = try count(item, "maxContains")
            if least == 0, most == nil { continue }
            let schema = try document.child(item.schema, "contains")
            // Items that do not match matter only if there is a maximum.
            let opposite = most == nil ? nil : Item(schema: document.negation(of: schema))
            found.append(Contained(schema: Item(schema: schema), opposite: opposite, least: least, most: most))
        }
        return found
    }

    /// Compiles an array that needs counting; nil if it does not.
    mutating func countedArray(
        _ flat: [Item], _ firstCount: Int, _ least: Int, _ most: Int?
    ) throws(GrammarError) -> Term? {
        let contained = try contained(flat)
        if isUnique(flat), (most ?? 2) > 1 {
            guard let values = try uniqueValues(flat, firstCount, most) else {
                for item in flat where field(item, "uniqueItems") == .bool(true) { refuse(item, "uniqueItems") }
                return TermArena.none
            }
            return try uniqueArray(flat, values, contained, least, most)
        }
        guard let only = contained.first else { return nil }
        guard contained.count == 1 else {
            for item in flat where field(item, "contains") != nil { refuse(item, "contains") }
            return TermArena.none
        }
        return try containingArray(flat, firstCount, only, least, most)
    }

    // MARK: - Containing

    private mutating func containingArray(
        _ flat: [Item], _ firstCount: Int, _ contained: Contained, _ least: Int, _ most: Int?
    ) throws(GrammarError) -> Term {
        let counted = contained.most.map { max($0, contained.least) } ?? contained.least
        // From this index on all items are treated alike, unless there is a maximum length.
        let length = most ?? max(1, firstCount, least)
        guard length < Self.mostCounted, counted < Self.mostCounted, (length + 1) * (counted + 1) <= Self.mostCounted
        else {
            if let item = flat.first(where: { field($0, "contains") != nil }) { refuse(item, "contains") }
            return TermArena.none
        }
        if let top = contained.most, top < contained.least { return TermArena.none }
        let closing = terms.literal("]"), comma = terms.literal(",")
        func hit(_ index: Int, _ compiler: inout SchemaCompiler) throws(GrammarError) -> Term {
            try compiler.compile(try compiler.itemSchemas(flat, index) + [contained.schema])
        }
        func other(_ index: Int, _ compiler: inout SchemaCompiler) throws(GrammarError) -> Term {
            let schemas = try compiler.itemSchemas(flat, index)
            return try compiler.compile(schemas + (contained.opposite.map { [$0] } ?? []))
        }
        /// The continuations after `length` items, by the number of matches.
        var behind: [Term] = []
        if most == nil {
            let (hit, other) = (try hit(length, &self), try other(length, &self))
            var next = TermArena.none
            for matches in (0...counted).reversed() {
                let more = terms.repetition(terms.sequence(comma, other), 0, RegexArena.unbounded)
                var ends = matches >= contained.least ? [closing] : []
                if matches < counted { ends.append(terms.sequence([comma, hit, next])) }
                next = terms.sequence(more, terms.choice(ends))
                behind.insert(next, at: 0)
            }
        } else {
            behind = (0...counted).map { $0 >= contained.least ? closing : TermArena.none }
        }
        for index in (0..<length).reversed() {
            let (hit, other) = (try hit(index, &self), try other(index, &self))
            behind = (0...counted).map { matches in
                var ways = index >= least && matches >= contained.least ? [closing] : []
                let mark = index > 0 ? comma : TermArena.empty
                ways.append(terms.sequence([mark, other, behind[matches]]))
                if matches < counted {
                    ways.append(terms.sequence([mark, hit, behind[matches + 1]]))
                }
                return terms.choice(ways)
            }
        }
        return terms.sequence(terms.literal("["), behind[0])
    }

    // MARK: - Unique items

    /// The values of all items, and for each position the indices of the values allowed there; the last entry applies to all
    /// further positions. nil if there are too many values, or they cannot be listed.
    private mutating func uniqueValues(
        _ flat: [Item], _ firstCount: Int, _ most: Int?
    ) throws(GrammarError) -> (values: [JSONDocument], places: [[Int]])? {
        var values: [JSONDocument] = []
        var places: [[Int]] = []
        for index in 0...min(firstCount, most ?? firstCount) {
            guard let allowed = try finiteValues(try itemSchemas(flat, index)) else { return nil }
            var place: [Int] = []
            for value in allowed {
                let number = values.firstIndex(of: value) ?? values.count
                if number == values.count { values.append(value) }
                if !place.contains(number) { place.append(number) }
            }
            places.append(place)
            guard values.count <= Self.mostUnique else { return nil }
        }
        return (values, places)
    }

    /// All values accepted by the schemas; nil if they cannot be listed.
    private mutating func finiteValues(_ list: [Item]) throws(GrammarError) -> [JSONDocument]? {
        guard let flat = try flattened(list) else { return [] }
        var candidates: [JSONDocument]
        if let listed = try values(flat) {
            candidates = listed
        } else {
            let types = try types(flat)
            guard types.isSubset(of: [.null, .boolean]) else { return nil }
            candidates =
                (types.contains(.null) ? [.null] : [])
                + (types.contains(.boolean) ? [.bool(true), .bool(false)] : [])
        }
        var accepted: [JSONDocument] = []
        for value in candidates where try acceptsWhole(value, list) { accepted.append(value) }
        return accepted
    }

    private mutating func uniqueArray(
        _ flat: [Item], _ unique: (values: [JSONDocument], places: [[Int]]), _ contained: [Contained], _ least: Int,
        _ most: Int?
    ) throws(GrammarError) -> Term {
        let count = unique.values.count
        var matches: [[Bool]] = []
        for one in contained {
            var row: [Bool] = []
            for value in unique.values { row.append(try acceptsWhole(value, [one.schema])) }
            matches.append(row)
        }
        let texts = unique.values.map { terms.lexeme(text(of: $0)) }
        let closing = terms.literal("]"), comma = terms.literal(",")
        var tails = [Term](repeating: TermArena.none, count: 1 << count)
        // Fuller sets come first, because the others lead to them.
        for used in (0..<1 << count).sorted(by: { $0.nonzeroBitCount > $1.nonzeroBitCount }) {
            let length = used.nonzeroBitCount
            var ways: [Term] = []
            let isRight = zip(contained, matches).allSatisfy { one, row in
                let found = (0..<count).count { used >> $0 & 1 == 1 && row[$0] }
                return found >= one.least && found <= one.most ?? .max
            }
            if length >= least, isRight { ways.append(closing) }
            if length < most ?? .max {
                for value in unique.places[min(length, unique.places.count - 1)] where used >> value & 1 == 0 {
                    ways.append(
                        terms.sequence([length > 0 ? comma : TermArena.empty, texts[value], tails[used | 1 << value]]))
                }
            }
            tails[used] = terms.choice(ways)
        }
        return terms.sequence(terms.literal("["), tails[0])
    }
}
