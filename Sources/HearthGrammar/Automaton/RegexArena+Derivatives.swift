extension RegexArena {
    /// The Brzozowski derivative: what may follow after a byte.
    mutating func derivative(_ node: Node, _ byte: UInt8) -> Node {
        let at = Int(node)
        switch kinds[at] {
        case .none, .empty: return Self.none
        case .set: return sets[Int(first[at])].contains(byte) ? Self.empty : Self.none
        case .literal:
            guard literals[Int(first[at])] == byte else { return Self.none }
            return second[at] == 1
                ? Self.empty : intern(.literal, first[at] + 1, second[at] - 1, 0, nullable: false)
        case .automaton:
            return automatonState(first[at], automata[Int(first[at])].next(second[at], byte))
        default: break
        }
        let byte = classes.representative(byte)
        if let known = derivatives[Self.key(node, byte)] { return known }
        // What a node is made of comes first: going down long rows of optional parts by recursion would exhaust the stack.
        var open = [node]
        while let next = open.last {
            let count = open.count
            appendMissing(of: next, byte, to: &open)
            if open.count > count { continue }
            open.removeLast()
            let result = stepped(next, byte)
            guard derivatives.count < 4 * Self.mostNodes else {
                isExhausted = true
                return Self.none
            }
            derivatives[Self.key(next, byte)] = result
        }
        return derivatives[Self.key(node, byte)] ?? Self.none
    }

    private static func key(_ node: Node, _ byte: UInt8) -> UInt64 { UInt64(node) << 8 | UInt64(byte) }

    /// The parts of a node whose derivatives its own needs, as far as they are not known yet.
    private func appendMissing(of node: Node, _ byte: UInt8, to open: inout [Node]) {
        func add(_ part: Node) {
            switch kinds[Int(part)] {
            case .sequence, .union, .intersection, .complement, .repetition:
                if derivatives[Self.key(part, byte)] == nil { open.append(part) }
            default: break
            }
        }
        let at = Int(node)
        switch kinds[at] {
        case .sequence:
            add(first[at])
            if nullable[Int(first[at])] { add(second[at]) }
        case .union: for part in list(node) { add(part) }
        case .complement, .repetition: add(first[at])
        // An intersection stops at the first part that cannot go on.
        default: break
        }
    }

    /// The derivative of a node made of parts, by theirs.
    private mutating func stepped(_ node: Node, _ byte: UInt8) -> Node {
        let at = Int(node)
        switch kinds[at] {
        case .sequence:
            let (a, b) = (first[at], second[at])
            let begun = sequence(derivative(a, byte), b)
            return nullable[Int(a)] ? union([begun, derivative(b, byte)]) : begun
        case .union:
            var parts: [Node] = []
            for part in list(node) {
                let next = derivative(part, byte)
                if next != Self.none { parts.append(next) }
            }
            return union(parts)
        case .intersection:
            let next = uncheckedDerivative(node, byte)
            return kinds[Int(next)] != .intersection || hasWord(next) ? next : Self.none
        case .complement: return complement(derivative(first[at], byte))
        default:
            let (part, least, most) = (first[at], second[at], third[at])
            let rest = repetition(part, max(least - 1, 0), most == Self.unbounded ? most : most - 1)
            return sequence(derivative(part, byte), rest)
        }
    }

    private mutating func uncheckedDerivative(_ node: Node, _ byte: UInt8) -> Node {
        var parts: [Node] = []
        for part in list(node) {
            parts.append(derivative(part, byte))
            if parts.last == Self.none { return Self.none }
        }
        return uncheckedIntersection(parts)
    }

    // MARK: - Emptiness of intersections

    /// Searches for a word by following every byte class. The result applies to all nodes visited.
    mutating func hasWord(_ node: Node) -> Bool {
        if let known = emptiness[node], known != .unknown { return known == .hasWord }
        if nullable[Int(node)] {
            emptiness[node] = .hasWord
            return true
        }
        var from: [Node: Node] = [node: node]
        var open = [node]
        while let next = open.popLast() {
            guard from.count < Self.mostSearched, !isExhausted else {
                isExhausted = true
                return false
            }
            for byte in classes.representatives {
                let after = uncheckedDerivative(next, byte)
                guard after != Self.none, from[after] == nil else { continue }
                let known = emptiness[after] ?? .unknown
                if known == .empty { continue }
                if kinds[Int(after)] != .intersection || known == .hasWord || nullable[Int(after)] {
                    // Mark the path back to the start.
                    emptiness[after] = .hasWord
                    var back = next
                    while true {
                        emptiness[back] = .hasWord
                        guard let before = from[back], before != back else { return true }
                        back = before
                    }
                }
                from[after] = next
                open.append(after)
            }
        }
        for seen in from.keys { emptiness[seen] = .empty }
        return false
    }
}
