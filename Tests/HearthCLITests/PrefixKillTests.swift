import Foundation
import HearthTestSupport
import Testing

/// What texts begin with is kept in a file beside the artifact. Whatever ends the writer, and whoever else writes: the next text is
/// the one that is written without any such file, no half of a file is ever used, and nothing piles up.
@Suite("SIGKILL while a beginning is kept", .serialized, .timeLimit(.minutes(20)))
struct PrefixKillTests {
    /// `HEARTH_SLOW_TESTS=1` kills far more often.
    private static let isThorough = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] != nil

    /// A home with the compiled bundled model, and one text with long instructions.
    private final class Scene {
        let home: String
        /// The artifact's folder.
        let folder: String
        /// The text without any store.
        let expected: String
        /// The kept file's bytes, as an undisturbed run writes them.
        let sound: Data
        /// Seconds of that run.
        let seconds: Double

        init() throws {
            home = try HearthProcess.temporaryFolder() + "/home"
            let bare = try HearthProcess.run(Self.words(), environment: ["HEARTH_BACKGROUND": "0"])
            #expect(bare.status == 0, "\(bare.error)")
            expected = try #require(bare.json["text"] as? String)
            let environment = ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"]
            let compiled = try HearthProcess.run(
                ["compile", "--model", "hearth-nano", "--json"], environment: environment)
            #expect(compiled.status == 0, "\(compiled.error)")
            folder = try #require(compiled.json["path"] as? String)
            let first = try HearthProcess.run(Self.words(), environment: environment)
            #expect(first.json["text"] as? String == expected, "\(first.error)")
            seconds = first.seconds
            let name = try #require(
                FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".kv") })
            sound = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
            #expect(sound.count > 300_000)
        }

        deinit { try? FileManager.default.removeItem(atPath: (home as NSString).deletingLastPathComponent) }

        static func words() -> [String] {
            let system = String(repeating: "Tell it gently and keep it short. ", count: 40)
            return [
                "generate", "--model", "hearth-nano", "--chat", "Tell a story about a bear.", "--system", system,
                "--seed", "3", "--max-tokens", "12", "--json",
            ]
        }

        var environment: [String: String] { ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"] }

        /// Names of kept files, marks and drafts.
        func files() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("prefix-") }.sorted()
        }

        func kept() throws -> [String] { try files().filter { $0.hasSuffix(".kv") } }

        func clear() throws {
            for name in try files() { try FileManager.default.removeItem(atPath: "\(folder)/\(name)") }
        }

        /// Everything under a final name is whole.
        func check(_ note: String) throws {
            for name in try kept() {
                #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")) == sound, "\(note)")
            }
        }

        /// The text is the expected one, and afterwards there is its file, a mark, and nothing else.
        func finish(_ note: String) throws {
            let outcome = try HearthProcess.run(Self.words(), environment: environment)
            #expect(outcome.status == 0 && outcome.error.isEmpty, "\(note): \(outcome.error)")
            #expect(outcome.json["text"] as? String == expected, "\(note)")
            try check(note)
        }
    }

    @Test("At any moment: the next run gives the same text, and what is left over goes")
    func killed() throws {
        let scene = try Scene()
        var random = SeededNumbers.fresh()
        var drafts = 0
        for kill in 0..<(Self.isThorough ? 150 : 12) {
            try scene.clear()
            let running = try HearthProcess.start(Scene.words(), environment: scene.environment)
            if kill % 3 == 0 {
                usleep(UInt32(Double.random(in: 0...scene.seconds, using: &random) * 1e6))
            } else {
                // Most instants lie where the file is being written, made durable, named and marked.
                while try scene.files().isEmpty, !running.hasEnded { usleep(100) }
                usleep(UInt32.random(in: 0...(kill % 3 == 1 ? 3000 : 30_000), using: &random))
            }
            _ = running.end(by: SIGKILL)
            drafts += try scene.files().count { $0.hasSuffix(".tmp") }
            try scene.check("kill \(kill)")
            try scene.finish("kill \(kill)")
            #expect(try scene.kept().count == 1)
        }
        if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil { print("drafts left by kills:", drafts) }
        // The next that is written sweeps what the last one may have left; here all that any left.
        try scene.clear()
        for number in 0..<5 {
            try Data(scene.sound.prefix(100_000 * number)).write(
                to: URL(fileURLWithPath: "\(scene.folder)/prefix-\(number).kv.left.tmp"))
        }
        try scene.finish("drafts")
        let left = try scene.files()
        #expect(left.count == 2, "\(left)")
    }

    @Test("Several processes that write the same beginning at once")
    func atOnce() throws {
        let scene = try Scene()
        for round in 0..<(Self.isThorough ? 20 : 3) {
            try scene.clear()
            let all = try (0..<4).map { _ in try HearthProcess.start(Scene.words(), environment: scene.environment) }
            for running in all {
                let outcome = running.wait()
                #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
                #expect(outcome.json["text"] as? String == scene.expected, "round \(round)")
            }
            try scene.check("round \(round)")
            let files = try scene.files()
            #expect(files.count == 2 && files.count { $0.hasSuffix(".kv") } == 1, "\(files)")
        }
    }

    @Test("A file that may not grow: the text goes on, and nothing is left")
    func noRoom() throws {
        let scene = try Scene()
        try scene.clear()
        // In blocks of 512 bytes: enough for the small files, and not for this one.
        let outcome = try limited(to: 200, scene)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.text == scene.expected, "\(outcome.error)")
        #expect(try scene.files() == [])
        try scene.finish("with room again")
        #expect(try scene.kept().count == 1)
    }

    /// Runs the text in a shell that limits the size of files.
    private func limited(to blocks: Int, _ scene: Scene) throws -> (status: Int32, text: String?, error: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "ulimit -f \(blocks); exec \"$@\"", "sh", HearthProcess.executable] + Scene.words()
        process.environment = ProcessInfo.processInfo.environment.merging(scene.environment) { $1 }
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        let notes = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let json = try? JSONSerialization.jsonObject(with: text) as? [String: Any]
        return (
            process.terminationReason == .exit ? process.terminationStatus : -1, json?["text"] as? String,
            String(decoding: notes, as: UTF8.self)
        )
    }

    #if os(Linux)
    @Test(
        "A disk that is full",
        .enabled(if: isThorough && geteuid() == 0 && FileManager.default.fileExists(atPath: "/bin/mount")))
    func fullDisk() throws {
        let scene = try Scene()
        try scene.clear()
        let disk = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: disk) }
        func call(_ words: String...) throws -> Bool {
            let process = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: words)
            process.waitUntilExit()
            return process.terminationStatus == 0
        }
        // Room for the artifact and half of the file.
        guard try call("mount", "-t", "tmpfs", "-o", "size=640k", "tmpfs", disk) else { return }
        defer { _ = try? call("umount", disk) }
        let environment = ["HEARTH_HOME": disk, "HEARTH_BACKGROUND": "0"]
        let compiled = try HearthProcess.run(["compile", "--model", "hearth-nano"], environment: environment)
        #expect(compiled.status == 0, "\(compiled.error)")
        for _ in 0..<2 {
            let outcome = try HearthProcess.run(Scene.words(), environment: environment)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.json["text"] as? String == scene.expected)
            let left = try FileManager.default.subpathsOfDirectory(atPath: disk).filter { $0.contains("prefix-") }
            #expect(left.isEmpty, "\(left)")
        }
    }
    #endif
}
