import Foundation
import HearthTestSupport
import Testing

/// `hearth bench text`, and the options that say how a text is computed.
@Suite("Text options", .timeLimit(.minutes(20)))
struct TextOptionTests {
    private let nano = "hearth-nano"

    private func run(_ words: [String], input: String = "", environment: [String: String] = [:]) throws
        -> HearthProcess.Outcome
    {
        let outcome = try HearthProcess.run(
            words, input: input, environment: ["HEARTH_BACKGROUND": "0"].merging(environment) { $1 })
        #expect(outcome.signal == nil, "ended by a signal: \(words)")
        return outcome
    }

    private func runWell(_ words: [String], input: String = "") throws -> [String: Any] {
        let outcome = try run(words, input: input)
        #expect(outcome.status == 0, "\(words): \(outcome.error)")
        #expect(outcome.error.isEmpty, "\(outcome.error)")
        return outcome.json
    }

    // MARK: - --kv and --efficiency

    @Test("--kv: every format writes, float16 where none is named, and the rest are refused")
    func formats() throws {
        let words = [
            "generate", "--model", nano, "--prompt", "Once upon a time", "--greedy", "--max-tokens", "16", "--json",
        ]
        var texts: [String: String] = [:]
        for kv in ["float32", "float16", "int8"] {
            let found = try runWell(words + ["--kv", kv])
            #expect((found["tokens"] as? [Int])?.count == 16)
            texts[kv] = found["text"] as? String
        }
        #expect(try runWell(words)["text"] as? String == texts["float16"])
        // Greedy words of a model that is sure of itself survive half precision.
        #expect(texts["float16"] == texts["float32"])
        let story = ["story", "sleepy-bear", "--seed", "4", "--max-tokens", "16", "--json"]
        for kv in ["float32", "int8"] {
            let found = try runWell(story + ["--kv", kv])
            #expect(found["source"] as? String == "model" && (found["text"] as? String)?.isEmpty == false)
        }
        for command in [
            words, story, ["score", "--model", nano, "--tokens-file", "-"], ["bench", "text", "--model", nano],
        ] {
            for value in ["float8", "", "FLOAT16"] {
                let refused = try run(command + ["--kv", value], input: "[2, 5]")
                #expect(refused.status == 2 && refused.output.isEmpty, "\(command) \(value)")
                for name in ["float32", "float16", "int8"] { #expect(refused.error.contains(name), "\(refused.error)") }
            }
        }
    }

    @Test("score --kv: float32 where none is named; the others change a little, and something")
    func scoring() throws {
        let ids = "[2," + (0..<200).map { "\(300 + $0 * 37 % 2000)" }.joined(separator: ",") + "]"
        let words = ["score", "--model", nano, "--tokens-file", "-", "--json"]
        func perplexity(_ more: [String]) throws -> Double {
            try #require(try runWell(words + more, input: ids)["perplexity"] as? Double)
        }
        let exact = try perplexity([])
        #expect(try perplexity(["--kv", "float32"]) == exact)
        let half = try perplexity(["--kv", "float16"]), bytes = try perplexity(["--kv", "int8"])
        #expect(half != exact && bytes != exact && half != bytes)
        #expect(abs(half / exact - 1) < 0.001 && abs(bytes / exact - 1) < 0.02)
    }

    @Test("--efficiency: half of the processors, the same words, and not together with --threads")
    func efficiency() throws {
        let words = ["generate", "--model", nano, "--prompt", "Once upon a time", "--seed", "5", "--max-tokens", "16"]
        let expected = try runWell(words + ["--json"])["text"] as? String
        #expect(try runWell(words + ["--json", "--efficiency"])["text"] as? String == expected)
        let both = try run(words + ["--efficiency", "--threads", "2"])
        #expect(both.status == 2 && both.error.contains("--efficiency"))

        let bench = [
            "bench", "text", "--model", nano, "--runs", "1", "--tokens", "2", "--prompts", "4", "--contexts", "4",
            "--json",
        ]
        let processors = min(ProcessInfo.processInfo.activeProcessorCount, 16)
        #expect(try runWell(bench)["threads"] as? Int == processors)
        #expect(try runWell(bench + ["--efficiency"])["threads"] as? Int == max(1, processors / 2))
        #expect(try runWell(bench + ["--threads", "3"])["threads"] as? Int == 3)
    }

    @Test("A kernel set that this machine does not have is named, and where it was wished for")
    func kernels() throws {
        let words = ["score", "--model", nano, "--tokens-file", "-"]
        let outcome = try run(words, input: "[2, 5]", environment: ["HEARTH_KERNELS": "abacus"])
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        for part in ["'abacus'", "HEARTH_KERNELS", "portable"] { #expect(outcome.error.contains(part)) }
    }

    // MARK: - bench text

    private let quick = ["bench", "text", "--model", "hearth-nano", "--runs", "1", "--tokens", "4"]

    @Test("bench text: fields, in both forms")
    func fields() throws {
        let words = quick + ["--prompts", "8,24", "--contexts", "16", "--kv", "int8", "--threads", "1"]
        let found = try runWell(words + ["--json"])
        #expect(
            Set(found.keys) == [
                "prefill", "decode", "kv", "threads", "kernels", "activations", "peakResidentBytes", "dirtyBytes",
                "sustained",
            ])
        let prefill = try #require(found["prefill"] as? [[String: Double]])
        #expect(prefill.map { $0["tokens"] } == [8, 24] && prefill.allSatisfy { ($0["tokensPerSecond"] ?? 0) > 0 })
        let decode = try #require(found["decode"] as? [[String: Double]])
        #expect(decode.map { $0["context"] } == [16] && decode.allSatisfy { ($0["tokensPerSecond"] ?? 0) > 0 })
        #expect(found["kv"] as? String == "int8" && found["threads"] as? Int == 1)
        #expect(found["sustained"] is NSNull)
        let peak = try #require(found["peakResidentBytes"] as? Int), dirty = try #require(found["dirtyBytes"] as? Int)
        #expect(peak > dirty && dirty > 0)

        let plain = try run(words)
        #expect(plain.status == 0 && plain.error.isEmpty)
        for part in ["prompt of      8 tokens", "after         16 tokens", "1 threads", "int8"] {
            #expect(plain.output.contains(part), "\(plain.output)")
        }
    }

    @Test("--activations: 8 bits are other numbers near those of 16, anything else is refused")
    func activations() throws {
        // The bundled model has no quantized weights.
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/gemma/gemma1-q8_0.gguf").path
        let words = ["score", "--model", model, "--tokens-file", "-", "--json"]
        let ids = "[2, 17, 301, 44, 9, 260, 133, 78, 401, 55, 12, 340]"
        let losses = try [[], ["--activations", "16"], ["--activations", "8"]].map { options in
            let result = try run(words + options, input: ids, environment: ["HEARTH_KERNELS": "portable"])
            return try #require(result.json["meanNLL"] as? Double)
        }
        #expect(losses[0] == losses[1])
        #expect(losses[0] != losses[2] && abs(losses[0] - losses[2]) < 0.1, "\(losses)")
        let wrong = try run(words + ["--activations", "7"], input: ids)
        #expect(wrong.status == 2 && wrong.error.contains("--activations 7"))
    }

    @Test("bench text --minutes: a fraction of one, and what drifts in it")
    func minutes() throws {
        let found = try runWell(quick + ["--prompts", "8", "--contexts", "8", "--minutes", "0.02", "--json"])
        let run = try #require(found["sustained"] as? [String: Any])
        #expect(
            Set(run.keys) == [
                "minutes", "tokens", "tokensPerSecond", "steadiness", "dirtyBytesPerMinute", "joulesPerToken", "energy",
                "samples",
            ])
        func number(_ key: String) -> Double { run[key] as? Double ?? -1 }
        #expect(number("minutes") >= 0.02 && number("tokens") > 0)
        #expect(abs(number("tokensPerSecond") * number("minutes") * 60 / number("tokens") - 1) < 1e-6)
        #expect(number("steadiness") > 0 && number("steadiness") < 1000)
        #expect((run["energy"] as? String)?.isEmpty == false)
    }

