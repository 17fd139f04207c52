import Foundation
import HearthSpeech
import HearthTestSupport
import Testing

/// Hears what is played and notes it; each piece takes until `allow` was called for it, where `isHeld`.
private actor Ear: AudioSink {
    private(set) var heard: [Int] = []
    private(set) var isFinished = false
    nonisolated let stopped = Flag()

    func play(_ audio: SpeechAudio) async throws { heard.append(audio.samples.count) }
    func finish() async throws { isFinished = true }
    nonisolated func stop() { stopped.set() }
}

private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}

/// As many samples as the text has characters.
private struct Counting: SpeechSynthesizer {
    func speech(for text: String, language: String) async throws -> SpeechAudio {
        SpeechAudio(samples: Array(repeating: 1, count: text.count), sampleRate: 8000)
    }
}

private struct Failing: SpeechSynthesizer {
    func speech(for text: String, language: String) async throws -> SpeechAudio {
        throw SpeechError.programFailed("voice", status: 3, message: "no")
    }
}

/// Never ends by itself.
private struct Endless: SpeechSynthesizer {
    let begun: Flag
    func speech(for text: String, language: String) async throws -> SpeechAudio {
        begun.set()
        try await Task.sleep(for: .seconds(1000))
        return SpeechAudio(samples: [], sampleRate: 8000)
    }
}

@Suite("Narrator", .timeLimit(.minutes(20)))
struct NarratorTests {
    @Test("Everything is heard, in order, and then it is finished")
    func order() async throws {
        let ear = Ear()
        let narrator = Narrator(synthesizer: Counting(), sink: ear, language: "en", capacity: 2)
        for length in 1...50 { try await narrator.say(String(repeating: "a", count: length)) }
        try await narrator.finish()
        #expect(await ear.heard == Array(1...50))
        #expect(await ear.isFinished)
        #expect(await narrator.firstAudio != nil)
        let seconds = Double((1...50).reduce(0, +)) / 8000
        #expect(abs(await narrator.spoken - seconds) < 1e-9)
    }

    @Test("A failure reaches who speaks, not only who waits for the end")
    func failure() async throws {
        let narrator = Narrator(synthesizer: Failing(), sink: Ear(), language: "en", capacity: 1)
        await #expect(throws: SpeechError.programFailed("voice", status: 3, message: "no")) {
            for _ in 0..<100 { try await narrator.say("a") }
        }
        await #expect(throws: SpeechError.self) { try await narrator.finish() }
    }

    @Test("Stopping ends a synthesis in the middle, and whoever waits for room")
    func stop() async throws {
        let begun = Flag()
        let ear = Ear()
        let narrator = Narrator(synthesizer: Endless(begun: begun), sink: ear, language: "en", capacity: 1)
        let writer = Task {
            for _ in 0..<10 { try await narrator.say("a") }
        }
        while !begun.isSet { try await Task.sleep(for: .milliseconds(1)) }
        await narrator.stop()
        await #expect(throws: (any Error).self) { try await writer.value }
        await #expect(throws: CancellationError.self) { try await narrator.finish() }
        #expect(ear.stopped.isSet)
        #expect(await ear.heard.isEmpty)
    }
}

@Suite("Speech audio", .timeLimit(.minutes(20)))
struct SpeechAudioTests {
    @Test("A file that was written is read back")
    func roundTrip() throws {
        let audio = SpeechAudio(samples: [0, 1, -1, .max, .min], sampleRate: 22050)
        #expect(try SpeechAudio(wav: audio.wav) == audio)
        #expect(audio.wav.count == 44 + 10)
    }

    @Test("Damaged files are refused or cut short, never trusted", arguments: 0..<2000)
    func mutants(seed: UInt64) {
        var random = SeededNumbers(seed: seed)
        var bytes = SpeechAudio(samples: Array(repeating: 7, count: 40), sampleRate: 8000).wav
        for _ in 0..<3 { bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random) }
        bytes.removeLast(Int.random(in: 0...bytes.count / 2, using: &random))
        if let audio = try? SpeechAudio(wav: bytes) { #expect(audio.samples.count <= 62) }
    }

