/// Reads a text token by token according to a grammar, and computes which tokens may come next.
package struct TokenMasker: Sendable {
    /// Limits: the number of state cells above which states are discarded, and the number of cached masks.
    private static let mostCells = 4_000_000
    private static let mostMasks = 64

    private let trie: TokenTrie
    private let endTokens: [Int32]
    private var machine: GrammarMachine
    private var state: GrammarMachine.State
    /// The cached masks, concatenated, the state of each slot, and the slot of each state.
    private var masks: [UInt64] = []
    private var cached: [GrammarMachine.State] = []
    private var slots: [GrammarMachine.State: Int] = [:]
    private var slot = 0
    /// The slot that is replaced next.
    private var oldest = 0
    /// The states on the current path in the trie.
    private var path: [GrammarMachine.State]

    /// Creates a masker.
    /// - Parameter endTokens: tokens that end a text; allowed if the text is complete.
    package init(_ grammar: Grammar, trie: TokenTrie, endTokens: [Int32]) {
        self.trie = trie
        self.endTokens = endTokens.filter { (0..<Int32(trie.count)).contains($0) }
        machine = grammar.machine
        state = machine.start
        path = [GrammarMachine.State](repeating: 0, count: trie.longest + 2)
        // Never reallocated: growing would copy all of them while a text waits. Untouched pages take no memory.
        cached.reserveCapacity(Self.mostMasks)
        slots.reserveCapacity(Self.mostMasks)
        masks.reserveCapacity(Self.mostMasks * trie.maskWords)
    }

    /// The length of the longest token in bytes.
    package var longestToken: Int { trie.longest }
    /// Whether the text may end here.
    package var isComplete: Bool { machine.isComplete(state) }
    /// Whether the text must end here.
    package var mustEnd: Bool { machine.mustEnd(state) }

    /// Appends a token's bytes.
    /// - Returns: the number of bytes that are allowed; unless all are, the text stays unchanged.
    /// - Throws: `GrammarError.tooComplex`.
    package mutating func advance(_ bytes: [UInt8]) throws(GrammarError) -> (taken: Int, all: Bool) {
        var next = state
        var taken = 0
        for byte in bytes {
            next = machine.next(next, byte)
            try checkLimits()
            if next == GrammarMachine.dead { return (taken, false) }
            taken += 1
        }
        state = next
        if machine.stateCells > Self.mostCells {
            state = machine.forget(keeping: state)
            slots.removeAll(keepingCapacity: true)
        }
        return (taken, true)
    }

    private func checkLimits() throws(GrammarError) {
        if machine.isExhausted { throw .tooComplex("the text so far") }
    }

    /// Bytes that come next whatever is chosen, and the state after them.
    package struct ForcedBytes: Sendable {
        package var bytes: [UInt8] = []
        fileprivate var end = GrammarMachine.dead
    }

    /// The bytes up to the next place where the grammar leaves a choice or the text may end.
    /// - Parameter most: the maximum number of bytes.
    /// - Throws: `GrammarError.tooComplex`.
    package mutating func forcedBytes(most: Int) throws(GrammarError) -> ForcedBytes {
        var forced = ForcedBytes(end: state)
        while forced.bytes.count < most, let byte = machine.onlyByte(forced.end) {
            forced.end = machine.next(forced.end, byte)
            forced.bytes.append(byte)
        }
        try checkLimits()
        return forced
    }

    /// Whether some token begins with the last `count` forced bytes and goes on in a way that the grammar allows.
    package mutating func spansEnd(of forced: ForcedBytes, last count: Int) -> Bool {
        let nodes = trie.all.nodes
        func depth(_ index: Int) -> Int { Int(nodes[index] >> 8 & 0xFFFF) }
        func end(_ index: Int) -> Int { Int(nodes[index] >> 32) }
        var node = 0
        for byte in forced.bytes.suffix(count) {
            var child = node + 1
            while child < end(node), UInt8(truncatingIfNeeded: nodes[child]) != byte { child = end(child) }
            guard child < end(node) else { return false }
            node = child
        }
        path[depth(node)] = forced.end
        var index = node + 1
        while index < end(node) {
            let next = machine.next(path[depth(index) - 1], UInt8(truncatingIfNeeded: nodes[index]))
            if next == GrammarMachine.dead {
                index = end(index)
                continue
            }
            if nodes[index] >> 24 & 1 == 1 { return true }
            path[depth(index)] = next
            index += 1
        }
        return false
    }

    /// Computes which tokens may come next; `words` then contains the mask.
    /// - Throws: `GrammarError.tooComplex`.
    package mutating func update() throws(GrammarError) {
        if let known = slots[state] {
            slot = known
            return
        }
        let width = trie.maskWords
        if cached.count < Self.mostMasks {
            slot = cached.count
            cached.append(state)
            masks.append(contentsOf: repeatElement(0, count: width))
        } else {
            slot = oldest
            oldest = (oldest + 1) % Self.mostMasks
            if slots[cached[slot]] == slot { slots[cached[slot]] = nil }
            cached[slot] = state
            for index in slot * width..<(slot + 1) * width { masks[index] = 0 }
        }
        compute()
        try checkLimits()
        slots[state] = slot
        if machine.isComplete(state) { for token in endTokens { allow(token) } }
    }

    /// The mask computed by the last `update()`, one bit per token.
    package var words: ArraySlice<UInt64> { masks[slot * trie.maskWords..<(slot + 1) * trie.maskWords] }

    /// Whether a token may come next, according to the last `update()`.
    package func allows(_ token: Int32) -> Bool {
        masks[slot * trie.maskWords + Int(token) >> 6] >> UInt64(token & 63) & 1 == 1
    }

    @inline(__always)
    private mutating func allow(_ token: Int32) {
        masks[slot * trie.maskWords + Int(token) >> 6] |= 1 << UInt64(token & 63)
    }

    private mutating func allow(_ mask: [UInt64]) {
        let start = slot * trie.maskWords
        for index in mask.indices { masks[start + index] |= mask[index] }
    }

    private mutating func compute() {
        switch machine.stringPlace(state, longest: Int32(trie.longest)) {
        case .anywhere(let form, let mayEnd):
            // The string may be longer than any token, so every token that stays inside is allowed.
            allow(trie.plain[trie.plain.count - 1])
            allow(trie.stringForms[form].inner)
            if mayEnd { walk(trie.stringForms[form].behind, from: machine.next(state, 0x22)) }
        case .holdsPlain(let characters):
            allow(trie.plain[min(characters, trie.plain.count - 1)])
            walk(trie.special, from: state)
        case .elsewhere:
            let slice = TokenTrie.WordSlice.allCases.last {
                machine.allowsAll(
                    TokenTrie.WordSlice.bytes[$0.rawValue], upTo: TokenTrie.WordSlice.longest, from: state)
            }
            if let slice { allow(trie.words[slice.rawValue]) }
            walk(trie.all, from: state, except: slice)
        }
    }

    /// Allows all tokens of a tree that match from a state, except those of a slice that are allowed already.
    private mutating func walk(
        _ tree: TokenTrie.Tree, from start: GrammarMachine.State, except slice: TokenTrie.WordSlice? = nil
    ) {
        let skipped = slice?.flag ?? 0
        guard start != GrammarMachine.dead else { return }
        // Tokens without remaining bytes.
        for index in 0..<Int(tree.tokenStarts[1]) { allow(tree.tokens[index]) }
        path[0] = start
        var index = 1
        let count = tree.nodes.count
        while index < count {
            let node = tree.nodes[index]
            let depth = Int(node >> 8 & 0xFFFF)
            let next = machine.next(path[depth - 1], UInt8(truncatingIfNeeded: node))
            if next == GrammarMachine.dead || node & skipped != 0 {
                index = Int(node >> 32)
                continue
            }
            path[depth] = next
            if node >> 24 & 1 == 1 {
                for at in Int(tree.tokenStarts[index])..<Int(tree.tokenStarts[index + 1]) { allow(tree.tokens[at]) }
            }
            index += 1
        }
    }
}
