import Foundation
internal import HearthSystem
package import HearthTokenizer

/// Chooses the next token from logits.
///
/// The stages that change a few of the logits come first: logit bias, then penalties and DRY. Then the filters and the
/// temperature, in the order given by the options; finally one random draw. The default order and the definition of each stage
/// are llama.cpp's. Equal options, seed, history and logits choose the same token; ties go to the lower id.
///
/// With only top-k, top-p, min-p and temperature, in the default order, only the few remaining candidates are sorted, and
/// nothing is allocated after the first token. Everything else uses ``Candidates``.
package struct Sampler: Sendable {
    /// The validated options.
    package let options: SamplingOptions
    /// The seed in use, also if the options did not set one; reusing it reproduces the choices.
    package let seed: UInt64

    private let vocabularyCount: Int
    /// State of the random number generator.
    var generator: Xoshiro256
    /// Mirostat's current bound on surprise, in bits; adapts to the chosen tokens.
    var mostSurprise: Double
    private var history: TokenHistory
    /// The leading stages that change logits, and the stages after them.
    private let changes: ArraySlice<SamplingStage>
    private let filters: ArraySlice<SamplingStage>
    /// Whether the most likely token is chosen, so that the filters need not be applied.
    private let takesLikeliest: Bool
    /// Whether the heap alone can apply the filters.
    private let isPlain: Bool
    /// The changed logits.
    private var changed: [Float] = []
    private var heap = CandidateHeap()
    private var weights: [Double] = []
    private var candidates = Candidates()

    /// Creates a sampler with an empty history.
    ///
    /// - Parameters:
    ///   - vocabularyCount: number of tokens; logits beyond it belong to no token and are ignored.
    ///   - breaks: whether a token ends DRY's sequences; nil if none does.
    ///   - allowsPlain: false to always use ``Candidates``, for tests.
    /// - Throws: ``TextError/invalidOption(name:value:allowed:)``, ``TextError/nothingToSample``;
    ///   `TokenizerError.tokenOutOfRange` for a bias.
    package init(
        _ options: SamplingOptions, vocabularyCount: Int, breaks: (@Sendable (TokenID) -> Bool)? = nil,
        allowsPlain: Bool = true
    ) throws {
        try options.validate()
        guard vocabularyCount > 0 else { throw TextError.nothingToSample }
        guard vocabularyCount <= Int(Int32.max) else {
            throw TextError.invalidOption(name: "vocabulary", value: "\(vocabularyCount)", allowed: "below 2^31")
        }
        if let bad = options.logitBias.keys.filter({ !(0..<vocabularyCount).contains(Int($0)) }).min() {
            throw TokenizerError.tokenOutOfRange(id: Int(bad), count: vocabularyCount)
        }
        self.options = options
        self.vocabularyCount = vocabularyCount
        seed = options.seed ?? .random(in: .min ... .max)
        generator = Xoshiro256(seed: seed)
        mostSurprise = 2 * Double(options.mirostatTau)
        history = TokenHistory(options, vocabularyCount: vocabularyCount, breaks: breaks)
        let split = options.stages.firstIndex { !$0.changesLogits } ?? options.stages.endIndex
        changes = options.stages[..<split]
        filters = options.stages[split...]
        let active = filters.filter { options.asksFor($0) }
        takesLikeliest = Self.takesLikeliest(options, active)
        isPlain =
            allowsPlain && !options.usesMirostat
            && active == [.topK, .topP, .minP, .temperature].filter { options.asksFor($0) }
    }

    /// Adds a token that was not sampled (the prompt) to the history, for the penalties.
    package mutating func accept(_ id: TokenID) { history.append(id, isGenerated: false) }

    /// Adds a token that another sampler chose in the same text.
    package mutating func acceptGenerated(_ id: TokenID) { history.append(id, isGenerated: true) }

    /// Chooses a token and adds it to the history.
    ///
    /// - Parameter logits: the model's raw output, one value per token, each finite (`Span.requireFinite`).
    /// - Throws: ``TextError/nothingToSample``.
    package mutating func sample(_ logits: Span<Float>) throws(TextError) -> TokenID {
        let count = min(logits.count, vocabularyCount)
        guard count > 0 else { throw .nothingToSample }
        let chosen: TokenID
        if changeLogits(logits, count) {
            // Moved out of the property to avoid a copy, and put back to keep its allocation.
            let row = changed
            changed = []
            chosen = try row.withSpan { values throws(TextError) in try choose(values, count) }
            changed = row
        } else {
            chosen = try choose(logits, count)
        }
        history.append(chosen, isGenerated: true)
        return chosen
    }

    /// Chooses a token and adds it to the history; see ``sample(_:)-(Span<Float>)``.
    package mutating func sample(_ logits: [Float]) throws(TextError) -> TokenID {
        try logits.withSpan { values throws(TextError) in try sample(values) }
    }
}

