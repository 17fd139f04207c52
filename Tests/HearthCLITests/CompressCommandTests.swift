import Foundation
import HearthCoreMLFormat
import HearthGGUF
import Testing

@Suite("Compressing models", .serialized, .timeLimit(.minutes(20)))
struct CompressCommandTests {
    private static let tables = "\(HearthProcess.root)/Tests/Fixtures/coreml/tables"
    private static let digits = "\(HearthProcess.root)/Tests/Fixtures/coreml/digits"
    private static let full = "\(digits)/fp32.mlpackage"

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test(
        "Every form makes a package that runs; bytes are those of the packages",
        arguments: ["float16", "int8", "palette8", "palette6", "palette4", "palette3", "palette2", "palette1"])
    func forms(form: String) throws {
        try withFolder { folder in
            let output = "\(folder)/small.mlpackage"
            let outcome = try HearthProcess.run(["compress", Self.full, "--to", form, "-o", output, "--json"])
            #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
            func bytes(_ side: String) -> Int? { (outcome.json[side] as? [String: Any])?["bytes"] as? Int }
            let (before, after) = (try #require(bytes("input")), try #require(bytes("output")))
            #expect(before == 219_032 && after < before * 2 / 3)
            let ratio = outcome.json["ratio"] as? Double ?? 0
            #expect(abs(ratio - Double(after) / Double(before)) < 1e-12)
            let tensors = outcome.json["tensors"] as? [[String: Any]] ?? []
            let bits = form == "float16" ? 16 : Int(form.drop { !$0.isNumber }) ?? 0
            #expect(tensors.count > 10 && tensors.allSatisfy { $0["bits"] as? Int == bits })
            #expect(tensors.allSatisfy { ($0["name"] as? String)?.isEmpty == false && $0["snrDB"] is Double })
            #expect(outcome.json["seconds"] as? Double ?? -1 >= 0)
            #expect(try Self.names(folder) == ["small.mlpackage"])
            let seen = try HearthProcess.run(
                ["classify", "--model", output, "--json", "\(Self.digits)/images/0000.png"],
                environment: ["HEARTH_BACKGROUND": "0"])
            #expect(seen.status == 0, "\(seen.error)")
        }
    }

    @Test("Tensors of no more than --min-elements stay; so do those that are named")
    func minimum() throws {
        try withFolder { folder in
            func tensors(_ words: [String]) throws -> [[String: Any]] {
                let outcome = try HearthProcess.run(
                    ["compress", Self.full, "--to", "palette4", "-o", "\(folder)/m", "--force", "--json"] + words)
                #expect(outcome.status == 0, "\(outcome.error)")
                return outcome.json["tensors"] as? [[String: Any]] ?? []
            }
            func elements(_ tensor: [String: Any]) -> Int { (tensor["shape"] as? [Int] ?? []).reduce(1, *) }
            let usual = try tensors([])
            #expect(usual.allSatisfy { elements($0) > 200 })
            let large = try tensors(["--min-elements", "1000"])
            #expect(large.count < usual.count && large.allSatisfy { elements($0) > 1000 })
            #expect(large.count == usual.count { elements($0) > 1000 })
            let name = try #require(usual.first?["name"] as? String)
            #expect(try tensors(["--keep", name]).compactMap { $0["name"] as? String }.contains(name) == false)
            let none = try HearthProcess.run(
                [
                    "compress", Self.full, "--to", "palette4", "-o", "\(folder)/n", "--min-elements", "100000000",
                    "--json",
                ])
            #expect(none.status == 0 && none.error.contains("no weight was compressed"))
        }
    }

    @Test("What is there stays, unless it may be replaced; the input always stays")
    func existing() throws {
        try withFolder { folder in
            let (source, output) = ("\(folder)/in.mlpackage", "\(folder)/out.mlpackage")
            try FileManager.default.copyItem(atPath: Self.full, toPath: source)
            let words = ["compress", source, "--to", "palette2", "-o"]
            #expect(try HearthProcess.run(words + [output]).status == 0)
            let before = try Data(contentsOf: URL(fileURLWithPath: "\(output)/Manifest.json"))
            let again = try HearthProcess.run(["compress", source, "--to", "int8", "-o", output])
            #expect(again.status == 2 && again.error.contains("--force") && again.error.contains("out.mlpackage"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: "\(output)/Manifest.json")) == before)
            let forced = try HearthProcess.run(["compress", source, "--to", "int8", "-o", output, "--force", "--json"])
            #expect(forced.status == 0 && forced.error.isEmpty, "\(forced.error)")
            let itself = try HearthProcess.run(["compress", source, "--to", "int8", "-o", source, "--force"])
            #expect(itself.status == 2 && itself.error.contains("the output is the input"))
            #expect(try Self.names(folder) == ["in.mlpackage", "out.mlpackage"])
            #expect(try CoreMLPackage(path: source).path == source)
        }
    }

    @Test("What cannot be compressed is refused with what to do, and leaves nothing")
    func refusals() throws {
        try withFolder { folder in
            let output = "\(folder)/out"
            let gguf = HearthProcess.fixture("gemma3-f16.gguf")
            let bad = "\(HearthProcess.root)/Tests/Fixtures/coreml/bad"
            let network = "\(Self.digits)/neuralnetwork_fp32.mlmodel"
            let cases: [(words: [String], status: Int32, text: String)] = [
                ([Self.full, "--to", "palette5", "-o", output], 2, "palette5"),
                ([Self.full, "--to", "palete4", "-o", output], 2, "Did you mean 'palette4'?"),
                ([Self.full, "-o", output], 2, "--to"), ([Self.full, "--to", "int8"], 2, "-o"),
                ([Self.full, "--to", "q4_0", "-o", output], 2, "palette4"),
                ([gguf, "--to", "palette4", "-o", output], 2, "q4_0"),
                ([Self.full, "--to", "palette4", "--granularity", "block", "-o", output], 2, "--granularity"),
                ([Self.full, "--to", "int8", "--group-size", "8", "-o", output], 2, "--group-size"),
                ([Self.full, "--to", "int8", "--vector", "2", "-o", output], 2, "is for palettes"),
                ([Self.full, "--to", "palette4", "--vector", "65", "-o", output], 2, "1 to 64"),
                ([Self.full, "--to", "palette4", "--vector", "2", "--channel-scales", "-o", output], 2, "excludes"),
                ([Self.full, "--to", "int8", "--channel-scales", "-o", output], 2, "is for palettes"),
                ([Self.full, "--to", "palette4", "--channel-scales", "--calibrate", ".", "-o", output], 2, "exclude"),
                ([Self.full, "--to", "int8", "--activations", "int8", "-o", output], 2, "--calibrate DIR"),
                (
                    [gguf, "--to", "q4_0", "--activations", "int8", "--calibrate", ".", "-o", output], 2,
                    "is for Core ML packages"
                ),
                ([Self.full, "--to", "int8", "--activations", "int4", "-o", output], 2, "int4"),
                ([Self.full, "--to", "int8", "--calibrate", ".", "-o", output], 2, "--activations"),
                ([Self.full, "--to", "palette4", "--keep", "nothing", "-o", output], 2, "nothing"),
                ([Self.full, "--to", "palette4", "--min-elements", "-1", "-o", output], 2, "--min-elements"),
                (
                    ["\(Self.tables)/forest.mlmodel", "--to", "palette4", "-o", output], 3,
                    "a pipeline of models of the kinds featureVectorizer, treeEnsembleClassifier cannot be compressed"
                ),
                ([network, "--to", "palette4", "--calibrate", "/nowhere", "-o", output], 3, "/nowhere"),
                (
                    [network, "--to", "palette4", "--group-size", "8", "--calibrate", "/nowhere", "-o", output], 2,
                    "--group-size"
                ),
                (
                    [network, "--to", "int8", "--activations", "int8", "--calibrate", ".", "-o", output], 2,
                    "is for ML Programs"
                ),
                ([network, "--to", "palette4", "--vector", "2", "-o", output], 2, "--vector"),
                ([network, "--to", "palette4", "--channel-scales", "-o", output], 2, "--channel-scales"),
                ([Self.full, "--to", "palette4", "-o", output + ".mlmodel"], 2, "must not end in .mlmodel"),
                ([Self.full, "--to", "palette4", "-o", output + ".GGUF"], 2, "must not end in .gguf"),
                (
                    [Self.full, "--to", "palette4", "--calibrate", "/nowhere", "-o", output + ".mlmodel/"], 2,
                    "must not end in .mlmodel"
                ),
                ([gguf, "--to", "q4_0", "-o", output + ".mlpackage"], 2, "must not end in .mlpackage"),
                ([network, "--to", "int8", "-o", output + ".gguf"], 2, "must not end in .gguf"),
                (["/nowhere.mlpackage", "--to", "palette4", "-o", output], 3, "/nowhere.mlpackage"),
                (["\(bad)/unknown_op.mlpackage", "--to", "palette4", "-o", output], 3, "unknown_op"),
            ]
            for (words, status, text) in cases {
                let outcome = try HearthProcess.run(["compress"] + words)
                #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
                #expect(outcome.error.contains(text) && outcome.output.isEmpty, "\(words): \(outcome.error)")
                #expect(try Self.names(folder).isEmpty, "\(words)")
            }
        }
    }

    @Test("A folder in the place of a file is refused before the work, --force or not, and keeps what it holds")
    func folders() throws {
        try withFolder { folder in
            let network = "\(Self.digits)/neuralnetwork_fp32.mlmodel"
            let gguf = HearthProcess.fixture("gemma3-f16.gguf")
            for (source, form, name) in [(network, "int8", "net.mlmodel"), (gguf, "q4_0", "small.gguf")] {
                let output = "\(folder)/\(name)"
                try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
                for isModel in [false, true] {
                    if isModel { try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(output)/Manifest.json")) }
                    let outcome = try HearthProcess.run(["compress", source, "--to", form, "-o", output, "--force"])
                    #expect(outcome.status == 2 && outcome.error.contains("there is a folder"), "\(outcome.error)")
                    #expect(try Self.names(output) == (isModel ? ["Manifest.json"] : []))
                }
            }
            #expect(try Self.names(folder) == ["net.mlmodel", "small.gguf"])
            // A file that is no package is not replaced by one, and a link that leads nowhere is something too.
            let notes = "\(folder)/notes.txt"
            try Data("mine".utf8).write(to: URL(fileURLWithPath: notes))
            let words = ["compress", Self.full, "--to", "palette4", "-o"]
            let forced = try HearthProcess.run(words + [notes, "--force"])
            #expect(forced.status == 2 && forced.error.contains("there is a file"), "\(forced.error)")
            #expect(try String(contentsOfFile: notes, encoding: .utf8) == "mine")
            let link = "\(folder)/link.mlpackage"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
            let linked = try HearthProcess.run(words + [link])
            #expect(linked.status == 2 && linked.error.contains("exists already"), "\(linked.error)")
            // What is no model at all is said to be none.
            let other = try HearthProcess.run(["compress", notes, "--to", "palette4", "-o", "\(folder)/x.mlpackage"])
            #expect(other.status == 3 && other.error.contains("not a GGUF file"), "\(other.error)")
            let archive = "\(folder)/archive.mlpackage"
            try Data([0x50, 0x4b, 3, 4] + [UInt8](repeating: 0, count: 60)).write(to: URL(fileURLWithPath: archive))
            let packed = try HearthProcess.run(["inspect", archive])
            #expect(packed.status == 3 && packed.error.contains("ZIP archive"), "\(packed.error)")
            let output = try HearthProcess.run(words + ["-"])
            #expect(output.status == 2 && output.error.contains("standard output"), "\(output.error)")
        }
    }

    @Test("Ctrl-C leaves nothing behind, and what was there before stays", arguments: [SIGINT, SIGTERM])
    func interruption(signal: Int32) throws {
        try withFolder { folder in
            let model = "\(folder)/large.gguf"
            try SlowQuantization.write(to: model)
            let output = "\(folder)/out.gguf"
            var outcome: HearthProcess.Outcome
            var tries = 0
            repeat {
                tries += 1
                try Data("before".utf8).write(to: URL(fileURLWithPath: output))
                // It has begun when something is written beside the two files.
                outcome = try HearthProcess.run(
                    ["compress", model, "--to", "q4_K", "-o", output, "--threads", "1", "--force"], signal: signal,
                    when: { _ in
                        ((try? Self.names(folder)) ?? []).contains { name in
                            let size = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size]
                            return name.hasSuffix(".tmp") && (size as? Int ?? 0) > 0
                        }
                    })
                // Where this test stood still, the program came to its end.
            } while outcome.status == 0 && tries < 20
            #expect(outcome.status == 130 && outcome.signal == nil && outcome.output.isEmpty, "\(outcome.error)")
            #expect(outcome.isPrompt)
            #expect(try Self.names(folder) == ["large.gguf", "out.gguf"])
            #expect(try String(contentsOfFile: output, encoding: .utf8) == "before")
        }
    }
}

/// A GGUF file whose quantization takes seconds.
private enum SlowQuantization {
    static func write(to path: String) throws {
        var state: UInt64 = 88_172_645_463_325_252
        let values = (0..<(1 << 20)).map { _ -> Float in
            // Xorshift (Marsaglia 2003): noise takes longest.
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Float(Int64(bitPattern: state) >> 40) / 8_388_608
        }
        let bytes = values.withUnsafeBytes { Array($0) }
        var builder = GGUFBuilder()
        builder.set("general.architecture", .string("gemma3"))
        for number in 0..<12 {
            try builder.add("blk.\(number).ffn_up.weight", .f32, shape: [1024, 1024], bytes: bytes)
        }
        try builder.write(to: path)
    }
}
