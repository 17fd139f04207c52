import Foundation
import Testing

/// `hearth compress --calibrate` and what goes with it, on the two largest weights of the digits' network and a few pictures.
@Suite("Compressing with calibration", .serialized, .timeLimit(.minutes(20)))
struct CompressCalibrationTests {
    private static let digits = "\(HearthProcess.root)/Tests/Fixtures/coreml/digits"
    private static let full = "\(digits)/fp16.mlpackage"
    /// Leaves two weights to calibrate.
    private static let few = ["--min-elements", "5000"]

    /// A folder with six pictures in `pictures`, their labels in `labels.csv`, and room for an output.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: "\(folder)/pictures", withIntermediateDirectories: true)
        for number in 0..<6 {
            let name = "000\(number).png"
            try FileManager.default.copyItem(
                atPath: "\(Self.digits)/calibration/\(name)", toPath: "\(folder)/pictures/\(name)")
        }
        let lines = try String(contentsOfFile: "\(Self.digits)/calibration.csv", encoding: .utf8)
            .split(separator: "\n").prefix(7)
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: "\(folder)/labels.csv"))
        try body(folder)
    }

    private static func names(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    private static func compress(_ words: [String], in folder: String) throws -> HearthProcess.Outcome {
        try HearthProcess.run(
            ["compress", full, "--calibrate", "\(folder)/pictures", "-o", "\(folder)/out.mlpackage", "--json"] + few
                + words)
    }

    private static func bytes(_ outcome: HearthProcess.Outcome, _ side: String) -> Int {
        (outcome.json[side] as? [String: Any])?["bytes"] as? Int ?? -1
    }

    @Test("Palettes are calibrated, and the report says what each layer lost; --steps none is plain rounding")
    func calibration() throws {
        try withFolder { folder in
            let outcome = try Self.compress(["--to", "palette2"], in: folder)
            #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
            let tensors = outcome.json["tensors"] as? [[String: Any]] ?? []
            #expect(tensors.count == 2 && tensors.allSatisfy { $0["bits"] as? Int == 2 })
            #expect(tensors.allSatisfy { $0["biasCorrected"] as? Bool == true && $0["reason"] == nil })
            let calibration = outcome.json["calibration"] as? [String: Any]
            #expect(calibration?["images"] as? Int == 6 && calibration?["unused"] as? Int == 0)
            #expect(try Self.names(folder) == ["labels.csv", "out.mlpackage", "pictures"])
            let seen = try HearthProcess.run(
                ["classify", "--model", "\(folder)/out.mlpackage", "--json", "\(Self.digits)/images/0000.png"],
                environment: ["HEARTH_BACKGROUND": "0"])
            #expect(seen.status == 0, "\(seen.error)")
            let plain = try Self.compress(["--to", "palette2", "--steps", "none", "--force"], in: folder)
            let rounded = plain.json["tensors"] as? [[String: Any]] ?? []
            #expect(plain.status == 0 && rounded.count == 2, "\(plain.error)")
            for (better, worse) in zip(tensors, rounded) {
                let (one, other) = (better["outputSNRdB"] as? Double ?? 0, worse["outputSNRdB"] as? Double ?? 0)
                #expect(one > other + 3 && worse["biasCorrected"] as? Bool == false, "\(one) \(other)")
            }
            // What is there stays, and the long work is not begun for it.
            let again = try Self.compress(["--to", "palette2"], in: folder)
            #expect(again.status == 2 && again.error.contains("--force"))
        }
    }

    @Test("Activations are rounded too, whatever the weights are, and the model still sees what it saw")
    func activations() throws {
        try withFolder { folder in
            for form in ["int8", "float16", "palette4"] {
                let outcome = try Self.compress(["--to", form, "--activations", "int8", "--force"], in: folder)
                // The model has float16 weights already.
                let isSaid = outcome.error.contains("no weight was compressed")
                #expect(outcome.status == 0 && isSaid == (form == "float16"), "\(form): \(outcome.error)")
                let calibration = outcome.json["calibration"] as? [String: Any]
                #expect(calibration?["images"] as? Int == 6 && calibration?["activations"] as? Int ?? 0 > 20)
                #expect(outcome.json["version"] as? Int == 8)
                let seen = try HearthProcess.run(
                    ["classify", "--model", "\(folder)/out.mlpackage", "--json", "--top", "1"]
                        + ["0000", "0001"].map { "\(Self.digits)/images/\($0).png" },
                    environment: ["HEARTH_BACKGROUND": "0"])
                #expect(seen.status == 0, "\(form): \(seen.error)")
                #expect(seen.output.contains("zero") && seen.output.contains("eight"), "\(form): \(seen.output)")
            }
            let words = ["compress", Self.full, "--to", "int8", "--activations", "int8", "--force"]
            let table = try HearthProcess.run(
                words + ["--calibrate", "\(folder)/pictures", "-o", "\(folder)/out.mlpackage"])
            #expect(table.status == 0 && table.output.contains("activations are rounded to int8"), "\(table.error)")
            let mixed = try Self.compress(["--budget", "100000", "--activations", "int8"], in: folder)
            #expect(mixed.status == 2 && mixed.error.contains("'--activations' goes with '--to'"))
        }
    }

    @Test("Bits keep to their budget, and each weight says why it has its own")
    func budget() throws {
        try withFolder { folder in
            let whole = try #require(
                FileManager.default.enumerator(atPath: Self.full)?.reduce(0) { sum, name in
                    let file = "\(Self.full)/\(name)"
                    let status = try? FileManager.default.attributesOfItem(atPath: file)
                    let isFile = status?[.type] as? FileAttributeType == .typeRegular
                    return sum + (isFile ? status?[.size] as? Int ?? 0 : 0)
                })
            let budget = whole - 25_000
            let outcome = try Self.compress(["--budget", "\(budget)"], in: folder)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(Self.bytes(outcome, "input") == whole && Self.bytes(outcome, "output") <= budget)
            // Not far below: another bit for one of the two would be too much.
            #expect(Self.bytes(outcome, "output") > budget - 4000)
            let tensors = outcome.json["tensors"] as? [[String: Any]] ?? []
            #expect(tensors.count == 2 && tensors.allSatisfy { ($0["reason"] as? String)?.contains("loss") == true })
        }
    }

    @Test("As few bits as lose no more than is allowed, by labels and by what the model says itself")
    func drop() throws {
        try withFolder { folder in
            for words in [["--labels", "\(folder)/labels.csv"], []] {
                let outcome = try Self.compress(["--max-drop", "0.4", "--force"] + words, in: folder)
                #expect(outcome.status == 0, "\(outcome.error)")
                let drop = (outcome.json["calibration"] as? [String: Any])?["drop"] as? Double ?? 1
                #expect(drop <= 0.4 + 1e-5)
                let tensors = outcome.json["tensors"] as? [[String: Any]] ?? []
                #expect(tensors.count == 2 && tensors.allSatisfy { [1, 2, 3, 4, 6, 8].contains($0["bits"] as? Int) })
            }
        }
    }

    @Test("What does not go together is said before anything is read")
    func usage() throws {
        try withFolder { folder in
            let calibrate = ["--calibrate", "\(folder)/pictures"]
            let cases: [(words: [String], text: String)] = [
                (calibrate, "--to"), (calibrate + ["--to", "int8"], "'--calibrate' is for palettes"),
                (["--budget", "100000"], "need '--calibrate DIR'"), (["--max-drop", "0.1"], "need '--calibrate DIR'"),
                (calibrate + ["--budget", "1000", "--max-drop", "0.1"], "exclude each other"),
                (calibrate + ["--budget", "1000", "--to", "palette4"], "leave '--to' out"),
                (calibrate + ["--budget", "0"], "--budget"), (calibrate + ["--max-drop", "1"], "out of range"),
                (calibrate + ["--max-drop", "-0.1"], "--max-drop"),
                (["--to", "palette4", "--steps", "bias"], "'--steps' goes with palettes and '--calibrate'"),
                (calibrate + ["--to", "palette4", "--steps", "bias,luck"], "luck"),
                (calibrate + ["--to", "palette4", "--labels", "x.csv"], "'--labels' goes with"),
                (["--to", "palette4", "--sparse", "perhaps"], "perhaps"),
            ]
            for (words, text) in cases {
                let outcome = try HearthProcess.run(["compress", Self.full, "-o", "\(folder)/out"] + words)
                #expect(outcome.status == 2 && outcome.signal == nil, "\(words): \(outcome.error)")
                #expect(outcome.error.contains(text) && outcome.output.isEmpty, "\(words): \(outcome.error)")
            }
            #expect(try Self.names(folder) == ["labels.csv", "pictures"])
        }
    }

    @Test("Pictures and labels that are missing or wrong are named, and nothing is left")
    func inputs() throws {
        try withFolder { folder in
            func write(_ text: String, _ name: String) throws -> String {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
                return "\(folder)/\(name)"
            }
            let short = try write("file,label\n0000.png,eight\n", "short.csv")
            let odd = try write("file,label\n0000.png,eight\n0001.png,many\n", "odd.csv")
            let drop = ["--max-drop", "0.4", "--labels"]
            let cases: [(words: [String], status: Int32, text: String)] = [
                (drop + [short], 3, "0001.png"), (drop + [odd], 3, "many"),
                (drop + ["\(folder)/none.csv"], 3, "none.csv"),
                (["--to", "palette2", "--calibrate", "\(folder)/nowhere"], 3, "nowhere"),
                (["--to", "palette2", "--calibrate", Self.full], 3, "with images"),
                (["--budget", "3000"], 1, "--budget"),
            ]
            for (words, status, text) in cases {
                let calibrate = words.contains("--calibrate") ? [] : ["--calibrate", "\(folder)/pictures"]
                let outcome = try HearthProcess.run(
                    ["compress", Self.full, "-o", "\(folder)/out"] + Self.few + calibrate + words)
                #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
                #expect(outcome.error.contains(text) && outcome.output.isEmpty, "\(words): \(outcome.error)")
                #expect(outcome.error.split(separator: "\n").count == 1, "\(words): \(outcome.error)")
            }
            #expect(try Self.names(folder) == ["labels.csv", "odd.csv", "pictures", "short.csv"])
        }
    }

    @Test("A budget that nothing meets replaces nothing")
    func unmetBudget() throws {
        try withFolder { folder in
            let kept = try Self.compress(["--to", "palette4"], in: folder)
            #expect(kept.status == 0, "\(kept.error)")
            let before = try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/out.mlpackage").sorted()
            let least = Self.bytes(kept, "output")
            var refused = 0
            // From what no first try is made for to what the first try misses.
            for budget in [3000, least - 6000, least - 3000] {
                let outcome = try Self.compress(["--budget", "\(budget)", "--force"], in: folder)
                if outcome.status == 0 { break }
                refused += 1
                #expect(outcome.status == 1 && outcome.error.contains("--budget"), "\(outcome.error)")
                #expect(try Self.names(folder) == ["labels.csv", "out.mlpackage", "pictures"])
                #expect(
                    try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/out.mlpackage").sorted() == before)
            }
            #expect(refused > 0)
        }
    }

    @Test("Ctrl-C in the middle of a calibration leaves nothing behind")
    func interruption() throws {
        try withFolder { folder in
            let words = [
                "compress", Self.full, "--budget", "60000", "--calibrate", "\(Self.digits)/calibration", "-o",
                "\(folder)/out", "--threads", "1",
            ]
            var outcome = try HearthProcess.run(words, signal: SIGINT, when: { _ in true })
            // The whole takes many seconds; where this test stood still for longer, it came to its end.
            for _ in 0..<20 where outcome.status == 0 {
                try FileManager.default.removeItem(atPath: "\(folder)/out")
                outcome = try HearthProcess.run(words, signal: SIGINT, when: { _ in true })
            }
            #expect(outcome.status == 130 && outcome.signal == nil && outcome.output.isEmpty, "\(outcome.error)")
            #expect(outcome.isPrompt)
            #expect(try Self.names(folder) == ["labels.csv", "pictures"])
        }
    }
}
