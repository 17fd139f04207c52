internal import HearthSystem
internal import Synchronization

/// Speaks with `espeak-ng`, one process per piece of text. It needs no configuration and has voices for every language of the
/// filter. The text is passed through a socket, so that no process list shows it.
///
/// The process for the next piece is started ahead and waits with its voice loaded.
public struct EspeakSynthesizer: SpeechSynthesizer {
    private let executable: String
    private let standby = Standby()
    /// Words per minute. In Chinese, 1.5 times as many characters per minute, because a character is less than a word.
    /// The default is that of a story at bedtime.
    public var rate = 125
    /// Pitch, 0 to 99.
    package var pitch = 45

    /// - Parameter searchPath: folders to search for espeak-ng or espeak, separated by colons; nil for `PATH`.
    /// - Throws: ``SpeechError/programMissing(_:package:)`` if neither is found.
    public init(searchPath: String? = nil) throws(SpeechError) {
        guard let found = Executable.find(["espeak-ng", "espeak"], in: searchPath ?? Executable.searchPath) else {
            throw .programMissing("espeak-ng", package: "espeak-ng")
        }
        executable = found
    }

    /// Starts the process for the first piece.
    public func prepare(language: String) {
        let arguments = arguments(language)
        standby.keep(arguments) { try? Executable.start(executable, arguments, input: .later) }
    }

    /// Speaks one piece of text.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let arguments = arguments(language)
        let waiting = standby.take(arguments)
        // One that waited too long may have been ended by somebody: then the piece gets another one.
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

    /// The program's name for a language; one that it lacks is spoken as English rather than not at all.
    static func voice(_ language: String) -> String {
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

    /// Markup would be read as commands, and a line that begins with a dash aloud as one.
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

/// The process that waits for the next piece. When nobody will speak any more, it goes.
private final class Standby: Sendable {
    private let waiting = Mutex<(arguments: [String], process: ChildProcess)?>(nil)

    func take(_ arguments: [String]) -> ChildProcess? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting?.arguments == arguments ? waiting?.process : nil
        }
    }

    func keep(_ arguments: [String], _ start: () -> ChildProcess?) {
        waiting.withLock { waiting in
            guard waiting?.arguments != arguments else { return }
            waiting = start().map { (arguments, $0) }
        }
    }
}