    @Test("A file that is given up in the middle keeps what was spoken, and without sound there is none")
    func kept() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).wav").path
        let silent = try WAVFileSink(path: path)
        silent.keepWhatIs()
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(!FileManager.default.fileExists(atPath: silent.temporaryPath))
    }

    @Test("Neither a folder nor a pipe is taken for a file")
    func notAFile() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        for path in [folder, "\(folder)/pipe", ""] {
            #expect(throws: SpeechError.self) { try WAVFileSink(path: path) }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["pipe"])
    }

    @Test("A file appears complete or not at all")
    func file() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString).wav").path
        let audio = SpeechAudio(samples: [1, 2, 3], sampleRate: 8000)
        do {
            let sink = try WAVFileSink(path: path)
            try await sink.play(audio)
            #expect(!FileManager.default.fileExists(atPath: path))
            sink.stop()
            #expect(!FileManager.default.fileExists(atPath: sink.temporaryPath))
        }
        let sink = try WAVFileSink(path: path)
        try await sink.play(audio)
        try await sink.play(audio)
        try await sink.finish()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(try SpeechAudio(wav: Array(bytes)).samples == [1, 2, 3, 1, 2, 3])
        try FileManager.default.removeItem(atPath: path)

        let early = try WAVFileSink(path: path)
        try await early.play(audio)
        early.keepWhatIs()
        #expect(try SpeechAudio(wav: Array(Data(contentsOf: URL(fileURLWithPath: path)))) == audio)
        #expect(!FileManager.default.fileExists(atPath: early.temporaryPath))
        await #expect(throws: CancellationError.self) { try await early.play(audio) }
        try FileManager.default.removeItem(atPath: path)
    }

    @Test("A pipe or a device is refused and stays what it is; a link stays a link")
    func special() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        #expect(throws: SpeechError.unwritable(path: folder + "/pipe", reason: "not a regular file")) {
            try WAVFileSink(path: folder + "/pipe")
        }
        let audio = SpeechAudio(samples: [1, 2, 3], sampleRate: 8000)
        try Data().write(to: URL(fileURLWithPath: folder + "/a.wav"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.wav", withDestinationPath: "a.wav")
        let sink = try WAVFileSink(path: folder + "/link.wav")
        try await sink.play(audio)
        try await sink.finish()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.wav") == "a.wav")
        #expect(try SpeechAudio(wav: Array(Data(contentsOf: URL(fileURLWithPath: folder + "/a.wav")))) == audio)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a.wav", "link.wav", "pipe"])
    }
}

@Suite("espeak-ng", .timeLimit(.minutes(20)))
struct EspeakSynthesizerTests {
    @Test(
        "Every language of the filter is spoken",
        arguments: [
            ("en", "The fox sleeps."), ("zh-Hans", "小狐狸睡着了。"), ("zh-Hant", "小狐狸睡著了。"), ("es", "El zorro duerme."),
            ("fr", "Le renard dort."), ("de", "Der Fuchs schläft."), ("pt", "A raposa dorme."),
            ("it", "La volpe dorme."),
            ("ja", "きつねはねむる。"), ("ko", "여우가 자요."), ("ru", "Лиса спит."), ("ar", "الثعلب نائم."),
        ])
    func languages(language: String, text: String) async throws {
        let audio = try await EspeakSynthesizer().speech(for: text, language: language)
        #expect((0.3...20).contains(audio.duration))
        #expect(audio.samples.contains { abs(Int($0)) > 1000 }, "silence")
    }

    @Test("Text is spoken, never read as options or markup")
    func hostile() async throws {
        let synthesizer = try EspeakSynthesizer()
        for text in ["--version", "<audio src=\"/etc/passwd\"/>hello", "[[h@'loU]]", "-f /etc/passwd"] {
            #expect(try await synthesizer.speech(for: text, language: "en").duration > 0.1)
        }
    }

    @Test("A process that waits ahead speaks the same, and one that somebody ended is replaced")
    func prepared() async throws {
        let cold = try await EspeakSynthesizer().speech(for: "The fox sleeps.", language: "en")
        let synthesizer = try EspeakSynthesizer()
        synthesizer.prepare(language: "en")
        for _ in 0..<3 { #expect(try await synthesizer.speech(for: "The fox sleeps.", language: "en") == cold) }
        #expect(try await synthesizer.speech(for: "El zorro duerme.", language: "es") != cold)
    }

    @Test("A missing program is named, with what to install")
    func missing() {
        #expect(throws: SpeechError.programMissing("espeak-ng", package: "espeak-ng")) {
            try EspeakSynthesizer(searchPath: "/nowhere")
        }
    }
}
