public import Foundation

/// What can go wrong between a sentence and its sound.
public enum SpeechError: Error, Equatable, Sendable {
    /// A program that speaks or plays is not installed.
    case programMissing(String, package: String)
    /// It ran and failed.
    case programFailed(String, status: Int32, message: String)
    /// What it gave is no audio.
    case notAudio(String)
    /// The audio file cannot be written.
    case unwritable(path: String, reason: String)
}

extension SpeechError: LocalizedError {
    /// What happened, to what, and what to do.
    public var errorDescription: String? {
        switch self {
        case .programMissing(let name, let package):
            "the program that speaks is not installed (\(name)). Install it: apt-get install \(package)"
        case .programFailed(let name, let status, let message):
            "speaking failed with status \(status)\(message.isEmpty ? "" : ": \(message)") (\(name)). Try the program by itself."
        case .notAudio(let why):
            "what was to be spoken is no audio: \(why) (WAVE). Try the program that speaks by itself."
        case .unwritable(let path, let reason):
            "the audio file cannot be written: \(reason) (\(path)). Check the folder, its permissions and the free space."
        }
    }
}
