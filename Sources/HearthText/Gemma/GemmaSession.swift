package import HearthCompute
package import HearthSystem
package import HearthTokenizer

/// The inference state of one text: its tokens, KV cache and next logits. Weights are shared between sessions.
///
/// A step runs up to `maximumStep` tokens through the layers (`GemmaPass`). All memory is allocated when the session is
/// created. Sessions of concurrently generated texts share the pass (`init(beside:)`) and may share a step (`step(_:)`).
package final class GemmaSession {
    package var compute: Compute { workspace.compute }
    /// Maximum number of positions.
    package var context: Int { workspace.context }
    /// Number of tokens in the cache.
    package private(set) var position = 0
    /// The tokens in the cache, and the time spent computing them in milliseconds.
    package private(set) var held: [TokenID] = []
    private(set) var heldMS = 0.0
    /// Positions below this one may have been written since the caches were last empty.
    package private(set) var written = 0
    /// Whether `logitRows` holds the logits after the last token.
    private var hasLogits: Bool {
        get { workspace.logitsOwner == ObjectIdentifier(self) }
        set { workspace.logitsOwner = newValue ? ObjectIdentifier(self) : nil }
    }
    /// Number of tokens run through the layers since the session was created.
    package private(set) var tokensRun = 0
    /// Maximum tokens per step.
    var maximumStep: Int { workspace.maximumStep }

    /// Number of rows of the shortest cache; until more were written, no ring buffer has wrapped.
    private let shortestCache: Int

    /// The adapters of the tokens in the cache; nil for none.
    package private(set) var adapters: ActiveAdapters?
    /// Replaces `pass` for all sessions that share it; nil if the CPU computes.
    package internal(set) var gpu: GPUUse? {
        get { workspace.gpu }
        set { workspace.gpu = newValue }
    }
    /// The KV cache on a GPU, which `kv` then does not have; nil if there is none yet, or if the CPU computes.
    var gpuCaches: GemmaGPUCaches?
    private let workspace: Workspace
    let kv: GemmaKVCaches
    /// The file that cache rows are mapped from; nil if there are none.
    private var origin: MappedRows?
    /// Highest number of positions written since the memory was last released.
    private(set) var touched = 0
    /// Caches of the layers that have their own.
    var caches: [LayerKVCache] { kv.caches }
    var pass: GemmaPass { workspace.pass }
    private var logitRows: Rows { workspace.logitRows }

    /// Number of positions whose logits are computed at a time if all are wanted; each takes about a megabyte.
    static let logitStep = 8

    /// Cache rows mapped from a file were lost or changed. The session was reset and may run its text again.
    struct RowsLost: Error {}

    /// What concurrent sessions share: everything except their texts and KV caches.
    private final class Workspace {
        let configuration: GemmaConfiguration
        let compute: Compute
        let context: Int
        let maximumStep: Int
        let cacheFormat: KVCacheFormat
        let pass: GemmaPass
        /// The file of the weights.
        let file: MappedFile
        let logitRows: Rows
        var gpu: GPUUse?
        /// The session whose last logits are in the first row; nil if the row holds something else.
        var logitsOwner: ObjectIdentifier?
        private let reader: PageReader?

        init(
            _ c: GemmaConfiguration, _ weights: GemmaWeights, _ kernels: KernelSet, threads: Int, context: Int,
            _ cacheFormat: KVCacheFormat, maximumStep: Int, texts: Int, _ reader: PageReader?
        ) throws {
            configuration = c
            self.context = context
            self.cacheFormat = cacheFormat
            self.reader = reader
            let step = max(1, min(maximumStep, context))
            self.maximumStep = step
            file = weights.file
            let widest = c.layers.map { max(c.queryWidth(of: $0), $0.feedForwardWidth) }.max() ?? 0
            compute = try Compute(
                kernels: kernels, threads: threads, maximumRows: step,
                maximumColumns: max(c.width, widest, c.perLayerWidth))
            pass = try GemmaPass(
                configuration: c, weights: weights, compute: compute, maximumStep: step, reader: reader)
            logitRows = try Rows(count: min(max(GemmaSession.logitStep, texts), step), width: weights.vocabularySize)
        }

        deinit { reader?.stop() }
    }

    /// - Parameter texts: maximum number of sessions that share a step.
    package init(
        configuration c: GemmaConfiguration, weights: GemmaWeights, kernels: KernelSet, threads: Int, context: Int,
        cacheFormat: KVCacheFormat = .float32, maximumStep: Int = TextGenerator.defaultMaximumStep, texts: Int = 1,
        reader: PageReader? = nil
    ) throws {
        workspace = try Workspace(
            c, weights, kernels, threads: threads, context: context, cacheFormat, maximumStep: maximumStep,
            texts: texts, reader)
        kv = try GemmaKVCaches(c, context: context, maximumStep: workspace.maximumStep, format: cacheFormat)
        shortestCache = kv.caches.map(\.capacity).min() ?? context
        held.reserveCapacity(context)
    }

    /// Creates a session for another text that shares the pass: they run one at a time, or together in a step.
    package init(beside other: GemmaSession) throws {
        workspace = other.workspace
        kv = try GemmaKVCaches(
            workspace.configuration, context: workspace.context, maximumStep: workspace.maximumStep,
            format: workspace.cacheFormat)
        shortestCache = other.shortestCache
    }

    /// Resets the session. Memory is not cleared: positions are never read before they are written again.
    package func reset() { forget(after: 0) }

    /// Uses adapters from now on; tokens that were computed with others are discarded.
    package func use(_ adapters: ActiveAdapters?) {
        if adapters?.identity != self.adapters?.identity { reset() }
        self.adapters = adapters
    }

    /// Keeps the common prefix with a text and discards the rest.
    ///
    /// - Returns: how many of `tokens` need not be run again; all of them only if their logits are available too (`lastLogits`).
    package func keep(of tokens: [TokenID]) -> Int {
        let known = known(of: tokens)
        if known < tokens.count { forget(after: known) }
        return known
    }

    /// The number of tokens that `keep` would keep.
    func known(of tokens: [TokenID]) -> Int {
        var common = 0
        while common < min(held.count, tokens.count), held[common] == tokens[common] { common += 1 }
        if common == tokens.count, held.count == common, hasLogits { return common }
        common = min(common, tokens.count - 1)
        // Once a local layer's ring buffer has wrapped, it can be rewound by at most one step, counted from the last position
        // written, which may be beyond `position` after a discarded step or an earlier rewind.
        return written <= shortestCache || written - common <= maximumStep ? common : 0
    }

    /// Sets the session's tokens after their rows were put into the caches.
    /// - Parameters:
    ///   - written: the value of `written` in the session that computed them.
    ///   - origin: the file that the rows are mapped from; nil if they were copied.
    func take(_ tokens: ArraySlice<TokenID>, written: Int, from origin: MappedRows? = nil) {
        reset()
        held.append(contentsOf: tokens)
        position = tokens.count
        note(written: written)
        self.origin = origin
    }

    /// Resets the session and releases the memory of its KV cache.
    func discard() {
        reset()
        for cache in caches { cache.discard() }
        gpuCaches = nil
        touched = 0
    }

    /// Resets the session and unmaps cache rows that come from files.
    func resetToOwnMemory() {
        reset()
        for cache in caches { cache.unmap() }
    }

    /// Checks after a step, before its results are used, that the files it read are unchanged.
    /// - Throws: `FileError.changed`, `RowsLost`.
    private func checkSources() throws {
        try workspace.file.checkIntact()
        guard hasRows else {
            resetToOwnMemory()
            throw RowsLost()
        }
    }

    /// Whether mapped rows are unchanged.
    private var hasRows: Bool { origin?.isIntact ?? true && !caches.contains { $0.isLost } }

    /// The logits after the last token; valid if `keep` returned all tokens.
    var lastLogits: Rows { logitRows.prefix(1) }

    private func note(written count: Int) {
        written = count
        touched = max(touched, count)
    }

    private func forget(after count: Int) {
        position = count
        held.removeSubrange(count...)
        if hasLogits { hasLogits = false }
        if count == 0 {
            (heldMS, written, origin) = (0, 0, nil)
            if gpu == nil { gpuCaches = nil }
        } else if written <= shortestCache {
            // None of the remaining rows was overwritten.
            written = count
        }
    }

    /// Runs `tokens` through the model without computing logits.
    /// - Throws: `FileError.changed`, `RowsLost`; `CancellationError`. After an error, `position` tells how many tokens were
    ///   processed, and the rest may be run again.
    package func prefill(_ tokens: ArraySlice<TokenID>) throws {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try forEachStep(of: tokens) { try advance($0, wanted: 0..<0) }
    }

    /// Runs `tokens` and computes the logits after the last one, which are valid until the next call.
    package func logits(after tokens: ArraySlice<TokenID>) throws -> Rows {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        var last = 0
        try forEachStep(of: tokens) { step in
            last = step.count - 1
            try advance(step, wanted: step.endIndex == tokens.endIndex ? last..<last + 1 : 0..<0)
        }
        let result = logitRows.prefix(1)
        try head(last..<last + 1, into: result)
        if compute.isCancelled { throw CancellationError() }
        try checkSources()
        hasLogits = true
        return result
    }

    /// Maximum tokens of a step whose logits can be computed together.
    var mostChecked: Int { logitRows.count }

    /// Runs at most `mostChecked` tokens in one step and computes the logits after each, which are valid until the next call.
    package func logits(checking tokens: ArraySlice<TokenID>) throws -> Rows {
        assert(tokens.count <= mostChecked)
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        try advance(tokens, wanted: 0..<tokens.count)
        let result = logitRows.prefix(tokens.count)
        try head(0..<tokens.count, into: result)
        if compute.isCancelled { throw CancellationError() }
        try checkSources()
        return result
    }

    /// Discards the tokens beyond `count`, at most a step's.
    package func takeBack(to count: Int) {
        if count < position { forget(after: count) }
    }

    /// Runs `tokens` and passes on the logits after each, in order.
    package func logits(ofEach tokens: ArraySlice<TokenID>, _ body: (Rows) throws -> Void) throws {
        try forEachStep(of: tokens) { step in
            try advance(step, wanted: 0..<step.count)
            for first in stride(from: 0, to: step.count, by: logitRows.count) {
                let result = logitRows.prefix(step.count - first)
                try head(first..<first + result.count, into: result)
                if compute.isCancelled { throw CancellationError() }
                try checkSources()
                for row in 0..<result.count { try body(result.rows(row, 1)) }
            }
        }
    }

    /// Not a lazy sequence, because its closure would be allocated for every token.
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

    /// Runs one step through the layers.
    private func advance(_ tokens: ArraySlice<TokenID>, wanted: Range<Int>) throws {
        guard position + tokens.count <= context else {
            throw TextError.contextOverflow(tokens: position + tokens.count, limit: context)
        }
        hasLogits = false
        note(written: max(written, position + tokens.count))
        compute.adaptation = adapters?.adaptation
        try push(tokens, wanted: wanted)
        try checkSources()
        commit(tokens)
    }

    private func commit(_ tokens: ArraySlice<TokenID>) {
        position += tokens.count
        tokensRun += tokens.count
        held.append(contentsOf: tokens)
    }

    // MARK: - Several texts

    /// One text's part of a shared step.
    package struct Part {
        package let session: GemmaSession
        package let tokens: ArraySlice<TokenID>
        /// Number of tokens, at the end, whose logits are wanted.
        package let wanted: Int

        package init(_ session: GemmaSession, _ tokens: ArraySlice<TokenID>, wanted: Int) {
            (self.session, self.tokens, self.wanted) = (session, tokens, wanted)
        }
    }

    /// Runs tokens of several texts in one step, with at most `maximumStep` tokens and logits of at most `mostChecked`. Each
    /// text gets exactly the result it would get alone.
    ///
    /// A session that loses its mapped rows is reset (`position` is 0) and its logits are meaningless; the others are not affected.
    /// - Parameter parts: parts of different sessions that share a pass and use the same adapters, each with at least one token.
    /// - Returns: the wanted logits, in the order of the parts, valid until the next call.
    /// - Throws: `FileError.changed`; `CancellationError`. No tokens were added then, and the step may be run again.
    package static func step(_ parts: [Part]) throws -> Rows {
        guard let workspace = parts.first?.session.workspace else { preconditionFailure("a step without tokens") }
        if parts.count == 1, let part = parts.first { return try part.session.stepAlone(part) }
        let clock = Stopwatch()
        workspace.logitsOwner = nil
        var tokens: [TokenID] = []
        var runs: [SharedRun] = []
        func add(_ part: Part, _ range: Range<Int>) {
            if range.isEmpty { return }
            let first = part.tokens.startIndex
            runs.append(
                SharedRun(
                    session: part.session, position: part.session.position + range.lowerBound,
                    rows: tokens.count..<tokens.count + range.count))
            tokens += part.tokens[first + range.lowerBound..<first + range.upperBound]
        }
        // Rows whose logits are wanted come last, across all texts: layers after the last cache process only those.
        for part in parts { add(part, 0..<part.tokens.count - part.wanted) }
        let wanted = tokens.count..<tokens.count + parts.reduce(0) { $0 + $1.wanted }
        for part in parts { add(part, part.tokens.count - part.wanted..<part.tokens.count) }
        assert(tokens.count <= workspace.maximumStep && wanted.count <= workspace.logitRows.count)
        for part in parts {
            let session = part.session, end = session.position + part.tokens.count
            guard end <= workspace.context else {
                throw TextError.contextOverflow(tokens: end, limit: workspace.context)
            }
            session.note(written: max(session.written, end))
        }
        let adapters = parts[0].session.adapters
        assert(parts.allSatisfy { $0.session.adapters?.identity == adapters?.identity })
        workspace.compute.adaptation = adapters?.adaptation
        let result = workspace.logitRows.prefix(wanted.count)
        try push(tokens, runs, wanted: wanted, into: result)
        if workspace.compute.isCancelled { throw CancellationError() }
        try workspace.file.checkIntact()
        for part in parts {
            part.session.heldMS += clock.milliseconds
            if part.session.hasRows { part.session.commit(part.tokens) } else { part.session.resetToOwnMemory() }
        }
        return result
    }

    /// A step with a single text.
    private func stepAlone(_ part: Part) throws -> Rows {
        let clock = Stopwatch()
        defer { heldMS += clock.milliseconds }
        let first = position, count = part.tokens.count, wanted = count - part.wanted..<count
        let result = logitRows.prefix(wanted.count)
        do {
            try advance(part.tokens, wanted: wanted)
            if !wanted.isEmpty { try head(wanted, into: result) }
            if compute.isCancelled { throw CancellationError() }
            if !wanted.isEmpty { try checkSources() }
        } catch is RowsLost {
            // The session was reset, as it would be in a shared step.
        } catch {
            takeBack(to: first)
            throw error
        }
        return result
    }
}
