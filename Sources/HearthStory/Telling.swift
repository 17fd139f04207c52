package import HearthRuntime
internal import HearthSpeech
internal import HearthSystem
package import HearthText

/// Tells one story from a model, and handles interruptions of the model on the way.
package struct Telling {
    package typealias Events = AsyncThrowingStream<TextSession.Event, any Error>

    private let request: StoryRequest
    private let policy: HandoverPolicy
    private let conditions: @Sendable () -> DeviceConditions
    private let send: @Sendable (StoryEvent) async throws -> Void
    private let phrases: StoryPhrases
    private var composer: StoryComposer
    private var tokens = 0
    /// Whether the text has slots.
    private var hasSlots = false
    /// Why the model was last taken away.
    private var pause: HandoverReason?

    package init(
        _ request: StoryRequest, _ policy: HandoverPolicy, _ conditions: @escaping @Sendable () -> DeviceConditions,
        _ send: @escaping @Sendable (StoryEvent) async throws -> Void
    ) {
        (self.request, self.policy, self.conditions, self.send) = (request, policy, conditions, send)
        phrases = StoryPhrases(request.language)
        composer = StoryComposer(request.language)
    }

    /// Sends the title.
    package func title() async throws { try await emit(composer.title(request.subject.title(in: request.language))) }

    /// Tells what a model writes, up to its end or its replacement.
    /// - Parameters:
    ///   - slots: fills the slots of the text; nil if it has none. Called once the model has begun.
    ///   - events: starts generation, which ends when this function releases the stream.
    package mutating func follow(slots: () -> SlotFiller? = { nil }, _ events: () -> Events) async throws {
        do {
            let summary = try await tell(events(), slots)
            guard !composer.wasStopped else { return try await giveUp(.stopped) }
            try await send(.finished(summary))
        } catch let error as CancellationError {
            throw error
        } catch {
            try Task.checkCancellation()
            // The device may have recovered a moment ago, so the reason of the last pause is used. The session has already
            // waited for the policy's patience.
            let known = HandoverReason(error, conditions())
            let reason = known == .unavailable ? pause ?? known : known
            guard decision(reason) != .refuse else { throw error }
            try await giveUp(reason)
            // The story is complete. The caller who chose the model still gets the error that its file was changed.
            if request.isModelChosen, error.changedModelFile != nil { throw error }
        }
    }

    /// Tells what another kind of model writes, which provides only text.
    /// - Parameter text: starts generation, which ends when this function releases the stream.
    package mutating func follow(text: () -> AsyncThrowingStream<String, any Error>) async throws {
        do {
            for try await piece in text() {
                tokens += 1
                try await send(.progress(tokens: tokens))
                try await emit(composer.feed(piece))
                if composer.wasStopped { break }
            }
            // A stream whose reader was cancelled ends without an error.
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

    /// Tells the events of a session.
    /// - Returns: the model's statistics; nil if the filter ended the story.
    /// - Throws: ``UnfilledSlots`` if nothing or too little is left of the text.
    private mutating func tell(_ events: Events, _ slots: () -> SlotFiller?) async throws -> GenerationSummary? {
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
                if tokens == 0, let filler = slots() {
                    hasSlots = true
                    composer.fill(with: filler)
                }
                tokens += 1
                try await send(.progress(tokens: tokens))
                try await emit(composer.feed(text))
                if composer.wasStopped { return nil }
                guard !composer.lacksTooMuch else { throw UnfilledSlots() }
            case .finished(let summary, let text):
                try await emit(composer.feed(text))
                try await emit(composer.finish(wasCut: summary.stop == .length))
                if composer.wasStopped { return nil }
                if hasSlots || slots() != nil, composer.told == 0 || composer.lacksTooMuch {
                    throw UnfilledSlots()
                }
                return summary
            }
        }
        // A stream that ends without `finished` was cancelled.
        throw CancellationError()
    }

    private func decision(_ reason: HandoverReason, hasWaited: Bool = true) -> HandoverPolicy.Decision {
        policy.decide(
            HandoverPolicy.Situation(
                reason, told: composer.told, hasBegun: tokens > 0, hasWaited: hasWaited,
                isChosen: request.isModelChosen))
    }

    /// Ends the model's part of the story.
    private mutating func giveUp(_ reason: HandoverReason) async throws {
        guard decision(reason) == .handOver else {
            try await send(
                .handover(StoryHandover(reason: reason, afterSentences: composer.told, story: nil, notice: nil)))
            return try await send(.finished(nil))
        }
        try await handOver(reason)
    }

    /// Closes the unfinished story, then tells a finished one.
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

    /// Tells a tale; for a theme, which has no tales, a finished story.
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
