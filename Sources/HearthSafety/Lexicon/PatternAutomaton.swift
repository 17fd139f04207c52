/// Finds all occurrences of many patterns in one pass over a text (Aho and Corasick, "Efficient string matching", 1975).
///
/// States are numbered breadth first, so edge i leads to state i + 1, and the automaton is stored in a few flat arrays. A text
/// of n symbols takes at most 2n steps, plus one for each match.
package struct PatternAutomaton: Sendable {
    /// State → its first edge; the edges of state s are `firstEdge[s]..<firstEdge[s + 1]`, sorted by symbol.
    private var firstEdge: [Int32] = []
    private var edgeSymbol: [UInt16] = []
    private var fail: [Int32] = []
    /// State → the first of the patterns that end there, or -1; those of one state are consecutive.
    private var output: [Int32] = []
    private var outputCount: [UInt16] = []
    /// State → the nearest state on its failure chain that has an output, or -1.
    private var outputLink: [Int32] = []
    /// Symbol → the state that it leads to from the root.
    private var root: [Int32] = []
    /// Patterns in the order used by states → index in the array passed to `init`.
    private(set) var order: [Int32] = []

    var stateCount: Int { fail.count }

    /// Builds the automaton.
    /// - Parameter patterns: non-empty sequences of symbols from 1 to `symbolCount - 1`.
    package init(_ patterns: [[UInt16]], symbolCount: Int) {
        order = Self.sorted(patterns)
        var edgeOwner: [Int32] = []
        var queue: [(low: Int32, high: Int32, depth: Int32)] = [(0, Int32(patterns.count), 0)]
        var head = 0
        while head < queue.count {
            var (low, high, depth) = queue[head]
            let state = Int32(head)
            head += 1
            let first = low
            while low < high, patterns[Int(order[Int(low)])].count == Int(depth) { low += 1 }
            output.append(low > first ? first : -1)
            outputCount.append(UInt16(min(low - first, 0xFFFF)))
            firstEdge.append(Int32(edgeSymbol.count))
            while low < high {
                let symbol = patterns[Int(order[Int(low)])][Int(depth)]
                let begin = low
                while low < high, patterns[Int(order[Int(low)])][Int(depth)] == symbol { low += 1 }
                edgeSymbol.append(symbol)
                edgeOwner.append(state)
                queue.append((begin, low, depth + 1))
            }
            (high, depth) = (0, 0)
        }
        firstEdge.append(Int32(edgeSymbol.count))
        root = [Int32](repeating: 0, count: symbolCount)
        for edge in 0..<Int(firstEdge[1]) { root[Int(edgeSymbol[edge])] = Int32(edge + 1) }
        link(edgeOwner)
    }

    private mutating func link(_ edgeOwner: [Int32]) {
        fail = [Int32](repeating: 0, count: output.count)
        outputLink = [Int32](repeating: -1, count: output.count)
        // Breadth first: the failure state has a shorter prefix, and its own failure state is already known.
        for edge in 0..<edgeSymbol.count {
            let state = edge + 1
            let owner = Int(edgeOwner[edge])
            if owner > 0 { fail[state] = next(fail[owner], edgeSymbol[edge]) }
            let failure = Int(fail[state])
            outputLink[state] = output[failure] >= 0 ? Int32(failure) : outputLink[failure]
        }
    }

    /// The order of patterns by symbols. The first four symbols are compared at once, which nearly always decides.
    private static func sorted(_ patterns: [[UInt16]]) -> [Int32] {
        var keys: [(key: UInt64, index: Int32)] = []
        keys.reserveCapacity(patterns.count)
        for (index, pattern) in patterns.enumerated() {
            var key: UInt64 = 0
            for at in 0..<4 { key = key << 16 | UInt64(at < pattern.count ? pattern[at] : 0) }
            keys.append((key, Int32(index)))
        }
        keys.sort { left, right in
            if left.key != right.key { return left.key < right.key }
            let (a, b) = (patterns[Int(left.index)], patterns[Int(right.index)])
            var at = 4
            while at < a.count, at < b.count {
                if a[at] != b[at] { return a[at] < b[at] }
                at += 1
            }
            return a.count != b.count ? a.count < b.count : left.index < right.index
        }
        return keys.map(\.index)
    }

    /// The state after `symbol`. State 0 is the root; symbol 0 always leads there.
    package func next(_ state: Int32, _ symbol: UInt16) -> Int32 {
        guard symbol != 0 else { return 0 }
        var state = state
        while state != 0 {
            if let target = child(state, symbol) { return target }
            state = fail[Int(state)]
        }
        return root[Int(symbol)]
    }

    private func child(_ state: Int32, _ symbol: UInt16) -> Int32? {
        var low = firstEdge[Int(state)]
        var high = firstEdge[Int(state) + 1]
        while low < high {
            let middle = (low + high) >> 1
            let found = edgeSymbol[Int(middle)]
            if found == symbol { return middle + 1 }
            if found < symbol { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Whether no pattern ends at `state`.
    func isSilent(_ state: Int32) -> Bool { output[Int(state)] < 0 && outputLink[Int(state)] < 0 }

    /// Calls `body` with every pattern that ends at `state`.
    package func forEachPattern(at state: Int32, _ body: (Int) -> Void) {
        var state = output[Int(state)] >= 0 ? state : outputLink[Int(state)]
        while state > 0 {
            let first = Int(output[Int(state)])
            for index in first..<(first + Int(outputCount[Int(state)])) { body(Int(order[index])) }
            state = outputLink[Int(state)]
        }
    }
}
