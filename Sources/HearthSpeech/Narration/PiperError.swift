internal import Foundation
package import HearthSystem

/// An error of a Piper voice, or of the program that speaks with it.
package enum PiperError: HearthError, Equatable {
    /// The voice's file, or the description beside it, is missing or invalid.
    case unusableVoice(path: String, reason: String)
    /// No folder has a voice of that name.
    case unknownVoice(String, known: [String])
    /// The program is not installed.
    case programMissing
    /// The program failed with this voice.
    case failed(voice: String, reason: String)

    package var category: ErrorCategory {
        switch self {
        case .unusableVoice, .unknownVoice: .invalidInput
        case .programMissing, .failed: .failed
        }
    }

    package var errorDescription: String? {
        switch self {
        case .unusableVoice(let path, let reason):
            "this Piper voice cannot be used: \(reason) (\(path)). Download the voice's .onnx and .onnx.json again, into one folder."
        case .unknownVoice(let name, let known):
            "there is no voice of this name (\(name)). "
                + (known.isEmpty
                    ? "Pass the path of a Piper voice, FILE.onnx, or 'espeak'."
                    : "Pass one of: \(known.joined(separator: ", ")), espeak; or the path of a FILE.onnx.")
        case .programMissing:
            "the speech program is not installed (piper). Install it: pipx install piper-tts"
        case .failed(let voice, let reason):
            "piper could not speak: \(reason) (\(voice)). Try it by itself: echo Hello | piper -m \(voice) --output_raw | wc -c"
        }
    }
}
