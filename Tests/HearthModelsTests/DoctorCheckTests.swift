import Foundation
import HearthModels
import HearthRuntime
import HearthTestSupport
import Testing

/// What the checks of a machine say where something is wrong; `DoctorTests` runs the program.
@Suite("Checks of a machine", .timeLimit(.minutes(20)))
struct DoctorCheckTests {
    /// A device that has whatever a test gives it.
    private struct Monitor: DeviceMonitor {
        var now: DeviceConditions
        func current() -> DeviceConditions { now }
        func conditions() -> AsyncStream<DeviceConditions> { AsyncStream { $0.finish() } }
    }

    private func checks(
        _ environment: [String: String] = [:], folders: [String] = [], _ conditions: DeviceConditions = .calm
    ) -> [String: DoctorCheck] {
        // Nothing is looked for on the path of whoever runs the tests.
        let environment = ["PATH": "/nowhere"].merging(environment) { $1 }
        // However long a busy machine takes to run one.
        let doctor = Doctor(
            environment: environment, locator: ModelLocator(folders: folders),
            monitor: Monitor(now: conditions), patience: 3600)
        return Dictionary(doctor.checks().map { ($0.name, $0) }) { first, _ in first }
    }

    @Test("Without a home, a model and programs it says what to do, each time in words")
    func bare() throws {
        let found = checks()
        #expect(found["folders"]?.status == .missing && found["folders"]?.todo?.contains("HEARTH_HOME") == true)
        #expect(found["model"]?.status == .missing && found["model"]?.todo?.contains("$HEARTH_HOME/Models") == true)
        #expect(found["video"]?.status == .warning && found["piper"]?.status == .warning)
        #expect(found["sensors"]?.detail == "heat: not measured here; battery: none")
        #expect(found["memory"]?.detail.hasPrefix("not measured here") == true)
        for check in found.values {
            #expect((check.todo == nil) == (check.status == .ok), "\(check.name)")
            #expect(!check.detail.contains("\n") && !check.detail.isEmpty, "\(check.name)")
        }
    }

    @Test("Memory is what the device has, what the process may use, and what is left")
    func memory() throws {
        let plenty = checks(
            [:], DeviceConditions(memoryLimit: 8 << 30, memoryAvailable: 6 << 30, memoryTotal: 16 << 30))
        let detail = try #require(plenty["memory"]?.detail)
        #expect(plenty["memory"]?.status == .ok)
        #expect(detail.hasPrefix("16.0 GiB in all, 8.0 GiB for this process, 6.0 GiB available"), "\(detail)")
        let little = checks(
            [:], DeviceConditions(memoryLimit: 1 << 20, memoryAvailable: 1 << 20, memoryTotal: 1 << 20))
        #expect(little["memory"]?.status == .warning && little["memory"]?.todo?.contains("limit") == true)
    }

    @Test("A kernel set that this processor does not run is named, and an empty name is none")
    func kernels() {
        let wrong = checks(["HEARTH_KERNELS": "mmx"])
        #expect(wrong["kernels"]?.status == .missing && wrong["kernels"]?.detail.contains("'mmx'") == true)
        #expect(wrong["kernels"]?.todo?.contains("portable") == true)
        #expect(checks(["HEARTH_KERNELS": ""])["kernels"]?.detail.contains("by HEARTH_KERNELS") == false)
        let forced = checks(["HEARTH_KERNELS": "portable"])["kernels"]
        #expect(forced?.detail.hasPrefix("portable by HEARTH_KERNELS") == true)
    }

    @Test("The bundled model is opened: a damaged one is missing, and its file is named")
    func model() throws {
        let folder = try TemporaryFolder()
        let path = folder[ModelLocator.bundled + ".gguf"]
        try FileManager.default.copyItem(atPath: GemmaFixtures.path("gemma1-q8_0.gguf"), toPath: path)
        #expect(checks(folders: [folder.path])["model"]?.status == .ok)
        _ = try folder.write(Data("GGUF".utf8), ModelLocator.bundled + ".gguf")
        let damaged = checks(folders: [folder.path])["model"]
        #expect(damaged?.status == .missing && damaged?.todo?.contains(path) == true)
    }

    @Test("Two folders are two checks, and control characters in what is found are made visible")
    func folders() throws {
        let folder = try TemporaryFolder()
        let found = checks(["XDG_DATA_HOME": folder["data"], "XDG_CACHE_HOME": folder["cache\u{1B}[2J"]])
        #expect(found["data folder"]?.status != .missing && found["cache folder"]?.status != .missing)
        #expect(found["cache folder"]?.detail.contains("\u{1B}") == false)
        #expect(try folder.names().isEmpty)
    }

    @Test("A program that prints what others print is shown with its version alone")
    func programs() throws {
        let folder = try TemporaryFolder()
        try ShellScript.write("echo 'ffmpeg version 9.9-x Copyright (c) somebody'", to: folder["ffmpeg"])
        try ShellScript.write("echo 'eSpeak NG text-to-speech: 9.99  Data at: /usr/share'", to: folder["espeak-ng"])
        let found = checks(["PATH": folder.path])
        for (name, detail) in [("video", "ffmpeg version 9.9-x"), ("speech", "eSpeak NG text-to-speech: 9.99")] {
            let check = try #require(found[name])
            #expect(check.status == .ok && check.detail.hasSuffix(detail))
        }
        try ShellScript.write("exit 1", to: folder["ffmpeg"])
        try ShellScript.write("exit 1", to: folder["espeak-ng"])
        let silent = checks(["PATH": folder.path])
        #expect(silent["video"]?.detail.hasSuffix("does not answer") == true)
        #expect(silent["speech"]?.todo == "Install espeak-ng again.")
    }
}
