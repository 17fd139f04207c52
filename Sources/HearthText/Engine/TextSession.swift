internal import HearthDelivery
public import HearthRuntime
internal import HearthSystem
public import HearthTokenizer

/// A generation that survives the release of its model: it is suspended when the model is released, and resumes with the next
/// token when the model is loaded again.
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
        /// The model is loaded and generation starts; repeated after each pause.
        case began
        /// Likelihood of the next token; only if requested by `TextGenerator.Options.likelihoods`.
        case likelihood(TokenLikelihood)
        /// Reasoning text from before the answer; not part of the answer.
        case thought(String)
        /// `text` may be empty while a character is incomplete; the concatenated texts are the answer.
        case token(id: TokenID, text: String)
        /// The model was released; the session resumes when it is loaded again. From the progress another session of the same
        /// model continues the text, also in another process; nil before the text has begun.
        case paused(TextProgress?)
        /// Always the last event of a stream that did not throw; `text` is what was held back until the end.
        case finished(GenerationSummary, text: String)
    }

    /// How long a session waits for its model to be available again: 30 seconds.
    package static let defaultPatience = Duration.seconds(30)

    private let runner: ModelRunner<TextEngine>
    private let start: @Sendable (TextGenerator) throws -> TextProgress

    /// Creates a session.
    /// - Parameters:
    ///   - runner: the owner of the model.
    ///   - start: encodes the prompt once the model is loaded.
    public init(
        runner: ModelRunner<TextEngine>, start: @escaping @Sendable (TextModel) throws -> TextProgress
    ) {
        self.runner = runner
        self.start = { try start($0.model) }
    }

    /// Creates a session whose prompt depends on the generator's context length.
    package init(
        fitting runner: ModelRunner<TextEngine>, start: @escaping @Sendable (TextGenerator) throws -> TextProgress
    ) {
        self.runner = runner
        self.start = start
    }

    /// Generates the text. Ending the iteration, or cancelling its task, stops the model.
    ///
    /// - Parameters:
    ///   - pace: generation speed; can be changed while the text is generated.
    ///   - patience: how long to wait for a model that was released during the generation; nil for 30 seconds.
    ///   - snapshot: absolute path of a file for the KV cache, so that resuming reads it instead of recomputing it. It belongs
    ///     to this session only and is removed at its end. nil for texts that are short or rarely interrupted.
    /// - Returns: the events. The stream throws ``RunnerError`` if the model is not available: immediately before the first
    ///   token, and after `patience` later; ``TextError`` and what `start` throws; ``FileError/changed(_:)`` if the model's
    ///   file was changed, which also releases the model, so that the next session loads the changed file.
    public func events(
        pace: GenerationPace? = nil, patience: Duration? = nil, snapshot: String? = nil
    ) -> AsyncThrowingStream<Event, any Error> {
        events(
            pace: pace, patience: patience ?? Self.defaultPatience, snapshot: snapshot, listener: TextCancellation())
    }

    /// As above; `listener` cancels this generation before its next token. A text that continues another also waits for the model
    /// before its first token.
    package func events(
        pace: GenerationPace? = nil, patience: Duration = defaultPatience, snapshot: String? = nil,
        listener: TextCancellation, continuesText: Bool = false
    ) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                let result: Result<Void, any Error>
                do {
                    let manner = Manner(
                        pace: pace, snapshot: snapshot, listener: listener, continuesText: continuesText)
                    try await write(manner, patience) { continuation.yield($0) }
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                // Before the stream ends, so that the path is free for the next text that uses it.
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
                    // If the file changed before this text's turn, reload it instead of failing the text.
                    guard generator.model.isIntact else { return Rest(known, isStale: true) }
                    let text = try known ?? start(generator)
                    // If the vocabulary was damaged meanwhile, discard what was encoded with it.
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
                        // Happens only before the first token of this turn; later, the generation ends suspended instead.
                        return Rest(text, changed: generator.model.artifactFolder)
                    }
                }
                progress = rest.progress
                if rest.isStale {
                    await runner.release()
                    continue
                }
                if let artifact = rest.changedArtifact {
                    // Full verification removes the damaged artifact; the model's own file has all that it contained.
                    _ = try? await OwnThread.run { _ in ArtifactCache.verify(folder: artifact) }
                    await runner.release()
                } else if progress == nil {
                    return
                }
                if let progress { yield(.paused(progress)) }
            } catch let error as FileError {
                // Release the model, so that the next session loads the changed file.
                if case .changed = error { await runner.release() }
                throw error
            } catch RunnerError.released {
                // Released while queued: try again.
            } catch RunnerError.unavailable(let reason) {
                // Wait only for a text that has already begun.
                if progress == nil, manner.continuesText { yield(.paused(nil)) }
                guard progress != nil || manner.continuesText, await isBack(within: patience) else {
                    throw RunnerError.unavailable(reason: reason)
                }
            }
        }
    }

    /// How far a text got with one load of the model.
    private struct Rest {
        /// nil if the text has ended, or has not begun.
        var progress: TextProgress?
        /// Folder of an artifact that changed after the model was loaded; the text resumes with a newly loaded model.
        var changedArtifact: String?

        /// Whether the model's file changed before the text's turn; nothing was generated.
        var isStale = false

        init(_ progress: TextProgress?, changed artifact: String?) {
            (self.progress, changedArtifact) = (progress, artifact)
        }

        init(_ progress: TextProgress?, isStale: Bool) {
            (self.progress, self.isStale) = (progress, isStale)
        }
    }

    /// - Returns: the progress if the text was suspended; nil if it ended.
    private static func write(
        _ text: TextProgress, with generator: TextGenerator, _ manner: Manner,
        _ yield: @escaping @Sendable (Event) -> Void
    ) async throws -> TextProgress? {
        // A separate task: if this one is cancelled because the model is being released, the final event is still needed.
        let run = GenerationRun(manner.listener)
        manner.listener.onAbort { [weak generator] in generator?.stop(run, .cancelled) }
        defer { manner.listener.onAbort(nil) }
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
            // Keep nothing if the reader has gone.
            generator.stop(run, manner.listener.hasLeft ? .cancelled : .suspended)
        }
    }

    /// Waits until the model may be loaded again; false after `patience`.
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

/// Options of a generation.
private struct Manner: Sendable {
    let pace: GenerationPace?
    let snapshot: String?
    let listener: TextCancellation
    let continuesText: Bool
}
