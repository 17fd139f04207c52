import Foundation
import HearthSpeech
import HearthStory
import HearthSystem

/// `hearth voices`: lists the voices that read stories aloud.
struct VoicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "voices",
        abstract: "Lists the voices for reading stories aloud.",
        discussion: """
            Voices of espeak-ng, one for each language of stories, and the Piper voices found: NAME.onnx with
            NAME.onnx.json beside it, in the folders of PIPER_VOICES (':' between them), in $HEARTH_HOME/voices
            (without HEARTH_HOME, ~/.local/share/hearth/voices), in ~/.local/share/piper-voices,
            ~/.local/share/piper and /usr/share/piper-voices, or in folders below these. They are spoken by the
            program piper (PyPI: piper-tts). With --json, error says why a voice cannot be used.
            """,
        examples: [
            ("voices", "Lists names, languages, sample rates and paths."),
            ("voices --json", "The same as a JSON object."),
        ])

    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Result: Encodable {
        struct Voice: Encodable {
            /// The value of `--voice`.
            var name: String
            var program: String
            var language: String
            var sampleRate: Int?
            var path: String?
            /// The program's own name of the voice.
            var programVoice: String?
            /// Whether the program is installed.
            var isAvailable: Bool
        }
        struct Unusable: Encodable { var error: String }
        var voices: [Voice]
        var unusable: [Unusable]
    }

    mutating func run() async throws {
        let hasEspeak = EspeakSynthesizer.program(in: ProgramPath.folders) != nil
        let hasPiper = PiperSynthesizer.program(in: ProgramPath.folders) != nil
        let (voices, errors) = PiperVoice.installed(in: PiperChoice.folders)
        let rows =
            StoryLanguage.allCases.map {
                Result.Voice(
                    name: "espeak", program: "espeak-ng", language: $0.rawValue,
                    programVoice: EspeakSynthesizer.voice($0.rawValue), isAvailable: hasEspeak)
            }
            + voices.map {
                Result.Voice(
                    name: $0.name, program: "piper", language: $0.language, sampleRate: $0.sampleRate, path: $0.path,
                    isAvailable: hasPiper)
            }
        if json {
            let unusable = errors.map { Result.Unusable(error: $0.localizedDescription) }
            return try Output.standard.writeJSON(Result(voices: rows, unusable: unusable))
        }
        show(rows)
        for error in errors { note(error.localizedDescription) }
        if !hasEspeak { note(EspeakSynthesizer.missing.localizedDescription) }
        if !hasPiper, !voices.isEmpty { note(PiperError.programMissing.localizedDescription) }
    }

    private func show(_ rows: [Result.Voice]) {
        let cells = rows.map { row in
            let rate = row.sampleRate.map { "\($0) Hz" } ?? ""
            let voice = row.path ?? row.programVoice.map { "espeak-ng -v " + $0 } ?? row.program
            return [row.name, row.language, rate, voice].map(\.withVisibleControls)
        }
        Output.standard.write(TextTable([["NAME", "LANGUAGE", "RATE", "VOICE"]] + cells).text)
    }

    private func note(_ text: String) { Output.error.writeLine("hearth: note: " + text.withVisibleControls) }
}
