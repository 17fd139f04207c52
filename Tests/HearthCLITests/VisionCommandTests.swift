import Foundation
import HearthImages
import HearthTestSupport
import Testing

@Suite("Commands on pictures", .serialized, .timeLimit(.minutes(20)))
struct VisionCommandTests {
    private static let coreML = "\(HearthProcess.root)/Tests/Fixtures/coreml"
    private static let digits = "\(coreML)/digits"
    private static let images = (0..<400).map { "\(digits)/images/\(padded($0)).png" }

    private static func padded(_ number: Int) -> String {
        String(repeating: "0", count: 4 - "\(number)".count) + "\(number)"
    }

    private static func run(_ words: [String]) throws -> HearthProcess.Outcome {
        try HearthProcess.run(words, environment: ["HEARTH_BACKGROUND": "0"])
    }

    private static func labels() throws -> [String] {
        try String(contentsOfFile: "\(digits)/labels.csv", encoding: .utf8).split(separator: "\n").dropFirst()
            .map { String($0.split(separator: ",")[1]) }
    }

    @Test("classify reproduces the stated accuracy of the digits: 399 of 400 pictures that it was not trained on")
    func accuracy() throws {
        let outcome = try Self.run(
            ["classify", "--model", "\(Self.digits)/fp32.mlpackage", "--json", "--top", "1", "--threshold", "0"]
                + Self.images)
        #expect(outcome.status == 0 && outcome.signal == nil && outcome.error.isEmpty, "\(outcome.error)")
        let lines = outcome.jsonLines
        #expect(lines.compactMap { $0["image"] as? String } == Self.images)
        let seen = lines.map { (($0["results"] as? [[String: Any]])?.first?["label"]) as? String }
        let wrong = zip(seen, try Self.labels()).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
        // make_fixtures.py: torch has the same one wrong.
        #expect(wrong == [83])
        #expect(lines.allSatisfy { ($0["ms"] as? Double ?? -1) > 0 })
    }

