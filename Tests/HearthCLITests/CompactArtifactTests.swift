import Foundation
import Testing

/// Artifacts of compressed models: what the commands say of them, and that a prediction uses them.
@Suite("Compiled models for pictures, as commands show them", .serialized, .timeLimit(.minutes(20)))
struct CompactArtifactTests {
    private static let model = "\(HearthProcess.root)/Tests/Fixtures/coreml/digits/pal4.mlpackage"

    private func write(_ values: [Float], _ path: String) throws {
        try values.withUnsafeBytes { try Data($0).write(to: URL(fileURLWithPath: path)) }
    }

    @Test("compile says how weights are kept, inspect says it of the artifact, and predict takes either")
    func commands() throws {
        let home = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: home) }
        func run(_ words: [String]) throws -> HearthProcess.Outcome {
            let outcome = try HearthProcess.run(words, environment: ["HEARTH_HOME": home])
            #expect(outcome.status == 0, "\(outcome.error)")
            return outcome
        }
        try write((0..<3072).map { Float($0 % 256) }, "\(home)/in.f32")
        func predict(_ model: String, _ folder: String) throws -> Data {
            _ = try run([
                "predict", "--model", model, "--input", "image=\(home)/in.f32:1x3x32x32", "--output-dir",
                "\(home)/\(folder)",
            ])
            return try Data(contentsOf: URL(fileURLWithPath: "\(home)/\(folder)/classLabel_probs.f32"))
        }
        let before = try predict(Self.model, "before")
        let made = try run(["compile", "--model", Self.model, "--json"]).json
        let weights = try #require(made["weights"] as? [String: Any])
        let (bytes, floatBytes) = (weights["bytes"] as? Int ?? 0, weights["floatBytes"] as? Int ?? 0)
        #expect(weights["storage"] as? String == "compact" && bytes > 0 && bytes * 3 < floatBytes)
        #expect((weights["codings"] as? [String: Int])?["palette4"] ?? 0 > bytes / 2)
        let path = try #require(made["path"] as? String)
        let report = try run(["inspect", path, "--json"]).json
        #expect((report["weights"] as? [String: Any])?["bytes"] as? Int == bytes)
        #expect(report["digest"] as? String == made["digest"] as? String && report["runnable"] as? Bool == true)
        #expect(try run(["inspect", path]).output.contains("palette4"))
        #expect(try run(["compile", "--model", Self.model]).output.contains("compact"))
        // From the store, and from the artifact by itself.
        #expect(try predict(Self.model, "stored") == before)
        #expect(try predict(path, "direct") == before)
        let wrong = try HearthProcess.run(
            [
                "predict", "--model", path, "--input", "image=\(home)/in.f32:1x3x16x64", "--output-dir",
                "\(home)/wrong",
            ], environment: ["HEARTH_HOME": home])
        #expect(wrong.status == 3 && wrong.error.contains("image"), "\(wrong.error)")
        let mapped = try run(["compile", "--model", Self.model, "--weights", "mapped", "--json"]).json
        #expect((mapped["weights"] as? [String: Any])?["storage"] as? String == "mapped")
        #expect(mapped["digest"] as? String != made["digest"] as? String)
    }
}
