import Foundation
import Testing

/// Nothing is written into a model that is read, or over a picture.
@Suite("Places of outputs", .timeLimit(.minutes(20)))
struct OutputPlaceTests {
    private static let digits = "\(HearthProcess.root)/Tests/Fixtures/coreml/digits"

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private static func files(_ folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
    }

    @Test(
        "An output inside of a package is refused, whatever link or detour leads there, and the package keeps its files"
    )
    func packages() throws {
        try withFolder { folder in
            let package = "\(folder)/Net.mlpackage"
            try FileManager.default.copyItem(atPath: "\(Self.digits)/ios18_pal3.mlpackage", toPath: package)
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: package)
            let image = "\(Self.digits)/images/0000.png"
            let before = try Self.files(package)
            let values = "\(folder)/x.f32"
            try Data(count: 4 * 3 * 32 * 32).write(to: URL(fileURLWithPath: values))
            let cases: [(words: [String], option: String)] = [
                (["inspect", package, "--weights", package], "--weights"),
                (["inspect", package, "--weights", "\(package)/Data/new/deep"], "--weights"),
                (["inspect", package, "--weights", "\(folder)/link/weights"], "--weights"),
                (
                    [
                        "inspect", "\(folder)/link", "--weights",
                        "\(folder)/../\((folder as NSString).lastPathComponent)/Net.mlpackage/w",
                    ], "--weights"
                ),
                (
                    ["predict", "--model", package, "--input", "image=\(values)", "--output-dir", "\(package)/out"],
                    "--output-dir"
                ),
                (
                    [
                        "predict", "--model", package, "--input", "image=\(values)", "--output-dir", "\(folder)/out",
                        "--state", "\(package)/state",
                    ], "--state"
                ),
                (["classify", "--model", package, "--annotate", "\(package)/Data", image], "--annotate"),
                (["classify", "--model", "\(folder)/link", "--annotate", package, image], "--annotate"),
                (
                    [
                        "evaluate", "--images", "\(Self.digits)/images", "--labels", "\(Self.digits)/labels.csv",
                        package,
                        "--html", "\(package)/page.html",
                    ], "--html"
                ),
            ]
            for (words, option) in cases {
                let outcome = try HearthProcess.run(words)
                #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words): \(outcome.error)")
                #expect(outcome.error.contains("'\(option) "), "\(words): \(outcome.error)")
                #expect(outcome.error.contains("would write into the model"), "\(outcome.error)")
                #expect(try Self.files(package) == before, "\(words)")
            }
            // Beside the package, and around it, is fine.
            for place in ["\(folder)/weights", folder, "\(folder)/Net.mlpackage-weights"] {
                let outcome = try HearthProcess.run(["inspect", package, "--weights", place, "--json"])
                #expect(outcome.status == 0, "\(outcome.error)")
                #expect(try Self.files(place).contains { $0.hasSuffix(".f32") })
            }
            #expect(try Self.files(package) == before)
        }
    }

    @Test("A copy that would be one of its own images is refused before anything is drawn")
    func pictures() throws {
        try withFolder { folder in
            let model = "\(Self.digits)/fp32.mlpackage"
            for name in ["a.png", "a.jpg"] {
                try FileManager.default.copyItem(
                    atPath: "\(Self.digits)/images/0000.png", toPath: "\(folder)/\(name)")
            }
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/a.jpg"))
            let words = ["classify", "--model", model, "--annotate", "\(folder)/."]
            for images in [["a.jpg"], ["a.png", "a.jpg"]] {
                let outcome = try HearthProcess.run(words + images.map { "\(folder)/\($0)" })
                #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.error)")
                #expect(outcome.error.contains("would replace the image"), "\(outcome.error)")
                #expect(try Self.files(folder) == ["a.jpg", "a.png"])
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/a.jpg")) == before)
            // Another image's copy of that name is no image that is read.
            let elsewhere = try HearthProcess.run(
                ["classify", "--model", model, "--annotate", "\(folder)/out", "\(folder)/a.png", "\(folder)/a.jpg"])
            #expect(elsewhere.status == 0, "\(elsewhere.error)")
            #expect(try Self.files("\(folder)/out") == ["a-2.jpg", "a.jpg"])
        }
    }

    @Test("The logits of a model do not replace it")
    func logits() throws {
        try withFolder { folder in
            let model = "\(folder)/model.gguf"
            try FileManager.default.copyItem(atPath: HearthProcess.fixture("gemma3-f16.gguf"), toPath: model)
            let size = try Data(contentsOf: URL(fileURLWithPath: model)).count
            let ids = "\(folder)/ids.json"
            try Data("[1, 2, 3]".utf8).write(to: URL(fileURLWithPath: ids))
            let outcome = try HearthProcess.run(["score", "--model", model, "--tokens-file", ids, "--logits", model])
            #expect(outcome.status == 2 && outcome.error.contains("would write into the model"), "\(outcome.error)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: model)).count == size)
        }
    }

    @Test("Weights of pipelines and of networks of layers are written too, under the names of the report")
    func weights() throws {
        try withFolder { folder in
            let fixtures = "\(HearthProcess.root)/Tests/Fixtures/coreml"
            let cases = [
                ("shrinking/mixed.mlpackage", "small.mlpackage", 4), ("shrinking/loop.mlpackage", "loop.mlpackage", 4),
                ("digits/neuralnetwork_fp32.mlmodel", "small.mlmodel", 18),
            ]
            for (source, name, count) in cases {
                let made = try HearthProcess.run([
                    "compress", "\(fixtures)/\(source)", "--to", "int8", "-o", "\(folder)/\(name)", "--json",
                ])
                #expect(made.status == 0, "\(made.error)")
                let tensors = made.json["tensors"] as? [[String: Any]] ?? []
                #expect(tensors.count == count, "\(source): \(tensors.count)")
                let place = "\(folder)/\(name)-weights"
                let outcome = try HearthProcess.run(["inspect", "\(folder)/\(name)", "--weights", place, "--json"])
                #expect(outcome.status == 0, "\(outcome.error)")
                #expect(
                    try Self.files(place) == tensors.compactMap { $0["name"] as? String }.map { "\($0).f32" }.sorted())
                for tensor in tensors {
                    let bytes = try Data(
                        contentsOf: URL(fileURLWithPath: "\(place)/\(tensor["name"] as? String ?? "").f32"))
                    #expect(bytes.count == 4 * (tensor["shape"] as? [Int] ?? []).reduce(1, *))
                }
            }
        }
    }
}
