internal import Foundation
package import HearthSpeech
internal import HearthSystem
internal import Synchronization

/// Speaks a story to the sound device or into a file. The story continues if speech fails.
package final class StoryVoice: Sendable {
    private let narrator: Narrator?
    private let sink: (any AudioSink)?
    private let file: WAVFileSink?
    private let timing: FirstSound
    private let failure: Mutex<(any Error)?>
    private let isDevice: Bool
    private let note: @Sendable (String) -> Void

    /// Opens the output and prepares speech synthesis.
    /// - Parameters:
    ///   - path: nil for the sound device.
    ///   - voice: the voice that a user chose; nil for espeak-ng.
    ///   - note: receives the reason if there is no sound.
    /// - Throws: ``SpeechError`` if the file cannot be written; checked before any work is done.
    package init(
        file path: String?, language: StoryLanguage, voice: PiperSynthesizer? = nil, begun: ContinuousClock.Instant,
        note: @escaping @Sendable (String) -> Void
    ) throws {
        isDevice = path == nil
        self.note = note
        timing = FirstSound(begun: begun)
        var file: WAVFileSink?
        if let path {
            file = try WAVFileSink(path: path)
        }
        self.file = file
        do {
            let sink: any AudioSink = if let file { file } else { try DeviceSink() }
            let synthesizer: any SpeechSynthesizer = if let voice { voice } else { try EspeakSynthesizer() }
            let narrator = Narrator(
                synthesizer: synthesizer, sink: TimedSink(sink: sink, timing: timing),
                language: language.rawValue, begun: begun)
            narrator.prepare()
            (self.sink, self.narrator) = (sink, narrator)
            failure = Mutex(nil)
        } catch {
            (sink, narrator) = (file, nil)
            failure = Mutex(error)
            tell(error)
        }
    }

    /// Milliseconds from the start of the command to the first sound; nil before that.
    package var firstAudioMS: Double? { timing.milliseconds }

    /// Enqueues the next piece; waits while the queue is full.
    package func say(_ piece: CheckedText) async {
        guard let narrator, failure.withLock({ $0 == nil }) else { return }
        do {
            try await narrator.say(piece.text)
        } catch {
            await fail(error)
        }
    }

    /// Waits until everything was played or written.
    /// - Throws: an error if the file is incomplete. A failing sound device is not an error: the story was told.
    package func finish() async throws {
        if let narrator, failure.withLock({ $0 == nil }) {
            do {
                try await narrator.finish()
            } catch {
                await fail(error)
            }
        }
        guard !isDevice, let error = failure.withLock({ $0 }) else { return }
        throw error
    }

    /// Stops sound immediately, from any thread. A file keeps what was spoken so far.
    package func silence() {
        guard let file else {
            sink?.stop()
            return
        }
        file.keepWhatIs()
    }

    private func fail(_ error: any Error) async {
        let isFirst = failure.withLock { failure in
            defer { failure = failure ?? error }
            return failure == nil
        }
        if isFirst { tell(error) }
        await narrator?.stop()
    }

    private func tell(_ error: any Error) {
        guard isDevice, !(error is CancellationError) else { return }
        note("the story continues without sound: " + error.localizedDescription)
    }
}

/// Records the time when the first audio was passed to the sink.
private final class FirstSound: Sendable {
    private let begun: ContinuousClock.Instant
    private let moment = Mutex<Double?>(nil)

    init(begun: ContinuousClock.Instant) { self.begun = begun }
    var milliseconds: Double? { moment.withLock { $0 } }

    func note() {
        let now = (ContinuousClock.now - begun).milliseconds
        moment.withLock { $0 = $0 ?? now }
    }
}

/// Records when the first audio passes through.
private struct TimedSink: AudioSink {
    let sink: any AudioSink
    let timing: FirstSound

    func play(_ audio: SpeechAudio) async throws {
        timing.note()
        try await sink.play(audio)
    }
    func finish() async throws { try await sink.finish() }
    func stop() { sink.stop() }
}
