import Foundation
import HearthTokenizer

/// The tokens not excluded so far, with their logits; the sampling stages work on them.
///
/// Every filter leaves at least one token. Logits of −∞ (masked tokens) are never added.
struct Candidates: Sendable {
    struct Candidate: Sendable {
        var id: TokenID
        var logit: Double
        /// exp(logit − largest), set by `weigh()`.
        var weight = 0.0
    }

    private(set) var all: [Candidate] = []
    /// Whether they are in descending order; of equal logits the lower id comes first.
    private var isSorted = false

    /// Starts with the whole vocabulary.
    mutating func fill(_ logits: Span<Float>, count: Int) {
        all.removeAll(keepingCapacity: true)
        all.reserveCapacity(count)
        for index in 0..<count where logits[index] > -.infinity {
            all.append(Candidate(id: TokenID(truncatingIfNeeded: index), logit: Double(logits[index])))
        }
        isSorted = false
    }

    private var largest: Double { all.reduce(-.infinity) { max($0, $1.logit) } }

    private static func comesFirst(_ a: Candidate, _ b: Candidate) -> Bool {
        a.logit == b.logit ? a.id < b.id : a.logit > b.logit
    }

    private mutating func sort() {
        if !isSorted { all.sort(by: Self.comesFirst) }
        isSorted = true
    }

    /// Sets the weights, which are unnormalised probabilities.
    /// - Returns: their sum.
    private mutating func weigh() -> Double {
        let top = largest
        var sum = 0.0
        for index in all.indices {
            let weight = exp(all[index].logit - top)
            all[index].weight = weight
            sum += weight
        }
        return sum
    }

    // MARK: - Stages

    /// Replaces each logit by a function of its token and value.
    mutating func change(_ body: (TokenID, Double) -> Double) {
        for index in all.indices { all[index].logit = body(all[index].id, all[index].logit) }
        isSorted = false
    }

    /// Keeps the `count` most likely; 0 keeps all.
    mutating func keepTop(_ count: Int) {
        guard count > 0, count < all.count else { return }
        if !isSorted, count < all.count / 8 {
            // Drop everything below the k-th best before sorting.
            var best = CandidateHeap()
            best.begin(limit: count)
            for index in all.indices { best.offer(Float(all[index].logit), index) }
            if let least = best.least { all.removeAll { Float($0.logit) < least } }
        }
        sort()
        all.removeLast(all.count - min(count, all.count))
    }

    /// Keeps the most likely tokens that together reach the probability `p`; 1 keeps all.
    mutating func keepProbability(_ p: Double) {
        guard p < 1 else { return }
        let share = weigh() * p
        sort()
        var sum = 0.0
        for index in all.indices {
            sum += all[index].weight
            if sum >= share { return all.removeLast(all.count - index - 1) }
        }
    }

    /// Keeps tokens with at least `p` times the probability of the most likely one; 0 keeps all.
    mutating func keepNearTop(_ p: Double) {
        guard p > 0 else { return }
        let floor = largest + log(p)
        // Rounding must not drop the most likely token if p is 1.
        let top = largest
        all.removeAll { $0.logit < floor && $0.logit < top }
    }

    /// Top-nσ (Tang et al., 2024): keeps logits of at least the largest minus `n` standard deviations of the candidates.
    mutating func keepWithinDeviations(_ n: Double) {
        guard n > 0, !all.isEmpty else { return }
        let count = Double(all.count)
        let mean = all.reduce(0) { $0 + $1.logit } / count
        let variance = all.reduce(0) { $0 + ($1.logit - mean) * ($1.logit - mean) } / count
        let floor = largest - n * variance.squareRoot()
        all.removeAll { $0.logit < floor }
    }

    /// Locally typical sampling (Meister et al., 2022): keeps the tokens whose information content is nearest to the entropy
    /// and which together exceed the probability `p`; 1 keeps all.
    mutating func keepTypical(_ p: Double) {
        guard p < 1 else { return }
        let total = weigh()
        let top = largest, logTotal = log(total)
        func surprise(_ candidate: Candidate) -> Double { logTotal - (candidate.logit - top) }
        let entropy = all.reduce(0) { $0 + $1.weight / total * surprise($1) }
        sort()
        // Of equally typical tokens, the more likely one comes first.
        let ranked = all.indices.sorted {
            let a = abs(surprise(all[$0]) - entropy), b = abs(surprise(all[$1]) - entropy)
            return a == b ? $0 < $1 : a < b
        }
        var sum = 0.0
        var kept = ranked.count
        for (rank, index) in ranked.enumerated() {
            sum += all[index].weight / total
            if sum > p {
                kept = rank + 1
                break
            }
        }
        all = ranked[..<kept].sorted().map { all[$0] }
    }

    /// Exclude top choices (XTC): of the tokens with at least the probability `threshold`, keeps only the least likely.
    mutating func excludeTop(threshold: Double) {
        let total = weigh()
        sort()
        let count = all.prefix { $0.weight / total >= threshold }.count
        if count > 1 { all.removeFirst(count - 1) }
    }

    mutating func divide(by temperature: Double) {
        guard temperature != 1 else { return }
        for index in all.indices { all[index].logit /= temperature }
    }

    /// Mirostat 2 (Basu et al., 2021): drops tokens with a surprise above `most` bits, but never the most likely token.
    mutating func keepBelowSurprise(_ most: Double) {
        let total = weigh()
        sort()
        let kept = all.prefix { -log2($0.weight / total) <= most }.count
        all.removeLast(all.count - max(kept, 1))
    }

    // MARK: - The choice

    /// Draws a token by its probability.
    /// - Parameter unit: a random number in 0..<1.
    /// - Returns: the token and its probability among the candidates; nil if there are none.
    mutating func draw(_ unit: Double) -> (id: TokenID, probability: Double)? {
        let total = weigh()
        sort()
        let target = unit * total
        var sum = 0.0
        for candidate in all {
            sum += candidate.weight
            if sum > target { return (candidate.id, candidate.weight / total) }
        }
        return all.last.map { ($0.id, $0.weight / total) }
    }

    /// The most likely token.
    var first: TokenID? { all.min(by: Self.comesFirst)?.id }
}
