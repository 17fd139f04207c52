import Foundation
import Testing

/// `hearth compile` as a process: what scripts rely on, many at once, and killed at any moment.
@Suite("hearth compile", .timeLimit(.minutes(20)))
final class CompileCommandTests {
    private let home: String
    private let model: String

    init() throws {
        home = try HearthProcess.temporaryFolder()
        model = home + "/model.gguf"
        try FileManager.default.copyItem(atPath: HearthProcess.fixture("gemma3-f16.gguf"), toPath: model)
    }

    deinit { try? FileManager.default.removeItem(atPath: home) }

    private func run(_ words: String..., environment: [String: String] = [:]) throws -> HearthProcess.Outcome {
        let outcome = try HearthProcess.run(words, environment: ["HEARTH_HOME": home].merging(environment) { $1 })
        #expect(outcome.signal == nil, "ended by a signal: \(words)")
        return outcome
    }

    private var artifacts: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: home + "/Artifacts")) ?? []).sorted()
    }

    private func generated(_ model: String) throws -> [Int] {
        let outcome = try run(
            "generate", "--model", model, "--prompt", "Once upon", "--greedy", "--max-tokens", "8", "--json")
        #expect(outcome.status == 0, "\(outcome.error)")
        return try #require(outcome.json["tokens"] as? [Int])
    }

    @Test("Fields, and a second time that finds the first")
    func fields() throws {
        let plain = try generated(model)
        #expect(artifacts.isEmpty, "a small model is not compiled by itself")
        let first = try run("compile", "--model", model, "--json")
        #expect(first.status == 0 && first.error.isEmpty, "\(first.error)")
        let digest = try #require(first.json["digest"] as? String)
        #expect(digest.count == 64 && artifacts == [digest])
        #expect(first.json["reused"] as? Bool == false)
        #expect(first.json["bytes"] as? Int ?? 0 > 1000 && first.json["seconds"] as? Double ?? 0 > 0)
        let profile = try #require(first.json["profile"] as? [String: Any])
        for field in [
            "model", "modelSHA256", "quantization", "contextLength", "computeUnits", "kernelSet", "runtimeVersion",
            "osBuild",
            "device",
        ] { #expect(profile[field] != nil, "\(field)") }
        #expect(try generated(model) == plain)
        let second = try run("compile", "--model", model, "--json")
        #expect(second.json["reused"] as? Bool == true && second.json["digest"] as? String == digest)
        let text = try run("compile", "--model", model)
        #expect(text.output.contains("compiled already") && text.error.isEmpty)
        // The artifact's folder stands for the model.
        let folder = home + "/Artifacts/" + digest
        #expect(try generated(folder) == plain)
        #expect(try run("compile", "--model", folder, "--json").json["digest"] as? String == digest)
        let inspected = try run("inspect", folder, "--json").json
        #expect(inspected["digest"] as? String == digest && inspected["architecture"] as? String == "text")
        #expect(try run("inspect", folder).output.contains("in the model's file"))
        for file in [folder, model] {
            #expect(try run("inspect", file, "--weights", home + "/weights").status == 2)
        }
    }

    @Test("Another context length is another artifact, and the notice says so")
    func drift() throws {
        let first = try run("compile", "--model", model, "--json")
        let second = try run("compile", "--model", model, "--context", "99", "--json")
        #expect(second.status == 0 && second.json["reused"] as? Bool == false)
        #expect(second.json["digest"] as? String != first.json["digest"] as? String)
        #expect(second.json["driftedFields"] as? [String] == ["contextLength"])
        #expect(second.error == "hearth: compiled a new artifact: contextLength changed\n")
        #expect(artifacts.count == 2)
        let portable = try run("compile", "--model", model, "--json", environment: ["HEARTH_KERNELS": "portable"])
        #expect((portable.json["profile"] as? [String: Any])?["kernelSet"] as? String == "portable")
    }

    @Test("--verify finds what no start looks for")
    func verify() throws {
        let digest = try #require(try run("compile", "--model", model, "--json").json["digest"] as? String)
        // The next start verifies files that are as new as the record, in the steps in which file systems count time.
        #expect(try run("compile", "--model", model, "--json").json["reused"] as? Bool == true)
        let path = "\(home)/Artifacts/\(digest)/tokens.bin"
        try damage(path, keepingTime: true)
        #expect(try run("compile", "--model", model, "--json").json["reused"] as? Bool == true)
        #expect(try run("compile", "--model", model, "--verify", "--json").json["reused"] as? Bool == false)
        #expect(try run("compile", "--model", model, "--verify", "--json").json["reused"] as? Bool == true)
        #expect(artifacts == [digest, digest + ".damaged"])
    }

    /// Changes one byte of the weights; the time of change stays as it was where that is asked for.
    private func damage(_ path: String, keepingTime: Bool) throws {
        var before = stat()
        #expect(stat(path, &before) == 0)
        chmod(path, 0o644)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let place = try file.seekToEnd() - 1000
        try file.seek(toOffset: place)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: place)
        try file.write(contentsOf: Data([byte ^ 1]))
        try file.close()
        if keepingTime {
            #if canImport(Darwin)
            let times = [before.st_atimespec, before.st_mtimespec]
            #else
            let times = [before.st_atim, before.st_mtim]
            #endif
            #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
        }
    }

    @Test("--verify reads the model itself: a byte that changed without a trace is an error that names the file")
    func verifyModel() throws {
        #expect(try run("compile", "--model", model).status == 0)
        try damage(model, keepingTime: true)
        #expect(try run("compile", "--model", model, "--json").json["reused"] as? Bool == true)
        let verified = try run("compile", "--model", model, "--verify")
        #expect(verified.status == 3 && verified.output.isEmpty)
        #expect(
            verified.error.hasPrefix("hearth: error: the model's file is damaged") && verified.error.contains(model))
        #expect(artifacts.count == 1)
    }

    @Test("An installed model is what its digest says, verified or not; pulling it again repairs it")
    func verifyInstalled() throws {
        let pulled = try run("pull", model, "--name", "m", "--json")
        let blob = try #require(pulled.json["path"] as? String, "\(pulled.error)")
        #expect(try run("compile", "--model", "m", "--verify", "--json").json["reused"] as? Bool == true)
        try damage(blob, keepingTime: false)
        for words in [["--verify"], []] {
            let outcome = try HearthProcess.run(
                ["compile", "--model", "m"] + words, environment: ["HEARTH_HOME": home])
            #expect(outcome.status == 3 && outcome.error.contains(blob), "\(outcome.error)")
        }
        #expect(try run("pull", model, "--name", "m").status == 0)
        #expect(try run("compile", "--model", "m", "--verify", "--json").json["reused"] as? Bool == true)
    }

    @Test("What is used says what drifted, and the report of starts keeps it")
    func driftWhenUsed() throws {
        #expect(try run("compile", "--model", model).status == 0)
        let words = ["generate", "--model", model, "--prompt", "x", "--max-tokens", "1"]
        func generate(_ more: [String], _ environment: [String: String] = [:]) throws -> String {
            try HearthProcess.run(
                words + more, environment: ["HEARTH_HOME": home, "HEARTH_BACKGROUND": "0"].merging(environment) { $1 }
            ).error
        }
        #expect(try generate([]) == "")
        #expect(try generate(["--context", "99"]) == "hearth: compiled a new artifact: contextLength changed\n")
        #expect(try generate(["--context", "99"]) == "")
        let report = try run("startup", "report", "--json")
        let rows = try #require(report.json["rows"] as? [[String: Any]], "\(report.error)")
        #expect(rows.contains { $0["driftedFields"] as? [String] == ["contextLength"] })
        #expect(rows.contains { $0["driftedFields"] as? [String] == [] })
    }

    @Test("What cannot be: statuses and reasons")
    func refusals() throws {
        let dropped = try run("compile", "--model", model, "--drop-source")
        #expect(dropped.status == 4 && dropped.error.contains("--drop-source") && dropped.output.isEmpty)
        #expect(try run("compile", "--model", model, "--context", "0").status == 2)
        for words in [["--units", "cpuOnly"], ["--weights", "compact"]] {
            let outcome = try HearthProcess.run(
                ["compile", "--model", model] + words, environment: ["HEARTH_HOME": home])
            #expect(outcome.status == 2 && outcome.error.contains(words[0]), "\(outcome.error)")
        }
        #expect(try run("compile", "--model", model, "--context", "99999999").status == 3)
        #expect(try run("compile", "--model", home + "/nothing.gguf").status == 3)
        #expect(try run("compile", "--model", HearthProcess.fixture("tokenizer-gemma4.gguf")).status == 3)
        #expect(try run("compile", "--model", home).status == 3)
        #expect(try run("compile").status == 2)
        #expect(artifacts.isEmpty)
    }

    @Test("Several processes at once: one artifact, made once")
    func atOnce() async throws {
        let (home, model) = (home, model)
        let outcomes = try await withThrowingTaskGroup(of: HearthProcess.Outcome.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try HearthProcess.run(["compile", "--model", model, "--json"], environment: ["HEARTH_HOME": home])
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes.map(\.error))")
        #expect(Set(outcomes.compactMap { $0.json["digest"] as? String }).count == 1)
        #expect(outcomes.count { $0.json["reused"] as? Bool == false } == 1)
        #expect(artifacts.count == 1)
    }

    @Test("Killed at any of fifty moments: the artifact is there, or it is not")
    func killed() throws {
        let plain = try generated(model)
        let whole = try run("compile", "--model", model, "--json").seconds
        var found = 0
        for index in 0..<50 {
            try? FileManager.default.removeItem(atPath: home + "/Artifacts")
            try? FileManager.default.removeItem(atPath: home + "/sources.json")
            let outcome = try HearthProcess.run(
                ["compile", "--model", model], environment: ["HEARTH_HOME": home], signal: SIGKILL,
                after: whole * 1.2 * Double(index) / 50)
            let named = artifacts.filter { !$0.hasPrefix(".") }
            if let digest = named.first {
                found += 1
                let record = try Data(contentsOf: URL(fileURLWithPath: "\(home)/Artifacts/\(digest)/artifact.json"))
                #expect((try? JSONSerialization.jsonObject(with: record)) != nil)
            }
            #expect(named.count <= 1 && !named.contains { $0.hasSuffix(".damaged") })
            if index % 10 == 9 || outcome.signal != nil && index > 35 {
                #expect(try generated(model) == plain)
                let again = try run("compile", "--model", model, "--verify", "--json")
                #expect(again.status == 0 && again.json["reused"] as? Bool == !named.isEmpty, "\(again.error)")
                #expect(artifacts.count == 1, "nothing is left of the killed one: \(artifacts)")
            }
        }
        #expect(found < 50)
    }
}
