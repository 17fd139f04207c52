import Foundation
import HearthCLI
import HearthRuntime
import HearthSystem
import HearthTestSupport
import Testing

/// `hearth startup` and its report, as processes.
@Suite("hearth startup", .serialized, .timeLimit(.minutes(20)))
struct StartupCommandTests {
    private let model = HearthProcess.fixture("gemma3-f16.gguf")

    private func withHome(_ body: (String) throws -> Void) throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("Samples of each kind, each logged; the user's artifacts stay as they are")
    func measures() throws {
        try withHome { (home) throws in
            let environment = ["HEARTH_HOME": home]
            let outcome = try HearthProcess.run(
                ["startup", "--model", model, "--runs", "2", "--json", "--trace", "\(home)/trace.json"],
                environment: environment)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(Set(outcome.json.keys) == ["samples", "profile"])
            let samples = try #require(outcome.json["samples"] as? [[String: Any]])
            let kinds = Dictionary(grouping: samples.compactMap { $0["kind"] as? String }, by: { $0 }).mapValues(
                \.count)
            #expect(kinds["cold-compile"] == 2)
            #expect(kinds["warm"] == 2)
            // Where the page cache lets go of the model; it says so where it does not.
            #expect(kinds["cold-disk"] == 2 || outcome.error.contains("cold-disk is skipped"))
            for sample in samples {
                #expect(
                    Set(sample.keys) == [
                        "kind", "compileMS", "loadMS", "firstInferenceMS", "steadyMS", "peakResidentBytes",
                        "dirtyBytes",
                    ])
                for key in ["compileMS", "loadMS", "firstInferenceMS"] {
                    #expect(try #require(sample[key] as? Double) > 0)
                }
                #expect(try #require(sample["peakResidentBytes"] as? Int) > 1 << 20)
                #expect(try #require(sample["dirtyBytes"] as? Int) > 1 << 16)
            }
            let profile = try #require(outcome.json["profile"] as? [String: Any])
            #expect(
                profile["modelSHA256"] as? String
                    == SHA256.digest(of: try Data(contentsOf: URL(fileURLWithPath: model))))

            // The log, nothing compiled, and no folder left behind.
            let names = try FileManager.default.contentsOfDirectory(atPath: home)
            #expect(Set(names) == ["startup.sqlite", "startup.sqlite.lock", "trace.json"], "\(names)")
            let logged = try StartupLog(path: "\(home)/startup.sqlite").samples().samples
            #expect(logged.count == samples.count)
            #expect(logged.allSatisfy { $0.isMeasured && $0.processVersion == HearthVersion.number })

