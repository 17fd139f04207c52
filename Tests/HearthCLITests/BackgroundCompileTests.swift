import Foundation
import HearthGGUF
import Testing

/// A start that felt the lack of an artifact has one made for the next start, and does not wait for it.
@Suite("Compiling in the background", .timeLimit(.minutes(20)), .enabled(if: HearthProcess.showsOpenFiles))
struct BackgroundCompileTests {
    /// A model that runs, with more in front of its weights than is read in a blink.
    private func writeModel(_ path: String, padding: Int) throws {
        let source = try GGUFFile(path: HearthProcess.fixture("gemma3-q8_0.gguf"))
        var builder = GGUFBuilder(copying: source)
        builder.set("padding", .string(String(repeating: "x", count: padding)))
        try builder.write(to: path)
    }

    private func artifacts(_ home: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home + "/Artifacts")) ?? [])
            .filter { !$0.hasPrefix(".") }
    }

    /// Processes that were told of a file.
    private func processes(with word: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter { Int($0) != nil }.filter {
            // Spaces are zeros there.
            (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\($0)/cmdline")))
                .map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
        }
    }

    @Test("A story leaves an artifact behind some time later, and no process", arguments: ["story", "generate"])
    func leavesAnArtifact(command: String) throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let model = home + "/large-header.gguf"
        try writeModel(model, padding: 600 << 10)
        let words = command == "story" ? ["story", "--seed", "1"] : ["generate", "--prompt", "x"]
        let told = try HearthProcess.run(
            words + ["--model", model, "--max-tokens", "4", "--json"], environment: ["HEARTH_HOME": home])
        #expect(told.status == 0, "\(told.error)")
        #expect(HearthProcess.wait { artifacts(home).count == 1 })
        #expect(HearthProcess.wait { processes(with: home).isEmpty })
        let again = try HearthProcess.run(
            ["compile", "--model", model, "--json"], environment: ["HEARTH_HOME": home])
        #expect(again.json["reused"] as? Bool == true, "\(again.error)")
    }

    @Test("Not for a small model, and not where it is turned off")
    func leavesNothing() throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        let model = home + "/model.gguf"
        for (padding, background) in [(0, "1"), (600 << 10, "0")] {
            try writeModel(model, padding: padding)
            let told = try HearthProcess.run(
                ["generate", "--prompt", "x", "--model", model, "--max-tokens", "4"],
                environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": background])
            #expect(told.status == 0, "\(told.error)")
            #expect(processes(with: home).isEmpty)
        }
        #expect(artifacts(home).isEmpty)
    }
}
