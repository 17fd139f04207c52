internal import Dispatch
public import HearthCompute
internal import HearthSystem
package import HearthTokenizer
internal import Synchronization

/// Turns texts into vectors of unit length with an embedding model such as EmbeddingGemma. Texts of similar meaning have
/// vectors with a large dot product.
///
///     let embedder = try TextEmbedder(model: TextModel(path: "embeddinggemma-300m-q8_0.gguf"))
///     let documents = try await embedder.embed(["The kettle is hot.", "The fox sleeps."], task: .document)
///     let query = try await embedder.embed(["sleeping animals"], task: .query)
///
/// Several texts share a pass through the model; batching does not change a text's vector. Calls run one at a time on a private
/// queue; further calls wait. Cancelling a call's task stops it partway through a matrix multiplication.
public final class TextEmbedder: Sendable {
    /// The model; several embedders can share it.
    package let model: TextModel
    /// Vector size, unless fewer dimensions are requested.
    public let dimensions: Int
    /// Maximum tokens per text, including its prompt prefix and its first and last token; the length the model was trained for.
    package let contextLength: Int

    // Accessed only on `queue`.
    nonisolated(unsafe) private let session: EmbeddingSession
    private let compute: Compute
    private let queue = DispatchQueue(label: "hearth.embedding", qos: .userInitiated)
    /// The call in progress.
    private let active = Mutex<CancellationFlag?>(nil)
    private let isClosed = Atomic<Bool>(false)

    /// Tokens per pass, unless a single text has more: enough to amortise dequantizing the weights, few enough for a layer's
    /// activations to stay in the processor's caches.
    package static let passTokens = 256

    /// Creates an embedder.
    /// - Parameters:
    ///   - model: an embedding model.
    ///   - threads: number of threads; nil for the processors of the performance cores.
    ///   - kernels: kernel set; nil for the fastest.
    /// - Throws: ``TextError/generatingModel(file:)``, or an error if memory or threads cannot be allocated.
    public init(model: TextModel, threads: Int? = nil, kernels: KernelSet? = nil) throws {
        guard let width = model.configuration.embeddingWidth else {
            throw TextError.generatingModel(file: model.path)
        }
        self.model = model
        contextLength = min(model.configuration.contextLength, TextLimits.embeddedTokens)
        dimensions = width
        let reader = model.pages.reader()
        reader?.start()
        session = try EmbeddingSession(
            configuration: model.configuration, weights: model.weights,
            kernels: try kernels ?? KernelSet.selected(by: nil), threads: threads ?? WorkerPool.defaultThreads,
            capacity: max(contextLength, Self.passTokens), reader: reader)
        compute = session.compute
    }

    /// Embeds texts; the vectors are in the same order.
    ///
    /// - Parameters:
    ///   - texts: any texts; an empty one has a vector too.
    ///   - task: the purpose of the vectors, which determines the prompt prefix of the texts.
    ///   - dimensions: size of each vector, from 1 to ``dimensions``; nil for all. The vector is truncated and normalized
    ///     again. EmbeddingGemma was trained for 768, 512, 256 and 128.
    /// - Throws: ``TextError/contextOverflow(tokens:limit:)`` if a text is too long (texts are never truncated),
    ///   ``TextError/invalidOption(name:value:allowed:)``, ``TextError/invalidEmbedding(file:)``, ``FileError/changed(_:)`` and
    ///   `CancellationError`.
    public func embed(
        _ texts: [String], task: TextEmbeddingTask = .none, dimensions: Int? = nil
    ) async throws -> [[Float]] {
        try await embed(tokens: texts.map { tokens(of: $0, task: task) }, dimensions: dimensions)
    }

    /// A text's tokens, with the task's prefix and the special tokens that the model expects.
    package func tokens(of text: String, task: TextEmbeddingTask) -> [TokenID] {
        let vocabulary = model.tokenizer.vocabulary
        var tokens = model.tokenizer.encode(task.prefix + text, addBOS: vocabulary.addsBOS)
        if model.configuration.embedding?.addsEOS == true, let eos = vocabulary.special.eos { tokens.append(eos) }
        return tokens
    }

    /// - Throws: `TextError.emptyPrompt`, `.contextOverflow`; `TokenizerError.tokenOutOfRange`.
    package func check(_ tokens: [TokenID]) throws { try model.check(tokens, contextLength: contextLength) }

    /// - Throws: `TextError.invalidOption`.
    package func check(dimensions wanted: Int?) throws {
        guard let wanted, !(1...dimensions).contains(wanted) else { return }
        throw TextError.invalidOption(name: "dimensions", value: "\(wanted)", allowed: "from 1 to \(dimensions)")
    }

    /// Embeds tokenized texts without adding anything to them.
    package func embed(tokens texts: [[TokenID]], dimensions: Int? = nil) async throws -> [[Float]] {
        try check(dimensions: dimensions)
        for text in texts { try check(text) }
        let run = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async { [self] in
                    begin(run)
                    defer { active.withLock { $0 = nil } }
                    continuation.resume(
                        with: Result {
                            try model.checkIntact()
                            return try vectors(of: texts, run).map { try unitVector($0, dimensions) }
                        })
                }
            }
        } onCancel: {
            stop(run)
        }
    }

    private func vectors(of texts: [[TokenID]], _ run: CancellationFlag) throws -> [[Float]] {
        var vectors: [[Float]] = []
        vectors.reserveCapacity(texts.count)
        for range in Self.passes(texts.map(\.count), most: Self.passTokens) {
            if run.isSet { throw CancellationError() }
            vectors += try session.vectors(of: texts[range])
        }
        return vectors
    }

    /// Groups texts into passes: consecutive texts with at most `most` tokens together, or a single longer one.
    package static func passes(_ counts: [Int], most: Int) -> [Range<Int>] {
        var passes: [Range<Int>] = []
        var start = 0
        var tokens = 0
        for (index, count) in counts.enumerated() {
            if index > start, tokens + count > most {
                passes.append(start..<index)
                (start, tokens) = (index, 0)
            }
            tokens += count
        }
        if start < counts.count { passes.append(start..<counts.count) }
        return passes
    }

    /// The first elements of a vector, normalized to unit length.
    private func unitVector(_ vector: [Float], _ dimensions: Int?) throws -> [Float] {
        let kept = vector.prefix(dimensions ?? vector.count)
        let length = kept.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard length.isFinite, length > 0 else { throw TextError.invalidEmbedding(file: model.path) }
        return kept.map { Float(Double($0) / length) }
    }

    // MARK: - Whose turn it is

    private func begin(_ run: CancellationFlag) {
        active.withLock {
            $0 = run
            // The call may have been stopped while it was queued.
            if isClosed.load(ordering: .sequentiallyConsistent) { run.set() }
            run.isSet ? compute.cancel() : compute.resume()
        }
    }

    private func stop(_ run: CancellationFlag) {
        active.withLock {
            run.set()
            if $0 === run { compute.cancel() }
        }
    }

    /// Ends the call in progress and all later ones with `CancellationError`, because the model is about to be released.
    package func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        active.withLock { run in
            guard let run else { return }
            run.set()
            compute.cancel()
        }
    }

    /// Returns when no call is in progress.
    package func waitUntilIdle() async {
        await withCheckedContinuation { [queue] continuation in queue.async { continuation.resume() } }
    }
}
