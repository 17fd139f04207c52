internal import HearthSystem

/// Reads sentences aloud while further ones are still being generated.
///
/// Three stages run concurrently: sentences are generated, synthesized and played. Bounded buffers between them provide
/// backpressure.
///
///     let narrator = Narrator(synthesizer: try EspeakSynthesizer(), sink: sink, language: "en")
///     for await sentence in story { try await narrator.say(sentence) }
///     try await narrator.finish()
public actor Narrator {
    private let texts: BoundedChannel<String>
    private let sounds: BoundedChannel<SpeechAudio>
    private let synthesizer: any SpeechSynthesizer
    private let sink: any AudioSink
    private let language: String
    private let clock: ContinuousClock
    private let begun: ContinuousClock.Instant
    private var stages: [Task<Void, Never>] = []
    private var failure: (any Error)?
    private var isStopped = false

    /// The time from `begun` to the first sound; nil before it.
    package private(set) var firstAudio: Duration?
    /// Seconds of speech passed to the sink so far.
    package private(set) var spoken = 0.0

    /// Creates a narrator.
    /// - Parameters:
    ///   - synthesizer: turns text into speech.
    ///   - sink: plays or stores the speech.
    ///   - language: a BCP 47 tag such as `en`, `zh-Hans` or `es`.
    ///   - capacity: the maximum number of sentences waiting for synthesis.
    ///   - begun: the start of the measurement of the time to first audio.
    public init(
        synthesizer: any SpeechSynthesizer, sink: any AudioSink, language: String, capacity: Int = 4,
        begun: ContinuousClock.Instant = .now
    ) {
        texts = BoundedChannel(capacity: capacity)
        sounds = BoundedChannel(capacity: 2)
        self.sink = sink
        clock = ContinuousClock()
        self.begun = begun
        self.synthesizer = synthesizer
        self.language = language
    }

    /// Lets the synthesizer prepare before the first sentence. Returns immediately.
    public nonisolated func prepare() { synthesizer.prepare(language: language) }

    /// Adds the next sentence; waits while the buffer is full.
    /// - Throws: the error that ended speaking, `CancellationError`.
    public func say(_ text: String) async throws {
        if let failure { throw failure }
        if stages.isEmpty { begin() }
        guard try await texts.send(text) else { throw failure ?? CancellationError() }
    }

    /// Waits until everything was played.
    /// - Throws: the error that ended speaking.
    public func finish() async throws {
        texts.finish()
        for stage in stages { await stage.value }
        if let failure { throw failure }
        if isStopped { throw CancellationError() }
        try await sink.finish()
    }

    /// Stops immediately. Further calls have no effect.
    public func stop() {
        isStopped = true
        end()
        sink.stop()
    }

    private func begin() {
        stages = [
            Task { [texts, sounds, synthesizer, language] in
                await self.noting {
                    while let text = try await texts.next() {
                        try await sounds.send(try await synthesizer.speech(for: text, language: language))
                    }
                    sounds.finish()
                }
            },
            Task { [sounds, sink] in
                await self.noting {
                    while let sound = try await sounds.next() {
                        self.heard(sound)
                        try await sink.play(sound)
                    }
                }
            },
        ]
    }

    private func heard(_ sound: SpeechAudio) {
        if firstAudio == nil { firstAudio = begun.duration(to: clock.now) }
        spoken += sound.duration
    }

    private func noting(_ work: () async throws -> Void) async {
        do {
            try await work()
        } catch {
            if !isStopped, failure == nil { failure = error }
            end()
        }
    }

    private func end() {
        texts.cancel()
        sounds.cancel()
        for stage in stages { stage.cancel() }
    }
}
