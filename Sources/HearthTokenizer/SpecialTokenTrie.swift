internal import HearthSystem

/// A trie over the texts of some tokens, in flat arrays that are used in place.
struct SpecialTokenTrie: Sendable {
    /// The nodes. Node 0 is the root; a link of 0 means "none", because no link leads back to the root.
    ///
    /// Four words per node: label, first child, next sibling, and the rank of the token that ends here, or -1. Siblings are
    /// linked from newest to oldest, so indices decrease along the links and traversal always terminates, whatever the content.
    let nodes: FlatArray<SIMD4<Int32>>
    /// The root's children by byte, which decide most positions of a text.
    let roots: FlatArray<Int32>
    /// Tokens in order of priority.
    let tokens: FlatArray<TokenID>

    /// Uses a trie built earlier; nil if the arrays are inconsistent or contain tokens outside `0 ..< count`.
    init?(nodes: FlatArray<SIMD4<Int32>>, roots: FlatArray<Int32>, tokens: FlatArray<TokenID>, count: Int) {
        guard nodes.count > 0, roots.count == 256, tokens.allSatisfy({ $0 >= 0 && $0 < count }) else { return nil }
        self.nodes = nodes
        self.roots = roots
        self.tokens = tokens
    }

    /// Builds a trie of `tokens`, given in order of priority; of equal texts the first counts.
    init(_ tokens: [TokenID], pieces: ByteStringTable) {
        var builder = Builder()
        for (rank, token) in tokens.enumerated() { builder.add(pieces.bytes[pieces.range(Int(token))], rank: rank) }
        nodes = FlatArray(builder.nodes)
        roots = FlatArray(builder.roots)
        self.tokens = FlatArray(tokens)
    }

    @inline(__always)
    private func child(of node: Int32, _ byte: UInt8) -> Int32 {
        if node == 0 { return roots[Int(byte)] }
        var child = nodes[Int(node)].y
        while child > 0, Int(child) < nodes.count {
            let entry = nodes[Int(child)]
            if entry.x == Int32(byte) { return child }
            guard entry.z < child else { return 0 }
            child = entry.z
        }
        return 0
    }

    /// Whether any token begins with this byte.
    @inline(__always)
    func begins(with byte: UInt8) -> Bool { roots[Int(byte)] != 0 }

    /// The longest token text that begins at `start` and ends by `end`.
    func longest(in text: [UInt8], from start: Int, to end: Int) -> (rank: Int32, length: Int)? {
        var node: Int32 = 0
        var found: (rank: Int32, length: Int)?
        var position = start
        while position < end {
            node = child(of: node, text[position])
            guard node > 0, Int(node) < nodes.count else { break }
            position += 1
            let rank = nodes[Int(node)].w
            if rank >= 0, Int(rank) < tokens.count { found = (rank, position - start) }
        }
        return found
    }
}

extension SpecialTokenTrie {
    private struct Builder {
        var nodes = [SIMD4<Int32>(0, 0, 0, -1)]
        var roots = [Int32](repeating: 0, count: 256)

        mutating func add(_ text: Slice<FlatArray<UInt8>>, rank: Int) {
            var node: Int32 = 0
            for byte in text { node = child(of: node, adding: byte) }
            if node != 0, nodes[Int(node)].w < 0 { nodes[Int(node)].w = Int32(rank) }
        }

        private mutating func child(of node: Int32, adding byte: UInt8) -> Int32 {
            var child = node == 0 ? roots[Int(byte)] : nodes[Int(node)].y
            while child != 0, nodes[Int(child)].x != Int32(byte) { child = nodes[Int(child)].z }
            if child != 0 { return child }
            let new = Int32(nodes.count)
            nodes.append(SIMD4(Int32(byte), 0, nodes[Int(node)].y, -1))
            nodes[Int(node)].y = new
            if node == 0 { roots[Int(byte)] = new }
            return new
        }
    }
}
