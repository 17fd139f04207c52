/// A destination for speech: a file, a sound device, a page.
public protocol AudioSink: Sendable {
    /// Plays the next piece, and returns when it is time for another one; ends soon when its task is cancelled.
    /// - Throws: ``SpeechError``, `CancellationError`.
    func play(_ audio: SpeechAudio) async throws
    /// Ends the output. Returns when everything was played or written.
    func finish() async throws
    /// Stops at once and drops what was not played.
    func stop()
}
