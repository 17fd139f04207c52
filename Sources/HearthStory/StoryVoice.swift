internal import Foundation
internal import HearthSpeech
internal import HearthSystem
internal import Synchronization

/// A story's voice: to the sound device or into a file. A story goes on without it.
package final class StoryVoice: Sendable {
    private let narrator: Narrator?
    private let sink: (any AudioSink)?
    private let file: WAVFileSink?
    private let timing: FirstSound
    private let failure: Mutex<(any Error)?>
    private let isDevice: Bool
    private let note: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: nil for the sound device.
    ///   - note: tells why there is no sound.
    /// - Throws: ``SpeechError`` if the file cannot be written: before the work, not after it.
    package init(
        file path: String?, language: StoryLanguage, begun: ContinuousClock.Instant,
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
            let narrator = Narrator(
                synthesizer: try EspeakSynthesizer(), sink: TimedSink(sink: sink, timing: timing),
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

    /// Milliseconds from the command's start to the first sound; nil before it.
    package var firstAudioMS: Double? { timing.milliseconds }

    /// Hands in the next piece; waits while too many wait already.
    package func say(_ piece: CheckedText) async {
        guard let narrator, failure.withLock({ $0 == nil }) else { return }
        do {
            try await narrator.say(piece.text)
        } catch {
            await fail(error)
        }
    }

    /// Returns when all was heard or written.
    /// - Throws: what keeps the file from being complete. A sound device that fails is no error: the story was told.
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

    /// Silent at once, from any thread. A file keeps what was spoken until now.
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

/// When the first sound was handed over.
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

/// Notes the first piece on its way.
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
