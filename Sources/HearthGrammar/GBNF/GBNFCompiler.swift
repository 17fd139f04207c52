/// Compiles GBNF rules to a grammar. Non-recursive rules become regular expressions; the others remain rules.
struct GBNFCompiler {
    private var rules: [String: GBNFExpression] = [:]
    private var recursive: Set<String> = []
    private var numbers: [String: Int32] = [:]
    private var nodes: [String: RegexArena.Node] = [:]
    private var encoder = ScalarEncoder()
    private var nesting = 0
    private static let mostNesting = 1_000
    var terms = TermArena()

    /// Compiles a text.
    /// - Returns: the arena, the term of `root`, and the names of the rules.
    static func compile(
        _ text: String
    ) throws(GrammarError) -> (terms: TermArena, root: TermArena.Term, names: [Int32: String]) {
        let rules = try GBNFParser.parse(text)
        var compiler = GBNFCompiler()
        for (name, body) in rules { compiler.rules[name] = body }
        guard compiler.rules["root"] != nil else {
            throw .malformed(place: "line 1", problem: "there is no rule 'root'")
        }
        for (_, body) in rules { try compiler.checkNames(body) }
        compiler.findRecursive(rules.map(\.name))
        let root = try compiler.rule("root")
        let names = Dictionary(uniqueKeysWithValues: compiler.numbers.map { ($0.value, $0.key) })
        return (compiler.terms, root, names)
    }

    private func checkNames(_ expression: GBNFExpression) throws(GrammarError) {
        switch expression {
        case .literal, .set: break
        case .rule(let name, let line):
            guard rules[name] != nil else {
                throw .malformed(place: "line \(line)", problem: "there is no rule '\(name)'")
            }
        case .sequence(let parts), .choice(let parts): for part in parts { try checkNames(part) }
        case .repetition(let part, _, _): try checkNames(part)
        }
    }

    private static func calls(_ expression: GBNFExpression, _ names: inout Set<String>) {
        switch expression {
        case .literal, .set: break
        case .rule(let name, _): names.insert(name)
        case .sequence(let parts), .choice(let parts): for part in parts { calls(part, &names) }
        case .repetition(let part, _, _): calls(part, &names)
        }
    }

    /// Finds rules that are recursive or lead to a recursive one: those that remain after repeatedly removing rules whose calls
    /// are all resolved.
    private mutating func findRecursive(_ order: [String]) {
        var calls: [String: Set<String>] = [:]
        var callers: [String: [String]] = [:]
        for name in order {
            var names: Set<String> = []
            if let body = rules[name] { Self.calls(body, &names) }
            calls[name] = names
            for called in names { callers[called, default: []].append(name) }
        }
        var open = order.filter { calls[$0]?.isEmpty ?? true }
        recursive = Set(order)
        var left = calls.mapValues(\.count)
        while let name = open.popLast() {
            recursive.remove(name)
            for caller in callers[name] ?? [] {
                left[caller, default: 0] -= 1
                if left[caller] == 0 { open.append(caller) }
            }
        }
    }

    private mutating func rule(_ name: String) throws(GrammarError) -> TermArena.Term {
        guard let body = rules[name] else { return TermArena.none }
        guard recursive.contains(name) else { return terms.lexeme(try regular(name, body)) }
        if let number = numbers[name] { return terms.call(number) }
        let number = terms.rule()
        numbers[name] = number
        let term = try nested { compiler throws(GrammarError) in try compiler.term(body) }
        terms.define(number, as: term)
        return terms.call(number)
    }

    private mutating func nested<Value>(
        _ work: (inout GBNFCompiler) throws(GrammarError) -> Value
    ) throws(GrammarError) -> Value {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= Self.mostNesting else { throw .tooComplex("rules inside rules") }
        return try work(&self)
    }

    private mutating func regular(_ name: String, _ body: GBNFExpression) throws(GrammarError) -> RegexArena.Node {
        if let known = nodes[name] { return known }
        let node = try nested { compiler throws(GrammarError) in try compiler.node(body) }
        nodes[name] = node
        return node
    }

    private func isRegular(_ expression: GBNFExpression) -> Bool {
        var names: Set<String> = []
        Self.calls(expression, &names)
        return names.isDisjoint(with: recursive)
    }

    private mutating func node(_ expression: GBNFExpression) throws(GrammarError) -> RegexArena.Node {
        switch expression {
        case .literal(let bytes): return terms.regex.literal(bytes)
        case .set(let set): return encoder.node(set, .plain, &terms.regex)
        case .rule(let name, _):
            return try rules[name].map { body throws(GrammarError) in try regular(name, body) } ?? 0
        case .sequence(let parts):
            var result = RegexArena.empty
            for part in parts.reversed() { result = terms.regex.sequence(try node(part), result) }
            return result
        case .choice(let parts):
            var nodes: [RegexArena.Node] = []
            for part in parts { nodes.append(try node(part)) }
            return terms.regex.union(nodes)
        case .repetition(let part, let least, let most):
            return terms.regex.repetition(try node(part), least, most ?? RegexArena.unbounded)
        }
    }

    private mutating func term(_ expression: GBNFExpression) throws(GrammarError) -> TermArena.Term {
        if isRegular(expression) { return terms.lexeme(try node(expression)) }
        switch expression {
        case .literal, .set: return terms.lexeme(try node(expression))
        case .rule(let name, _): return try rule(name)
        case .sequence(let parts):
            // Adjacent regular parts form one lexeme, which has fewer ambiguous boundaries.
            var result = TermArena.empty
            var regularTail = RegexArena.empty
            for part in parts.reversed() {
                if isRegular(part) {
                    regularTail = terms.regex.sequence(try node(part), regularTail)
                } else {
                    result = terms.sequence(terms.lexeme(regularTail), result)
                    regularTail = RegexArena.empty
                    result = terms.sequence(try term(part), result)
                }
            }
            return terms.sequence(terms.lexeme(regularTail), result)
        case .choice(let parts):
            var regular: [RegexArena.Node] = []
            var others: [TermArena.Term] = []
            for part in parts {
                if isRegular(part) { regular.append(try node(part)) } else { others.append(try term(part)) }
            }
            return terms.choice([terms.lexeme(terms.regex.union(regular))] + others)
        case .repetition(let part, let least, let most):
            return terms.repetition(try term(part), least, most ?? RegexArena.unbounded)
        }
    }
}
