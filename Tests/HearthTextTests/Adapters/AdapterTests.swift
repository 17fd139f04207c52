import Foundation
import HearthCompute
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// LoRA adapters over the fixtures, against numpy with the changes merged into the weights (Tests/Fixtures/gemma/make_adapters.py).
@Suite("LoRA adapters", .timeLimit(.minutes(20))) struct AdapterTests {
    struct Golden: Decodable {
        struct Case: Decodable {
            struct Use: Decodable {
                let file: String
                let scale: Float
            }
            let name: String
            let base: String
            let adapters: [Use]
            let prompt_ids: [Int32]
            let greedy: [Int32]
            let margins: [Float]
            let positions: [Int]

            var uses: [TextAdapter] { adapters.map { TextAdapter(path: GemmaFixtures.path($0.file), scale: $0.scale) } }
        }
        let vocab: Int
        let cases: [Case]
    }

    static let names = ["gemma1", "gemma1-q4_0", "gemma3", "gemma3-weak", "gemma3-both", "gemma3n", "gemma4"]

    private let golden: Golden

    init() throws { golden = try JSONDecoder().decode(Golden.self, from: GemmaFixtures.data("adapters.json")) }

    private func session(
        _ model: TextModel, _ uses: [TextAdapter], _ kernels: KernelSet, context: Int = 64
    ) throws -> GemmaSession {
        let session = try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: kernels, threads: 2, context: context)
        try session.use(AdapterShelf(model: model, kernels: kernels, maximumStep: context).adapters(uses))
        return session
    }

    @Test("Logits are those of merged weights", arguments: names, KernelSet.available.map(\.name))
    func logitsEqualTheReference(name: String, kernels: String) throws {
        let index = try #require(golden.cases.firstIndex { $0.name == name })
        let item = golden.cases[index], kernels = try KernelSet.selected(by: kernels)
        let model = try TextModel(path: GemmaFixtures.path(item.base))
        let tokens = item.prompt_ids + item.greedy, size = golden.vocab * item.positions.count
        let expected = Array(try GemmaFixtures.floats("adapters.logits.f32")[index * size..<(index + 1) * size])
        var first: [[Float]] = []
        for cuts in [[64], [1, 7, 17, 3, 23, 2, 11]] {
            let session = try session(model, item.uses, kernels)
            var rows: [[Float]] = []
            var start = 0
            for count in cuts {
                try session.logits(ofEach: tokens[start..<start + count]) { rows.append($0.row(0)) }
                start += count
            }
            if first.isEmpty { first = rows }
            #expect(rows == first, "a result depends on the tokens computed with it")
            var worst: Float = 0
            for (row, position) in item.positions.enumerated() {
                let wanted = expected[row * golden.vocab..<(row + 1) * golden.vocab]
                for (a, b) in zip(rows[position], wanted) { worst = max(worst, abs(a - b)) }
            }
            if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil { print(name, kernels.name, worst) }
            #expect(worst < (item.base.contains("q4") ? 5e-3 : 5e-4), "\(name)")
        }
    }

    private func tokens(
        _ generator: TextGenerator, _ prompt: [TokenID], _ uses: [TextAdapter]?, count: Int = 16
    ) async throws -> [TokenID] {
        var options = TextGenerator.Options(maximumTokens: count, sampling: .greedy)
        options.adapters = uses
        return try await TextBatchTests.read(generator.generate(prompt, options: options)).tokens
    }

    @Test("Texts with and without adapters take turns on one generator, and texts at the same time are as alone")
    func switching() async throws {
        let items = golden.cases.filter { $0.base == "gemma3-f16.gguf" }
        let model = try TextModel(path: GemmaFixtures.path("gemma3-f16.gguf"))
        let stops = model.tokenizer.vocabulary.stopIDs
        let lists = items.map(\.uses) + [[]]
        let prompt = try #require(items.first).prompt_ids
        let alone = try TextGenerator(model: model, threads: 1, adapters: items[0].uses)
        var expected: [[TokenID]] = []
        for _ in 0..<2 {
            expected = []
            for uses in lists { expected.append(try await tokens(alone, prompt, uses)) }
        }
        for (item, found) in zip(items, expected) {
            #expect(item.margins.allSatisfy { $0 > 0.05 })
            #expect(found == Array(item.greedy.prefix { !stops.contains($0) }), "\(item.name)")
        }
        // Without a list, those of the generator; with an empty one, none.
        #expect(try await tokens(alone, prompt, nil) == expected[0])
        #expect(try await tokens(TextGenerator(model: model, threads: 1), prompt, nil) == expected.last)
        #expect(expected.last != expected[0])

        let together = try TextGenerator(model: model, threads: 2, parallel: 3)
        for round in 0..<3 {
            try await withThrowingTaskGroup(of: (Int, [TokenID]).self) { group in
                for index in 0..<2 * lists.count {
                    let uses = lists[(index + round) % lists.count]
                    group.addTask {
                        ((index + round) % lists.count, try await self.tokens(together, prompt, uses))
                    }
                }
                for try await (index, found) in group { #expect(found == expected[index]) }
            }
        }
    }

    @Test("Nothing that was computed with an adapter is used with another")
    func keys() throws {
        let item = try #require(golden.cases.first { $0.name == "gemma3" })
        let model = try TextModel(path: GemmaFixtures.path(item.base)), kernels = try KernelSet.form(nil)
        let one = try session(model, item.uses, kernels), plain = try session(model, [], kernels)
        let weak = try session(model, item.uses.map { TextAdapter(path: $0.path, scale: 0.5) }, kernels)
        for session in [one, plain, weak] { _ = try session.logits(after: item.prompt_ids[...]) }
        // Of the file's content, not of its name.
        let copy = NSTemporaryDirectory() + "hearth-\(UUID().uuidString).gguf"
        try FileManager.default.copyItem(atPath: item.uses[0].path, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let same = try session(model, [TextAdapter(path: copy)], kernels)
        let store = PrefixCache(folder: "/")
        let paths = [one, plain, weak, same].map { store.path(of: item.prompt_ids[...], $0) }
        #expect(Set(paths).count == 3 && paths[3] == paths[0])

        let snapshot = KVCacheSnapshot(path: NSTemporaryDirectory() + "hearth-\(UUID().uuidString).kv")
        defer { snapshot.remove() }
        try snapshot.save(one, of: model, mustStop: { false })
        for other in [plain, weak] {
            other.reset()
            #expect(throws: KVCacheSnapshot.Problem.otherModel) {
                try snapshot.restore(nil, into: other, of: model, mustStop: { false })
            }
        }
        #expect(try snapshot.restore(nil, into: same, of: model, mustStop: { false }) == item.prompt_ids.count)
        // A session that changes its adapters begins again.
        #expect(one.held.count == item.prompt_ids.count)
        one.use(same.adapters)
        #expect(one.held.count == item.prompt_ids.count)
        one.use(weak.adapters)
        #expect(one.held.isEmpty)
    }

    @Test("A text that was begun with an adapter is not continued with another")
    func resuming() async throws {
        let item = try #require(golden.cases.first { $0.name == "gemma3" })
        let model = try TextModel(path: GemmaFixtures.path(item.base)), kernels = try KernelSet.form(nil)
        var options = TextGenerator.Options(maximumTokens: 8, sampling: .greedy)
        options.adapters = item.uses
        let start = TextProgress(prompt: item.prompt_ids, options: options)
        var loop = try GenerationLoop(
            session: session(model, item.uses, kernels, context: 100), model: model, progress: start, pace: nil)
        var made = 0
        _ = try loop.run(mustStop: { made >= 3 }) { _, _ in made += 1 }
        let part = try JSONDecoder().decode(TextProgress.self, from: JSONEncoder().encode(loop.progress))
        var rest = try GenerationLoop(
            session: session(model, item.uses, kernels, context: 100), model: model, progress: part, pace: nil)
        _ = try rest.run(mustStop: { false }) { _, _ in }
        #expect(Array(rest.progress.tokens[48...]) == Array(item.greedy.prefix(8)))
        let plain = try session(model, [], kernels, context: 100)
        #expect(throws: TextError.self) {
            try GenerationLoop(session: plain, model: model, progress: part, pace: nil)
        }
    }

    // MARK: - Files

    /// A copy of an adapter, changed.
    private func file(
        set: [String: GGUFValue] = [:], remove: [String] = [],
        rename: (String) -> String? = { $0 }, shape: (GGUFTensor) -> [Int] = { $0.shape }
    ) throws -> String {
        let original = try GGUFFile(path: GemmaFixtures.path("lora-gemma3.gguf"))
        var builder = GGUFBuilder()
        for key in original.metadata.keys where !remove.contains(key) {
            if let value = original.metadata[key] { builder.set(key, value) }
        }
        for (key, value) in set { builder.set(key, value) }
        for tensor in original.tensors {
            guard let name = rename(tensor.name) else { continue }
            let shape = shape(tensor)
            if name == tensor.name, shape == tensor.shape {
                try builder.add(tensor, of: original)
            } else {
                let count = try #require(tensor.type.byteCount(shape: shape))
                try builder.add(name, tensor.type, shape: shape, bytes: [UInt8](repeating: 0, count: count))
            }
        }
        let path = NSTemporaryDirectory() + "hearth-\(UUID().uuidString).gguf"
        try Data(builder.bytes()).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func refusal(_ path: String, of model: String = "gemma3-f16.gguf") throws -> String {
        defer { if path.hasPrefix(NSTemporaryDirectory()) { try? FileManager.default.removeItem(atPath: path) } }
        let model = try TextModel(path: GemmaFixtures.path(model))
        do {
            _ = try TextGenerator(model: model, threads: 1, adapters: [TextAdapter(path: path)])
            return "accepted"
        } catch {
            return error.localizedDescription.replacingOccurrences(of: path, with: "FILE")
        }
    }

    @Test("What does not fit the model is refused, with file and field")
    func refusals() throws {
        let name = "blk.0.attn_q.weight"
        #expect(try refusal(file()) == "accepted")
        #expect(try refusal(GemmaFixtures.path("gemma3-f16.gguf")).contains("general.type): the file is not") == false)
        let found = [
            try refusal(GemmaFixtures.path("gemma3-f16.gguf")),
            try refusal(file(set: ["adapter.type": .string("control")])),
            try refusal(file(remove: ["adapter.type"])),
            try refusal(file(set: ["adapter.lora.alpha": .float32(.infinity)])),
            try refusal(file(rename: { $0 == name + ".lora_b" ? nil : $0 })),
            try refusal(file(rename: { $0 == name + ".lora_a" ? nil : $0 })),
            try refusal(file(rename: { $0.replacingOccurrences(of: "blk.0.attn_q.", with: "blk.0.attn_x.") })),
            try refusal(file(rename: { $0.replacingOccurrences(of: "blk.0.attn_q.", with: "blk.70.attn_q.") })),
            try refusal(file(rename: { $0.replacingOccurrences(of: name, with: "token_embd.weight") })),
            try refusal(file(rename: { $0 == name + ".lora_a" ? name : $0 })),
            try refusal(file(shape: { $0.name == name + ".lora_b" ? [5, $0.shape[1]] : $0.shape })),
            try refusal(file(shape: { $0.name == name + ".lora_a" ? [32, $0.shape[1]] : $0.shape })),
            try refusal(file(shape: { $0.name == name + ".lora_b" ? [$0.shape[0], 32] : $0.shape })),
            try refusal(file(), of: "gemma2-f16.gguf"),
            try refusal(file(rename: { _ in nil })),
        ]
        let expected = [
            "general.type", "adapter.type", "adapter.type", "adapter.lora.alpha", name + ".lora_a", name + ".lora_b",
            "blk.0.attn_x.weight", "blk.70.attn_q.weight", "token_embd.weight", name, name + ".lora_b",
            name + ".lora_a", name + ".lora_b", "general.architecture", "tensors",
        ]
        for (message, field) in zip(found, expected) {
            let file = message.contains("gemma3-f16.gguf") ? GemmaFixtures.path("gemma3-f16.gguf") : "FILE"
            #expect(message.contains("(\(file), \(field))"), "\(message)")
            #expect(message.contains("Use a LoRA adapter"), "\(message)")
        }
        #expect(try refusal("/nowhere/adapter.gguf").contains("FILE"))
        // An adapter is no model.
        #expect(
            GemmaFixtures.refusal { try TextModel(path: GemmaFixtures.path("lora-gemma3.gguf")) }.contains(
                "use it as the adapter"))
    }

    @Test("Norms have no effect; a scale must be finite; a changed file is read again")
    func others() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-f16.gguf")),
            kernels = try KernelSet.form(nil)
        let path = try file(rename: {
            $0.replacingOccurrences(of: "blk.0.attn_q.weight.lora_a", with: "blk.0.attn_norm.weight")
        })
        // The half that is left alone is refused; a norm beside whole pairs is not.
        #expect(try refusal(path).contains("attn_q"))
        let shelf = AdapterShelf(model: model, kernels: kernels, maximumStep: 8)
        #expect(throws: TextError.self) {
            try shelf.adapters([TextAdapter(path: GemmaFixtures.path("lora-gemma3.gguf"), scale: .nan)])
        }
        let copy = try file()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let uses = [TextAdapter(path: copy)]
        let before = try #require(try shelf.adapters(uses))
        #expect(try shelf.adapters(uses) === before)
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.moveItem(atPath: file(set: ["adapter.lora.alpha": .float32(1)]), toPath: copy)
        #expect(try shelf.adapters(uses)?.identity != before.identity)
        #expect(try shelf.adapters([]) == nil)
    }
}
