/// Turns text into speech.
public protocol SpeechSynthesizer: Sendable {
    /// Begins whatever takes time before the first piece can be spoken; returns at once, and fails silently: speaking will tell.
    func prepare(language: String)
    /// Speaks one piece of text; ends soon when its task is cancelled.
    /// - Parameter language: a BCP 47 tag such as `en`, `zh-Hans` or `es`.
    /// - Throws: `SpeechError`, `CancellationError`.
    func speech(for text: String, language: String) async throws -> SpeechAudio
}

extension SpeechSynthesizer {
    /// There is nothing to prepare.
    public func prepare(language: String) {}
}

/// Speaks nothing, for as long as speaking would take: for machines without a voice, and for tests.
public struct SilentSynthesizer: SpeechSynthesizer {
    /// A voice that is not heard.
    public init() {}

    /// Silence that lasts as long as the text would.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let weight = text.unicodeScalars.reduce(0) { $0 + $1.weight }
        return SpeechAudio(samples: Array(repeating: 0, count: weight * 8000 / 14), sampleRate: 8000)
    }
}
