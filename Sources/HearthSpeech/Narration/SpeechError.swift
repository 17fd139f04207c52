public import Foundation

/// An error of speech synthesis, playback or recording.
public enum SpeechError: Error, Equatable, Sendable {
    /// A program for speech or playback is not installed.
    case programMissing(String, package: String)
    /// The program failed.
    case programFailed(String, status: Int32, message: String)
    /// The output of the speech program is not audio.
    case notAudio(String)
    /// The audio file cannot be written.
    case unwritable(path: String, reason: String)
}

extension SpeechError: LocalizedError {
    /// Formatted as `WHAT (WHERE). WHAT TO DO.`, in one line.
    public var errorDescription: String? {
        switch self {
        case .programMissing(let name, let package):
            "the speech program is not installed (\(name)). Install it: apt-get install \(package)"
        case .programFailed(let name, let status, let message):
            "speech synthesis failed with status \(status)\(message.isEmpty ? "" : ": \(message)") (\(name)). Try running the program by itself."
        case .notAudio(let why):
            "the speech program did not return audio: \(why) (WAVE). Try running the speech program by itself."
        case .unwritable(let path, let reason):
            "the audio file cannot be written: \(reason) (\(path)). Check the folder, its permissions and the free space."
        }
    }
}
