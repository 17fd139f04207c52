/// Where speech goes: a file, the sound device, a page.
public protocol AudioSink: Sendable {
    /// Takes the next piece and returns when there is time for another; ends soon when its task is cancelled.
    /// - Throws: `SpeechError`, `CancellationError`.
    func play(_ audio: SpeechAudio) async throws
    /// No more will come. Returns when all was heard or written.
    func finish() async throws
    /// Falls silent at once and drops what was not heard.
    func stop()
}
