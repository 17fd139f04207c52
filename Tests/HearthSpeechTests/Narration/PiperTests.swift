import Foundation
import HearthSpeech
import HearthSystem
import HearthTestSupport
import Testing

/// A folder for one test, and files in it.
private struct Folder {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in it, whose folder exists then.
    func file(_ name: String) throws -> String {
        let file = "\(path)/\(name)"
        let folder = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return file
    }

    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = try file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    func voice(_ name: String, _ description: String = PiperTests.description) throws -> String {
        try write(name + ".json", description)
        return try write(name, "network")
    }
}

@Suite("Piper", .timeLimit(.minutes(20)))
struct PiperTests {
    static let description = """
        {"audio": {"sample_rate": 16000}, "espeak": {"voice": "en-us"}, "language": {"code": "en_GB"},
         "inference": {"length_scale": 1.2}}
        """

    private func voice(_ description: String) throws -> PiperVoice {
        try PiperVoice(path: "/voices/some.onnx", description: Array(description.utf8))
    }

    @Test("A description gives language, sample rate and duration")
    func described() throws {
        let full = try voice(Self.description)
        #expect(full.name == "some" && full.language == "en-GB" && full.sampleRate == 16_000)
        #expect(full.lengthScale == 1.2)
        let old = try voice(#"{"audio": {"sample_rate": 22050}, "espeak": {"voice": "cmn"}}"#)
        #expect(old.language == "zh" && old.lengthScale == 1)
    }

    @Test(
        "A description that lacks something is refused with the name of the field",
        arguments: [
            ("[]", "JSON object"), ("{", "JSON object"), ("{}", "audio.sample_rate"),
            (#"{"audio": 3}"#, "audio.sample_rate"), (#"{"audio": {"sample_rate": 0}}"#, "audio.sample_rate"),
            (#"{"audio": {"sample_rate": 1e300}}"#, "audio.sample_rate"),
            (#"{"audio": {"sample_rate": 16000}}"#, "language.code"),
            (#"{"audio": {"sample_rate": 16000}, "language": {"code": "../x"}}"#, "language.code"),
            (
                #"{"audio": {"sample_rate": 16000}, "language": {"code": "en"}, "inference": {"length_scale": "1"}}"#,
                "inference.length_scale"
            ),
        ])
    func flaws(description: String, field: String) throws {
        let flaw = try #require(throws: PiperVoice.Flaw.self) { try voice(description) }
        #expect(flaw.reason.contains(field))
    }

    @Test("A voice speaks its language in every region, and no other")
    func languages() throws {
        let english = try voice(Self.description)
        #expect(english.speaks("en") && english.speaks("en-US") && !english.speaks("es"))
        let chinese = try voice(#"{"audio": {"sample_rate": 22050}, "language": {"code": "zh_CN"}}"#)
        #expect(chinese.speaks("zh-Hans") && !chinese.speaks("en"))
    }

    @Test("Files that are no voice are refused with their name")
    func files() throws {
        let folder = Folder()
        defer { folder.remove() }
        func path(_ body: () throws -> Void) -> String? {
            do {
                try body()
            } catch PiperError.unusableVoice(let path, _) {
                return path
            } catch {}
            return nil
        }
        let good = try folder.voice("good.onnx")
        #expect(try PiperVoice(path: good).path == good)
        let alone = try folder.write("alone.onnx", "network")
        #expect(path { _ = try PiperVoice(path: alone) } == alone + ".json")
        for text in ["", "version https://git-lfs.github.com/spec/v1\n", "<!doctype html>"] {
            let file = try folder.voice("bad.onnx")
            try folder.write("bad.onnx", text)
            #expect(path { _ = try PiperVoice(path: file) } == file)
        }
        let missing = folder.path + "/missing.onnx"
        #expect(path { _ = try PiperVoice(path: missing) } == missing)
        #expect(path { _ = try PiperVoice(path: folder.path) } == folder.path)
        #expect(PiperError.unusableVoice(path: "x", reason: "y").category == .invalidInput)
    }

    @Test("Voices are looked for in the usual folders, the user's choice first")
    func folders() {
        let found = PiperVoice.folders(environment: ["HOME": "/home/a", "PIPER_VOICES": "/v:/w"])
        #expect(found.prefix(2) == ["/v", "/w"] && found.last == "/usr/share/piper-voices")
        #expect(found.contains("/home/a/.local/share/piper-voices") && found.contains("/home/a/.local/share/piper"))
        #expect(PiperVoice.folders(environment: ["HEARTH_HOME": "/h"]).contains("/h/voices"))
        #expect(PiperVoice.folders(environment: [:]) == ["/usr/share/piper-voices"])
    }

    @Test("A voice is found by its name, also in folders below, and the first folder takes precedence")
    func named() throws {
        let (first, second) = (Folder(), Folder())
        defer {
            first.remove()
            second.remove()
        }
        let wanted = try first.voice("en/en_GB/some/medium/a.onnx")
        _ = try second.voice("a.onnx")
        let other = try second.voice("b.onnx")
        try second.write("broken.onnx", "network")
        let folders = [first.path, "/nowhere", second.path]
        #expect(try PiperVoice.named("a", in: folders).path == wanted)
        #expect(try PiperVoice.named(other, in: []).path == other)
        let link = second.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: first.path)
        #expect(try PiperVoice.named("a", in: [link]).path.hasPrefix(link + "/en/"))
        #expect(throws: PiperError.unknownVoice("c", known: ["a", "b", "broken"])) {
            try PiperVoice.named("c", in: folders)
        }
        let (voices, errors) = PiperVoice.installed(in: folders)
        #expect(voices.map(\.path) == [wanted, other])
        #expect(errors.count == 1)
    }

    @Test("Without the program the error says how to install it")
    func programMissing() throws {
        let voice = try voice(Self.description)
        let error = try #require(throws: PiperError.self) { try PiperSynthesizer(voice: voice, searchPath: "/nowhere") }
        #expect(error == .programMissing && error.category == .failed)
        #expect(error.localizedDescription.contains("pipx install piper-tts"))
    }

    @Test("The command line names the voice, raw output and the duration")
    func commandLine() throws {
        let folder = Folder()
        defer { folder.remove() }
        try ShellScript.write("", to: folder.file("piper"))
        var synthesizer = try PiperSynthesizer(voice: voice(Self.description), searchPath: folder.path)
        synthesizer.slowness = 1.5
        #expect(
            synthesizer.arguments == ["--model", "/voices/some.onnx", "--output_raw", "--length_scale", "1.8"])
    }

    @Test("Errors of the program tell a damaged file from a failure")
    func errors() {
        func error(_ message: String) -> PiperError { PiperSynthesizer.error("/v.onnx", status: 1, message: message) }
        #expect(error("[ONNXRuntimeError] : 7 : INVALID_PROTOBUF : Load model from").category == .invalidInput)
        #expect(
            error("KeyError: 'num_symbols'")
                == .unusableVoice(path: "/v.onnx.json", reason: "'num_symbols' is missing"))
        #expect(error("MemoryError") == .failed(voice: "/v.onnx", reason: "MemoryError"))
        #expect(error("") == .failed(voice: "/v.onnx", reason: "it ended with status 1"))
    }

    @Test("A program that fails, prints nothing or half a sample is an error, not silence")
    func failures() async throws {
        let scripts = [
            ("echo Traceback >&2; echo 'RuntimeError: no' >&2; exit 1", "RuntimeError: no"),
            ("cat >/dev/null", "no audio"), ("cat >/dev/null; printf abc", "16-bit"),
        ]
        for (script, reason) in scripts {
            let folder = Folder()
            defer { folder.remove() }
            try ShellScript.write(script, to: folder.file("piper"))
            let synthesizer = try PiperSynthesizer(voice: voice(Self.description), searchPath: folder.path)
            synthesizer.prepare(language: "en")
            do {
                _ = try await synthesizer.speech(for: "Hello.", language: "en")
                Issue.record("\(script) did not fail")
            } catch PiperError.failed(let path, let why) {
                #expect(path == "/voices/some.onnx" && why.contains(reason))
            }
        }
    }

    @Test("Cancelling ends a program that never answers")
    func cancelled() async throws {
        let folder = Folder()
        defer { folder.remove() }
        try ShellScript.write("exec sleep 1000", to: folder.file("piper"))
        let synthesizer = try PiperSynthesizer(voice: voice(Self.description), searchPath: folder.path)
        let task = Task { try await synthesizer.speech(for: "Hello.", language: "en") }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
