/// A trie over the texts of some tokens, as flat arrays.
struct SpecialTokenTrie: Sendable {
    /// Node 0 is the root; 0 as a link means "none", because no link leads back to the root.
    private var labels: [UInt8] = [0]
    private var firstChild: [Int32] = [0]
    private var nextSibling: [Int32] = [0]
    /// The rank of the token that ends at a node, or -1.
    private var ranks: [Int32] = [-1]
    /// The root's children by byte: most positions of a text are decided here.
    private var roots = [Int32](repeating: 0, count: 256)
    /// Tokens in the order in which they claim text.
    let tokens: [TokenID]

    /// A trie of `tokens`, which stand in the order of their claims; of equal texts the first counts.
    init(_ tokens: [TokenID], pieces: ByteStringTable) {
        self.tokens = tokens
        for (rank, token) in tokens.enumerated() {
            var node: Int32 = 0
            for position in pieces.range(Int(token)) { node = child(of: node, adding: pieces.bytes[position]) }
            if node != 0, ranks[Int(node)] < 0 { ranks[Int(node)] = Int32(rank) }
        }
    }

    private mutating func child(of node: Int32, adding byte: UInt8) -> Int32 {
        let existing = child(of: node, byte)
        if existing != 0 { return existing }
        let new = Int32(labels.count)
        labels.append(byte)
        firstChild.append(0)
        nextSibling.append(firstChild[Int(node)])
        ranks.append(-1)
        firstChild[Int(node)] = new
        if node == 0 { roots[Int(byte)] = new }
        return new
    }

    @inline(__always)
    private func child(of node: Int32, _ byte: UInt8) -> Int32 {
        if node == 0 { return roots[Int(byte)] }
        var child = firstChild[Int(node)]
        while child != 0, labels[Int(child)] != byte { child = nextSibling[Int(child)] }
        return child
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
            if node == 0 { break }
            position += 1
            if ranks[Int(node)] >= 0 { found = (ranks[Int(node)], position - start) }
        }
        return found
    }
}
