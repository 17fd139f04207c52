import HearthSystem

/// Byte-pair merging of one run of text: repeatedly joins the pair of highest priority until no pair can be joined.
///
/// The vocabulary determines the priority: the highest score of the joined piece (SentencePiece), or the lowest rank in the
/// list of merges; the leftmost pair wins a tie. A queue keeps long runs at O(n log n); short runs, which are nearly all, are
/// faster without one. Scratch memory is reused between runs.
struct PieceMerger {
    private let vocabulary: Vocabulary
    /// The bytes of the run; symbols are ranges of it.
    private var run: [UInt8] = []
    /// Start of each initial character, followed by the end of the run.
    private var starts: [Int32] = []
    /// The class of the last character, for ``MergeBoundaries``.
    private var last = 0
    /// For the symbol starting at an initial character, the index of the next symbol; 0 if joined to the left.
    private var next: [Int32] = []
    private var previous: [Int32] = []
    /// For short runs: the priority of joining a symbol with the next one.
    private var priorities: [UInt32] = []
    private var queue = MinHeap<Pair>()
    /// Number of pair lookups so far; tests check that it grows only linearly.
    private(set) var lookups = 0

    private static let none = UInt32.max
    private static let shortRun = 24

    private struct Pair: Comparable {
        /// Priority in the upper half, position in the lower: the smallest is joined next.
        let key: UInt64
        /// Length of both symbols in bytes; a different length shows that one of them has changed.
        let length: Int32

        static func < (a: Pair, b: Pair) -> Bool { a.key < b.key }
    }

    init(_ vocabulary: Vocabulary) { self.vocabulary = vocabulary }

    /// Appends one character (or one byte that is not part of any), with a space as U+2581. If it cannot join what came before,
    /// that is merged first.
    @inline(__always)
    mutating func append(_ text: [UInt8], _ start: Int, _ length: Int, into tokens: inout [TokenID]) {
        let isSpace = text[start] == UInt8(ascii: " ") || UTF8Scan.isSpaceSymbol(text, start, start + length)
        if !starts.isEmpty,
            !vocabulary.boundaries.canJoin(last, isSpace ? MergeBoundaries.space : Int(text[start]))
                || starts.count >= TokenizerLimits.runSymbols
        {
            flush(into: &tokens)
        }
        starts.append(Int32(truncatingIfNeeded: run.count))
        if isSpace {
            run.append(0xE2)
            run.append(0x96)
            run.append(0x81)
            last = MergeBoundaries.space
        } else {
            for index in start..<start + length { run.append(text[index]) }
            last = Int(text[start + length - 1])
        }
    }

    /// Merges the appended text, emits its tokens, and starts a new run.
    mutating func flush(into tokens: inout [TokenID]) {
        let count = starts.count
        guard count > 0 else { return }
        starts.append(Int32(truncatingIfNeeded: run.count))
        next.removeAll(keepingCapacity: true)
        for index in 0..<count { next.append(Int32(truncatingIfNeeded: index + 1)) }
        if count > Self.shortRun { mergeLong(count) } else if count > 1 { mergeShort(count) }

        var symbol = 0
        while symbol < count {
            let after = Int(next[symbol])
            emit(Int(starts[symbol]), Int(starts[after]), into: &tokens)
            symbol = after
        }
        run.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
    }

    private func emit(_ start: Int, _ end: Int, into tokens: inout [TokenID]) {
        let id = vocabulary.pieces.index(of: run, start, end)
        if id >= 0 {
            switch vocabulary.kind(at: Int(id)) {
            case .normal, .userDefined, .unused:
                tokens.append(id)
                return
            case .control, .unknown, .byte: break  // never from plain text
            }
        }
        for index in start..<end { tokens.append(vocabulary.byteTokens[Int(run[index])]) }
    }

    private mutating func priority(_ start: Int32, _ split: Int32, _ end: Int32) -> UInt32 {
        lookups += 1
        if let merges = vocabulary.merges {
            let left = split - start
            guard left <= TokenizerLimits.pieceBytes, end - split <= TokenizerLimits.pieceBytes else {
                return Self.none
            }
            let rank = merges.index(of: run, Int(start), Int(end), salt: UInt16(truncatingIfNeeded: left))
            return rank < 0 ? Self.none : UInt32(rank)
        }
        guard end - start <= TokenizerLimits.pieceBytes else { return Self.none }
        let id = vocabulary.pieces.index(of: run, Int(start), Int(end))
        return id < 0 ? Self.none : vocabulary.priorities[Int(id)]
    }

    private mutating func mergeShort(_ count: Int) {
        priorities.removeAll(keepingCapacity: true)
        for index in 0..<count - 1 {
            priorities.append(priority(starts[index], starts[index + 1], starts[index + 2]))
        }
        priorities.append(Self.none)
        while true {
            var best = Self.none
            var left = 0
            var before = -1
            var bestBefore = -1
            var symbol = 0
            while symbol < count {
                if priorities[symbol] < best {
                    best = priorities[symbol]
                    left = symbol
                    bestBefore = before
                }
                before = symbol
                symbol = Int(next[symbol])
            }
            guard best != Self.none else { return }
            let after = Int(next[Int(next[left])])
            next[left] = Int32(truncatingIfNeeded: after)
            priorities[left] =
                after < count ? priority(starts[left], starts[after], starts[Int(next[after])]) : Self.none
            if bestBefore >= 0 {
                priorities[bestBefore] = priority(starts[bestBefore], starts[left], starts[after])
            }
        }
    }

    private mutating func mergeLong(_ count: Int) {
        previous.removeAll(keepingCapacity: true)
        queue.removeAll()
        for index in 0..<count {
            previous.append(Int32(truncatingIfNeeded: index - 1))
            if index + 1 < count, let pair = pair(index, index + 1) { queue.append(pair) }
        }
        queue.heapify()
        while let best = queue.popMin() {
            let left = Int(best.key & 0xFFFF_FFFF)
            let right = Int(next[left])
            guard right > left, right < count else { continue }
            let after = Int(next[right])
            // Symbols only grow, so an unchanged sum means that neither has changed.
            guard starts[after] - starts[left] == best.length else { continue }
            next[left] = Int32(truncatingIfNeeded: after)
            next[right] = 0
            if after < count {
                previous[after] = Int32(truncatingIfNeeded: left)
                if let pair = pair(left, after) { queue.push(pair) }
            }
            let before = Int(previous[left])
            if before >= 0, let pair = pair(before, left) { queue.push(pair) }
        }
    }

    private mutating func pair(_ left: Int, _ right: Int) -> Pair? {
        let end = starts[Int(next[right])]
        let priority = priority(starts[left], starts[right], end)
        guard priority != Self.none else { return nil }
        return Pair(
            key: UInt64(priority) << 32 | UInt64(truncatingIfNeeded: left), length: end - starts[left])
    }
}
