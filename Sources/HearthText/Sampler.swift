import Foundation
internal import HearthSystem

/// Chooses the next token from logits.
///
/// Steps and their order are llama.cpp's: repetition penalty, top-k, top-p, min-p, temperature, one random number.
/// Probabilities for top-p and min-p are taken before the temperature is applied. Equal options, seed, history and
/// logits choose the same token; ties go to the lower id. Nothing is sorted but the few candidates that remain, and
/// after the first token nothing is allocated.
package struct Sampler: Sendable {
    /// The options, checked.
    package let options: SamplingOptions
    /// The seed in use, also when the options left it open; gives the same choices again.
    package let seed: UInt64

    private let vocabularyCount: Int
    /// Where the random numbers stand.
    var generator: Xoshiro256
    /// The recent tokens, a ring.
    private var recent: [TokenID] = []
    private var oldest = 0
    /// How often a token is among the recent ones.
    private var occurrences: [UInt32] = []
    private var candidates = CandidateHeap()
    private var weights: [Double] = []

    /// A sampler without history.
    ///
    /// - Parameter vocabularyCount: how many tokens exist; logits beyond it belong to no token and are ignored.
    /// - Throws: ``TextError/invalidOption(name:value:allowed:)``, ``TextError/nothingToSample``.
    package init(_ options: SamplingOptions, vocabularyCount: Int) throws(TextError) {
        try options.validate()
        guard vocabularyCount > 0 else { throw .nothingToSample }
        guard vocabularyCount <= Int(Int32.max) else {
            throw .invalidOption(name: "vocabulary", value: "\(vocabularyCount)", allowed: "below 2^31")
        }
        self.options = options
        self.vocabularyCount = vocabularyCount
        seed = options.seed ?? .random(in: .min ... .max)
        generator = Xoshiro256(seed: seed)
    }

    /// Tells of a token that the sampler did not choose itself (the prompt), for the repetition penalty.
    package mutating func accept(_ id: TokenID) {
        guard options.repeatPenalty != 1, options.repeatWindow > 0, id >= 0, id < vocabularyCount else { return }
        if occurrences.isEmpty {
            occurrences = [UInt32](repeating: 0, count: vocabularyCount)
            recent.reserveCapacity(options.repeatWindow)
        }
        if recent.count < options.repeatWindow {
            recent.append(id)
        } else {
            occurrences[Int(recent[oldest])] -= 1
            recent[oldest] = id
            oldest = (oldest + 1) % options.repeatWindow
        }
        occurrences[Int(id)] += 1
    }

    /// Chooses a token and remembers it.
    ///
    /// - Parameter logits: one a token, the model's raw output.
    /// - Throws: ``TextError/nonFiniteLogit(index:value:)``, ``TextError/nothingToSample``.
    package mutating func sample(_ logits: Span<Float>) throws(TextError) -> TokenID {
        let count = min(logits.count, vocabularyCount)
        guard count > 0 else { throw .nothingToSample }
        try Self.checkFinite(logits, count)
        let chosen: TokenID
        if options.temperature == 0 || options.topK == 1 {
            chosen = likeliest(logits, count)
        } else {
            collect(logits, count)
            chosen = draw()
        }
        accept(chosen)
        return chosen
    }

    /// Chooses a token and remembers it; see ``sample(_:)-(Span<Float>)``.
    package mutating func sample(_ logits: [Float]) throws(TextError) -> TokenID { try sample(logits.span) }
}

extension Sampler {
    /// A separate pass without branches, which the compiler turns into vector code.
    private static func checkFinite(_ logits: Span<Float>, _ count: Int) throws(TextError) {
        var largest: UInt32 = 0
        for index in 0..<count { largest = max(largest, logits[index].bitPattern & 0x7FFF_FFFF) }
        guard largest >= 0x7F80_0000 else { return }
        for index in 0..<count where !logits[index].isFinite {
            throw .nonFiniteLogit(index: index, value: "\(logits[index])")
        }
    }

