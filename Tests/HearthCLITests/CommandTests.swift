import Foundation
import Testing

/// The commands as processes: statuses, fields and streams are a contract with scripts.
@Suite("hearth", .timeLimit(.minutes(20)))
struct CommandTests {
    private let gemma3 = HearthProcess.fixture("gemma3-q8_0.gguf")
    private let vocabulary = HearthProcess.fixture("tokenizer-llama.gguf")

    private func run(_ words: String..., input: String = "", environment: [String: String] = [:]) throws
        -> HearthProcess.Outcome
    {
        let outcome = try HearthProcess.run(words, input: input, environment: environment)
        #expect(outcome.signal == nil, "ended by a signal: \(words)")
        return outcome
    }

    /// The status, exactly one line of error, and nothing on standard output.
    private func expectFailure(_ outcome: HearthProcess.Outcome, _ status: Int32, naming part: String) {
        #expect(outcome.status == status, "\(outcome.error)")
        #expect(outcome.output.isEmpty)
        #expect(outcome.error.hasPrefix("hearth: error: "))
        #expect(outcome.error.split(separator: "\n").count == 1, "\(outcome.error)")
        #expect(outcome.error.contains(part), "\(outcome.error)")
    }

    @Test("generate: fields, and the greedy tokens of the fixture")
    func generate() throws {
        struct Golden: Decodable {
            struct Variant: Decodable { var greedy: [Int] }
            var prompt_ids: [Int]
            var variants: [String: Variant]
        }
        let golden = try JSONDecoder().decode(
            Golden.self, from: Data(contentsOf: URL(fileURLWithPath: HearthProcess.fixture("gemma3.json"))))
        let outcome = try run(
            "generate", "--model", HearthProcess.fixture("gemma3-f16.gguf"), "--tokens-file", "-", "--greedy",
            "--max-tokens", "16", "--json", input: "\(golden.prompt_ids)")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            Set(outcome.json.keys) == [
                "text", "tokens", "promptTokens", "stop", "prefillMS", "decodeMS", "tokensPerSecond", "seed",
            ])
        let tokens = try #require(outcome.json["tokens"] as? [Int])
        let expected = try #require(golden.variants["f16"]).greedy
        #expect(tokens == Array(expected.prefix(tokens.count)))
        #expect(outcome.json["promptTokens"] as? Int == golden.prompt_ids.count)
        #expect(["length", "end"].contains(outcome.json["stop"] as? String))
    }

    @Test("generate: the same seed gives the same text, streamed or as JSON")
    func seeds() throws {
        let words = ["generate", "--model", gemma3, "--prompt", "Hello", "--seed", "7", "--max-tokens", "12"]
        let first = try HearthProcess.run(words + ["--json"])
        let second = try HearthProcess.run(words + ["--json", "--threads", "1"])
        #expect(first.json["text"] as? String == second.json["text"] as? String)
        let plain = try HearthProcess.run(words)
        let text = try #require(first.json["text"] as? String)
        #expect(plain.output == text + (text.hasSuffix("\n") || text.isEmpty ? "" : "\n"))
        #expect(plain.error.isEmpty)
    }

    @Test("generate: usage")
    func generateUsage() throws {
        expectFailure(try run("generate", "--model", gemma3), 2, naming: "--prompt, --chat and --tokens-file")
        expectFailure(try run("generate", "--prompt", "x"), 2, naming: "--model")
        expectFailure(
            try run("generate", "--model", gemma3, "--prompt", "x", "--chat", "y"), 2, naming: "more than one")
        expectFailure(try run("generate", "--model", gemma3, "--prompt", "x", "--speak"), 2, naming: "--speak")
        expectFailure(try run("generate", "--model", gemma3, "--promt", "x"), 2, naming: "'--prompt'")
        expectFailure(
            try run("generate", "--model", gemma3, "--prompt", "x", "--max-tokens", "0"), 2, naming: "max-tokens")
        expectFailure(
            try run("generate", "--model", gemma3, "--prompt", "x", "--temperature", "-1"), 2, naming: "temperature")
        expectFailure(try run("generate", "--model", gemma3, "--prompt", "x", "--threads", "0"), 2, naming: "threads")
        let kernels = try run("generate", "--model", gemma3, "--prompt", "x", environment: ["HEARTH_KERNELS": "mmx"])
        expectFailure(kernels, 2, naming: "portable")
        #expect(try run("generate", "--model", gemma3, "--prompt", "", "--max-tokens", "2", "--json").status == 0)
        expectFailure(try run("generate", "--model", gemma3, "--chat", " "), 3, naming: "--chat")
    }

    @Test("Model files that are missing, damaged, or for another program")
    func badModels() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let whole = try Data(contentsOf: URL(fileURLWithPath: gemma3))
        for (name, data) in [
            ("empty", Data()), ("magic", Data("GGUF".utf8)),
            ("garbage", Data((0..<4096).map { UInt8($0 * 31 & 0xFF) })),
            ("half", whole.prefix(whole.count / 2)), ("header", whole.prefix(3000)),
        ] {
            let path = "\(folder)/\(name).gguf"
            try data.write(to: URL(fileURLWithPath: path))
            for words in [
                ["generate", "--model", path, "--prompt", "x"], ["tokenize", "--model", path, "x"], ["inspect", path],
                ["story", "--model", path, "--json"],
            ] { expectFailure(try HearthProcess.run(words), 3, naming: path) }
        }
        expectFailure(try run("inspect", "\(folder)/none.gguf"), 3, naming: "none.gguf")
        expectFailure(try run("inspect", folder), 3, naming: folder)
        expectFailure(try run("inspect", "/dev/zero"), 3, naming: "/dev/zero")
        expectFailure(try run("score", "--model", "no-such-name", "--text-file", gemma3), 3, naming: "UTF-8")
        expectFailure(try run("generate", "--model", "no-such-name", "--prompt", "x"), 3, naming: "no-such-name")
        let gemma4 = HearthProcess.fixture("tokenizer-gemma4.gguf")
        expectFailure(try run("generate", "--model", gemma4, "--prompt", "x"), 3, naming: "gemma4")
    }

    @Test("Token files that are none")
    func badTokens() throws {
        for (text, field) in [
            ("", "byte 0"), ("[1, 2.5]", "[1]"), ("[[1]]", "[0]"), ("[1, 1e99]", "[1]"), ("{\"ids\": [1]}", "byte 0"),
            ("[99999999999999999999999]", "[0]"), ("[]", "no tokens"), ("[1, 512]", "[1]"), ("[-1]", "[0]"),
            ("[1, 2", "no end"), ("[true]", "[0]"),
        ] {
            for command in ["generate", "score"] {
                expectFailure(try run(command, "--model", gemma3, "--tokens-file", "-", input: text), 3, naming: field)
            }
        }
        expectFailure(try run("score", "--model", gemma3, "--tokens-file", "/nowhere"), 3, naming: "/nowhere")
        expectFailure(try run("score", "--model", gemma3, "--tokens-file", "/dev/zero"), 3, naming: "/dev/zero")
        let long = "[" + [String](repeating: "5", count: 300).joined(separator: ",") + "]"
        let tooLong = try run("generate", "--model", gemma3, "--tokens-file", "-", input: long)
        #expect(tooLong.status == 3, "\(tooLong.error)")
        expectFailure(
            try run("score", "--model", gemma3, "--tokens-file", "-", input: long), 3, naming: "there are 300 tokens")
    }

    @Test("score: fields, and logits that equal the fixture's")
    func score() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/out.f32"
        let outcome = try run(
            "score", "--model", gemma3, "--tokens-file", "-", "--logits", path, "--json", input: "[2, 318, 460, 195]")
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(Set(outcome.json.keys) == ["tokens", "meanNLL", "perplexity"])
        #expect(outcome.json["tokens"] as? Int == 4)
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(data.count == 4 * 512 * 4)
        // The mean follows from the logits that were written.
        var logits: [Double] = []
        for offset in stride(from: 0, to: data.count, by: 4) {
            let bits = data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
            logits.append(Double(Float(bitPattern: UInt32(littleEndian: bits))))
        }
        var mean = 0.0
        for (row, target) in [318, 460, 195].enumerated() {
            let values = logits[row * 512..<row * 512 + 512]
            let sum = values.reduce(0.0) { $0 + exp($1) }
            mean += (log(sum) - values[values.startIndex + target]) / 3
        }
        #expect(abs(mean - (outcome.json["meanNLL"] as? Double ?? 0)) < 1e-6)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["out.f32"])

        let single = try run("score", "--model", gemma3, "--tokens-file", "-", "--json", input: "[2]")
        #expect(single.json["meanNLL"] is NSNull)
        let nowhere = try run(
            "score", "--model", gemma3, "--tokens-file", "-", "--logits", "/no/such/folder/x.f32", input: "[2, 3]")
        expectFailure(nowhere, 1, naming: "/no/such/folder")
    }

    @Test("tokenize: ids, pieces, back again, and lines")
    func tokenize() throws {
        let encoded = try run("tokenize", "--model", vocabulary, "Hello world", "--json")
        #expect(Set(encoded.json.keys) == ["ids", "pieces"])
        let ids = try #require(encoded.json["ids"] as? [Int])
        let decoded = try HearthProcess.run(
            ["tokenize", "--model", vocabulary, "--json", "--decode"] + ids.map(String.init))
        #expect(decoded.json["text"] as? String == "Hello world")
        #expect(
            try run("tokenize", "--model", vocabulary, "--decode=\(ids.map(String.init).joined(separator: ","))").output
                == "Hello world\n")

        let lines = try run(
            "tokenize", "--model", vocabulary, "--lines",
            input: "{\"text\":\"Hello world\",\"more\":1}\nnonsense\n{}\n{\"text\":5}\n{\"text\":\"\"}\n")
        #expect(lines.status == 0)
        #expect(lines.jsonLines.count == 5)
        #expect(lines.jsonLines[0]["ids"] as? [Int] == ids)
        #expect(lines.jsonLines[1...3].allSatisfy { $0["error"] is String })
        #expect(lines.jsonLines[4]["ids"] as? [Int] == [])

        let plain = try run("tokenize", "--model", vocabulary, "--json", "<bos>").json["ids"] as? [Int]
        let special = try run("tokenize", "--model", vocabulary, "--json", "--special", "<bos>").json["ids"] as? [Int]
        #expect(special == [2])
        #expect(plain != special)
        expectFailure(try run("tokenize", "--model", vocabulary, "--decode", "512"), 3, naming: "512")
        expectFailure(try run("tokenize", "--model", vocabulary, "--decode", "-1"), 3, naming: "-1")
        expectFailure(
            try run("tokenize", "--model", vocabulary, "--decode", "99999999999999999999"), 3, naming: "range")
        expectFailure(try run("tokenize", "--model", vocabulary, "--decode", "two"), 2, naming: "two")
        expectFailure(try run("tokenize", "--model", vocabulary), 2, naming: "TEXT")
    }

    @Test("inspect: a model, a vocabulary, and an architecture that is not run")
    func inspect() throws {
        let fields: Set = [
            "format", "architecture", "quantization", "parameters", "tensors", "metadata", "runnable", "reason",
        ]
        let model = try run("inspect", gemma3, "--json")
        #expect(fields.isSubset(of: Set(model.json.keys)))
        #expect(model.json["format"] as? String == "gguf")
        #expect(model.json["architecture"] as? String == "gemma3")
        #expect(model.json["quantization"] as? String == "Q8_0")
        #expect(model.json["runnable"] as? Bool == true)
        #expect(model.json["reason"] is NSNull)
        let tensors = try #require(model.json["tensors"] as? [[String: Any]])
        #expect(tensors.allSatisfy { Set($0.keys) == ["name", "type", "shape", "bytes"] })
        let metadata = try #require(model.json["metadata"] as? [String: Any])
        #expect((metadata["tokenizer.ggml.tokens"] as? [String: Any])?["count"] as? Int == 512)
        let table = try run("inspect", gemma3)
        #expect(table.output.contains("token_embd.weight"))
        for name in ["tokenizer-llama.gguf", "tokenizer-gemma4.gguf"] {
            let other = try run("inspect", HearthProcess.fixture(name), "--json")
            #expect(other.status == 0)
            #expect(other.json["runnable"] as? Bool == false)
            #expect(other.json["reason"] is String)
        }
    }

    @Test("wishes and story")
    func story() throws {
        let wishes = try run("wishes", "--json", "--language", "es")
        let list = try #require(wishes.json["wishes"] as? [[String: String]])
        #expect(list.count == 48)
        #expect(list.allSatisfy { Set($0.keys) == ["id", "title"] })

        let story = try run(
            "story", "sleepy-bear", "--model", gemma3, "--seed", "3", "--max-tokens", "20", "--json")
        #expect(story.status == 0, "\(story.error)")
        #expect(
            Set([
                "wish", "language", "source", "notice", "handover", "text", "sentences", "tokens", "firstTokenMS",
                "firstAudioMS",
                "tokensPerSecond", "state", "seed",
            ]).isSubset(of: Set(story.json.keys)))
        #expect(story.json["wish"] as? String == "sleepy-bear")
        #expect(story.json["source"] as? String == "model")
        #expect(story.json["notice"] is NSNull)
        #expect(story.json["handover"] is NSNull)
        #expect(story.json["firstAudioMS"] is NSNull)
        #expect(story.json["state"] as? String == "ready")
        let drawn = try run("story", "--model", gemma3, "--max-tokens", "3", "--json")
        #expect(list.contains { $0["id"] == drawn.json["wish"] as? String })

        expectFailure(try run("story", "sleepy-baer"), 2, naming: "'sleepy-bear'")
        expectFailure(try run("story", "--language", "fr"), 2, naming: "zh-Hans")
        expectFailure(try run("story", "--model", vocabulary), 3, naming: "tokenizer-llama.gguf")
    }

    @Test("The bundled model is found by itself, tells in English, and says what it cannot")
    func bundledModel() throws {
        let story = try run("story", "--seed", "5", "--max-tokens", "12", "--json")
        #expect(story.status == 0, "\(story.error)")
        #expect((story.json["sentences"] as? [String])?.isEmpty == false)
        #expect(
            try run("story", "--seed", "5", "--max-tokens", "12", "--json").json["text"] as? String == story.json[
                "text"] as? String)
        expectFailure(
            try run("story", "--language", "zh-Hans", "--model", "hearth-nano"), 4, naming: "--model")
        #expect(try run("inspect", "hearth-nano", "--json").json["runnable"] as? Bool == true)
    }

    @Test("Every command explains itself")
    func help() throws {
        for command in ["story", "wishes", "generate", "tokenize", "score", "inspect"] {
            let first = try run("help", command)
            #expect(first.status == 0)
            #expect(first.output.contains("EXAMPLES"))
            #expect(try run(command, "--help").output == first.output)
            #expect(try run(command, "-h").output == first.output)
        }
        #expect(try run("--help").output == run().output)
        #expect(try run("--version").output.hasPrefix("hearth "))
        expectFailure(try run("stroy"), 2, naming: "'story'")
        expectFailure(try run("--bogus"), 2, naming: "--bogus")
    }
}
