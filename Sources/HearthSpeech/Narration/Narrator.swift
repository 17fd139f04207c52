internal import HearthSystem

/// Reads sentences aloud while others are still being written.
///
/// Three stages run at the same time: who writes hands sentences in, one is synthesised, one is heard. Between them wait
/// only a few, so that a fast writer is held up instead of filling the memory.
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

    /// From the narrator's making to the first sound; nil before it.
    package private(set) var firstAudio: Duration?
    /// Seconds of speech so far.
    package private(set) var spoken = 0.0

    /// - Parameters:
    ///   - capacity: sentences that may wait to be synthesised, and pieces of sound that may wait to be heard.
    ///   - begun: the moment from which time to first audio counts; that of the wish.
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

    /// Lets the voice begin what takes time, ahead of the first sentence. Returns at once.
    public nonisolated func prepare() { synthesizer.prepare(language: language) }

    /// Hands the next sentence in; waits while too many wait already.
    /// - Throws: what made speaking end, `CancellationError`.
    public func say(_ text: String) async throws {
        if let failure { throw failure }
        if stages.isEmpty { begin() }
        guard try await texts.send(text) else { throw failure ?? CancellationError() }
    }

    /// Returns when all was heard.
    /// - Throws: what made speaking end before.
    public func finish() async throws {
        texts.finish()
        for stage in stages { await stage.value }
        if let failure { throw failure }
        if isStopped { throw CancellationError() }
        try await sink.finish()
    }

    /// Falls silent at once. Calling it again changes nothing.
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