    @Test("bench text: the usual lengths fit into the context of any model")
    func usualLengths() throws {
        let found = try runWell(["bench", "text", "--model", "hearth-nano", "--runs", "1", "--tokens", "4", "--json"])
        #expect((found["prefill"] as? [[String: Double]])?.map { $0["tokens"] } == [64, 512])
        // The model was trained for 1024 tokens, four of which are generated.
        #expect((found["decode"] as? [[String: Double]])?.map { $0["context"] } == [128, 1020])
    }

    @Test("bench text: what cannot be measured")
    func refused() throws {
        for words in [
            ["--runs", "0"], ["--runs", "1001"], ["--tokens", "1"], ["--minutes", "-1"], ["--minutes", "1441"],
            ["--minutes", "soon"], ["--minutes", "nan"], ["--prompts", ""], ["--prompts", "8,,9"], ["--prompts", "0"],
            ["--prompts", "eight"], ["--contexts", "-4"], ["--contexts", "99999999999999999999"], ["--threads", "0"],
            ["--thread", "1"],
        ] {
            let outcome = try run(["bench", "text", "--model", nano] + words)
            #expect(outcome.status == 2 && outcome.output.isEmpty, "\(words): \(outcome.error)")
            #expect(outcome.error.hasPrefix("hearth: error: "), "\(outcome.error)")
        }
        #expect(try run(["bench"]).status == 2)
        #expect(try run(["bench", "text"]).status == 2)
        let tooLong = try run(quick + ["--prompts", "5000"])
        #expect(tooLong.status == 3 && tooLong.error.contains("1024"), "\(tooLong.error)")
        #expect(try run(["bench", "text", "--model", "no-such-model"]).status == 3)
    }

