internal import HearthSystem

/// Speaks with `espeak-ng`, one process per piece of text. It needs no configuration and has voices for every language of the
/// filter. The text is passed through a socket, so that it does not appear in process lists.
///
/// The process for the next piece is started in advance and waits with its voice loaded.
public struct EspeakSynthesizer: SpeechSynthesizer {
    private let executable: String
    private let standby = Standby()
    /// Words per minute. Chinese uses 1.5 times as many characters per minute, because a character is shorter than a word. The
    /// default of 125 suits bedtime stories.
    public var rate = 125
    /// The pitch, 0 to 99.
    package var pitch = 45

    /// Finds the program.
    /// - Parameter searchPath: folders to search for espeak-ng or espeak, separated by colons; nil for `PATH`.
    /// - Throws: ``SpeechError/programMissing(_:package:)`` if neither is found.
    public init(searchPath: String? = nil) throws(SpeechError) {
        guard let found = Self.program(in: searchPath ?? ProgramPath.folders) else { throw Self.missing }
        executable = found
    }

    /// The path of the installed program; nil if there is none.
    package static func program(in searchPath: String) -> String? {
        ProgramPath.find(["espeak-ng", "espeak"], in: searchPath)
    }

    /// The error of a machine without the program.
    package static let missing = SpeechError.programMissing("espeak-ng", package: "espeak-ng")

    /// Starts the process for the first piece.
    public func prepare(language: String) {
        let arguments = arguments(language)
        standby.keep(arguments) { try? Executable.start(executable, arguments, input: .later) }
    }

    /// Speaks one piece of text.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let arguments = arguments(language)
        let waiting = standby.take(arguments)
        // The waiting process may have been terminated meanwhile; a new one is started then.
        if let waiting, let output = try await Self.output(of: waiting, executable, text) {
            prepare(language: language)
            return try SpeechAudio(wav: output).leveled
        }
        let process = try Executable.start(executable, arguments, input: .later)
        let output = try await Executable.finish(process, executable, input: Array(Self.plain(text).utf8))
        prepare(language: language)
        return try SpeechAudio(wav: output).leveled
    }

    private static func output(of process: ChildProcess, _ executable: String, _ text: String) async throws -> [UInt8]?
    {
        do {
            return try await Executable.finish(process, executable, input: Array(plain(text).utf8))
        } catch is SpeechError {
            return nil
        }
    }

    private func arguments(_ language: String) -> [String] {
        let voice = Self.voice(language)
        let speed = ["cmn", "yue"].contains(voice) ? rate * 3 / 2 : rate
        return [
            "-v", voice, "-s", String(speed), "-p", String(pitch), "-b", "1", "--stdin", "--stdout",
        ]
    }

    /// The program's voice name for a language; English for languages it does not support.
    package static func voice(_ language: String) -> String {
        let parts = language.lowercased().split { $0 == "-" || $0 == "_" }
        switch parts.first {
        case "zh": return parts.contains("hk") || parts.contains("yue") ? "yue" : "cmn"
        case "en": return parts.contains("gb") ? "en-gb" : "en-us"
        case "pt": return parts.contains("pt") && parts.count > 1 && parts[1] == "pt" ? "pt" : "pt-br"
        case "fr": return "fr-fr"
        case "es", "de", "it", "ja", "ko", "ru", "ar", "hi": return parts.first.map(String.init) ?? "en-us"
        default: return "en-us"
        }
    }

    /// Replaces characters that would be interpreted as markup or commands, and dashes, which would be read aloud at the start
    /// of a line.
    static func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar -> Character in
                switch scalar {
                case "<", ">", "[", "]", "*", "_", "#", "—", "–": " "
                default: scalar.properties.generalCategory == .control ? " " : Character(scalar)
                }
            })
    }
}
