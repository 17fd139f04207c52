internal import Dispatch
public import HearthCompute
import HearthSystem
public import HearthTokenizer
internal import Synchronization

/// Generates text with one model: owns the KV cache, the scratch memory and the threads.
///
/// One generation runs at a time, or with `parallel` up to that many in one batch: each gets exactly the tokens it would get
/// alone, and together they take much less time than one after the other. Further ones are queued. Work runs on a private
/// queue, never on the threads of Swift's concurrency pool.
///
///     for try await event in generator.generate(prompt, options: TextGenerator.Options(maximumTokens: 200)) {
///         if case .token(_, let text) = event { print(text, terminator: "") }
///     }
///
/// Leaving the loop early, or cancelling its task, stops the work partway through a matrix multiplication (well under 50 ms),
/// even in the middle of a long prompt.
public final class TextGenerator: Sendable {
    /// The model; several generators can share it.
    public let model: TextModel
    /// Context length in tokens, prompt and answer together.
    package let contextLength: Int
    /// Number of compute threads.
    package let threads: Int
    /// The kernel set in use.
    package let kernels: KernelSet
    /// Number format of the KV cache.
    package let cacheFormat: KVCacheFormat
    /// Maximum number of texts generated concurrently.
    package let parallel: Int

    // Accessed only on `queue`, except for its cancellation flag, which is atomic.
    nonisolated(unsafe) private let session: GemmaSession
    private let compute: Compute
    private let queue = DispatchQueue(label: "hearth.generation", qos: .userInitiated)
    /// The generations in progress.
    private let active = Mutex<[GenerationRun]>([])
    /// nil if only one text is generated at a time.
    let batch: TextBatch?
    /// Number of callers waiting for exclusive use of the session.
    private let wanting = Atomic<Int>(0)
    private let serial = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)
    private let reader: PageReader?
    /// Next to the model's artifact; nil if the model has none.
    private let prefixes: PrefixCache?
    /// Next to the model's file; nil if there is none.
    package let drafts: DraftTable?
    private let writing = DispatchGroup()
    /// The adapters of texts whose options name none.
    let defaultAdapters: [TextAdapter]
    private let shelf: AdapterShelf

    /// The default context length in tokens. Only the part of the KV cache that is used takes memory.
    package static let defaultContextLength = 4096

    /// The default format of the KV cache. The bundled model's perplexity differs from that with float32 by one millionth
    /// (Benchmarks/README.md).
    package static let defaultCacheFormat = KVCacheFormat.float16

    /// The default number of prompt tokens computed per step: large enough to amortise dequantizing the weights, small enough
    /// for a layer's activations to stay in the processor's caches.
    package static let defaultMaximumStep = 256

    /// Creates a generator.
    /// - Parameters:
    ///   - model: the model to run.
    ///   - contextLength: in tokens, at most the length the model was trained for; nil for 4096 within that.
    ///   - threads: number of threads; nil for the processors of the performance cores.
    ///   - kernels: kernel set; nil for the fastest.
    ///   - cacheFormat: number format of the KV cache; nil for float16.
    ///   - maximumStep: maximum number of prompt tokens computed per step, at least 1; nil for 256. A smaller number needs less memory
    ///     and pauses more often at a slow pace; the text is the same, and prompt processing is slower.
    ///   - usesDrafts: whether to use speculative decoding with the draft table next to the model's file (`NAME.draft`), if
    ///     there is one. The text is the same, and generated faster. Texts that share a batch do not use it.
    ///   - parallel: maximum number of texts generated concurrently, 1 to 64.
    ///   - adapters: LoRA adapters of texts whose options name none; loaded and checked here.
    ///   - cacheBytes: memory limit for the KV caches of concurrent texts. Texts that do not fit are queued. nil for an eighth
    ///     of the memory that this process may use.
    /// - Throws: ``TextError/contextTooLong(wanted:limit:)``, ``TextError/contextMemory(tokens:bytes:limit:)``,
    ///   ``TextError/embeddingModel(file:)``, or an error if memory or threads cannot be allocated, or an adapter cannot be used.
    public init(
        model: TextModel, contextLength: Int? = nil, threads: Int? = nil, kernels: KernelSet? = nil,
        cacheFormat: KVCacheFormat? = nil, maximumStep: Int? = nil, usesDrafts: Bool = true, parallel: Int = 1,
        adapters: [TextAdapter] = [], cacheBytes: Int? = nil
    ) throws {
        let cacheFormat = cacheFormat ?? Self.defaultCacheFormat
        let maximumStep = maximumStep ?? Self.defaultMaximumStep
        guard model.configuration.embedding == nil else { throw TextError.embeddingModel(file: model.path) }
        let trained = model.configuration.contextLength
        if let contextLength, !(1...trained).contains(contextLength) {
            throw TextError.contextTooLong(wanted: contextLength, limit: trained)
        }
        if let contextLength {
            let bytes = model.configuration.cacheBytes(
                tokens: contextLength, maximumStep: maximumStep, format: cacheFormat)
            let limit = ProcessMemory.limit()
            guard bytes <= limit else {
                throw TextError.contextMemory(tokens: contextLength, bytes: bytes, limit: limit)
            }
        }
        guard (1...TextLimits.parallelTexts).contains(parallel) else {
            throw TextError.invalidOption(
                name: "parallel", value: "\(parallel)", allowed: "from 1 to \(TextLimits.parallelTexts)")
        }
        self.model = model
        self.parallel = parallel
        self.contextLength = contextLength ?? min(trained, Self.defaultContextLength)
        self.kernels = try kernels ?? KernelSet.selected(by: nil).forText()
        self.cacheFormat = cacheFormat
        defaultAdapters = adapters
        shelf = AdapterShelf(
            model: model, kernels: self.kernels, maximumStep: max(1, min(maximumStep, self.contextLength)))
        _ = try shelf.adapters(adapters)
        // Start reading the weights before memory is allocated and the prompt is processed.
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

    /// Generates a continuation of `prompt`.
    ///
    /// The stream ends at the end of the turn, after `maximumTokens`, or when the context is full. It throws ``TextError`` if
    /// the prompt is empty or too long, if an option is out of its range, if a constraint or an adapter cannot be used, or if a
    /// result is not finite; ``TokenizerError/tokenOutOfRange(id:count:)`` if a token id is unknown; ``FileError`` if an
    /// adapter's file cannot be read; and ``FileError/changed(_:)`` if the model's file was changed, before it returns a token
    /// that depends on it.
    public func generate(
        _ prompt: [TokenID], options: TextGenerator.Options, pace: GenerationPace? = nil
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        generate(resuming: TextProgress(prompt: prompt, options: options), pace: pace)
    }

    /// The same, for measurements: when a stream delivers a token depends on its reader too.
    /// - Parameter onToken: called on the generating thread for each token, before the stream has it.
    package func generate(
        _ prompt: [TokenID], options: TextGenerator.Options, onToken: @escaping @Sendable () -> Void
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        let progress = TextProgress(prompt: prompt, options: options)
        return generate(resuming: progress, pace: nil, snapshot: nil, run: GenerationRun(nil, onToken: onToken))
    }

    /// Starts or resumes a text, and generates up to its end.
    ///
    /// - Parameters:
    ///   - pace: generation speed; may be changed while the text is generated.
    ///   - snapshot: absolute path of a file that belongs to this text. The KV cache is written there before the stream reports
    ///     a suspension, and read from there when the text resumes; if the file is missing, damaged or of another text, the
    ///     cache is recomputed. It takes a few megabytes for hundreds of tokens of a small model, see
    ///     `GemmaConfiguration.cacheBytes`. The caller removes it when the text has ended.
    /// - Returns: a stream that throws as that of a prompt does, and `TextError.otherModel` for a text of another model. If the
    ///   vocabulary in the model's artifact was changed, it ends with a suspension, and a newly loaded model can resume the
    ///   text.
    package func generate(
        resuming progress: TextProgress, pace: GenerationPace? = nil, snapshot: String? = nil
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        generate(resuming: progress, pace: pace, snapshot: snapshot, run: GenerationRun(nil))
    }

    /// The same with a `run` that can stop it at any time.
    func generate(
        resuming progress: TextProgress, pace: GenerationPace?, snapshot: String?, run: GenerationRun
    ) -> AsyncThrowingStream<GenerationEvent, any Error> {
        AsyncThrowingStream { continuation in
            // Also called when the stream finishes; there is nothing to stop then, which `stop` handles.
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

    /// Runs one generation; called on the queue.
    private func write(
        _ progress: TextProgress, _ run: GenerationRun, _ pace: GenerationPace?, _ snapshot: KVCacheSnapshot?,
        _ yield: (GenerationEvent) -> Void
    ) throws {
        begin([run])
        defer { end() }
        defer { writing.wait() }
        try model.checkIntact()
        try session.use(adapters(of: progress))
        var loop = try GenerationLoop(
            session: session, model: model, progress: progress, pace: pace, drafts: drafts,
            keepsPrefix: prefixes == nil ? nil : { self.keepPrefix($0) { run.isStopped } })
        // A text stopped before its turn leaves the snapshot file unchanged.
        let begins = !run.isStopped
        let stored =
            begins
            ? snapshot?.bringBack(progress.seen, into: session, of: model) { run.isStopped } ?? 0 : 0
        if begins { bringPrefix(of: progress, session) { run.isStopped } }
        func finish(_ reason: StopReason, _ rest: AnswerText.Piece) {
            if !rest.thought.isEmpty { yield(.thought(rest.thought)) }
            yield(.finished(loop.progress.summary(reason), text: rest.answer))
        }
        let end = try loop.run(mustStop: { run.isStopped }) { run.tell($0, $1, $2, yield) }
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

    /// Runs the batch; called on the queue.
    private func writeBatch() {
        guard let batch else { return }
        defer { writing.wait() }
        defer { end() }
        batch.work(
            TextBatch.Owner(
                begin: { self.begin($0) },
                isClosed: { self.isClosed.load(ordering: .sequentiallyConsistent) },
                adapters: { try self.adapters(of: $0) },
                isWanted: { self.wanting.load(ordering: .sequentiallyConsistent) > 0 },
                keepPrefix: prefixes == nil ? nil : { self.keepPrefix($0, mustStop: $1) },
                bringPrefix: { self.bringPrefix(of: $0, $1, mustStop: $2) }))
    }

    /// The adapters of a text, loaded; nil for none.
    /// - Throws: `FileError`, `TextError`.
    func adapters(of progress: TextProgress) throws -> ActiveAdapters? {
        try shelf.adapters(progress.options.adapters ?? defaultAdapters)
    }

    /// The adapters of texts whose options name none, loaded; nil for none.
    /// - Throws: `FileError`, `TextError`.
    package func usualAdapters() throws -> ActiveAdapters? { try shelf.adapters(defaultAdapters) }

    /// Maps the stored prefix of the text.
    func bringPrefix(of progress: TextProgress, _ session: GemmaSession, mustStop: () -> Bool = { false }) {
        prefixes?.bringBack(
            progress.tokens[..<min(progress.prefixTokens, progress.tokens.count)], into: session, of: model,
            mustStop: mustStop)
    }

    /// Stores the session's KV cache as a shared prefix.
    func keepPrefix(_ session: GemmaSession, mustStop: () -> Bool = { false }) {
        prefixes?.keep(session, of: model, on: .global(qos: .utility), writing, mustStop: mustStop)
    }

    /// Stops the generations in progress, if any; their streams end with a summary whose stop reason is `.cancelled`.
    public func cancel() { stopActive(.cancelled) }

    /// Suspends the generations in progress, if any, after the last complete token; their streams end with `.suspended`.
    package func suspend() { stopActive(.suspended) }

    /// Suspends the generations in progress, and immediately any later ones, because the model is about to be released.
    package func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        suspend()
    }

    /// Progress of reading the weights into memory ahead of the first pass, in bytes of the model. Tables that are read row by
    /// row count in proportion to the rest.
    package var bytesRead: Int {
        guard let reader, reader.byteCount > 0 else { return model.weightBytes }
        return Int(Double(model.weightBytes) * (Double(reader.bytesDone) / Double(reader.byteCount)))
    }

    /// Runs `work` on the generator's queue, in turn with generations; cancelling the task stops its computation.
    package func onSession<Result: Sendable>(
        _ work: @escaping @Sendable (GemmaSession) throws -> Result
    ) async throws -> Result {
        let run = GenerationRun(nil)
        // Makes queued texts of a batch give way.
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

    /// Returns when the queue has released what ran on it before: a block retains its captures until it returns, which is after
    /// its result was delivered.
    func queueIsFree() async {
        await withCheckedContinuation { [queue] continuation in queue.async { continuation.resume() } }
    }

    /// Whether a generation or scoring is in progress.
    package var isGenerating: Bool { active.withLock { !$0.isEmpty } }

    // MARK: - Whose turn it is

    private func begin(_ runs: [GenerationRun]) {
        active.withLock {
            $0 = runs
            // The runs may have been stopped while they were queued.
            if isClosed.load(ordering: .sequentiallyConsistent) { for run in runs { run.stop(.suspended) } }
            runs.allSatisfy(\.isStopped) ? compute.cancel() : compute.resume()
        }
    }

    private func end() { active.withLock { $0 = [] } }

    /// Stops one generation. The computation is aborted unless other generations still need it.
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
