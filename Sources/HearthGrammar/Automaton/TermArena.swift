/// The structure of a grammar: sequences, choices, counted repetitions and possibly recursive rules over lexemes, which are
/// regular expressions. Terms are interned; a term is identified by a number.
struct TermArena: Sendable {
    typealias Term = Int32

    enum Kind: UInt8, Sendable { case lexeme, sequence, choice, repetition, rule }

    /// Matches nothing.
    static let none: Term = 0
    /// Matches the empty text.
    static let empty: Term = 1
    static let mostTerms = 2_000_000

    var regex = RegexArena()
    private(set) var kinds: [Kind] = [.lexeme, .lexeme]
    private(set) var first: [Int32] = [RegexArena.none, RegexArena.empty]
    private(set) var second: [Int32] = [0, 0]
    private(set) var third: [Int32] = [0, 0]
    private(set) var lists: [Term] = []
    /// The term of each rule; -1 until it is defined.
    private(set) var bodies: [Term] = []
    private(set) var isExhausted = false
    /// The size: the number of terms and of regular expression nodes.
    var size: Int { kinds.count + regex.kinds.count }
    private var table = InternTable()

    /// Properties of each term, computed by `close()`.
    private(set) var nullable: [Bool] = []
    private(set) var productive: [Bool] = []
    private var isClosed = false

    private mutating func intern(_ kind: Kind, _ a: Int32, _ b: Int32, _ c: Int32) -> Term {
        let hash = InternTable.mix(Int32(kind.rawValue), a, b, c)
        let known = table.find(hash) { term in
            let at = Int(term)
            return kinds[at] == kind && first[at] == a && second[at] == b && third[at] == c
        }
        if let known { return known }
        guard kinds.count < Self.mostTerms else {
            isExhausted = true
            return Self.none
        }
        let term = Term(kinds.count)
        kinds.append(kind)
        first.append(a)
        second.append(b)
        third.append(c)
        table.insert(hash, term)
        if isClosed { appendProperties(term) }
        return term
    }

    mutating func lexeme(_ node: RegexArena.Node) -> Term {
        if node <= 1 { return node }
        return intern(.lexeme, node, 0, 0)
    }

    mutating func literal(_ text: String) -> Term { lexeme(regex.literal(Array(text.utf8))) }

    mutating func sequence(_ a: Term, _ b: Term) -> Term {
        if a == Self.none || b == Self.none { return Self.none }
        if a == Self.empty { return b }
        if b == Self.empty { return a }
        return intern(.sequence, a, b, 0)
    }

    mutating func sequence(_ parts: [Term]) -> Term {
        parts.reversed().reduce(Self.empty) { sequence($1, $0) }
    }

    mutating func choice(_ parts: [Term]) -> Term {
        var flat: [Term] = []
        for part in parts where part != Self.none && !flat.contains(part) { flat.append(part) }
        guard flat.count > 1 else { return flat.first ?? Self.none }
        var hash = InternTable.mix(1, Int32(flat.count), 0, 3)
        for part in flat { hash = InternTable.mix(hash, part) }
        if let known = table.find(hash, { kinds[Int($0)] == .choice && list($0).elementsEqual(flat) }) { return known }
        guard kinds.count < Self.mostTerms else {
            isExhausted = true
            return Self.none
        }
        let term = Term(kinds.count)
        kinds.append(.choice)
        first.append(Int32(lists.count))
        second.append(Int32(flat.count))
        third.append(0)
        lists += flat
        table.insert(hash, term)
        if isClosed { appendProperties(term) }
        return term
    }

    /// Matches between `least` and `most` times; `RegexArena.unbounded` for no maximum.
    mutating func repetition(_ term: Term, _ least: Int32, _ most: Int32) -> Term {
        if most == 0 || term == Self.empty { return Self.empty }
        if term == Self.none { return least == 0 ? Self.empty : Self.none }
        if least == 1, most == 1 { return term }
        return intern(.repetition, term, least, most)
    }

