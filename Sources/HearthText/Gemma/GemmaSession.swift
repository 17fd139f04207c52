package import HearthCompute
package import HearthSystem
package import HearthTokenizer

/// One running text: the tokens that are in, and what follows them. Weights are shared; a session is not.
///
/// A step pushes up to `maximumStep` tokens through the layers (`GemmaPass`). Everything is allocated when the session is
/// made. Sessions of texts that are written at the same time share the pass (`init(beside:)`), and a step (`step(_:)`).
package final class GemmaSession {
    package var compute: Compute { workspace.compute }
    /// Most positions.
    package var context: Int { workspace.context }
    /// Tokens in the cache.
    package private(set) var position = 0
    /// The tokens themselves, and the milliseconds that computing them took.
    package private(set) var held: [TokenID] = []
    private(set) var heldMS = 0.0
    /// Positions below this one may have been written to the caches since they were empty.
    package private(set) var written = 0
    /// Whether `logitRows` holds the logits that follow them.
    private var hasLogits: Bool {
        get { workspace.logitsOwner == ObjectIdentifier(self) }
        set { workspace.logitsOwner = newValue ? ObjectIdentifier(self) : nil }
    }
    /// Tokens that went through the layers since the session was made.
    package private(set) var tokensRun = 0
    /// Most tokens of one step.
    var maximumStep: Int { workspace.maximumStep }

    /// Rows of the shortest cache: as long as no more were written, no ring has come round.
    private let shortestCache: Int

    /// Computes in the place of the pass, and holds the keys and values; nil where the processor does.
    package var gpu: GPUUse?
    private let workspace: Workspace
    let kv: GemmaKVCaches
    /// Where rows of the caches come from; nil where all were computed here.
    private var origin: MappedRows?
    /// Most positions that were written since memory was given back.
    private(set) var touched = 0
    /// Keys and values of the layers that have their own.
    var caches: [LayerKVCache] { kv.caches }
    var pass: GemmaPass { workspace.pass }
    private var logitRows: Rows { workspace.logitRows }

    /// Logits of that many positions are computed at once when all are wanted: a vocabulary's worth is a megabyte.
    static let logitStep = 8

    /// Rows that were brought in from a file are gone or changed. The session has forgotten everything, and may run its text again.
    struct RowsLost: Error {}

    /// What sessions beside each other share: all but their texts, and keys and values.
    private final class Workspace {
        let configuration: GemmaConfiguration
        let compute: Compute
        let context: Int
        let maximumStep: Int
        let cacheFormat: KVCacheFormat
        let pass: GemmaPass
        /// Of the weights.
        let file: MappedFile
        let logitRows: Rows
        /// Whose last logits are in the first row; nil where those of other tokens are.
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

    /// - Parameter texts: most sessions that will share a step.
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

    /// One for another text, that computes by the same pass: one of them at a time, or several in a step.
    package init(beside other: GemmaSession) throws {
        workspace = other.workspace
        kv = try GemmaKVCaches(
            workspace.configuration, context: workspace.context, maximumStep: workspace.maximumStep,
            format: workspace.cacheFormat)
        shortestCache = other.shortestCache
    }

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
        note(written: written)
        self.origin = origin
    }

    /// Forgets the text, and gives the memory of its keys and values back.
    func discard() {
        reset()
        for cache in caches { cache.discard() }
        touched = 0
    }

    /// Forgets the text, and lets go of files that rows were mapped from.
    func resetToOwnMemory() {
        reset()
        for cache in caches { cache.unmap() }
    }

    /// After a step, before anybody sees its results: whether what it was computed from is what it was.
    /// - Throws: `FileError.changed`, `RowsLost`.
    private func checkSources() throws {
        try workspace.file.checkIntact()
        guard hasRows else {
            resetToOwnMemory()
            throw RowsLost()
        }
    }

    /// Whether rows that were mapped are what they were.
    private var hasRows: Bool { origin?.isIntact ?? true && !caches.contains { $0.isLost } }

    /// The logits after the last token, where `keep` says that they are there.
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
        try head(last..<last + 1, into: result)
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
        try head(0..<tokens.count, into: result)
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
                try head(first..<first + result.count, into: result)
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
        note(written: max(written, position + tokens.count))
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

    /// What one text has computed in a step with others.
    package struct Part {
        package let session: GemmaSession
        package let tokens: ArraySlice<TokenID>
        /// Of how many of them, the last ones, logits are wanted.
        package let wanted: Int

        package init(_ session: GemmaSession, _ tokens: ArraySlice<TokenID>, wanted: Int) {
            (self.session, self.tokens, self.wanted) = (session, tokens, wanted)
        }
    }

    /// Runs tokens of several texts in one step, of at most `maximumStep` tokens and logits of at most `mostChecked`. Each text
    /// gets the bits that it has alone.
    ///
    /// A text whose mapped rows turn out to be lost has forgotten everything afterwards (`position` is 0), and its logits mean
    /// nothing; the others have what they wanted.
    /// - Parameter parts: of different sessions that are beside each other, each with at least one token.
    /// - Returns: the logits that were wanted, in the order of the parts. They are valid until the next call.
    /// - Throws: `FileError.changed`; `CancellationError`; nothing was taken in then, and the step may be run again.
    package static func step(_ parts: [Part]) throws -> Rows {
        guard let workspace = parts.first?.session.workspace else { preconditionFailure("a step without tokens") }
        if parts.count == 1, let part = parts.first { return try part.session.stepAlone(part) }
        let clock = Stopwatch()
        workspace.logitsOwner = nil
        var tokens: [TokenID] = []
        var runs: [GemmaPass.Run] = []
        func add(_ part: Part, _ range: Range<Int>) {
            if range.isEmpty { return }
            let first = part.tokens.startIndex
            runs.append(
                GemmaPass.Run(
                    caches: part.session.kv, position: part.session.position + range.lowerBound,
                    rows: tokens.count..<tokens.count + range.count))
            tokens += part.tokens[first + range.lowerBound..<first + range.upperBound]
        }
        // Rows whose logits are wanted come last, whoever they belong to: the layers behind the last cache take no others.
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
        try workspace.pass.run(tokens, runs: runs, wanted: wanted)
        let result = workspace.logitRows.prefix(wanted.count)
        if !wanted.isEmpty { workspace.pass.head(wanted, into: result) }
        if workspace.compute.isCancelled { throw CancellationError() }
        try workspace.file.checkIntact()
        for part in parts {
            part.session.heldMS += clock.milliseconds
            if part.session.hasRows { part.session.commit(part.tokens) } else { part.session.resetToOwnMemory() }
        }
        return result
    }

    /// A step of a single text.
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
            // It has forgotten everything, as a text among others would have.
        } catch {
            takeBack(to: first)
            throw error
        }
        return result
    }
}
