#if canImport(AVFAudio)
internal import AVFAudio
internal import Synchronization

/// Speaks with the voices of an Apple device, by `AVSpeechSynthesizer`; nothing leaves the device.
public struct AppleSynthesizer: SpeechSynthesizer {
    /// 0 to 1, where 0.5 is the system's usual rate; a little less suits the evening.
    public var rate: Float = 0.45

    /// A synthesizer with the voice that the user has chosen for a language.
    public init() {}

    /// Speaks one piece of text.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let recording = Recording()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                recording.begin(text, Self.tag(language), rate, continuation)
            }
        } onCancel: {
            recording.end(.failure(CancellationError()))
        }
    }

    /// Voices are listed with a region, Chinese without a script.
    private static func tag(_ language: String) -> String {
        switch language {
        case "zh-Hans": "zh-CN"
        case "zh-Hant": "zh-TW"
        default: language
        }
    }
}

/// One piece of text on its way to samples.
private final class Recording: Sendable {
    private struct State {
        var audio = SpeechAudio(samples: [], sampleRate: 0)
        var continuation: CheckedContinuation<SpeechAudio, any Error>?
        /// Kept while it speaks.
        var synthesizer: AVSpeechSynthesizer?
        var hasEnded = false
    }

    private let state = Mutex(State())

    func begin(
        _ text: String, _ language: String, _ rate: Float, _ continuation: CheckedContinuation<SpeechAudio, any Error>
    ) {
        let mayBegin = state.withLock { state in
            if !state.hasEnded { state.continuation = continuation }
            return !state.hasEnded
        }
        guard mayBegin else { return continuation.resume(throwing: CancellationError()) }
        let utterance = AVSpeechUtterance(string: text)
        utterance.rate = rate
        utterance.voice = AVSpeechSynthesisVoice(language: language)
        let synthesizer = AVSpeechSynthesizer()
        synthesizer.write(utterance) { [weak self] buffer in self?.take(buffer) }
        state.withLock { $0.synthesizer = $0.hasEnded ? nil : synthesizer }
    }

    /// Buffers come one after the other; an empty one is the end.
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
            samples = UnsafeBufferPointer(start: channel, count: count).map {
                Int16((max(-1, min(1, $0)) * 32_767).rounded())
            }
        } else {
            return end(.failure(SpeechError.notAudio("samples of another kind")))
        }
        let rate = Int(buffer.format.sampleRate)
        state.withLock { state in
            state.audio.sampleRate = rate
            state.audio.samples += samples
        }
    }

    /// The first end counts.
    func end(_ result: Result<SpeechAudio, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<SpeechAudio, any Error>? in
            defer { (state.hasEnded, state.continuation, state.synthesizer) = (true, nil, nil) }
            return state.continuation
        }
        continuation?.resume(with: result)
    }
}
#endif
