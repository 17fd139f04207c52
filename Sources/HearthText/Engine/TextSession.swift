internal import HearthDelivery
public import HearthRuntime
internal import HearthSystem
public import HearthTokenizer

/// A generation that survives the release of its model: suspended when the model has to go, and resumed token for token when it
/// is back.
///
///     let session = TextSession(runner: runner) { model in
///         TextProgress(prompt: model.tokenizer.encode("Once", addBOS: true), options: TextGenerator.Options())
///     }
///     for try await event in session.events() {
///         if case .token(_, let text) = event { print(text, terminator: "") }
///     }
public struct TextSession: Sendable {
    /// An event of a session.
    public enum Event: Sendable, Equatable {
        /// The model is ready and generates; repeated after each pause.
        case began
        /// Of the token that comes next; only where `TextGenerator.Options.likelihoods` asks for it.
        case likelihood(TokenLikelihood)
        /// What the model thinks before it answers; no part of the answer.
        case thought(String)
        /// `text` may be empty while a character is incomplete; all texts together are the answer.
        case token(id: TokenID, text: String)
        /// The model was released; the session waits for it.
        case paused
        /// Always the last event of a stream that did not throw; `text` is the text that was held back until the end.
        case finished(GenerationSummary, text: String)
    }

    /// How long a session waits for its model to come back: 30 seconds.
    public static let defaultPatience = Duration.seconds(30)

    private let runner: ModelRunner<TextEngine>
    private let start: @Sendable (TextGenerator) throws -> TextProgress

    /// - Parameters:
    ///   - runner: owns the model.
    ///   - start: encodes the prompt when the model is loaded.
    public init(
        runner: ModelRunner<TextEngine>, start: @escaping @Sendable (TextModel) throws -> TextProgress
    ) {
        self.runner = runner
        self.start = { try start($0.model) }
    }

    /// The same for a text whose beginning depends on how much room there is.
    package init(
        fitting runner: ModelRunner<TextEngine>, start: @escaping @Sendable (TextGenerator) throws -> TextProgress
    ) {
        self.runner = runner
        self.start = start
    }

    /// Generates the text. Ending the iteration, or cancelling its task, stops the model.
    ///
    /// - Parameters:
    ///   - pace: how fast to generate; can be changed meanwhile.
    ///   - patience: how long to wait for a model that was released in the middle.
    ///   - snapshot: absolute path of a file for the KV cache, so that resuming reads it instead of computing it again. It
    ///     belongs to this session only and is removed at its end. nil for texts that are short, or rarely interrupted.
    /// - Returns: the events. The stream throws ``RunnerError`` if the model is not available, at once before the first token
    ///   and after `patience` later; ``TextError`` and what `start` throws; ``FileError/changed(_:)`` if the model's file was
    ///   changed, which releases the model, so that the next session uses the file as it is then.
    public func events(
        pace: GenerationPace? = nil, patience: Duration = defaultPatience, snapshot: String? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        events(pace: pace, patience: patience, snapshot: snapshot, listener: TextCancellation())
    }

