#if canImport(AVFAudio)
internal import AVFAudio
internal import Foundation
internal import Synchronization

/// Speaks with the best installed voice of a language, using `AVSpeechSynthesizer`; no text leaves the device.
public struct AppleSynthesizer: SpeechSynthesizer {
    /// The speech rate, 0 to 1. The system's default is 0.5; bedtime stories are read a little more slowly.
    public var rate: Float = 0.45
    /// The identifier of a voice chosen by the user; nil for the best voice of each language.
    public var voice: String?

    /// A synthesizer that chooses its voice by ``VoiceChoice``.
    public init() {}

    /// Speaks one piece of text.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let recording = Recording()
        let voice = voice ?? Self.voice(for: language)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                recording.begin(text, voice, rate, continuation)
            }
        } onCancel: {
            recording.end(.failure(CancellationError()))
        }
    }

    private static func voice(for language: String) -> String? {
        let voices = AVSpeechSynthesisVoice.speechVoices().map { voice in
            InstalledVoice(
                identifier: voice.identifier, language: voice.language, quality: voice.quality.rawValue,
                isSpecial: !voice.voiceTraits.isDisjoint(with: [.isNoveltyVoice, .isPersonalVoice]))
        }
        let region = Locale.current.region?.identifier
        return VoiceChoice.best(of: voices, for: language, regions: region.map { [$0] } ?? [])?.identifier
    }
}

/// Collects the samples of one utterance.
private final class Recording: Sendable {
    private struct State {
        var audio = SpeechAudio(samples: [], sampleRate: 0)
        var continuation: CheckedContinuation<SpeechAudio, any Error>?
        /// Retained while it speaks.
        var speaker: Speaker?
        var hasEnded = false
    }

    /// Sendable: started once by `begin` and stopped once by `end`; the state keeps the two from racing.
    private struct Speaker: @unchecked Sendable {
        let synthesizer = AVSpeechSynthesizer()
    }

    private let state = Mutex(State())

    func begin(
        _ text: String, _ voice: String?, _ rate: Float, _ continuation: CheckedContinuation<SpeechAudio, any Error>
    ) {
        let speaker = Speaker()
        let mayBegin = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.continuation = continuation
            state.speaker = speaker
            return true
        }
        guard mayBegin else { return continuation.resume(throwing: CancellationError()) }
        let utterance = AVSpeechUtterance(string: text)
        utterance.rate = rate
        // Without a voice of the language, the system chooses one.
        utterance.voice = voice.flatMap { AVSpeechSynthesisVoice(identifier: $0) }
        speaker.synthesizer.write(utterance) { [weak self] buffer in self?.take(buffer) }
    }

    /// Appends a buffer. Buffers arrive in order; an empty one marks the end.
    private func take(_ buffer: AVAudioBuffer) {
        guard let buffer = buffer as? AVAudioPCMBuffer else {
            return end(.failure(SpeechError.notAudio("a buffer without samples")))
        }
        let count = Int(buffer.frameLength)
        if count == 0 { return end(.success(state.withLock { $0.audio })) }
        let samples: [Int16]
        if let channel = buffer.int16ChannelData?[0] {
            samples = Array(UnsafeBufferPointer(start: channel, count: count))
        } else if let channel = buffer.floatChannelData?[0] {
            samples = UnsafeBufferPointer(start: channel, count: count).map { SpeechAudio.sample($0) }
        } else {
            return end(.failure(SpeechError.notAudio("samples of another kind")))
        }
        let rate = Int(buffer.format.sampleRate)
        state.withLock { state in
            state.audio.sampleRate = rate
            state.audio.samples += samples
        }
    }

    /// Ends the utterance; only the first call has an effect.
    func end(_ result: Result<SpeechAudio, any Error>) {
        let (continuation, speaker) = state.withLock { state in
            defer { (state.hasEnded, state.continuation, state.speaker) = (true, nil, nil) }
            return (state.continuation, state.speaker)
        }
        // Cancelled or failed: the rest need not be synthesized.
        if case .failure = result { speaker?.synthesizer.stopSpeaking(at: .immediate) }
        continuation?.resume(with: result)
    }
}
#endif
