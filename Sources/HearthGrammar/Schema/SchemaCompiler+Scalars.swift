extension SchemaCompiler {
    /// Numbers accepted by every schema; of `types`, only `integer` and `fraction` are used.
    mutating func number(_ flat: [Item], _ types: Types) throws(GrammarError) -> RegexArena.Node {
        let isInteger = !types.contains(.fraction)
        var automata: [RegexArena.Node] = []
        var isNegative = true
        for item in flat {
            for (name, isLower, isExclusive) in [
                ("minimum", true, false), ("exclusiveMinimum", true, true), ("maximum", false, false),
                ("exclusiveMaximum", false, true),
            ] {
                guard let value = try decimal(item, name) else { continue }
                if value.isZero, isLower, !isExclusive {
                    isNegative = false
                    continue
                }
                let bound = NumberAutomaton.Bound(value: value, isLower: isLower, isExclusive: isExclusive)
                if let automaton = NumberAutomaton.within(bound) {
                    automata.append(terms.regex.automaton(automaton))
                } else {
                    refuse(item, name)
                }
            }
            if let divisor = try decimal(item, "multipleOf") {
                guard !divisor.isZero, !divisor.isNegative else {
                    throw malformed(item, "multipleOf", "must be greater than 0")
                }
                if isInteger, divisor.digits == [1], divisor.exponent <= 0 { continue }
                if let automaton = NumberAutomaton.multiple(of: divisor) {
                    automata.append(terms.regex.automaton(automaton))
                } else {
                    refuse(item, "multipleOf")
                }
            }
        }
        for case .number(let text) in excepted(flat) {
            guard let value = DecimalNumber(text) else { continue }
            let bounds = [true, false].compactMap { isLower in
                NumberAutomaton.within(NumberAutomaton.Bound(value: value, isLower: isLower, isExclusive: false))
            }
            guard bounds.count == 2 else {
                if let item = flat.first { refuse(item, "const") }
                continue
            }
            let same = bounds.map { terms.regex.automaton($0) }
            automata.append(terms.regex.complement(terms.regex.intersection(same)))
        }
        if !types.contains(.integer), let one = DecimalNumber("1"), let whole = NumberAutomaton.multiple(of: one) {
            automata.append(terms.regex.complement(terms.regex.automaton(whole)))
        }
        let shape = NumberAutomaton.shape(
            isInteger: isInteger, isNegative: isNegative, hasExponent: automata.isEmpty, &terms.regex)
        return automata.isEmpty ? shape : terms.regex.intersection(automata + [shape])
    }

    /// The content of a string, without its quotation marks.
    mutating func stringContent(_ flat: [Item], isName: Bool = false) throws(GrammarError) -> RegexArena.Node {
        var parts: [RegexArena.Node] = []
        var least = 0, most: Int?
        /// Contents that are excluded.
        var others: [RegexArena.Node] = []
        for case .string(let text) in excepted(flat) {
            others.append(encoder.text(text, notation.encoding, &terms.regex))
        }
        for item in flat {
            if let count = try count(item, "minLength") { least = max(least, count) }
            if let count = try count(item, "maxLength") { most = min(most ?? count, count) }
            if let pattern = field(item, "pattern") {
                guard case .string(let text) = pattern else { throw malformed(item, "pattern", "must be a string") }
                if let node = try patternNode(text, .somewhere, item, "pattern") { parts.append(node) }
            }
            if case .string(let text)? = field(item, SchemaDocument.unlike),
                let node = try patternNode(text, .somewhere, item, "pattern")
            {
                others.append(node)
            }
            if let format = field(item, "format") {
                guard case .string(let name) = format else { throw malformed(item, "format", "must be a string") }
                guard let patterns = StringFormat.patterns(name) else {
                    refuse(item, "format")
                    continue
                }
                for pattern in patterns {
                    if let node = try patternNode(pattern, .whole, item, "format") { parts.append(node) }
                }
            }
        }
        if let most, most < least { return RegexArena.none }
        let isFree = parts.isEmpty && others.isEmpty && !isName
        let character = encoder.node(.all, isFree ? notation.freeEncoding : notation.encoding, &terms.regex)
        if least > 0 || most != nil {
            parts.append(
                terms.regex.repetition(character, Int32(least), most.map { Int32($0) } ?? RegexArena.unbounded))
        }
        if !others.isEmpty {
            parts.append(terms.regex.complement(terms.regex.union(others)))
            parts.append(terms.regex.universal(character))
        }
        if parts.isEmpty { return terms.regex.universal(character) }
        return parts.count == 1 ? parts[0] : terms.regex.intersection(parts)
    }

    mutating func patternNode(
        _ text: String, _ extent: PatternCompiler.Extent, _ item: Item, _ keyword: String
    ) throws(GrammarError) -> RegexArena.Node? {
        do {
            return try PatternCompiler.node(
                PatternParser.parse(text), extent, notation.encoding, &encoder, &terms.regex)
        } catch {
            switch error {
            case .malformed(let problem): throw malformed(item, keyword, "is not a regular expression: \(problem)")
            case .unsupported: refuse(item, keyword)
            }
            return nil
        }
    }

    // MARK: - Values of enum and const

    /// Whether a value of `enum` or `const` is accepted by the other keywords.
    mutating func accepts(_ value: JSONDocument, _ flat: [Item]) throws(GrammarError) -> Bool {
        let allowed = try types(flat)
        if excepted(flat).contains(value) { return false }
        switch value {
        case .null: return allowed.contains(.null)
        case .bool: return allowed.contains(.boolean)
        case .number(let text):
            guard let number = DecimalNumber(text), !allowed.isDisjoint(with: .number) else { return false }
            guard allowed.contains(number.isInteger ? .integer : .fraction) else { return false }
            guard flat.contains(where: { hasNumberKeywords($0) }) else { return true }
            return matches(number.plainText, try self.number(flat, .number))
        case .string(let text):
            guard allowed.contains(.string) else { return false }
            guard flat.contains(where: { hasStringKeywords($0) }) else { return true }
            let content = try stringContent(flat)
            return matches(notation.spelled(text), content)
        case .array(let values):
            guard allowed.contains(.array) else { return false }
            let (least, most) = try itemCounts(flat)
            if !values.isEmpty { refuseUnevaluatedItems(flat) }
            guard values.count >= least, values.count <= most ?? .max else { return false }
            for (index, value) in values.enumerated() {
                guard try acceptsWhole(value, try itemSchemas(flat, index)) else { return false }
            }
            if isUnique(flat) {
                for (index, value) in values.enumerated() where values[..<index].contains(value) { return false }
            }
            for one in try contained(flat) {
                var matches = 0
                for value in values where try acceptsWhole(value, [one.schema]) { matches += 1 }
                guard matches >= one.least, matches <= one.most ?? .max else { return false }
            }
            return true
        case .object(let fields):
            guard allowed.contains(.object) else { return false }
            let members = try objectMembers(flat)
            guard fields.count >= members.least, fields.count <= members.most ?? .max else { return false }
            for name in members.required where !fields.contains(where: { Array($0.name.utf8) == name }) { return false }
            if let names = try nameContent(flat) {
                for (name, _) in fields where !matches(notation.spelled(name), names) { return false }
            }
            for (name, value) in fields {
                guard try acceptsWhole(value, try propertySchemas(flat, Array(name.utf8))) else { return false }
            }
            return true
        }
    }

    mutating func acceptsWhole(_ value: JSONDocument, _ list: [Item]) throws(GrammarError) -> Bool {
        guard let flat = try flattened(list) else { return false }
        for (index, item) in flat.enumerated() {
            for (name, done) in [("anyOf", Done.anyOf), ("oneOf", .oneOf)] where !item.done.contains(done) {
                guard case .array(let branches)? = field(item, name) else { continue }
                var rest = flat
                rest[index].done.insert(done)
                var accepting = 0
                for branch in branches.indices {
                    let member = Item(schema: try document.child(item.schema, "\(name)/\(branch)"))
                    if try acceptsWhole(value, rest + [member]) { accepting += 1 }
                }
                return done == .anyOf ? accepting > 0 : accepting == 1
            }
            if case .array(let list)? = field(item, "enum"), !list.contains(value) { return false }
            if let only = field(item, "const"), only != value { return false }
        }
        return try accepts(value, flat)
    }

    private func hasNumberKeywords(_ item: Item) -> Bool {
        ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"].contains { field(item, $0) != nil }
    }

    private func hasStringKeywords(_ item: Item) -> Bool {
        ["minLength", "maxLength", "pattern", "format", SchemaDocument.unlike].contains { field(item, $0) != nil }
    }

    mutating func matches(_ text: String, _ node: RegexArena.Node) -> Bool {
        var node = node
        for byte in text.utf8 { node = terms.regex.derivative(node, byte) }
        return terms.regex.nullable[Int(node)]
    }
}