    /// As above; `listener` cancels this generation before its next token.
    package func events(
        pace: GenerationPace? = nil, patience: Duration = defaultPatience, snapshot: String? = nil,
        listener: TextCancellation
    ) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                let result: Result<Void, any Error>
                do {
                    try await write(Manner(pace: pace, snapshot: snapshot, listener: listener), patience) {
                        continuation.yield($0)
                    }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                // Before the stream ends: who begins the next text under the same path must find it free.
                if let snapshot { KVCacheSnapshot(path: snapshot).remove() }
                switch result {
                case .success: continuation.finish()
                case .failure(let error): continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in
                listener.leave()
                task.cancel()
            }
        }
    }

    private func write(
        _ manner: Manner, _ patience: Duration, _ yield: @escaping @Sendable (Event) -> Void
    ) async throws {
        var progress: TextProgress?
        while true {
            try Task.checkCancellation()
            do {
                let known = progress
                let rest = try await runner.withModel { [start] generator in
                    // A file that was changed before its turn is no fault of this text's: it gets the file as it is now.
                    guard generator.model.isIntact else { return Rest(known, isStale: true) }
                    let text = try known ?? start(generator)
                    // What a vocabulary said that is not what it was counts for nothing.
                    guard generator.model.hasVocabulary else {
                        return Rest(known, changed: generator.model.artifactFolder)
                    }
                    yield(.began)
                    do {
                        let progress = try await Self.write(text, with: generator, manner, yield)
                        let isSound = progress == nil || generator.model.hasVocabulary
                        return Rest(progress, changed: isSound ? nil : generator.model.artifactFolder)
                    } catch FileError.changed(let location)
                        where location.file == generator.model.tokenizer.vocabulary.file?.path
                    {
                        // Before the first token of this turn; later ones end in a suspension.
                        return Rest(text, changed: generator.model.artifactFolder)
                    }
                }
                progress = rest.progress
                if rest.isStale {
                    await runner.release()
                    continue
                }
                if let artifact = rest.changedArtifact {
                    // Looked at byte by byte it is set aside; the model's own file has all that was in it.
                    _ = try? await OwnThread.run { _ in ArtifactCache.verify(folder: artifact) }
                    await runner.release()
                } else if progress == nil {
                    return
                }
                if progress != nil { yield(.paused) }
            } catch let error as FileError {
                // Whoever comes next gets the file as it is then.
                if case .changed = error { await runner.release() }
                throw error
            } catch RunnerError.released {
                // Before its turn came: it asks again.
            } catch RunnerError.unavailable(let reason) {
                // Nobody waits for a text that has not begun.
                guard progress != nil, await isBack(within: patience) else {
                    throw RunnerError.unavailable(reason: reason)
                }
            }
        }
    }

    /// How far a text came with one model.
    private struct Rest {
        /// nil at its end, or where it has not begun.
        var progress: TextProgress?
        /// The folder of an artifact that is not what it was when the model was loaded; the text goes on with another model.
        var changedArtifact: String?

        /// Whether the model was loaded from what its file is no longer; nothing was done with it.
        var isStale = false

        init(_ progress: TextProgress?, changed artifact: String?) {
            (self.progress, changedArtifact) = (progress, artifact)
        }

        init(_ progress: TextProgress?, isStale: Bool) {
            (self.progress, self.isStale) = (progress, isStale)
        }
    }

    /// - Returns: where the text stands, if it has to stop; nil at its end.
    private static func write(
        _ text: TextProgress, with generator: TextGenerator, _ manner: Manner,
        _ yield: @escaping @Sendable (Event) -> Void
    ) async throws -> TextProgress? {
        // Beside this task: when it is cancelled because the model has to go, the last word is still wanted.
        let run = GenerationRun(manner.listener)
        let writing = Task { () throws -> TextProgress? in
            let events = generator.generate(
                resuming: text, pace: manner.pace, snapshot: manner.snapshot, run: run)
            for try await event in events {
                switch event {
                case .likelihood(let likelihood): yield(.likelihood(likelihood))
                case .thought(let text): yield(.thought(text))
                case .token(let id, let text): yield(.token(id: id, text: text))
                case .finished(let summary, let text): yield(.finished(summary, text: text))
                case .suspended(let progress): return progress
                }
            }
            return nil
        }
        return try await withTaskCancellationHandler {
            try await writing.value
        } onCancel: {
            // Nothing is kept for who has gone.
            generator.stop(run, manner.listener.hasLeft ? .cancelled : .suspended)
        }
    }

    /// Waits until the model may be loaded again.
    private func isBack(within patience: Duration) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [states = runner.states] in
                for await state in states {
                    if case .unavailable = state { continue }
                    return true
                }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: patience)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

/// How a text is written.
private struct Manner: Sendable {
    let pace: GenerationPace?
    let snapshot: String?
    let listener: TextCancellation
}