            let trace = try JSONSerialization.jsonObject(
                with: Data(contentsOf: URL(fileURLWithPath: "\(home)/trace.json")))
            let events = try #require((trace as? [String: Any])?["traceEvents"] as? [[String: Any]])
            #expect(
                Set(events.compactMap { $0["name"] as? String })
                    .isSuperset(of: ["compile", "load", "first inference", "steady state"]))

            let table = try HearthProcess.run(["startup", "report"], environment: environment)
            #expect(table.status == 0)
            #expect(table.output.contains("cold-compile     2  median"), "\(table.output)")
            #expect(!table.output.contains("\u{1B}"))
        }
    }

    @Test("bench startup is the same command, its options checked alike")
    func bench() throws {
        try withHome { (home) throws in
            let words = ["bench", "startup", "--model", model]
            let outcome = try HearthProcess.run(
                words + ["--runs", "1", "--json"], environment: ["HEARTH_HOME": home])
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(Set(outcome.json.keys) == ["samples", "profile"])
            #expect((outcome.json["samples"] as? [Any])?.isEmpty == false)
            for wrong in [["--runs", "0"], ["--threads", "0"], ["--efficiency", "--threads", "1"], ["--rnus", "1"]] {
                let outcome = try HearthProcess.run(words + wrong, environment: ["HEARTH_HOME": home])
                #expect(outcome.status == 2 && outcome.error.hasPrefix("hearth: error: "), "\(outcome.error)")
            }
        }
    }

    private func log(_ home: String, _ count: Int, _ kernels: String, ms: Double) throws {
        let profile = RuntimeProfile(
            model: "nano", modelSHA256: "ab", quantization: "F16", contextLength: 1024, computeUnits: "cpu",
            kernelSet: kernels, runtimeVersion: "1", osBuild: "b", device: "board")
        let log = StartupLog(path: "\(home)/startup.sqlite")
        for number in 0..<count {
            try log.append(
                StartupSample(
                    kind: .warm,
                    times: PreparationTimes(
                        reused: true, compileMS: 1, loadMS: 1, firstInferenceMS: ms + Double(number % 5)),
                    peakResidentBytes: 1 << 20, dirtyBytes: 1 << 16, device: "board", osVersion: "Debian",
                    profile: profile, processVersion: "1"))
        }
    }

    @Test("The report's JSON, page and CSV")
    func report() throws {
        try withHome { (home) throws in
            let environment = ["HEARTH_HOME": home]
            let empty = try HearthProcess.run(["startup", "report", "--json"], environment: environment)
            #expect(empty.status == 0)
            #expect((empty.json["rows"] as? [Any])?.isEmpty == true)
            #expect((empty.json["regressions"] as? [Any])?.isEmpty == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: home).isEmpty)

            try log(home, 6, "avx512", ms: 100)
            try log(home, 6, "portable", ms: 300)
            let json = try HearthProcess.run(["startup", "report", "--json"], environment: environment).json
            let rows = try #require(json["rows"] as? [[String: Any]])
            #expect(rows.map { $0["count"] as? Int } == [6, 6])
            #expect(((rows[0]["firstInferenceMS"] as? [String: Double])?["median"]) == 101.5)
            let regressions = try #require(json["regressions"] as? [[String: Any]])
            #expect(regressions.count == 1)
            let found = try #require(regressions.first)
            #expect(found["driftedFields"] as? [String] == ["kernelSet"])
            #expect(found["kind"] as? String == "warm")
            #expect(found["profile"] as? String == rows[1]["profile"] as? String)
            #expect(found["before"] as? Double == 103.5)
            #expect(found["after"] as? Double == 303.5)

            let html = try HearthProcess.run(
                ["startup", "report", "--html", "\(home)/r.html"], environment: environment)
            #expect(html.status == 0)
            #expect(html.output.isEmpty)
            #expect(try String(contentsOfFile: "\(home)/r.html", encoding: .utf8).contains("kernelSet drifted"))
            _ = try HearthProcess.run(["startup", "report", "--csv", "\(home)/r.csv"], environment: environment)
            let csv = try String(contentsOfFile: "\(home)/r.csv", encoding: .utf8)
            #expect(csv.split(separator: "\r\n").count == 13)
        }
    }

    @Test("What goes wrong, and its status")
    func failures() throws {
        try withHome { (home) throws in
            let environment = ["HEARTH_HOME": home]
            func run(_ words: String...) throws -> HearthProcess.Outcome {
                try HearthProcess.run(["startup"] + words, environment: environment)
            }
            #expect(try run("--model", model, "--runs", "0").status == 2)
            #expect(try run("report", "--html", "a", "--csv", "b").status == 2)
            let misspelt = try run("reprot")
            #expect(misspelt.status == 2)
            #expect(misspelt.error.contains("Did you mean 'startup report'?"))
            #expect(try run("--model", "/nowhere.gguf").status == 3)
            let vocabulary = HearthProcess.fixture("tokenizer-llama.gguf")
            let refused = try run("--model", vocabulary)
            #expect(refused.status == 3)
            #expect(refused.error.split(separator: "\n").count == 1, "\(refused.error)")
            #expect(try run("report", "--html", "/nowhere/r.html").status == 1)
            let traced = try run("--model", model, "--trace", "/nowhere/t.json")
            #expect(traced.status == 1)
            #expect(traced.error.contains("cannot write the trace"))

            try log(home, 1, "avx2", ms: 5)
            try SQLiteDatabase(path: "\(home)/startup.sqlite").execute("PRAGMA user_version = 9")
            let newer = try run("report")
            #expect(newer.status == 4)
            #expect(newer.error.contains("later version"))
            // The measuring itself goes on, with one notice.
            let measured = try run("--model", model, "--runs", "2", "--json")
            #expect(measured.status == 0)
            #expect(measured.error.split(separator: "\n").count { $0.contains("later version") } == 1)
        }
    }

    @Test("Ctrl-C prints what was measured and leaves nothing behind")
    func interrupted() throws {
        try withHome { (home) throws in
            let outcome = try HearthProcess.run(
                ["startup", "--model", model, "--runs", "1000", "--json"], environment: ["HEARTH_HOME": home],
                signal: SIGINT,
                when: { _ in (try? StartupLog(path: "\(home)/startup.sqlite").samples().samples.isEmpty) == false })
            #expect(outcome.status == 130)
            #expect((outcome.json["samples"] as? [Any])?.isEmpty == false)
            let names = try FileManager.default.contentsOfDirectory(atPath: home)
            #expect(!names.contains { $0.hasPrefix("hearth-measuring") }, "\(names)")
        }
    }

    @Test("Help of nested commands; hidden ones stay hidden")
    func help() throws {
        let parent = try HearthProcess.run(["startup", "--help"])
        #expect(parent.output.contains("startup report"))
        #expect(!parent.output.contains("startup sample"))
        let long = try HearthProcess.run(["startup", "report", "--help"]).output
        #expect(long == (try HearthProcess.run(["help", "startup", "report"]).output))
        #expect(long.contains("hearth startup report [OPTIONS]"))
    }

    @Test("A trace is written where the work fails, and when it is interrupted")
    func trace() throws {
        try withHome { (home) throws in
            for words in [["--prompt", "x", "--max-tokens", "5"], ["--prompt", "x", "--context", "1"]] {
                let path = "\(home)/t.json"
                let outcome = try HearthProcess.run(["generate", "--model", model, "--trace", path] + words)
                let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
                let events = (object as? [String: Any])?["traceEvents"] as? [[String: Any]] ?? []
                #expect(events.contains { $0["name"] as? String == "load" }, "\(outcome.error)")
                try FileManager.default.removeItem(atPath: path)
            }
            try SlowModel.write(to: "\(home)/slow.gguf")
            let outcome = try HearthProcess.run(
                [
                    "generate", "--model", "\(home)/slow.gguf", "--threads", "1", "--prompt", "x", "--max-tokens",
                    "4000",
                    "--greedy", "--trace", "\(home)/t.json",
                ], environment: ["HEARTH_KERNELS": "portable"], signal: SIGINT, when: { !$0.output.isEmpty })
            #expect(outcome.status == 130)
            let text = try String(contentsOfFile: "\(home)/t.json", encoding: .utf8)
            #expect(text.contains(#""unfinished":"true""#))
        }
    }
}
