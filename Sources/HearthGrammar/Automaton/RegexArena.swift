/// Regular expressions over bytes, interned, with their Brzozowski derivatives.
///
/// An expression is identified by a number. Union, intersection, complement and counted repetition are not expanded, so that
/// `{1000000}` costs one node, and states are created only when a text reaches them.
///
/// Invariant: every expression except `none` matches some word, and every prefix that it allows can be completed. Unions,
/// sequences and repetitions preserve this; intersections are checked by a search.
struct RegexArena: Sendable {
    typealias Node = Int32

    enum Kind: UInt8, Sendable {
        case none, empty, set, literal, sequence, union, intersection, complement, repetition, automaton
    }

    /// Matches no word.
    static let none: Node = 0
    /// Matches the empty word only.
    static let empty: Node = 1
    /// The maximum number of nodes; corresponds to several hundred megabytes.
    static let mostNodes = 2_000_000
    /// The maximum number of nodes visited when searching for a word of an intersection.
    static let mostSearched = 50_000
    /// The maximum number of common heads taken out of a union one inside the other.
    static let mostFactored = 400
    static let unbounded: Int32 = -1

    private(set) var kinds: [Kind] = [.none, .empty]
    /// The number of a set or an automaton, the start of a list or literal, or the first part.
    private(set) var first: [Int32] = [0, 0]
    /// A length, the second part, a minimum count, or a state.
    private(set) var second: [Int32] = [0, 0]
    /// A maximum count.
    private(set) var third: [Int32] = [0, 0]
    /// Whether the empty word matches.
    private(set) var nullable: [Bool] = [false, true]
    private var table = InternTable()

    private(set) var sets: [ByteSet] = []
    private var setNumbers: [ByteSet: Int32] = [:]
    private(set) var literals: [UInt8] = []
    private var literalNumbers: [[UInt8]: Node] = [:]
    private(set) var lists: [Node] = []
    private(set) var automata: [ByteAutomaton] = []
    private(set) var classes = ByteClasses()
    private var literalBytes = ByteSet()
    /// Repetitions of any character; they subsume all other parts of a union.
    private var universal: Set<Node> = []

    /// The expression of a character in a JSON string: without unnecessary `\\uXXXX` escapes, and with them. -1 if not created.
    var jsonCharacters: [Node] = [-1, -1]
    /// Cached results of `coversPlain`.
    var plainCovered: [Node: Bool] = [:]
    /// Cached results of `isFinite`.
    var finite: [Node: Bool] = [:]

    /// Cached derivatives, by node and byte.
    var derivatives: [UInt64: Node] = [:]
    /// Cached unions of two parts, which the derivatives of a long sequence of optional parts have in common.
    private var unions: [UInt64: Node] = [:]
    private var depth = 0
    enum Emptiness: UInt8 { case unknown, hasWord, empty }
    var emptiness: [Node: Emptiness] = [:]
    /// Whether a limit was exceeded; nodes created after that are invalid.
    var isExhausted = false

    // MARK: - Creating expressions

    mutating func intern(_ kind: Kind, _ a: Int32, _ b: Int32, _ c: Int32, nullable isNullable: Bool) -> Node {
        let hash = InternTable.mix(Int32(kind.rawValue), a, b, c)
        let known = table.find(hash) { node in
            let at = Int(node)
            return kinds[at] == kind && first[at] == a && second[at] == b && third[at] == c
        }
        if let known { return known }
        guard kinds.count < Self.mostNodes else {
            isExhausted = true
            return Self.none
        }
        let node = Node(kinds.count)
        kinds.append(kind)
        first.append(a)
        second.append(b)
        third.append(c)
        nullable.append(isNullable)
        table.insert(hash, node)
        return node
    }

    mutating func set(_ bytes: ByteSet) -> Node {
        if bytes.isEmpty { return Self.none }
        let number: Int32
        if let known = setNumbers[bytes] {
            number = known
        } else {
            number = Int32(sets.count)
            sets.append(bytes)
            setNumbers[bytes] = number
            classes.split(by: bytes)
        }
        return intern(.set, number, 0, 0, nullable: false)
    }

