internal import Dispatch
import Foundation
public import HearthCompute
import HearthSystem
public import HearthTokenizer
internal import Synchronization

/// Generates text with one model: owns the KV cache, the scratch memory and the threads.
///
/// One generation runs at a time, or with `parallel` as many as that, in one batch: each gets the tokens that it gets alone, and
/// together they take much less time than one after the other. Further ones wait. Work happens on a queue of its own, never on
/// the threads of Swift's concurrency pool.
///
///     for try await event in generator.generate(prompt, options: TextGenerator.Options(maximumTokens: 200)) {
///         if case .token(_, let text) = event { print(text, terminator: "") }
///     }
///
/// Leaving the loop early, or cancelling its task, stops the work within a fraction of a matrix product (well under 50 ms),
/// even in the middle of a long prompt.
public final class TextGenerator: Sendable {
    /// The model; generators can share it at no cost.
    public let model: TextModel
    /// Context length in tokens, prompt and answer together.
    package let contextLength: Int
    /// Number of threads that compute.
    public let threads: Int
    /// The instruction set in use.
    package let kernels: KernelSet
    /// How keys and values are kept.
    package let cacheFormat: KVCacheFormat
    /// Texts that are written at the same time, at most.
    package let parallel: Int

    // Only ever touched on `queue`, but for its cancellation flag, which is atomic.
    nonisolated(unsafe) private let session: GemmaSession
    private let compute: Compute
    private let queue = DispatchQueue(label: "hearth.generation", qos: .userInitiated)
    /// The generations that something is computed for.
    private let active = Mutex<[GenerationRun]>([])
    /// nil where one text is written at a time.
    private let batch: TextBatch?
    /// Who waits for a session of his own.
    private let wanting = Atomic<Int>(0)
    private let serial = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let reader: PageReader?
    /// Beside the model's artifact; nil for a model without one.
    private let prefixes: PrefixCache?
    /// Beside the model's file; nil for a model without one.
    package let drafts: DraftTable?
    private let writing = DispatchGroup()

    /// The default context length in tokens. Memory that is never used costs nothing.
    public static let defaultContextLength = 4096

    /// The default format of the KV cache. The perplexity of the bundled model differs from that with float32 by one millionth
    /// (Benchmarks/README.md).
    public static let defaultCacheFormat = KVCacheFormat.float16

    /// The default number of prompt tokens that are computed at once: large enough that unpacking weights costs little beside
    /// multiplying them, small enough that the activations of a layer stay in the caches.
    public static let defaultMaximumStep = 256

