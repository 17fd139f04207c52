package import HearthCompute
package import HearthSystem
package import HearthTokenizer

/// One running text: the tokens that are in, and what follows them. Weights are shared; a session is not.
///
/// A step pushes up to `maximumStep` tokens through the layers (`GemmaPass`). Everything is allocated when the session is
/// made.
package final class GemmaSession {
    package let compute: Compute
    /// Most positions.
    package let context: Int
    /// Tokens in the cache.
    package private(set) var position = 0
    /// The tokens themselves, and the milliseconds that computing them took.
    package private(set) var held: [TokenID] = []
    private(set) var heldMS = 0.0
    /// Positions below this one may have been written to the caches since they were empty.
    package private(set) var written = 0
    /// Whether `logitRows` holds the logits that follow them.
    private var hasLogits = false
    /// Tokens that went through the layers since the session was made.
    package private(set) var tokensRun = 0
    /// Most tokens of one step.
    let maximumStep: Int

    /// Rows of the shortest cache: as long as no more were written, no ring has come round.
    private let shortestCache: Int

    private let pass: GemmaPass
    /// Of the weights.
    private let file: MappedFile
    /// Where rows of the caches come from; nil where all were computed here.
    private var origin: MappedRows?
    private let logitRows: Rows
    private let reader: PageReader?
    /// Keys and values of the layers that have their own.
    var caches: [LayerKVCache] { pass.caches }

    /// Logits of that many positions are computed at once when all are wanted: a vocabulary's worth is a megabyte.
    static let logitStep = 8

    /// Rows that were brought in from a file are gone or changed. The session has forgotten everything, and may run its text again.
    struct RowsLost: Error {}

    package init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, kernels: KernelSet, threads: Int, context: Int,
        cacheFormat: KVCacheFormat = .float32, maximumStep: Int = TextGenerator.defaultMaximumStep,
        reader: PageReader? = nil
    ) throws {
        let step = max(1, min(maximumStep, context))
        self.maximumStep = step
        self.context = context
        self.reader = reader
        file = weights.file
        let widest = c.layers.map { max(c.queryWidth(of: $0), $0.feedForwardWidth) }.max() ?? 0
        compute = try Compute(
            kernels: kernels, threads: threads, maximumRows: step,
            maximumColumns: max(c.width, widest, c.perLayerWidth))
        pass = try GemmaPass(
            configuration: c, weights: weights, compute: compute, context: context, maximumStep: step,
            cacheFormat: cacheFormat, reader: reader)
        shortestCache = pass.caches.map(\.capacity).min() ?? context
        held.reserveCapacity(context)
        logitRows = try Rows(count: min(Self.logitStep, step), width: weights.vocabularySize)
    }

    deinit { reader?.stop() }

    /// Forgets the text. Nothing is cleared: positions that were not written again are never read.
    package func reset() { forget(after: 0) }

    /// Keeps what it holds of a text's beginning and forgets the rest.
    ///
    /// - Returns: how many of `tokens` need not be run again; all of them only if their logits are at hand as well
    ///   (`lastLogits`).
    package func keep(of tokens: [TokenID]) -> Int {
        let known = known(of: tokens)
        if known < tokens.count { forget(after: known) }
        return known
    }

    /// How many `keep` would keep.
    func known(of tokens: [TokenID]) -> Int {
        var common = 0
        while common < min(held.count, tokens.count), held[common] == tokens[common] { common += 1 }
        if common == tokens.count, held.count == common, hasLogits { return common }
        common = min(common, tokens.count - 1)
        // A local layer's ring that has come round goes back by one step and no further, counted from what was last written:
        // that may be a step that was thrown away, or lie behind an earlier way back.
        return written <= shortestCache || written - common <= maximumStep ? common : 0
    }

    /// Holds `tokens` as if it had computed them: their rows were put into the caches.
    /// - Parameters:
    ///   - written: as it was where they come from.
    ///   - origin: the file that the rows are mapped from; nil where they were copied.
    func take(_ tokens: ArraySlice<TokenID>, written: Int, from origin: MappedRows? = nil) {
        reset()
        held.append(contentsOf: tokens)
        position = tokens.count
        self.written = written
        self.origin = origin
    }

    /// Forgets the text, and lets go of files that rows were mapped from.
    func resetToOwnMemory() {
        reset()
        for cache in caches { cache.unmap() }
    }

    /// After a step, before anybody sees its results: whether what it was computed from is what it was.
    /// - Throws: `FileError.changed`, `RowsLost`.
    private func checkSources() throws {
        try file.checkIntact()
        guard origin?.isIntact ?? true, !caches.contains(where: { $0.isLost }) else {
            resetToOwnMemory()
            throw RowsLost()
        }
    }

    /// The logits after the last token, where `keep` says that they are there.
    var lastLogits: Rows { logitRows.prefix(1) }

    private func forget(after count: Int) {
        position = count
        held.removeSubrange(count...)
        hasLogits = false
        if count == 0 {
            (heldMS, written, origin) = (0, 0, nil)
        } else if written <= shortestCache {
            // Nothing of what stays was overwritten.
            written = count
        }
    }

    /// Runs `tokens` through the model; nothing is computed for the head.
    /// - Throws: `FileError.changed`, `RowsLost`; `CancellationError`; `position` then tells how many tokens are in, and the rest may be run again.
    package func prefill(_ tokens: ArraySlice<TokenID>) throws {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try forEachStep(of: tokens) { try advance($0, wanted: 0..<0) }
    }

    /// Runs `tokens`, then computes the logits that follow the last one. They are valid until the next call.
    package func logits(after tokens: ArraySlice<TokenID>) throws -> Rows {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        var last = 0
        try forEachStep(of: tokens) { step in
            last = step.count - 1
            try advance(step, wanted: step.endIndex == tokens.endIndex ? last..<last + 1 : 0..<0)
        }
        let result = logitRows.prefix(1)
        pass.head(last..<last + 1, into: result)
        if compute.isCancelled { throw CancellationError() }
        try checkSources()
        hasLogits = true
        return result
    }

    /// Most tokens of a step whose logits are wanted together.
    var mostChecked: Int { logitRows.count }

    /// Runs a few tokens in one step, at most `mostChecked`, and computes the logits that follow each. They are valid until
    /// the next call.
    package func logits(checking tokens: ArraySlice<TokenID>) throws -> Rows {
        assert(tokens.count <= mostChecked)
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try advance(tokens, wanted: 0..<tokens.count)
        let result = logitRows.prefix(tokens.count)
        pass.head(0..<tokens.count, into: result)
        if compute.isCancelled { throw CancellationError() }
        try checkSources()
        return result
    }

    /// Forgets what it holds beyond so many tokens; no more than a step's.
    package func takeBack(to count: Int) {
        if count < position { forget(after: count) }
    }

    /// Runs `tokens` and hands over the logits that follow each, in order.
    package func logits(ofEach tokens: ArraySlice<TokenID>, _ body: (Rows) throws -> Void) throws {
        try forEachStep(of: tokens) { step in
            try advance(step, wanted: 0..<step.count)
            for first in stride(from: 0, to: step.count, by: logitRows.count) {
                let result = logitRows.prefix(step.count - first)
                pass.head(first..<first + result.count, into: result)
                if compute.isCancelled { throw CancellationError() }
                try checkSources()
                for row in 0..<result.count { try body(result.rows(row, 1)) }
            }
        }
    }

    /// Not a lazy sequence: its closure would be allocated for every token.
    private func forEachStep(
        of tokens: ArraySlice<TokenID>, _ body: (ArraySlice<TokenID>) throws -> Void
    ) rethrows {
        var first = tokens.startIndex
        while first < tokens.endIndex {
            let end = min(first + maximumStep, tokens.endIndex)
            try body(tokens[first..<end])
            first = end
        }
    }

    /// Pushes one step through the layers.
    private func advance(_ tokens: ArraySlice<TokenID>, wanted: Range<Int>) throws {
        guard position + tokens.count <= context else {
            throw TextError.contextOverflow(tokens: position + tokens.count, limit: context)
        }
        hasLogits = false
        written = max(written, position + tokens.count)
        try pass.run(tokens, position: position, wanted: wanted)
        try checkSources()
        position += tokens.count
        tokensRun += tokens.count
        held.append(contentsOf: tokens)
    }
}