    mutating func literal(_ bytes: [UInt8]) -> Node {
        if bytes.isEmpty { return Self.empty }
        if let known = literalNumbers[bytes] { return known }
        for byte in bytes where !literalBytes.contains(byte) {
            literalBytes.insert(byte)
            classes.split(by: ByteSet(byte...byte))
        }
        let start = Int32(literals.count)
        literals += bytes
        let node = intern(.literal, start, Int32(bytes.count), 0, nullable: false)
        literalNumbers[bytes] = node
        return node
    }

    mutating func sequence(_ a: Node, _ b: Node) -> Node {
        if a == Self.none || b == Self.none { return Self.none }
        if a == Self.empty { return b }
        if b == Self.empty { return a }
        // Nested to the right, so that equal sequences are interned as one.
        var parts: [Node] = []
        var rest = a
        while kinds[Int(rest)] == .sequence {
            parts.append(first[Int(rest)])
            rest = second[Int(rest)]
        }
        parts.append(rest)
        var result = b
        while let part = parts.popLast() {
            result = intern(
                .sequence, part, result, 0, nullable: nullable[Int(part)] && nullable[Int(result)])
        }
        return result
    }

    mutating func sequence(_ parts: [Node]) -> Node { parts.reversed().reduce(Self.empty) { sequence($1, $0) } }

    /// Matches between `least` and `most` times; `unbounded` for no maximum.
    mutating func repetition(_ node: Node, _ least: Int32, _ most: Int32) -> Node {
        if most == 0 || node == Self.empty { return Self.empty }
        if node == Self.none { return least == 0 ? Self.empty : Self.none }
        if least == 1, most == 1 { return node }
        let at = Int(node)
        let least = nullable[at] ? 0 : least
        if kinds[at] == .repetition, second[at] == 0, third[at] == Self.unbounded { return node }
        return intern(.repetition, node, least, most, nullable: least == 0)
    }

    /// Any number of arbitrary characters. Unions and intersections treat it as the language of all texts, so it may only be
    /// combined with texts of the same encoding.
    mutating func universal(_ character: Node) -> Node {
        let node = repetition(character, 0, Self.unbounded)
        if universal.insert(node).inserted { unions.removeAll() }
        return node
    }

    mutating func optional(_ node: Node) -> Node { union([node, Self.empty]) }

    mutating func union(_ parts: [Node]) -> Node {
        guard parts.count == 2 else { return united(parts) }
        let key = UInt64(min(parts[0], parts[1])) << 32 | UInt64(max(parts[0], parts[1]))
        if let known = unions[key] { return known }
        let result = united(parts)
        if unions.count < 4 * Self.mostNodes { unions[key] = result } else { isExhausted = true }
        return result
    }

    private mutating func united(_ parts: [Node]) -> Node {
        var flat: [Node] = []
        flat.reserveCapacity(parts.count)
        var united: ByteSet?
        for part in parts {
            switch kinds[Int(part)] {
            case .none: break
            case .union:
                for index in list(part) {
                    if kinds[Int(index)] == .set {
                        united = (united ?? ByteSet()).union(sets[Int(first[Int(index)])])
                    } else {
                        flat.append(index)
                    }
                }
            case .set: united = (united ?? ByteSet()).union(sets[Int(first[Int(part)])])
            default: flat.append(part)
            }
        }
        if let united { flat.append(set(united)) }
        if flat.count > 1 {
            flat.sort()
            Self.removeDuplicates(&flat)
            if flat.contains(where: { isEverything($0) }) { return everything() }
            if !universal.isEmpty, let all = flat.first(where: { universal.contains($0) }) { return all }
            flat = factored(flat)
            if flat.count > 1, flat[0] == Self.empty, flat.dropFirst().contains(where: { nullable[Int($0)] }) {
                flat.removeFirst()
            }
        }
        guard flat.count > 1 else { return flat.first ?? Self.none }
        return internList(.union, flat, nullable: flat.contains { nullable[Int($0)] })
    }