    @Test("Integer labels come as they are; top and threshold hold; a bad picture costs only itself")
    func options() throws {
        let bad = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: bad) }
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: "\(bad)/bad.png"))
        let outcome = try Self.run([
            "classify", "--model", "\(Self.digits)/fp16_ios17_intlabels.mlpackage", "--json", "--top", "10",
            "--threshold",
            "0", Self.images[0], "\(bad)/bad.png", "\(bad)/missing.jpg", Self.images[1],
        ])
        #expect(outcome.status == 3)
        let results = outcome.jsonLines.map { $0["results"] as? [[String: Any]] ?? [] }
        #expect(results.map(\.count) == [10, 10])
        #expect(results.map { $0.first?["label"] as? String } == ["0", "8"])
        for row in results {
            let confidences = row.compactMap { $0["confidence"] as? Double }
            #expect(confidences == confidences.sorted(by: >))
            let sum: Double = confidences.reduce(0, +)
            #expect(abs(sum - 1) < 1e-3)
        }
        let errors = outcome.error.split(separator: "\n")
        #expect(errors.count == 3 && errors[0].contains("bad.png") && errors[1].contains("missing.jpg"), "\(errors)")
        #expect(errors[2].contains("2 of 4 images"))
    }

    @Test("What a model is not is said, with status 3; what a command line is not, with 2")
    func refusals() throws {
        let picture = Self.images[0]
        let cases: [(words: [String], status: Int32, text: String)] = [
            (["classify", "--model", "\(Self.coreML)/rectangles/boxes.mlpackage", picture], 3, "no labels"),
            (["detect", "--model", "\(Self.digits)/fp32.mlpackage", picture], 3, "no boxes and scores"),
            (["classify", "--model", "\(Self.coreML)/ops/mlp_fp32_ios16.mlpackage", picture], 3, "mlp_fp32_ios16"),
            (["classify", "--model", "\(Self.coreML)/bad/unknown_op.mlpackage", picture], 3, "unknown_op"),
            (["classify", "--model", "/nowhere.mlpackage", picture], 3, "/nowhere.mlpackage"),
            (["classify", "--model", "\(Self.digits)/fp32.mlpackage", "/nowhere.png"], 3, "/nowhere.png"),
            (["classify", "--model", "x.mlpackage"], 2, "IMAGE"),
            (["classify", "--model", "x.mlpackage", "--crop", "centercrop", picture], 2, "centerCrop"),
            (["classify", "--model", "x.mlpackage", "--top", "0", picture], 2, "--top"),
            (["classify", "--model", "x.mlpackage", "--threshold", "1.5", picture], 2, "--threshold"),
            (["detect", "--model", "x.mlpackage", "--iou", "-1", picture], 2, "--iou"),
            (["watch", "--model", "x.mlpackage"], 2, "--frames"),
            (["watch", "--model", "x.mlpackage", "--frames", "a", "--video", "b"], 2, "--video"),
            (["watch", "--model", "x.mlpackage", "--frames", "a", "--fps", "0"], 2, "--fps"),
            (["watch", "--model", "\(Self.digits)/fp32.mlpackage", "--frames", "/nowhere"], 3, "/nowhere"),
        ]
        for (words, status, text) in cases {
            let outcome = try Self.run(words)
            #expect(outcome.status == status && outcome.signal == nil, "\(words): \(outcome.error)")
            #expect(outcome.error.contains(text), "\(words): \(outcome.error)")
            #expect(outcome.output.isEmpty)
        }
    }

    @Test(
        "detect finds drawn rectangles to the pixel, whichever form the model's outputs have",
        arguments: [
            "boxes", "nms", "joined",
        ])
    func detect(form: String) throws {
        let picture = "\(Self.coreML)/rectangles/street.png"
        let outcome = try Self.run([
            "detect", "--model", "\(Self.coreML)/rectangles/\(form).mlpackage", "--json", "--threshold", "0.5", picture,
        ])
        #expect(outcome.status == 0, "\(outcome.error)")
        let results = outcome.jsonLines.first?["results"] as? [[String: Any]] ?? []
        // What make_rectangles.py drew, 160 × 120 pixels.
        let drawn: [(label: String, box: [Double])] = [
            ("red", [10, 8, 40, 30]), ("green", [100, 20, 35, 25]), ("blue", [20, 75, 50, 28]),
        ]
        #expect(results.count == drawn.count)
        for (label, box) in drawn {
            let found = try #require(results.first { $0["label"] as? String == label }?["box"] as? [String: Double])
            let pixels = [
                (found["x"] ?? 0) * 160, (found["y"] ?? 0) * 120, (found["width"] ?? 0) * 160,
                (found["height"] ?? 0) * 120,
            ]
            for (a, b) in zip(pixels, box) { #expect(abs(a - b) < 1, "\(label): \(pixels)") }
        }
    }

    @Test("--annotate writes each picture with what was found, upright, at full size, under names of their own")
    func annotate() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let street = "\(Self.coreML)/rectangles/street.png"
        try FileManager.default.copyItem(atPath: street, toPath: "\(folder)/street.png")
        let found = try Self.run([
            "detect", "--model", "\(Self.coreML)/rectangles/boxes.mlpackage", "--json", "--annotate",
            "\(folder)/out/deep",
            street, "\(folder)/street.png",
        ])
        #expect(found.status == 0, "\(found.error)")
        let paths = found.jsonLines.compactMap { $0["annotated"] as? String }
        #expect(paths == ["\(folder)/out/deep/street.jpg", "\(folder)/out/deep/street-2.jpg"])
        let files = try paths.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        #expect(files[0] == files[1])
        let picture = try ImageDecoder().picture(at: paths[0])
        // 160 × 120, twice as large to be legible.
        #expect(picture.width == 320 && picture.height == 240)

        let named = try Self.run([
            "classify", "--model", "\(Self.digits)/fp32.mlpackage", "--annotate", "\(folder)/digits", Self.images[0],
        ])
        #expect(named.status == 0 && !named.output.contains("annotated"), "\(named.error)")
        #expect(try ImageDecoder().picture(at: "\(folder)/digits/0000.jpg").width >= 320)

        let nowhere = try Self.run([
            "classify", "--model", "\(Self.digits)/fp32.mlpackage", "--annotate", "\(folder)/street.png/x",
            Self.images[0],
        ])
        #expect(nowhere.status == 1 && nowhere.error.contains("street.png/x") && nowhere.signal == nil, "\(nowhere)")
        #expect(nowhere.error.contains("create the folder: '\(folder)/street.png' is a file"), "\(nowhere.error)")
    }

    @Test("watch: a line for each frame, in order; under a reduced budget one of three runs; suspended, none does")
    func watch() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for number in 0..<30 {
            try FileManager.default.copyItem(
                atPath: Self.images[number], toPath: "\(folder)/\(Self.padded(number)).png")
        }
        let words = ["watch", "--model", "\(Self.digits)/fp32.mlpackage", "--frames", folder, "--fps", "20", "--json"]
        let labels = try Self.labels()

        let hot = try Self.run(words + ["--simulate", "thermal=serious@0s"])
        #expect(hot.status == 0, "\(hot.error)")
        var lines = hot.jsonLines
        #expect(lines.compactMap { $0["frame"] as? Int } == Array(0..<30))
        #expect(lines.allSatisfy { $0["budget"] as? String == "reduced" })
        let decisions = lines.map { $0["decision"] as? String ?? "" }
        // A machine that is busy may drop a frame that was due; its place is then the next one.
        #expect(Set(decisions).isSubset(of: ["run", "reuse", "drop", "fallback"]))
        let runs = decisions.indices.filter { decisions[$0] == "run" }
        #expect(runs.first == 0 && zip(runs, runs.dropFirst()).allSatisfy { $1 - $0 >= 3 })
        for run in runs { #expect(Self.top(lines[run]) == labels[run]) }
        for (frame, line) in lines.enumerated() where decisions[frame] == "reuse" {
            let basis = runs.last { $0 < frame } ?? 0
            #expect(Self.top(line) == labels[basis] && line["ms"] as? Double == 0)
        }

        let tooHot = try Self.run(words + ["--simulate", "thermal=critical@0s"])
        #expect(tooHot.status == 0, "\(tooHot.error)")
        lines = tooHot.jsonLines
        #expect(lines.count == 30)
        #expect(lines.allSatisfy { $0["budget"] as? String == "suspended" })
        #expect(lines.allSatisfy { ["fallback", "drop"].contains($0["decision"] as? String) })
        let fallbacks = lines.filter { $0["decision"] as? String == "fallback" }
        #expect(fallbacks.allSatisfy { ($0["results"] as? [Any])?.count == 2 })
        #expect(tooHot.error.contains("too hot"))
    }

    @Test("watch: images that cannot be read are named and counted, and it says if none can; other files do not count")
    func unreadableImages() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let words = ["watch", "--model", "\(Self.digits)/fp32.mlpackage", "--frames", folder, "--fps", "20"]
        try Data("no picture".utf8).write(to: URL(fileURLWithPath: "\(folder)/1.png"))
        try Data("0,1".utf8).write(to: URL(fileURLWithPath: "\(folder)/labels.csv"))
        for more in [[], ["--json"]] {
            let none = try Self.run(words + more)
            #expect(none.status == 3 && none.signal == nil && none.output.isEmpty, "\(none)")
            #expect(Self.errors(none).count == 2 && Self.errors(none)[0].contains("\(folder)/1.png"), "\(none.error)")
            #expect(none.error.contains("the only image could not be read (\(folder))"), "\(none.error)")
        }

        try FileManager.default.createSymbolicLink(atPath: "\(folder)/3.png", withDestinationPath: "nowhere")
        for number in [0, 2] {
            try FileManager.default.copyItem(atPath: Self.images[number], toPath: "\(folder)/\(number).png")
        }
        let some = try Self.run(words + ["--json"])
        #expect(some.status == 3 && some.signal == nil, "\(some.error)")
        #expect(some.jsonLines.map { $0["image"] as? String } == ["0.png", "2.png"])
        #expect(some.jsonLines.map { $0["frame"] as? Int } == [0, 1])
        let errors = Self.errors(some)
        #expect(errors.count == 3 && errors[0].contains("1.png") && errors[1].contains("3.png"), "\(errors)")
        #expect(errors[1].contains("No such file or directory"))
        #expect(errors.last?.contains("2 of 4 images could not be read (\(folder))") == true, "\(errors)")
    }

    @Test("watch: a frame of a video that is too large ends it with one error")
    func unreadableVideo() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ShellScript.write("printf 'P6\\n1048576 1048576\\n255\\nabc'", to: "\(folder)/ffmpeg")
        try Data([1]).write(to: URL(fileURLWithPath: "\(folder)/a.mp4"))
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let outcome = try HearthProcess.run(
            ["watch", "--model", "\(Self.digits)/fp32.mlpackage", "--video", "\(folder)/a.mp4", "--json"],
            environment: ["HEARTH_BACKGROUND": "0", "PATH": "\(folder):\(path)"])
        #expect(outcome.status == 3 && outcome.signal == nil && outcome.output.isEmpty)
        let errors = Self.errors(outcome)
        #expect(errors.count == 1 && errors[0].contains("too large") && errors[0].contains("a.mp4"), "\(errors)")
    }

    private static func errors(_ outcome: HearthProcess.Outcome) -> [Substring] {
        outcome.error.split(separator: "\n").filter { $0.hasPrefix("hearth: error: ") }
    }

    private static func top(_ line: [String: Any]) -> String? {
        ((line["results"] as? [[String: Any]])?.first?["label"]) as? String
    }
}