extension [Float] {
    /// Passes the values as a span; the array's own `span` needs iOS 26.
    package func withSpan<Value>(_ body: (Span<Float>) throws(TextError) -> Value) throws(TextError) -> Value {
        let result: Result<Value, TextError> = withUnsafeBufferPointer { values in
            do throws(TextError) {
                return .success(try body(values.span))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

// MARK: - Stages

extension Sampler {
    /// Applies the leading stages, which change a few logits, and leaves the result in `changed`.
    /// - Returns: whether any logit was changed.
    private mutating func changeLogits(_ logits: Span<Float>, _ count: Int) -> Bool {
        let penalizes = changes.contains(.penalties) && history.hasPenalties
        let losses = changes.contains(.dry) ? history.sequencePenalties() : [:]
        guard penalizes || !losses.isEmpty || !options.logitBias.isEmpty else { return false }
        changed.removeAll(keepingCapacity: true)
        changed.reserveCapacity(count)
        for index in 0..<count { changed.append(logits[index]) }
        for (id, bias) in options.logitBias where id < count {
            changed[Int(id)] = TokenHistory.finite(changed[Int(id)] + bias)
        }
        // Each stage builds on the previous result, except penalties: they may visit a token repeatedly and start from its
        // earlier value.
        for stage in changes {
            if stage == .penalties, penalizes {
                let before = RowBefore(bias: options.logitBias, losses: changes.first == .dry ? losses : [:])
                history.penalize(&changed) { before.logit(logits[Int($0)], $0) }
            } else if stage == .dry {
                for (id, loss) in losses where id < count {
                    changed[Int(id)] = TokenHistory.finite(changed[Int(id)] - loss)
                }
            }
        }
        return true
    }

    /// Computes the logit of a token before penalties.
    private struct RowBefore {
        var bias: [TokenID: Float]
        var losses: [TokenID: Float]
        func logit(_ raw: Float, _ id: TokenID) -> Float {
            var value = raw
            if let bias = bias[id] { value = TokenHistory.finite(value + bias) }
            if let loss = losses[id] { value = TokenHistory.finite(value - loss) }
            return value
        }
    }

    private mutating func choose(_ logits: Span<Float>, _ count: Int) throws(TextError) -> TokenID {
        if takesLikeliest { return Self.likeliest(logits, count) }
        if isPlain {
            collect(logits, count)
            return draw()
        }
        candidates.fill(logits, count: count)
        for stage in filters { apply(stage) }
        if options.temperature == 0 {
            guard let first = candidates.first else { throw .nothingToSample }
            return first
        }
        if options.usesMirostat { candidates.keepBelowSurprise(mostSurprise) }
        guard let drawn = candidates.draw(generator.unit()) else { throw .nothingToSample }
        if options.usesMirostat {
            let surprise = -log2(drawn.probability)
            mostSurprise -= Double(options.mirostatEta) * (surprise - Double(options.mirostatTau))
        }
        return drawn.id
    }

    /// Whether some stage leaves only the most likely token, and none before it changes which token that is.
    private static func takesLikeliest(_ options: SamplingOptions, _ active: [SamplingStage]) -> Bool {
        if options.temperature == 0 { return !active.contains { $0.changesLogits } }
        guard options.topK == 1, !options.usesMirostat, let end = active.firstIndex(of: .topK) else { return false }
        return !active[..<end].contains { $0.changesLogits || $0.mayExcludeLikeliest }
    }

    private mutating func apply(_ stage: SamplingStage) {
        // Temperature 0 takes the most likely token, whatever a filter says.
        if options.temperature == 0, !stage.changesLogits { return }
        // Mirostat replaces all stages that exclude tokens.
        if options.usesMirostat, stage != .temperature, !stage.changesLogits { return }
        switch stage {
        case .penalties:
            candidates.change { [history] in Double(history.penalized(Float($1), $0)) }
        case .dry:
            let losses = history.sequencePenalties()
            candidates.change { $1 - Double(losses[$0] ?? 0) }
        case .topNSigma: candidates.keepWithinDeviations(Double(options.topNSigma))
        case .topK: candidates.keepTop(options.topK)
        case .typical: candidates.keepTypical(Double(options.typicalP))
        case .topP: candidates.keepProbability(Double(options.topP))
        case .minP: candidates.keepNearTop(Double(options.minP))
        case .xtc:
            guard options.asksFor(.xtc) else { return }
            if generator.unit() < Double(options.xtcProbability) {
                candidates.excludeTop(threshold: Double(options.xtcThreshold))
            }
        case .temperature: candidates.divide(by: Double(options.temperature))
        }
    }
}

// MARK: - Without sorting

extension Sampler {
    /// Number of logits in a block; one comparison of its maximum can skip the whole block.
    private static let stretch = 512

    /// Maps a logit to an integer of the same order (both zeros are equal), because an integer maximum can be vectorised.
    private static func rank(_ logit: Float) -> Int32 {
        let bits = Int32(bitPattern: (logit + 0).bitPattern)
        return bits ^ (bits >> 31 & 0x7FFF_FFFF)
    }

    private static func highestRank(_ logits: Span<Float>, _ range: Range<Int>) -> Int32 {
        var highest = Int32.min
        for index in range { highest = max(highest, rank(logits[index])) }
        return highest
    }

    private static func likeliest(_ logits: Span<Float>, _ count: Int) -> TokenID {
        var best = Int32.min
        var first = 0
        for start in stride(from: 0, to: count, by: stretch) {
            let highest = highestRank(logits, start..<min(start + stretch, count))
            if highest > best { (best, first) = (highest, start) }
        }
        while rank(logits[first]) != best { first += 1 }
        return TokenID(truncatingIfNeeded: first)
    }

    /// Fills `heap` with the top-k candidates, or with all.
    private mutating func collect(_ logits: Span<Float>, _ count: Int) {
        let limit = options.asksFor(.topK) ? min(options.topK, count) : count
        heap.begin(limit: limit)
        // Reserve the maximum once, so that no later token reallocates; untouched pages take no memory.
        weights.reserveCapacity(limit)
        for start in stride(from: 0, to: count, by: Self.stretch) {
            let range = start..<min(start + Self.stretch, count)
            // Skip the block if none of its logits exceeds the least candidate.
            if let least = heap.least, Self.highestRank(logits, range) <= Self.rank(least) { continue }
            for index in range { heap.offer(logits[index], index) }
        }
    }

    /// Applies top-p, min-p and temperature to the candidates, then draws one.
    private mutating func draw() -> TokenID {
        let top = Double(heap.maximum)
        var total = 0.0
        let cutsByP = options.asksFor(.topP)
        if cutsByP { for logit in heap.logits { total += exp(Double(logit) - top) } }
        let share = total * Double(options.topP)
        let floor = options.asksFor(.minP) ? top + log(Double(options.minP)) : -.infinity
        let temperature = options.asksFor(.temperature) ? Double(options.temperature) : 1

        weights.removeAll(keepingCapacity: true)
        var sum = 0.0
        var cumulative = 0.0
        heap.beginDescending()
        while let logit = heap.nextDescending() {
            // The most likely token is never dropped.
            if !weights.isEmpty, Double(logit) < floor { break }
            sum += exp((Double(logit) - top) / temperature)
            weights.append(sum)
            cumulative += exp(Double(logit) - top)
            if cutsByP, cumulative >= share { break }
        }
        let target = generator.unit() * sum
        // Binary search in the ascending running sums for the first one above the target.
        var low = 0
        var high = weights.count - 1
        while low < high {
            let middle = (low + high) / 2
            if weights[middle] > target { high = middle } else { low = middle + 1 }
        }
        return heap.descending(low)
    }
}
