/// Turns text into speech.
public protocol SpeechSynthesizer: Sendable {
    /// Starts slow preparations before the first piece; returns immediately. Errors are reported when speaking.
    func prepare(language: String)
    /// Synthesizes one piece of text; ends soon after its task is cancelled.
    /// - Parameters:
    ///   - text: the text to speak.
    ///   - language: a BCP 47 tag such as `en`, `zh-Hans` or `es`.
    /// - Throws: ``SpeechError``, `CancellationError`.
    func speech(for text: String, language: String) async throws -> SpeechAudio
}

extension SpeechSynthesizer {
    /// Does nothing.
    public func prepare(language: String) {}
}

/// Produces silence with the duration that speech would have, for machines without a voice and for tests.
public struct SilentSynthesizer: SpeechSynthesizer {
    /// Creates a silent voice.
    public init() {}

    /// Silence with the duration of the spoken text.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let weight = text.unicodeScalars.reduce(0) { $0 + $1.weight }
        return SpeechAudio(samples: Array(repeating: 0, count: weight * 8000 / 14), sampleRate: 8000)
    }
}
