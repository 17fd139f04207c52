/// A destination for speech, such as a file, a sound device or a web page.
public protocol AudioSink: Sendable {
    /// Plays the next piece, and returns when the sink accepts another one. Ends soon after its task is cancelled.
    /// - Throws: ``SpeechError``, `CancellationError`.
    func play(_ audio: SpeechAudio) async throws
    /// Ends the output. Returns when everything was played or written.
    func finish() async throws
    /// Stops immediately and discards audio that was not played.
    func stop()
}