    private func isRecent(_ index: Int) -> Bool { !occurrences.isEmpty && occurrences[index] > 0 }

    /// The form of CTRL (Keskar et al., 2019) as llama.cpp has it: once a token, however often it occurred.
    private func penalized(_ logit: Float, _ index: Int) -> Float {
        guard isRecent(index) else { return logit }
        // A penalty near zero may overflow; no logit may become infinite here either.
        let value = logit > 0 ? logit / options.repeatPenalty : logit * options.repeatPenalty
        return min(max(value, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
    }

    /// Logits that are looked at together: where none of them can matter, one comparison says so.
    private static let stretch = 512

    /// A logit as an integer of the same order; both zeros are one. Integers have a maximum that becomes vector code.
    private static func rank(_ logit: Float) -> Int32 {
        let bits = Int32(bitPattern: (logit + 0).bitPattern)
        return bits ^ (bits >> 31 & 0x7FFF_FFFF)
    }

    private static func highestRank(_ logits: Span<Float>, _ range: Range<Int>) -> Int32 {
        var highest = Int32.min
        for index in range { highest = max(highest, rank(logits[index])) }
        return highest
    }

    private func likeliest(_ logits: Span<Float>, _ count: Int) -> TokenID {
        if recent.isEmpty { return Self.likeliestUnpenalized(logits, count) }
        var best = -Float.infinity
        var chosen = 0
        for index in 0..<count {
            let logit = penalized(logits[index], index)
            if logit > best {
                best = logit
                chosen = index
            }
        }
        return TokenID(truncatingIfNeeded: chosen)
    }

    private static func likeliestUnpenalized(_ logits: Span<Float>, _ count: Int) -> TokenID {
        var best = Int32.min
        var first = 0
        for start in stride(from: 0, to: count, by: stretch) {
            let highest = highestRank(logits, start..<min(start + stretch, count))
            if highest > best { (best, first) = (highest, start) }
        }
        while rank(logits[first]) != best { first += 1 }
        return TokenID(truncatingIfNeeded: first)
    }

    /// Fills `candidates` with the top-k, or with everything.
    private mutating func collect(_ logits: Span<Float>, _ count: Int) {
        let limit = options.topK == 0 ? count : min(options.topK, count)
        candidates.begin(limit: limit)
        // All at once, so that a later token with more candidates costs no more; pages that are never used take no memory.
        weights.reserveCapacity(limit)
        guard recent.isEmpty else {
            for index in 0..<count { candidates.offer(penalized(logits[index], index), index) }
            return
        }
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let range = start..<min(start + Self.stretch, count)
            // A candidate has to exceed the least of those that there are.
            if let least = candidates.least, Self.highestRank(logits, range) <= Self.rank(least) { continue }
            for index in range { candidates.offer(logits[index], index) }
        }
    }

    /// Top-p, min-p and temperature over the candidates, then one draw.
    private mutating func draw() -> TokenID {
        let top = Double(candidates.maximum)
        var total = 0.0
        let cutsByP = options.topP < 1
        if cutsByP { for logit in candidates.logits { total += exp(Double(logit) - top) } }
        let share = total * Double(options.topP)
        let floor = options.minP > 0 ? top + log(Double(options.minP)) : -.infinity
        let temperature = Double(options.temperature)

        weights.removeAll(keepingCapacity: true)
        var sum = 0.0
        var cumulative = 0.0
        candidates.beginDescending()
        while let logit = candidates.nextDescending() {
            // The likeliest always stays.
            if !weights.isEmpty, Double(logit) < floor { break }
            sum += exp((Double(logit) - top) / temperature)
            weights.append(sum)
            cumulative += exp(Double(logit) - top)
            if cutsByP, cumulative >= share { break }
        }
        let target = generator.unit() * sum
        // The running sums ascend: the first above the target.
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] > target { high = middle } else { low = middle + 1 }
        }
        return candidates.descending(low)
    }
}