    /// Factors `xa|xb` to `x(a|b)`, so that states which differ only in their history are merged: to a depth that fits the stack.
    private mutating func factored(_ parts: [Node]) -> [Node] {
        var heads: [Node: [Node]] = [:]
        var repeats = false
        for part in parts where kinds[Int(part)] == .sequence {
            heads[first[Int(part)], default: []].append(second[Int(part)])
            repeats = repeats || (heads[first[Int(part)]]?.count ?? 0) > 1
        }
        guard repeats, depth < Self.mostFactored else { return parts }
        depth += 1
        defer { depth -= 1 }
        var result = parts.filter { kinds[Int($0)] != .sequence }
        // In the order of the parts: numbers of nodes do not depend on a run's hashing.
        for part in parts where kinds[Int(part)] == .sequence {
            let head = first[Int(part)]
            guard let tails = heads.removeValue(forKey: head) else { continue }
            result.append(sequence(head, tails.count == 1 ? tails[0] : union(tails)))
        }
        result.sort()
        Self.removeDuplicates(&result)
        return result
    }

    mutating func complement(_ node: Node) -> Node {
        if kinds[Int(node)] == .complement { return first[Int(node)] }
        return intern(.complement, node, 0, 0, nullable: !nullable[Int(node)])
    }

    private mutating func everything() -> Node { complement(Self.none) }
    private func isEverything(_ node: Node) -> Bool { kinds[Int(node)] == .complement && first[Int(node)] == Self.none }

    /// Matches words that all parts match; complements must be combined with a part that bounds them.
    mutating func intersection(_ parts: [Node]) -> Node {
        let node = uncheckedIntersection(parts)
        guard kinds[Int(node)] == .intersection else { return node }
        return hasWord(node) ? node : Self.none
    }

    mutating func uncheckedIntersection(_ parts: [Node]) -> Node {
        var flat: [Node] = []
        for part in parts {
            if part == Self.none { return Self.none }
            if kinds[Int(part)] == .intersection {
                flat += list(part)
            } else if !isEverything(part) {
                flat.append(part)
            }
        }
        flat.sort()
        Self.removeDuplicates(&flat)
        let isNullable = flat.allSatisfy { nullable[Int($0)] }
        if flat.contains(Self.empty) { return isNullable ? Self.empty : Self.none }
        if flat.contains(where: { kinds[Int($0)] != .complement && !universal.contains($0) }) {
            flat.removeAll { universal.contains($0) }
        }
        guard flat.count > 1 else { return flat.first ?? everything() }
        for part in flat where kinds[Int(part)] == .complement && flat.contains(first[Int(part)]) { return Self.none }
        return internList(.intersection, flat, nullable: isNullable)
    }

    mutating func automaton(_ automaton: ByteAutomaton) -> Node {
        guard automaton.states > 0 else { return Self.none }
        for set in automaton.sets { _ = self.set(set) }
        automata.append(automaton)
        return automatonState(Int32(automata.count - 1), automaton.start)
    }

    mutating func automatonState(_ number: Int32, _ state: Int32) -> Node {
        if state < 0 { return Self.none }
        let automaton = automata[Int(number)]
        // Only the end remains.
        if automaton.isFinal(state) { return Self.empty }
        return intern(.automaton, number, state, 0, nullable: automaton.accepts(state))
    }

    private static func removeDuplicates(_ sorted: inout [Node]) {
        var kept = 0
        for index in sorted.indices where index == 0 || sorted[index] != sorted[kept - 1] {
            sorted[kept] = sorted[index]
            kept += 1
        }
        sorted.removeLast(sorted.count - kept)
    }

    func list(_ node: Node) -> ArraySlice<Node> {
        let start = Int(first[Int(node)])
        return lists[start..<start + Int(second[Int(node)])]
    }

    private mutating func internList(_ kind: Kind, _ parts: [Node], nullable isNullable: Bool) -> Node {
        var hash = InternTable.mix(Int32(kind.rawValue), Int32(parts.count), 0, 7)
        for part in parts { hash = InternTable.mix(hash, part) }
        let known = table.find(hash) { node in
            kinds[Int(node)] == kind && list(node).elementsEqual(parts)
        }
        if let known { return known }
        guard kinds.count < Self.mostNodes, lists.count + parts.count < 8 * Self.mostNodes else {
            isExhausted = true
            return Self.none
        }
        let node = Node(kinds.count)
        kinds.append(kind)
        first.append(Int32(lists.count))
        second.append(Int32(parts.count))
        third.append(0)
        nullable.append(isNullable)
        lists += parts
        table.insert(hash, node)
        return node
    }
}
