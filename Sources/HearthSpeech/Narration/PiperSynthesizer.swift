internal import Foundation
internal import HearthSystem

/// Speaks with a voice of Piper, one process per piece of text, which is passed through a socket as for espeak-ng.
///
/// Loading a network takes most of a second. The process for the next piece is therefore started as soon as this one has its
/// text, and waits with the voice loaded. A single process for all pieces would not do: its raw output has no mark where the
/// sound of one line ends.
package struct PiperSynthesizer: SpeechSynthesizer {
    private let executable: String
    private let voice: PiperVoice
    private let standby = Standby()
    /// How slowly it speaks, as a multiple of the voice's own duration; bedtime stories are read a little more slowly.
    package var slowness = Self.bedtime
    package static let bedtime = 1.15

    /// Seconds of silence after a piece: espeak-ng pauses for half a second, and voices have a little silence of their own.
    package static let pause = 0.4

    /// Finds the program.
    /// - Parameter searchPath: folders to search for piper, separated by colons; nil for `PATH`.
    /// - Throws: ``PiperError/programMissing``.
    package init(voice: PiperVoice, searchPath: String? = nil) throws(PiperError) {
        guard let found = Self.program(in: searchPath ?? ProgramPath.folders) else { throw .programMissing }
        (executable, self.voice) = (found, voice)
    }

    /// The path of the installed program; nil if there is none.
    package static func program(in searchPath: String) -> String? { ProgramPath.find("piper", in: searchPath) }

    /// Whether its voice speaks a language, whatever the region.
    package func speaks(_ language: String) -> Bool { voice.speaks(language) }

    /// Starts the process for the first piece.
    package func prepare(language: String) {
        standby.keep(arguments) { try? Executable.start(executable, arguments, input: .later) }
    }

    /// Speaks one piece of text in the voice's language, whatever that of the text.
    package func speech(for text: String, language: String) async throws -> SpeechAudio {
        // Each line of the input is spoken by itself, and a plain text has one.
        let input = Array((EspeakSynthesizer.plain(text) + "\n").utf8)
        let waiting = standby.take(arguments)
        prepare(language: language)
        // The waiting process may have been terminated meanwhile; a new one is started then.
        if let waiting, let output = try await output(of: waiting, input, isLast: false) {
            return try audio(output, text)
        }
        let process = try Executable.start(executable, arguments, input: .later)
        return try audio(try await output(of: process, input, isLast: true) ?? [], text)
    }

    private func output(of process: ChildProcess, _ input: [UInt8], isLast: Bool) async throws -> [UInt8]? {
        do {
            return try await Executable.finish(process, executable, input: input, telling: .last)
        } catch SpeechError.programFailed(_, let status, let message) {
            guard isLast else { return nil }
            throw Self.error(voice.path, status: status, message: message)
        }
    }

    /// The error for a run that failed, from the last line that it printed.
    package static func error(_ path: String, status: Int32, message: String) -> PiperError {
        // The runtime's words where the network itself is at fault, and Python's where a field of its description is missing.
        let isDamaged = message.contains("INVALID_PROTOBUF") || message.contains("Load model from")
        if isDamaged { return .unusableVoice(path: path, reason: "it is damaged, or no ONNX network") }
        if message.hasPrefix("KeyError: ") {
            return .unusableVoice(path: path + ".json", reason: "\(message.dropFirst(10)) is missing")
        }
        return .failed(voice: path, reason: message.isEmpty ? "it ended with status \(status)" : message)
    }

    private func audio(_ bytes: [UInt8], _ text: String) throws(PiperError) -> SpeechAudio {
        guard bytes.count % 2 == 0, bytes.count / 2 <= SpeechAudio.longest else {
            throw .failed(voice: voice.path, reason: "what it printed is not 16-bit audio")
        }
        if bytes.isEmpty, text.contains(where: { $0.isLetter || $0.isNumber }) {
            throw .failed(voice: voice.path, reason: "it printed no audio")
        }
        let samples = stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
        var audio = SpeechAudio(samples: samples, sampleRate: voice.sampleRate).leveled
        audio.samples += Array(repeating: 0, count: Int(Self.pause * Double(voice.sampleRate)))
        return audio
    }

    package var arguments: [String] {
        let scale = (voice.lengthScale * slowness * 1000).rounded() / 1000
        // An absolute path cannot be taken for an option. Both generations of the program know these spellings.
        let path = voice.path.hasPrefix("/") ? voice.path : FileManager.default.currentDirectoryPath + "/" + voice.path
        return ["--model", path, "--output_raw", "--length_scale", String(scale)]
    }
}
