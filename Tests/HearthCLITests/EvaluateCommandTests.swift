import Foundation
import HearthSystem
import HearthTestSupport
import Testing

@Suite("Evaluating models", .serialized, .timeLimit(.minutes(20)))
struct EvaluateCommandTests {
    private static let digits = "\(HearthProcess.root)/Tests/Fixtures/coreml/digits"
    private static let full = "\(digits)/fp32.mlpackage"

    /// A folder of its own with smaller copies of the digits' classifier in it, gone with the value.
    private final class Scene {
        let path: String
        let models: [String]

        init(_ forms: [String] = []) throws {
            let path = try HearthProcess.temporaryFolder()
            self.path = path
            models = [EvaluateCommandTests.full] + forms.map { "\(path)/\($0).mlpackage" }
            for (form, model) in zip(forms, models.dropFirst()) {
                let made = try run(["compress", EvaluateCommandTests.full, "--to", form, "-o", model])
                #expect(made.status == 0, "\(made.error)")
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
        subscript(_ name: String) -> String { "\(path)/\(name)" }

        func run(_ words: [String], signal: Int32? = nil, after seconds: Double = 0) throws -> HearthProcess.Outcome {
            try HearthProcess.run(words, environment: environment, signal: signal, after: seconds)
        }
        // Models are compiled once for all runs of a scene.
        var environment: [String: String] { ["HEARTH_HOME": "\(path)/home", "HEARTH_BACKGROUND": "0"] }

        func evaluate(_ models: [String], _ words: [String] = []) throws -> HearthProcess.Outcome {
            try run(EvaluateCommandTests.words(models) + words)
        }

        func write(_ name: String, _ text: String) throws -> String {
            try Data(text.utf8).write(to: URL(fileURLWithPath: self[name]))
            return self[name]
        }
    }

    private static func words(_ models: [String]) -> [String] {
        ["evaluate", "--images", "\(digits)/images", "--labels", "\(digits)/labels.csv"] + models
    }

    private static func variants(_ outcome: HearthProcess.Outcome) -> [[String: Any]] {
        outcome.json["variants"] as? [[String: Any]] ?? []
    }

    /// What does not depend on the time that anything took.
    private static func figures(_ outcome: HearthProcess.Outcome) -> [[String: String]] {
        variants(outcome).map { variant in
            variant.filter { !$0.key.hasPrefix("ms") }.mapValues { "\($0)" }
        }
    }

    @Test(
        "Accuracies of the digits are exact, the smallest non-inferior model is chosen, and shards add up to the same")
    func digitsAndShards() throws {
        let scene = try Scene(["palette6", "palette4", "palette3", "palette2"])
        let whole = try scene.evaluate(
            scene.models, ["--json", "--csv", scene["t.csv"], "--html", scene["t.html"]])
        #expect(whole.status == 0 && whole.signal == nil, "\(whole.error)")
        let variants = Self.variants(whole)
        // Those of palettes 4 to 2 are what an independent program says of the same palettes.
        #expect(variants.compactMap { $0["correct"] as? Int } == [399, 399, 398, 330, 59])
        #expect(variants.compactMap { $0["top1"] as? Double } == [0.9975, 0.9975, 0.995, 0.825, 0.1475])
        #expect(variants.compactMap { $0["model"] as? String } == scene.models)
        #expect(variants.allSatisfy { ($0["top5"] as? Double ?? 0) >= ($0["top1"] as? Double ?? 1) })
        #expect(variants.allSatisfy { ($0["msMedian"] as? Double ?? 0) > 0 })
        let sizes = variants.compactMap { $0["bytes"] as? Int }
        #expect(sizes == sizes.sorted(by: >) && sizes.first == 219_032)
        for variant in variants {
            #expect((variant["downloadBytes"] as? Int).map { $0 > 0 && $0 < variant["bytes"] as? Int ?? 0 } ?? true)
        }
        #expect(whole.json["chosen"] as? String == scene.models[1])
        let reason = whole.json["reason"] as? String ?? ""
        #expect(
            reason.hasPrefix("palette6.mlpackage is the smallest that is non-inferior at a drop of 1 %"), "\(reason)")
        #expect(reason.contains("about 680 pictures"), "\(reason)")
        let interval = try #require(variants[2]["interval"] as? [Double])
        #expect(variants[2]["lost"] as? Int == 1 && variants[2]["gained"] as? Int == 0)
        #expect(abs(interval[0] + 0.01403) < 1e-4 && variants[2]["defended"] as? Bool == false)
        let table = try String(contentsOfFile: scene["t.csv"], encoding: .utf8)
        #expect(table.split(separator: "\r\n").count == 6)
        #expect(try String(contentsOfFile: scene["t.html"], encoding: .utf8).contains("class=\"ring\""))

        let shards = (1...3).map { scene["shard\($0).jsonl"] }
        for (index, file) in shards.enumerated() {
            let outcome = try scene.evaluate(scene.models, ["--shard", "\(index + 1)/3", "--results", file])
            #expect(outcome.status == 0, "\(outcome.error)")
        }
        let merged = try scene.run(["evaluate", "merge"] + shards.reversed() + ["--json"])
        #expect(merged.status == 0 && merged.error.isEmpty, "\(merged.error)")
        #expect(Self.figures(merged) == Self.figures(whole))
        for key in ["chosen", "reason"] { #expect(merged.json[key] as? String == whole.json[key] as? String) }

        let some = try scene.run(["evaluate", "merge", shards[0], shards[2], "--json", "--max-drop", "0.02"])
        #expect(some.json["missingPictures"] as? Int == 133 && some.json["missingShards"] as? [String] == ["2/3"])
        #expect(some.error.contains("133 of 400 pictures are missing: they belong to 2/3"))
        let other = try scene.run(["evaluate", "merge"] + shards + ["--json", "--max-drop", "0.015"])
        #expect(other.json["chosen"] as? String == scene.models[2], "the limit is the report's, not the results'")

        let reordered = try scene.evaluate(
            [scene.models[2], scene.models[0]], ["--results", shards[0], "--shard", "1/3"])
        #expect(reordered.status == 3 && reordered.error.contains("shard1.jsonl"), "\(reordered.error)")
    }

    @Test("Killed at any moment and run again, an evaluation ends as one that was never stopped")
    func kills() throws {
        let isThorough = ProcessInfo.processInfo.environment["HEARTH_SLOW_TESTS"] != nil
        var random = SeededNumbers.fresh()
        let scene = try Scene(["palette4"])
        let expected = Self.figures(try scene.evaluate(scene.models, ["--json"]))
        let words = Self.words(scene.models) + ["--results", scene["r.jsonl"], "--json"]
        for round in 0..<(isThorough ? 8 : 2) {
            try? FileManager.default.removeItem(atPath: scene["r.jsonl"])
            var lines = 0
            for attempt in 0..<(isThorough ? 12 : 4) {
                let running = try HearthProcess.start(words, environment: scene.environment)
                // The file grows by one picture at least, then the process dies wherever it is.
                let enough = min(lines + .random(in: 1...40, using: &random), 401)
                _ = HearthProcess.wait { running.hasEnded || Self.lines(scene["r.jsonl"]) >= enough }
                usleep(UInt32.random(in: 0...4000, using: &random))
                _ = running.end(by: attempt % 2 == 0 ? SIGKILL : SIGINT)
                let after = Self.lines(scene["r.jsonl"])
                #expect(after >= lines, "nothing that was done is lost")
                lines = after
            }
            let finished = try scene.run(words)
            #expect(finished.status == 0, "\(finished.error)")
            #expect(Self.figures(finished) == expected, "round \(round)")
            #expect(Self.lines(scene["r.jsonl"]) == 401)
        }
    }

    private static func lines(_ path: String) -> Int {
        ((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()).count { $0 == 0x0A }
    }

    @Test("Ctrl-C ends with 130, says how to go on and keeps what is done; a second process is kept off the file")
    func interruption() throws {
        let scene = try Scene()
        let words = Self.words(scene.models) + ["--results", scene["r.jsonl"]]
        var running = try HearthProcess.start(words, environment: scene.environment)
        var tries = 0
        while true {
            tries += 1
            #expect(HearthProcess.wait { running.hasEnded || Self.lines(scene["r.jsonl"]) > 3 })
            kill(running.id, SIGSTOP)
            #expect(HearthProcess.wait { running.hasEnded || running.isStopped })
            guard running.hasEnded else { break }
            // This test stood still, and the program came to its end.
            let outcome = running.wait()
            try #require(outcome.status == 0 && tries < 20, "\(outcome.error)")
            try FileManager.default.removeItem(atPath: scene["r.jsonl"])
            running = try HearthProcess.start(words, environment: scene.environment)
        }
        let second = try scene.run(words)
        #expect(second.status == 4 && second.error.contains("another process"), "\(second.error)")
        kill(running.id, SIGCONT)
        let outcome = running.end(by: SIGINT)
        // A machine that was slow to wake it may have let it finish.
        if outcome.status != 0 {
            #expect(outcome.status == 130 && outcome.signal == nil && outcome.output.isEmpty)
            #expect(outcome.error.contains("resumes from here") && outcome.isPrompt, "\(outcome.error)")
        }
        #expect(Self.lines(scene["r.jsonl"]) > 3)
    }

    @Test(
        "A picture that cannot be read stops the run by name, or is left out, named and counted; then it is tried again"
    )
    func unreadable() throws {
        let scene = try Scene()
        try FileManager.default.createDirectory(atPath: scene["p/sub"], withIntermediateDirectories: true)
        for (name, number) in [("a.png", "0000"), ("sub/b.png", "0001")] {
            try FileManager.default.copyItem(atPath: "\(Self.digits)/images/\(number).png", toPath: scene["p/\(name)"])
        }
        _ = try scene.write("p/bad.png", "no picture")
        let labels = try scene.write("l.csv", "\u{FEFF}a.png,zero\r\nbad.png,one\r\n\"sub/b.png\",eight\r\n")
        let words = ["evaluate", "--images", scene["p"], "--labels", labels, Self.full, "--json"]
        let stopped = try scene.run(words)
        #expect(stopped.status == 3 && stopped.output.isEmpty, "\(stopped.error)")
        #expect(stopped.error.contains("bad.png") && stopped.error.contains("--skip-unreadable"), "\(stopped.error)")

        let skipping = words + ["--skip-unreadable", "--results", scene["r.jsonl"]]
        let left = try scene.run(skipping)
        #expect(left.status == 0 && left.json["pictures"] as? Int == 2, "\(left.error)")
        #expect((left.json["unreadable"] as? [[String: String]])?.compactMap { $0["picture"] } == ["bad.png"])
        #expect(left.error.contains("1 image could not be read"))

        try FileManager.default.removeItem(atPath: scene["p/bad.png"])
        try FileManager.default.copyItem(atPath: "\(Self.digits)/images/0005.png", toPath: scene["p/bad.png"])
        let again = try scene.run(skipping)
        #expect(again.json["pictures"] as? Int == 3 && (again.json["unreadable"] as? [Any])?.isEmpty == true)
    }

    @Test("What cannot be evaluated is refused with the file and the row, before anything is computed")
    func refusals() throws {
        let scene = try Scene()
        let images = "\(Self.digits)/images"
        let coreML = "\(HearthProcess.root)/Tests/Fixtures/coreml"
        let lists: [(text: String, words: [String])] = [
            ("file,label\n0000.png,zero\n9999.png,one\n", ["9999.png", "row 3"]),
            ("0000.png,zero\n0001.png,eleven\n", ["eleven", "row 2"]),
            ("0000.png,zero\n./0000.png,zero\n", ["row 1 already", "row 2"]), ("", ["names no picture"]),
            ("0000.png,10\n", ["'10' is not a class"]),
        ]
        for (number, list) in lists.enumerated() {
            let path = try scene.write("\(number).csv", list.text)
            let outcome = try scene.run(["evaluate", "--images", images, "--labels", path, Self.full])
            #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome.error)")
            for word in list.words + ["\(number).csv"] { #expect(outcome.error.contains(word), "\(outcome.error)") }
        }
        let labels = "\(Self.digits)/labels.csv"
        let notes = try scene.write("notes.csv", "no results\n")
        let both = ["evaluate", "--images", images, "--labels", labels]
        let cases: [(words: [String], status: Int32, text: String)] = [
            (["evaluate", "--images", "/nowhere", "--labels", labels, Self.full], 3, "/nowhere"),
            (["evaluate", "--images", images, "--labels", "/nowhere.csv", Self.full], 3, "/nowhere.csv"),
            (both + ["/nowhere.mlpackage"], 3, "/nowhere.mlpackage"),
            (both + ["\(coreML)/rectangles/boxes.mlpackage"], 3, "no labels"),
            (both + [Self.full, Self.full], 2, "twice"), (both, 2, "MODEL"),
            (both + [Self.full, "--max-drop", "1.5"], 2, "--max-drop"),
            (both + [Self.full, "--max-drop", "nan"], 2, "--max-drop"),
            (both + [Self.full, "--confidence", "1"], 2, "--confidence"),
            (both + [Self.full, "--reference", "other"], 2, "--reference other"),
            (both + [Self.full, "--shard", "1/2"], 2, "--results"),
            (both + [Self.full, "--shard", "3/2", "--results", "x"], 2, "--shard"),
            (both + [Self.full, "--results", labels], 2, "--labels"),
            (both + [Self.full, "--results", notes], 3, "notes.csv: line 1"),
            (both + [Self.full, "--results", "/nowhere/r"], 3, "/nowhere/r"),
            (["evaluate", "merge", "/nowhere"], 3, "/nowhere"),
            (["evaluate", "merge", labels], 3, "labels.csv: line 1"),
            (["evaluate", "merge"], 2, "FILE"),
        ]
        for (words, status, text) in cases {
            let outcome = try scene.run(words)
            #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
            #expect(outcome.error.contains(text) && outcome.output.isEmpty, "\(words): \(outcome.error)")
        }
        #expect(try String(contentsOfFile: labels, encoding: .utf8).hasPrefix("file,label"), "still what it was")
    }

    @Test("Models that take colours in another order, or name classes by their places, are compared all the same")
    func inputs() throws {
        let scene = try Scene()
        let list = try scene.write(
            "l.csv",
            (0..<40).map { number in
                let lines = (try? String(contentsOfFile: "\(Self.digits)/labels.csv", encoding: .utf8)) ?? ""
                let cells = lines.split(separator: "\n")[number + 1].split(separator: ",")
                return "\(cells[0]),\(cells[2])\n"
            }.joined())
        let names = ["fp16", "fp16_bgr", "fp16_ios17_intlabels"]
        let models = names.map { "\(Self.digits)/\($0).mlpackage" }
        let outcome = try scene.run(
            ["evaluate", "--images", "\(Self.digits)/images", "--labels", list] + models + [
                "--json", "--reference", "fp16_bgr.mlpackage",
            ])
        #expect(outcome.status == 0, "\(outcome.error)")
        let variants = Self.variants(outcome)
        #expect(variants.compactMap { $0["correct"] as? Int } == [40, 40, 40])
        #expect(variants.compactMap { $0["isReference"] as? Bool } == [false, true, false])
        #expect(variants[0]["agreement"] as? Double == 1 && outcome.json["reference"] as? String == models[1])
    }
}
