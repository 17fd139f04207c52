/// A set of words as an acyclic graph, in which a word has a number: its place in the order of the words.
///
/// Each start in a text is followed as far as there are words, so a text of n scalars takes at most n times the longest word's steps, and
/// about two for each scalar of ordinary text. The files made by `scripts/make-lexicons` contain equal tails once.
package struct WordGraph: Sendable {
    /// An edge: scalar, words before those of the edge in its node, whether a word ends with it, whether it is the node's last, and the
    /// first edge of the node that it leads to, or 0. Edge 0 is none.
    private struct Edge {
        static let isWord: UInt64 = 1 << 22
        static let isLast: UInt64 = 1 << 21

        var bits: UInt64

        init(_ bits: UInt64) { self.bits = bits }

        init(_ scalar: UInt32, before: Int, isWord: Bool, target: Int) {
            precondition(before < 1 << 20 && target < 1 << 21, "a lexicon has too many words")
            bits = UInt64(scalar) << 43 | UInt64(before) << 23 | (isWord ? Self.isWord : 0) | UInt64(target)
        }

        var scalar: UInt32 { UInt32(bits >> 43) }
        var before: Int { Int(bits >> 23) & (1 << 20 - 1) }
        var isWord: Bool { bits & Self.isWord != 0 }
        var isLast: Bool { bits & Self.isLast != 0 }
        var target: Int { Int(bits) & (1 << 21 - 1) }
    }

    private let edges: [UInt64]
    private let root: Int
    private let firstEdges: ScalarMap

    /// - Parameter root: the first edge of the root, whose edges come last.
    init(edges: [UInt64], root: Int) {
        self.edges = edges
        self.root = root
        var firstEdges = ScalarMap()
        for index in root..<max(root, edges.count) { firstEdges.insert(Edge(edges[index]).scalar, Int32(index)) }
        self.firstEdges = firstEdges
    }

    /// - Parameter words: sorted, without duplicates, none of them empty.
    package init(_ words: [[UInt32]]) {
        var edges: [UInt64] = [0]
        let root = words.isEmpty ? 1 : Self.addNode(words[...], 0, &edges)
        self.init(edges: edges, root: root)
    }

    /// Adds the node of words that have the same first scalars, and returns its first edge.
    private static func addNode(_ words: ArraySlice<[UInt32]>, _ depth: Int, _ edges: inout [UInt64]) -> Int {
        var own: [UInt64] = []
        var low = words.startIndex
        while low < words.endIndex {
            let scalar = words[low][depth]
            var high = low + 1
            while high < words.endIndex, words[high][depth] == scalar { high += 1 }
            let isWord = words[low].count == depth + 1
            let longer = words[(isWord ? low + 1 : low)..<high]
            let target = longer.isEmpty ? 0 : addNode(longer, depth + 1, &edges)
            own.append(Edge(scalar, before: low - words.startIndex, isWord: isWord, target: target).bits)
            low = high
        }
        own[own.count - 1] |= Edge.isLast
        edges += own
        return edges.count - own.count
    }

    /// Calls `body` with the end and the number of each word that begins at `start`, shorter ones first.
    package func forEachWord(in text: [UInt32], from start: Int, _ body: (_ end: Int, _ word: Int) -> Void) {
        var index = Int(firstEdges[text[start]])
        var at = start
        var word = 0
        while index > 0 {
            let edge = Edge(edges[index])
            word += edge.before
            at += 1
            if edge.isWord {
                body(at, word)
                word += 1
            }
            guard edge.target > 0, at < text.count else { return }
            index = self.edge(from: edge.target, text[at])
        }
    }

    /// The edge with the scalar from a node; 0 if there is none.
    private func edge(from node: Int, _ scalar: UInt32) -> Int {
        var index = node
        while true {
            let edge = Edge(edges[index])
            if edge.scalar == scalar { return index }
            if edge.scalar > scalar || edge.isLast { return 0 }
            index += 1
        }
    }

    /// Visits words in their order.
    /// - Parameters:
    ///   - first: the first scalar of the words; nil for all words.
    ///   - steps: returns the state after a scalar; nil to leave out all words that begin like this.
    ///   - body: is called with the scalars, the number and the state of each word.
    package func visit<State>(
        from state: State, first: UInt32? = nil, _ steps: (State, UInt32) -> State?,
        _ body: ([UInt32], Int, State) -> Void
    ) {
        var path: [UInt32] = []
        if let first {
            let index = Int(firstEdges[first])
            if index > 0 { visitEdge(index, 0, state, &path, steps, body) }
        } else if root < edges.count {
            visitNode(root, 0, state, &path, steps, body)
        }
    }

    private func visitNode<State>(
        _ node: Int, _ word: Int, _ state: State, _ path: inout [UInt32], _ steps: (State, UInt32) -> State?,
        _ body: ([UInt32], Int, State) -> Void
    ) {
        var index = node
        visitEdge(index, word, state, &path, steps, body)
        while !Edge(edges[index]).isLast {
            index += 1
            visitEdge(index, word, state, &path, steps, body)
        }
    }

    private func visitEdge<State>(
        _ index: Int, _ first: Int, _ state: State, _ path: inout [UInt32], _ steps: (State, UInt32) -> State?,
        _ body: ([UInt32], Int, State) -> Void
    ) {
        let edge = Edge(edges[index])
        guard let next = steps(state, edge.scalar) else { return }
        let word = first + edge.before
        path.append(edge.scalar)
        if edge.isWord { body(path, word, next) }
        if edge.target > 0 { visitNode(edge.target, word + (edge.isWord ? 1 : 0), next, &path, steps, body) }
        path.removeLast()
    }
}

/// Maps the first scalars of words to their edges; all others are 0.
private struct ScalarMap: Sendable {
    private var blocks = [UInt16](repeating: 0, count: 0x200)
    private var entries = [Int32](repeating: 0, count: 256)

    mutating func insert(_ scalar: UInt32, _ value: Int32) {
        let block = Int(scalar >> 8)
        guard block < blocks.count else { return }
        if blocks[block] == 0 {
            blocks[block] = UInt16(entries.count >> 8)
            entries += [Int32](repeating: 0, count: 256)
        }
        entries[Int(blocks[block]) << 8 + Int(scalar & 0xFF)] = value
    }

    subscript(scalar: UInt32) -> Int32 {
        let block = Int(scalar >> 8)
        return block < blocks.count ? entries[Int(blocks[block]) << 8 + Int(scalar & 0xFF)] : 0
    }
}
