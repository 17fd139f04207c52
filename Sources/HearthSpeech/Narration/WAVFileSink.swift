internal import Foundation
internal import HearthSystem
internal import Synchronization

/// Writes speech to a RIFF WAVE file. It is written to a temporary file in the same folder, and renamed when it is complete.
public final class WAVFileSink: AudioSink {
    private struct State {
        var descriptor: Int32
        var sampleRate: Int?
        var samples = 0
    }

    /// As it was given, for messages.
    private let path: String
    private let target: String
    /// The temporary file with the samples written so far; an interrupted process should remove it.
    package let temporaryPath: String
    private let state: Mutex<State>

    /// Creates the temporary file.
    /// - Parameter path: path of the file to write; an existing file is replaced, a device or a pipe is refused.
    /// - Throws: ``SpeechError/unwritable(path:reason:)``.
    public init(path: String) throws(SpeechError) {
        if let reason = WholeFile.obstacle(at: path) { throw .unwritable(path: path, reason: reason) }
        (self.path, self.target) = (path, RealPath.of(path) ?? path)
        temporaryPath = "\(target).\(String(UInt64.random(in: .min ... .max), radix: 36)).part"
        let descriptor = open(temporaryPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Self.failure(path) }
        state = Mutex(State(descriptor: descriptor))
    }

    deinit { stop() }

    /// Appends a piece to the file.
    /// - Throws: ``SpeechError/notAudio(_:)`` if its sample rate is not that of the first piece,
    ///   ``SpeechError/unwritable(path:reason:)``.
    public func play(_ audio: SpeechAudio) async throws {
        try state.withLock { state in
            guard state.descriptor >= 0 else { throw CancellationError() }
            if state.sampleRate == nil {
                try write(SpeechAudio.wavHeader(sampleCount: 0, sampleRate: audio.sampleRate), state.descriptor)
            }
            let rate = state.sampleRate ?? audio.sampleRate
            state.sampleRate = rate
            guard rate == audio.sampleRate else { throw SpeechError.notAudio("the sample rate changed") }
            try write(audio.pcm, state.descriptor)
            state.samples += audio.samples.count
        }
    }

    /// Completes the file and renames it to its final name.
    public func finish() async throws { try complete(durably: true) }

    /// Completes the file with what was spoken so far, for a program that is interrupted. Without any audio, no file is
    /// written.
    package func keepWhatIs() {
        if state.withLock({ $0.samples == 0 }) { stop() } else { try? complete(durably: false) }
    }

    private func complete(durably: Bool) throws {
        try state.withLock { state in
            guard state.descriptor >= 0 else { throw CancellationError() }
            let header = SpeechAudio.wavHeader(sampleCount: state.samples, sampleRate: state.sampleRate ?? 22050)
            guard lseek(state.descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(path) }
            try write(header, state.descriptor)
            guard !durably || fsync(state.descriptor) == 0, rename(temporaryPath, target) == 0 else {
                throw Self.failure(path)
            }
            close(state.descriptor)
            state.descriptor = -1
        }
    }

    /// Discards the file.
    public func stop() {
        state.withLock { state in
            guard state.descriptor >= 0 else { return }
            close(state.descriptor)
            unlink(temporaryPath)
            state.descriptor = -1
        }
    }

    private func write(_ bytes: [UInt8], _ descriptor: Int32) throws(SpeechError) {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path) }
            done += count
        }
    }

    private static func failure(_ path: String) -> SpeechError {
        .unwritable(path: path, reason: String(cString: strerror(errno)))
    }
}
