internal import Foundation

/// Speaks with `espeak-ng`, a process for each piece of text: it needs no set-up, has a voice for every language of the
/// filter, and gives a sentence in about 20 ms. The text goes through a pipe, so that no list of processes shows it.
public struct EspeakSynthesizer: SpeechSynthesizer {
    private let executable: String
    /// Words a minute.
    public var rate = 140
    /// 0 to 99.
    public var pitch = 45

    /// - Throws: `SpeechError.programMissing` where neither espeak-ng nor espeak is in `searchPath`, by default that of the environment.
    public init(searchPath: String? = nil) throws(SpeechError) {
        guard let found = Executable.find(["espeak-ng", "espeak"], in: searchPath ?? Executable.searchPath) else {
            throw .programMissing("espeak-ng", package: "espeak-ng")
        }
        executable = found
    }

    /// Speaks one piece of text, in a process of its own.
    public func speech(for text: String, language: String) async throws -> SpeechAudio {
        let arguments = [
            "-v", Self.voice(language), "-s", String(rate), "-p", String(pitch), "-b", "1", "--stdin", "--stdout",
        ]
        let output = try await Executable.run(executable, arguments, input: Array(Self.plain(text).utf8))
        return try SpeechAudio(wav: output)
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