    @Test("bench text: Ctrl-C prints what was measured so far")
    func interrupted() throws {
        var outcome: HearthProcess.Outcome?
        // However long a busy machine takes for the first of a thousand runs.
        for seconds in [1, 3, 8, 20, 60, 180] {
            let words = [
                "bench", "text", "--model", nano, "--runs", "1000", "--tokens", "32", "--prompts", "32", "--contexts",
                "32", "--json",
            ]
            let found = try HearthProcess.run(
                words, environment: ["HEARTH_BACKGROUND": "0"], signal: SIGINT, after: Double(seconds))
            #expect(found.status == 130 && found.signal == nil)
            #expect(found.isPrompt)
            outcome = found
            if (found.json["decode"] as? [Any])?.isEmpty == false { break }
        }
        let json = try #require(outcome?.json)
        #expect((json["prefill"] as? [[String: Double]])?.first?["tokens"] == 32)
        #expect((json["decode"] as? [[String: Double]])?.first?["context"] == 32)
        #expect(json["sustained"] is NSNull)

        for seconds in [2, 5, 20, 60, 180] {
            let found = try HearthProcess.run(
                quick + ["--prompts", "8", "--contexts", "8", "--minutes", "100", "--json"],
                environment: ["HEARTH_BACKGROUND": "0"], signal: SIGTERM, after: Double(seconds))
            #expect(found.status == 130 && found.signal == nil)
            outcome = found
            if found.json["sustained"] is [String: Any] { break }
        }
        let run = try #require(outcome?.json["sustained"] as? [String: Any])
        #expect((run["tokens"] as? Int ?? 0) > 0 && (run["minutes"] as? Double ?? 100) < 50)
    }
}