    /// - Parameters:
    ///   - model: the model to run.
    ///   - contextLength: in tokens, at most what the model was trained for; nil takes ``defaultContextLength`` within that.
    ///   - threads: nil takes one for each processor.
    ///   - kernels: nil takes the fastest set.
    ///   - cacheFormat: number format of the KV cache.
    ///   - maximumStep: maximum number of prompt tokens that are computed at once, at least 1. Fewer need less memory and pause
    ///     more often at a slow pace; the text is the same, and prompt processing is slower.
    ///   - usesDrafts: whether to use speculative decoding with the draft table beside the model's file (`NAME.draft`), if
    ///     there is one. The text is the same, and faster. Texts that share a batch do without.
    ///   - parallel: texts that are written at the same time, at most; 1 to 64.
    ///   - cacheBytes: memory for keys and values of texts that are written at the same time. Texts that do not fit wait. nil
    ///     takes an eighth of what this process may use.
    /// - Throws: ``TextError/contextTooLong(wanted:limit:)``, ``TextError/embeddingModel(file:)``, and an error if memory or threads cannot be allocated.
    public init(
        model: TextModel, contextLength: Int? = nil, threads: Int? = nil, kernels: KernelSet? = nil,
        cacheFormat: KVCacheFormat = defaultCacheFormat, maximumStep: Int = defaultMaximumStep, usesDrafts: Bool = true,
        parallel: Int = 1, cacheBytes: Int? = nil
    ) throws {
        guard model.configuration.embedding == nil else { throw TextError.embeddingModel(file: model.path) }
        let trained = model.configuration.contextLength
        if let contextLength, !(1...trained).contains(contextLength) {
            throw TextError.contextTooLong(wanted: contextLength, limit: trained)
        }
        guard (1...TextLimits.parallelTexts).contains(parallel) else {
            throw TextError.invalidOption(
                name: "parallel", value: "\(parallel)", allowed: "from 1 to \(TextLimits.parallelTexts)")
        }
        self.model = model
        self.parallel = parallel
        self.contextLength = contextLength ?? min(trained, Self.defaultContextLength)
        self.kernels = try kernels ?? KernelSet.selected(by: nil)
        self.cacheFormat = cacheFormat
        // Reading begins before memory is prepared and the prompt is looked at.
        let reader = model.pages.reader()
        reader?.start()
        session = try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: self.kernels,
            threads: threads ?? WorkerPool.defaultThreads, context: self.contextLength,
            cacheFormat: cacheFormat, maximumStep: maximumStep, texts: parallel, reader: reader)
        self.reader = reader
        compute = session.compute
        prefixes = model.artifactFolder.map(PrefixCache.init(folder:))
        drafts =
            usesDrafts
            ? DraftTable(besideModel: model.path, vocabularyCount: model.tokenizer.vocabulary.count) : nil
        self.threads = compute.threads
        batch =
            parallel == 1
            ? nil
            : TextBatch(
                session, of: model, drafts: drafts,
                limits: BatchScheduler.Limits(
                    texts: parallel, stepTokens: session.maximumStep, bytes: cacheBytes ?? BatchMemory.budget),
                cacheFormat: cacheFormat)
    }

    /// Continues `prompt`.
    ///
    /// The stream ends at the end of the turn, after `maximumTokens`, or when the context is full. It throws ``TextError`` for
    /// an empty or too long prompt, for unknown token ids and for results that are not finite, and ``FileError/changed(_:)``
    /// if the model's file was changed, before it returns a token that depends on it.
    public func generate(
        _ prompt: [TokenID], options: TextGenerator.Options, pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        generate(resuming: TextProgress(prompt: prompt, options: options), pace: pace)
    }

    /// Goes on with a text, or begins one, up to its end.
    ///
    /// - Parameters:
    ///   - pace: how fast; may be changed while it runs.
    ///   - snapshot: absolute path of a file that belongs to this text. What was computed is written there before the stream
    ///     tells of a suspension, and read from there when the text goes on; a file that is missing, damaged or of something
    ///     else costs computing it again and nothing more. A few megabytes for hundreds of tokens of a small model, see
    ///     `GemmaConfiguration.cacheBytes`. Removing it at the text's end is up to the caller.
    /// - Returns: a stream that throws as that of a prompt does, and `TextError.otherModel` for a text of another model. Where
    ///   the vocabulary in the model's artifact was changed it ends with a suspension: a model that is loaded anew goes on.
    package func generate(
        resuming progress: TextProgress, pace: GenerationPace? = nil, snapshot: String? = nil
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        generate(resuming: progress, pace: pace, snapshot: snapshot, run: GenerationRun(nil))
    }

    /// The same for who may stop it at any moment.
    func generate(
        resuming progress: TextProgress, pace: GenerationPace?, snapshot: String?, run: GenerationRun
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        AsyncThrowingStream { continuation in
            // Finishing ends here too: there is nothing to stop then, and `cancel(run)` sees that.
            continuation.onTermination = { [weak self] _ in self?.stop(run, .cancelled) }
            if let batch {
                let id = serial.wrappingAdd(1, ordering: .relaxed).newValue
                batch.join(
                    BatchedText(
                        id, progress, run, pace, snapshot.map(KVCacheSnapshot.init(path:)),
                        yield: { continuation.yield($0) }, finish: { continuation.finish(throwing: $0) }))
                queue.async { [self] in writeBatch() }
                return
            }
            queue.async { [self] in
                do {
                    try write(progress, run, pace, snapshot.map(KVCacheSnapshot.init(path:))) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
        }
    }

    /// One generation, on the queue.
    private func write(
        _ progress: TextProgress, _ run: GenerationRun, _ pace: GenerationPace?, _ snapshot: KVCacheSnapshot?,
        _ yield: (GenerationEvent) -> Void
    ) throws {
        begin([run])
        defer { end() }
        defer { writing.wait() }
        try model.checkIntact()
        var loop = try GenerationLoop(
            session: session, model: model, progress: progress, pace: pace, drafts: drafts,
            keepsPrefix: prefixes == nil ? nil : { self.keepPrefix($0) { run.isStopped } })
        // Stopped before its turn, it leaves the file as it is.
        let begins = !run.isStopped
        let stored =
            begins
            ? snapshot?.bringBack(progress.tokens, into: session, of: model) { run.isStopped } ?? 0 : 0
        if begins { bringPrefix(of: progress, session) { run.isStopped } }
        func finish(_ reason: StopReason, _ rest: AnswerText.Piece) {
            if !rest.thought.isEmpty { yield(.thought(rest.thought)) }
            yield(.finished(loop.progress.summary(reason), text: rest.answer))
        }
        let end = try loop.run(mustStop: { run.isStopped }) { id, piece, likelihood in
            run.listener?.noteToken()
            if let likelihood { yield(.likelihood(likelihood)) }
            if !piece.thought.isEmpty { yield(.thought(piece.thought)) }
            yield(.token(id: id, text: piece.answer))
        }
        switch end {
        case .finished(let reason, let rest): finish(reason, rest)
        case .interrupted where run.wish == .suspended:
            if begins { snapshot?.keep(session, beyond: stored, of: model) { run.isLeft } }
            yield(.suspended(loop.progress))
        case .interrupted:
            finish(.cancelled, loop.rest())
        case .vocabularyLost:
            yield(.suspended(loop.progress))
        }
    }

    /// Texts that are written at the same time, on the queue.
    private func writeBatch() {
        guard let batch else { return }
        defer { writing.wait() }
        defer { end() }
        batch.work(
            TextBatch.Owner(
                begin: { self.begin($0) },
                isClosed: { self.isClosed.load(ordering: .sequentiallyConsistent) },
                isWanted: { self.wanting.load(ordering: .sequentiallyConsistent) > 0 },
                keepPrefix: prefixes == nil ? nil : { self.keepPrefix($0, mustStop: $1) },
                bringPrefix: { self.bringPrefix(of: $0, $1, mustStop: $2) }))
    }

    /// Maps what was once computed of the text's beginning.
    func bringPrefix(of progress: TextProgress, _ session: GemmaSession, mustStop: () -> Bool = { false }) {
        prefixes?.bringBack(
            progress.tokens[..<min(progress.prefixTokens, progress.tokens.count)], into: session, of: model,
            mustStop: mustStop)
    }

    /// Keeps what the session holds as a beginning of texts.
    func keepPrefix(_ session: GemmaSession, mustStop: () -> Bool = { false }) {
        prefixes?.keep(session, of: model, on: .global(qos: .utility), writing, mustStop: mustStop)
    }

    /// Stops the generations in progress, if any; their streams end with a summary whose stop reason is `.cancelled`.
    public func cancel() { stopActive(.cancelled) }

    /// Suspends the generations in progress, if any, after the last complete token; their streams end with `.suspended`.
    package func suspend() { stopActive(.suspended) }

    /// Suspends the generations in progress and every later one at once, because the model is about to be released.
    public func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        suspend()
    }

    /// How far the weights were brought into memory ahead of the first pass, as a share of the model's bytes: what is only
    /// ever read row by row counts as done when all else is.
    package var bytesRead: Int {
        guard let reader, reader.byteCount > 0 else { return model.weightBytes }
        return Int(Double(model.weightBytes) * (Double(reader.bytesDone) / Double(reader.byteCount)))
    }

    /// Runs `work` on the generator's queue, in turn with its generations; cancelling the task stops what it computes.
    package func onSession<Result: Sendable>(
        _ work: @escaping @Sendable (GemmaSession) throws -> Result
    ) async throws -> Result {
        let run = GenerationRun(nil)
        // Texts of a batch that wait let it go first.
        wanting.add(1, ordering: .sequentiallyConsistent)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    begin([run])
                    continuation.resume(with: Swift.Result { try work(session) })
                    end()
                    wanting.subtract(1, ordering: .sequentiallyConsistent)
                    writeBatch()
                }
            }
        } onCancel: {
            stop(run, .cancelled)
        }
    }

    /// Returns when the queue has let go of what ran on it before: a block keeps what it uses until it has returned, which is
    /// after its result was handed over.
    func queueIsFree() async {
        await withCheckedContinuation { [queue] continuation in queue.async { continuation.resume() } }
    }

    /// Whether a generation or a scoring is in progress.
    package var isGenerating: Bool { active.withLock { !$0.isEmpty } }

    /// The mean negative log-likelihood of `tokens`.
    /// - Parameters:
    ///   - tokens: token ids, used as they are.
    ///   - logits: called with the logits after each token, in order; as many values as the vocabulary has tokens.
    /// - Returns: the score, in nats.
    /// - Throws: ``TextError``, ``FileError/changed(_:)``, and `CancellationError` after ``cancel()``.
    public func score(
        _ tokens: [TokenID], logits: (@Sendable ([Float]) throws -> Void)? = nil
    ) async throws -> Score {
        try await onSession { [self] in try scoreNow(tokens, $0, logits: logits) }
    }

    private func scoreNow(
        _ tokens: [TokenID], _ session: GemmaSession, logits: (([Float]) throws -> Void)?
    ) throws -> Score {
        try model.checkIntact()
        try model.check(tokens, contextLength: contextLength)
        session.resetToOwnMemory()
        var index = 0
        var sum = 0.0
        try session.logits(ofEach: tokens[...]) { row in
            index += 1
            if index < tokens.count {
                sum += try row.withRow(0) { try negativeLogLikelihood(of: tokens[index], logits: $0) }
            }
            // Copied out only for a listener: a vocabulary's row is a megabyte.
            if let logits { try logits(row.row(0)) }
        }
        let predictions = tokens.count - 1
        return Score(
            tokens: tokens.count, meanNegativeLogLikelihood: predictions > 0 ? sum / Double(predictions) : nil)
    }

    // MARK: - Whose turn it is

    private func begin(_ runs: [GenerationRun]) {
        active.withLock {
            $0 = runs
            // They may have been stopped while they waited for their turn.
            if isClosed.load(ordering: .sequentiallyConsistent) { for run in runs { run.stop(.suspended) } }
            runs.allSatisfy(\.isStopped) ? compute.cancel() : compute.resume()
        }
    }

    private func end() { active.withLock { $0 = [] } }

    /// Stops one of the generations. What is computed is broken off unless others still want it.
    func stop(_ run: GenerationRun, _ wish: GenerationRun.Wish) {
        active.withLock { active in
            run.stop(wish)
            if active.contains(where: { $0 === run }), active.allSatisfy(\.isStopped) { compute.cancel() }
        }
    }

    private func stopActive(_ wish: GenerationRun.Wish) {
        active.withLock { active in
            guard !active.isEmpty else { return }
            for run in active { run.stop(wish) }
            compute.cancel()
        }
    }
}

/// −log softmax(logits)[token] in Double.
private func negativeLogLikelihood(of token: TokenID, logits: Span<Float>) throws -> Double {
    var maximum = -Float.infinity
    for index in logits.indices {
        guard logits[index].isFinite else {
            throw TextError.nonFiniteLogit(index: index, value: "\(logits[index])")
        }
        maximum = max(maximum, logits[index])
    }
    var sum = 0.0
    for index in logits.indices { sum += exp(Double(logits[index] - maximum)) }
    return log(sum) - Double(logits[Int(token)] - maximum)
}

extension TextModel {
    /// - Throws: `TextError.emptyPrompt`, `.contextOverflow`; `TokenizerError.tokenOutOfRange`.
    func check(_ tokens: [TokenID], contextLength: Int) throws {
        guard !tokens.isEmpty else { throw TextError.emptyPrompt }
        guard tokens.count <= contextLength else {
            throw TextError.contextOverflow(tokens: tokens.count, limit: contextLength)
        }
        if let bad = tokens.first(where: { !(0..<Int32(weights.vocabularySize)).contains($0) }) {
            throw TokenizerError.tokenOutOfRange(id: Int(bad), count: weights.vocabularySize)
        }
    }
}