    /// Creates a rule whose term is defined later.
    mutating func rule() -> Int32 {
        bodies.append(-1)
        return Int32(bodies.count - 1)
    }

    mutating func define(_ rule: Int32, as body: Term) { bodies[Int(rule)] = body }
    mutating func call(_ rule: Int32) -> Term { intern(.rule, rule, 0, 0) }

    func list(_ term: Term) -> ArraySlice<Term> {
        let start = Int(first[Int(term)])
        return lists[start..<start + Int(second[Int(term)])]
    }

    // MARK: - Properties of terms

    /// Computes which terms match any text, and which match the empty one. Call it after all rules are defined.
    /// - Returns: a left-recursive rule, which the automaton cannot handle; nil if there is none.
    mutating func close() -> Int32? {
        isClosed = true
        nullable = [Bool](repeating: false, count: kinds.count)
        productive = nullable
        var changes = true
        while changes {
            changes = false
            // Parts precede the terms that contain them, except for rules.
            for index in kinds.indices {
                let term = Term(index)
                let (isNullable, isProductive) = (findsNullable(term), findsProductive(term))
                if isNullable != nullable[index] || isProductive != productive[index] {
                    (nullable[index], productive[index]) = (isNullable, isProductive)
                    changes = true
                }
            }
        }
        return leftRecursiveRule()
    }

    private mutating func appendProperties(_ term: Term) {
        nullable.append(findsNullable(term))
        productive.append(findsProductive(term))
    }

    private func findsNullable(_ term: Term) -> Bool {
        let at = Int(term)
        switch kinds[at] {
        case .lexeme: return regex.nullable[Int(first[at])]
        case .sequence: return nullable[Int(first[at])] && nullable[Int(second[at])]
        case .choice: return list(term).contains { nullable[Int($0)] }
        case .repetition: return second[at] == 0 || nullable[Int(first[at])]
        case .rule: return bodies[Int(first[at])] >= 0 && nullable[Int(bodies[Int(first[at])])]
        }
    }

    private func findsProductive(_ term: Term) -> Bool {
        let at = Int(term)
        switch kinds[at] {
        case .lexeme: return first[at] != RegexArena.none
        case .sequence: return productive[Int(first[at])] && productive[Int(second[at])]
        case .choice: return list(term).contains { productive[Int($0)] }
        case .repetition: return second[at] == 0 || productive[Int(first[at])]
        case .rule: return bodies[Int(first[at])] >= 0 && productive[Int(bodies[Int(first[at])])]
        }
    }

    /// Searches the graph of leftmost calls for a cycle.
    private func leftRecursiveRule() -> Int32? {
        var finished = [Bool](repeating: false, count: bodies.count)
        for start in bodies.indices where !finished[start] {
            var isOpen = [Bool](repeating: false, count: bodies.count)
            var path: [(rule: Int32, next: [Int32])] = [(Int32(start), leftmost(bodies[start]))]
            isOpen[start] = true
            while let (rule, pending) = path.popLast() {
                var next = pending
                guard let following = next.popLast() else {
                    isOpen[Int(rule)] = false
                    finished[Int(rule)] = true
                    continue
                }
                path.append((rule, next))
                if isOpen[Int(following)] { return following }
                if finished[Int(following)] { continue }
                isOpen[Int(following)] = true
                path.append((following, leftmost(bodies[Int(following)])))
            }
        }
        return nil
    }

    /// The rules that a term may start with, sorted: the same rule is reported in every run.
    private func leftmost(_ term: Term) -> [Int32] {
        var rules: Set<Int32> = []
        var seen: Set<Term> = []
        var open = [term]
        while let term = open.popLast() {
            guard term >= 0, productive[Int(term)], seen.insert(term).inserted else { continue }
            let at = Int(term)
            switch kinds[at] {
            case .lexeme: break
            case .sequence:
                open.append(first[at])
                if nullable[Int(first[at])] { open.append(second[at]) }
            case .choice: open += list(term)
            case .repetition: open.append(first[at])
            case .rule: rules.insert(first[at])
            }
        }
        return rules.sorted()
    }
}
