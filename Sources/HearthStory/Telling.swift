package import HearthRuntime
internal import HearthSpeech
internal import HearthSystem
package import HearthText

/// One story on its way from a model to who listens, through whatever happens to the model meanwhile.
package struct Telling {
    package typealias Events = AsyncThrowingStream<TextSession.Event, any Error>

    private let request: StoryRequest
    private let policy: HandoverPolicy
    private let conditions: @Sendable () -> DeviceConditions
    private let send: @Sendable (StoryEvent) async throws -> Void
    private let phrases: StoryPhrases
    private var composer: StoryComposer
    private var tokens = 0
    /// Why the model was taken away last.
    private var pause: HandoverReason?

    package init(
        _ request: StoryRequest, _ policy: HandoverPolicy, _ conditions: @escaping @Sendable () -> DeviceConditions,
        _ send: @escaping @Sendable (StoryEvent) async throws -> Void
    ) {
        (self.request, self.policy, self.conditions, self.send) = (request, policy, conditions, send)
        phrases = StoryPhrases(request.language)
        composer = StoryComposer(request.language)
    }

    /// What the story is about.
    package func title() async throws { try await emit(composer.title(request.subject.title(in: request.language))) }

    /// Tells what a model writes, up to its end or to what takes its place.
    /// - Parameter events: begins the writing; it ends when this function lets go of it.
    package mutating func follow(_ events: () -> Events) async throws {
        do {
            let summary = try await tell(events())
            guard !composer.wasStopped else { return try await giveUp(.stopped) }
            try await send(.finished(summary))
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            // What troubled the device may have passed a moment ago.
            // The session has waited as long as the policy's patience lasts.
            let known = HandoverReason(error, conditions())
            let reason = known == .unavailable ? pause ?? known : known
            guard decision(reason) != .refuse else { throw error }
            try await giveUp(reason)
            // The story has its end. Whoever chose the model, and writes to its file, is told.
            if request.isModelChosen, error.changedModelFile != nil { throw error }
        }
    }

    /// Tells what a model of another kind writes, of which nothing but its text is known.
    /// - Parameter text: begins the writing; it ends when this function lets go of it.
    package mutating func follow(text: () -> AsyncThrowingStream<String, any Error>) async throws {
        do {
            for try await piece in text() {
                tokens += 1
                try await send(.progress(tokens: tokens))
                try await emit(composer.feed(piece))
                if composer.wasStopped { break }
            }
            // A stream whose reader was cancelled just ends.
            try Task.checkCancellation()
            try await emit(composer.finish())
            if composer.wasStopped { return try await giveUp(.stopped) }
            guard composer.told > 0 else { return try await giveUp(.failed) }
            try await send(.finished(nil))
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            let reason = HandoverReason(error, conditions())
            guard decision(reason) != .refuse else { throw error }
            try await giveUp(reason)
        }
    }

    /// - Returns: the model's figures; nil where the filter ended the story.
    private mutating func tell(_ events: Events) async throws -> GenerationSummary? {
        for try await event in events {
            switch event {
            case .began, .likelihood, .thought: break
            case .paused:
                let reason = HandoverReason(conditions()) ?? .unavailable
                pause = reason
                guard decision(reason, hasWaited: false) == .wait else {
                    throw RunnerError.unavailable(reason: reason.rawValue)
                }
                try await send(.paused(reason))
            case .token(_, let text):
                tokens += 1
                try await send(.progress(tokens: tokens))
                try await emit(composer.feed(text))
                if composer.wasStopped { return nil }
            case .finished(let summary, let text):
                try await emit(composer.feed(text))
                try await emit(composer.finish(wasCut: summary.stop == .length))
                return composer.wasStopped ? nil : summary
            }
        }
        // A stream that ends without its last event was cancelled.
        throw CancellationError()
    }

    private func decision(_ reason: HandoverReason, hasWaited: Bool = true) -> HandoverPolicy.Decision {
        policy.decide(
            HandoverPolicy.Situation(
                reason, told: composer.told, hasBegun: tokens > 0, hasWaited: hasWaited,
                isChosen: request.isModelChosen))
    }

    /// The model tells no further.
    private mutating func giveUp(_ reason: HandoverReason) async throws {
        guard decision(reason) == .handOver else {
            try await send(
                .handover(StoryHandover(reason: reason, afterSentences: composer.told, story: nil, notice: nil)))
            return try await send(.finished(nil))
        }
        try await handOver(reason)
    }

    /// Closes what was told, then tells a finished story.
    mutating func handOver(_ reason: HandoverReason) async throws {
        let told = composer.told
        try await emit(composer.close(with: phrases.closing))
        let seed = request.seed ?? .random(in: .min ... .max)
        let story =
            (request.hasWants ? request.tale(seed: seed) : nil)
            ?? StoryLibrary.story(for: request.subject.wish, in: request.language, seed: seed)
        try await send(
            .handover(
                StoryHandover(
                    reason: reason, afterSentences: told, story: story?.id,
                    notice: composer.notice(phrases.notice(reason)))))
        if let story { try await tell(story) }
        try await send(.finished(nil))
    }

    /// Tells a tale; where a theme is no wish, a finished story.
    package func tale() async throws {
        let seed = request.seed ?? .random(in: .min ... .max)
        if let story = request.tale(seed: seed) ?? StoryLibrary.story(for: nil, in: request.language, seed: seed) {
            try await tell(story)
        }
        try await send(.finished(nil))
    }

    private func tell(_ story: FinishedStory) async throws {
        var composer = StoryComposer(request.language)
        try await emit(composer.title(story.title))
        for sentence in story.sentences {
            try Task.checkCancellation()
            try await emit(composer.feed(sentence))
            if composer.hasEnded { return }
        }
    }

    private func emit(_ events: [StoryEvent]) async throws {
        for event in events { try await send(event) }
    }
}
