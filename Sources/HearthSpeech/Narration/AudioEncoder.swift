internal import HearthSystem

/// Encodes speech with `ffmpeg` through pipes, without temporary files.
package struct AudioEncoder: Sendable {
    package enum Format: String, Sendable, CaseIterable {
        case mp3, opus, aac, flac

        /// Whether separately encoded pieces can be concatenated to one stream.
        package var joins: Bool { self == .mp3 || self == .aac }

        fileprivate var arguments: [String] {
            switch self {
            // Without the Xing header, which holds the total length; pieces of a stream cannot know it.
            case .mp3: ["-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-id3v2_version", "0", "-f", "mp3"]
            case .opus: ["-c:a", "libopus", "-b:a", "32k", "-ar", "48000", "-f", "opus"]
            case .aac: ["-c:a", "aac", "-b:a", "64k", "-f", "adts"]
            case .flac: ["-c:a", "flac", "-f", "flac"]
            }
        }
    }

    private let executable: String

    /// Finds ffmpeg.
    /// - Parameter searchPath: folders to search for ffmpeg, separated by colons; nil for `PATH`.
    /// - Throws: ``SpeechError/programMissing(_:package:)`` if it is not found.
    package init(searchPath: String? = nil) throws(SpeechError) {
        guard let found = ProgramPath.find("ffmpeg", in: searchPath ?? ProgramPath.folders) else {
            throw .programMissing("ffmpeg", package: "ffmpeg")
        }
        executable = found
    }

    /// Encodes one piece of audio.
    /// - Throws: ``SpeechError/programFailed(_:status:message:)``, `CancellationError`.
    package func encode(_ audio: SpeechAudio, as format: Format) async throws -> [UInt8] {
        let input = ["-f", "s16le", "-ar", String(audio.sampleRate), "-ac", "1", "-i", "pipe:0"]
        let arguments = ["-hide_banner", "-loglevel", "error"] + input + format.arguments + ["pipe:1"]
        let process = try Executable.start(executable, arguments, input: .later)
        return try await Executable.finish(process, executable, input: audio.pcm)
    }
}
