import HearthTokenizer

/// The k best of many logits, read in descending order on demand.
///
/// Collecting uses a heap with the worst candidate on top, so a logit that is not among the best costs one comparison. Reading
/// reverses the heap and sorts only as far as it is read: with top-k off, top-p usually needs a few dozen of 262,144.
struct CandidateHeap: Sendable {
    private var limit = 0
    private(set) var logits: [Float] = []
    private var ids: [TokenID] = []
    private(set) var maximum = -Float.infinity
    /// While reading: the heap is `0..<remaining`; candidates already read follow it, the last one read first.
    private var remaining = 0

    mutating func begin(limit: Int) {
        self.limit = limit
        logits.removeAll(keepingCapacity: true)
        ids.removeAll(keepingCapacity: true)
        logits.reserveCapacity(limit)
        ids.reserveCapacity(limit)
        maximum = -.infinity
    }

    /// Ids must be offered in ascending order; of equal logits the lower id wins.
    @inline(__always)
    mutating func offer(_ logit: Float, _ index: Int) {
        if logits.count < limit {
            logits.append(logit)
            ids.append(TokenID(truncatingIfNeeded: index))
            maximum = max(maximum, logit)
            if logits.count == limit { heapify(limit, worstFirst: true) }
        } else if logit > logits[0] {
            logits[0] = logit
            ids[0] = TokenID(truncatingIfNeeded: index)
            maximum = max(maximum, logit)
            sink(0, limit, worstFirst: true)
        }
    }

    /// The value a logit must exceed to be accepted; nil while all are accepted.
    var least: Float? { logits.isEmpty || logits.count < limit ? nil : logits[0] }

    /// Switches from collecting to reading.
    mutating func beginDescending() {
        remaining = logits.count
        heapify(remaining, worstFirst: false)
    }

    /// The next best logit.
    mutating func nextDescending() -> Float? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        logits.swapAt(0, remaining)
        ids.swapAt(0, remaining)
        sink(0, remaining, worstFirst: false)
        return logits[remaining]
    }

    /// The id of the `index`-th candidate read.
    func descending(_ index: Int) -> TokenID { ids[ids.count - 1 - index] }

    private mutating func heapify(_ count: Int, worstFirst: Bool) {
        for index in stride(from: count / 2 - 1, through: 0, by: -1) { sink(index, count, worstFirst: worstFirst) }
    }

    private mutating func sink(_ start: Int, _ count: Int, worstFirst: Bool) {
        var index = start
        while true {
            var child = 2 * index + 1
            guard child < count else { return }
            if child + 1 < count, comesFirst(child + 1, child, worstFirst) { child += 1 }
            guard comesFirst(child, index, worstFirst) else { return }
            logits.swapAt(index, child)
            ids.swapAt(index, child)
            index = child
        }
    }

    @inline(__always)
    private func comesFirst(_ a: Int, _ b: Int, _ worstFirst: Bool) -> Bool {
        let better = logits[a] == logits[b] ? ids[a] < ids[b] : logits[a] > logits[b]
        return worstFirst ? !better : better
    }
}
