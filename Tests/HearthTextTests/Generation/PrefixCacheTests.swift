import Dispatch
import Foundation
import HearthCompute
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// What texts begin with is computed once and mapped afterwards: with the same bits, and never for another text, model or shape.
@Suite("Prefixes beside an artifact", .timeLimit(.minutes(20))) struct PrefixCacheTests {
    private let place: ArtifactFolder

    init() throws { place = try ArtifactFolder() }

    private func logits(_ session: GemmaSession, _ tokens: [TokenID]) throws -> [Float] {
        let known = session.keep(of: tokens)
        return try session.logits(after: tokens[known...]).row(0)
    }

    private func files(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("prefix-") }.sorted()
    }

    @Test(
        "What is mapped has the bits of what was computed, and may be overwritten",
        arguments: ["gemma2-q8_0.gguf", "gemma3-q4_0.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf"],
        KVCacheFormat.allCases)
    func sameBits(file: String, format: KVCacheFormat) throws {
        let model = try place.model(file)
        let folder = try #require(model.artifactFolder)
        // Within a ring, and beyond it.
        for count in [40, 200] {
            let whole = place.text(240, seed: 37 + count), prefix = whole[..<count]
            let first = try place.session(model, format)
            try first.prefill(prefix)
            let store = PrefixCache(folder: folder)
            place.keep(store, first, model)
            let fresh = try place.session(model, format)
            let expected = try logits(fresh, whole)
            for store in [store, otherBoot(folder)] {
                let second = try place.session(model, format)
                store.bringBack(prefix, into: second, of: model, mustStop: { false })
                #expect(second.held == Array(prefix) && second.written == count)
                #expect(try logits(second, whole) == expected)
                #expect(second.tokensRun == 240 - count)
                // Another text in the same memory, then the first again from the file, which nothing of it has reached.
                let other = place.text(250, seed: 11)
                #expect(try logits(second, other) == logits(fresh, other))
                store.bringBack(prefix, into: second, of: model, mustStop: { false })
                #expect(second.held == Array(prefix))
                #expect(try logits(second, whole) == expected)
                _ = try logits(fresh, whole)
            }
        }
    }

    /// A store after a restart of the system: nothing is taken at its word.
    private func otherBoot(_ folder: String) -> PrefixCache {
        var store = PrefixCache(folder: folder)
        store.boot = "another run"
        return store
    }

    @Test("Another text, shape, format or model finds nothing")
    func foreign() throws {
        let model = try place.model()
        let store = PrefixCache(folder: try #require(model.artifactFolder))
        let prefix = place.text(60)
        let first = try place.session(model)
        try first.prefill(prefix[...])
        place.keep(store, first, model)
        #expect(try files(store.folder).count == 2)

        func finds(_ tokens: [TokenID], _ session: GemmaSession) -> Bool {
            store.bringBack(tokens[...], into: session, of: model, mustStop: { false })
            return !session.held.isEmpty
        }
        #expect(finds(prefix, try place.session(model)))
        var other = prefix
        other[59] += 1
        #expect(!finds(other, try place.session(model)))
        #expect(!finds(Array(prefix[..<59]), try place.session(model)))
        #expect(!finds(prefix, try place.session(model, .int8)))
        #expect(!finds(prefix, try place.session(model, context: 255)))
        // The file of one model under the artifact of another.
        let strange = try place.model("gemma3-q8_0.gguf")
        #expect(strange.artifactFolder != model.artifactFolder)
        let elsewhere = PrefixCache(folder: try #require(strange.artifactFolder))
        for name in try files(store.folder) {
            try FileManager.default.copyItem(atPath: "\(store.folder)/\(name)", toPath: "\(elsewhere.folder)/\(name)")
        }
        let session = try place.session(strange)
        elsewhere.bringBack(prefix[...], into: session, of: strange, mustStop: { false })
        #expect(session.held.isEmpty)
    }

    @Test("After a restart every byte is looked at once; damage costs computing and nothing else")
    func damage() throws {
        let model = try place.model()
        let folder = try #require(model.artifactFolder)
        let whole = place.text(120), prefix = whole[..<100]
        let first = try place.session(model)
        try first.prefill(prefix)
        place.keep(PrefixCache(folder: folder), first, model)
        let path = PrefixCache(folder: folder).path(of: prefix, first)
        let sound = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let expected = try logits(place.session(model), whole)

        for byte in [0, 9, 30, 90, 108, 118, 200, 600, sound.count / 2, sound.count - 70, sound.count - 3] {
            var bytes = sound
            bytes[byte] ^= 0x41
            try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
            let second = try place.session(model)
            otherBoot(folder).bringBack(prefix, into: second, of: model, mustStop: { false })
            #expect(second.held.isEmpty, "byte \(byte)")
            #expect(try logits(second, whole) == expected, "byte \(byte)")
        }
        for count in [0, 100, 5000, sound.count - 1] {
            try Data(sound[..<count]).write(to: URL(fileURLWithPath: path), options: .atomic)
            let second = try place.session(model)
            // Lengths and the header are checked by every start.
            PrefixCache(folder: folder).bringBack(prefix, into: second, of: model, mustStop: { false })
            #expect(second.held.isEmpty, "\(count) bytes")
            #expect(try logits(second, whole) == expected, "\(count) bytes")
        }
        // Sound again: looked at once, then taken at its word.
        try Data(sound).write(to: URL(fileURLWithPath: path), options: .atomic)
        let store = otherBoot(folder)
        let second = try place.session(model)
        store.bringBack(prefix, into: second, of: model, mustStop: { false })
        #expect(second.held.count == 100)
        #expect(try String(contentsOfFile: path + ".checked", encoding: .utf8).hasPrefix("another run\n"))
    }

    @Test("The files used last are kept, drafts of dead processes go, and all go with the artifact")
    func room() throws {
        let model = try place.model()
        var store = PrefixCache(folder: try #require(model.artifactFolder))
        store.mostFiles = 3
        try Data("half".utf8).write(to: URL(fileURLWithPath: store.folder + "/prefix-x.kv.abc.tmp"))
        let session = try place.session(model)
        for seed in 1...5 {
            session.reset()
            try session.prefill(place.text(50, seed: 2 * seed + 1)[...])
            place.keep(store, session, model)
            Thread.sleep(forTimeInterval: 0.02)
        }
        #expect(try files(store.folder).count == 6)
        let newest = try place.session(model)
        store.bringBack(place.text(50, seed: 11)[...], into: newest, of: model, mustStop: { false })
        #expect(newest.held.count == 50)
        // Too few tokens to be worth a file; more bytes than there is room for.
        session.reset()
        try session.prefill(place.text(20)[...])
        place.keep(store, session, model)
        store.mostBytes = 1000
        session.reset()
        try session.prefill(place.text(60)[...])
        place.keep(store, session, model)
        #expect(try files(store.folder).count == 6)
        // A session that was written to beyond its tokens holds no clean beginning.
        store.mostBytes = 1 << 30
        session.reset()
        try session.prefill(place.text(61)[..<60])
        session.compute.cancel()
        #expect(throws: CancellationError.self) { try session.prefill(place.text(61)[60...]) }
        session.compute.resume()
        place.keep(store, session, model)
        #expect(try files(store.folder).count == 6)
        // A writer that is stopped leaves nothing.
        session.reset()
        try session.prefill(place.text(70)[...])
        let group = DispatchGroup()
        store.keep(session, of: model, on: .global(), group, mustStop: { true })
        group.wait()
        #expect(try files(store.folder).count == 6)
    }

    @Test("Texts with the same beginning share it from one generator to the next; their words are the same ones")
    func generators() async throws {
        let model = try place.model()
        let folder = try #require(model.artifactFolder)
        let options = TextGenerator.Options(maximumTokens: 12, sampling: SamplingOptions(temperature: 0.9, seed: 7))
        let shared = place.text(150)
        let plain = try TextModel(path: GemmaFixtures.path("gemma3-q4_0.gguf"))
        for (ending, run) in [([30, 31], 152), ([77], 1), ([80, 81, 82], 3)] as [([TokenID], Int)] {
            func answer(_ model: TextModel) async throws -> ([TokenID], TextGenerator) {
                let generator = try TextGenerator(
                    model: model, contextLength: 256, threads: 1, kernels: KernelSet.form(nil), maximumStep: 128
                )
                let text = TextProgress(prompt: shared + ending, options: options, prefixTokens: shared.count)
                var tokens: [TokenID] = []
                for try await event in generator.generate(resuming: text) {
                    if case .token(let id, _) = event { tokens.append(id) }
                }
                return (tokens, generator)
            }
            let (tokens, generator) = try await answer(model)
            #expect(try await answer(plain).0 == tokens && !tokens.isEmpty)
            // The last token of a text, or the one that ended it, was sampled and not run.
            let ran = try await generator.onSession { $0.tokensRun }
            #expect(ran - run <= tokens.count && ran - run >= tokens.count - 1, "\(ran) after \(ending)")
            #expect(try files(folder).count == 2)
        }
        // Warmed with the beginning alone: one token, because an answer that was read proves nothing.
        let generator = try TextGenerator(
            model: model, contextLength: 256, threads: 1, kernels: KernelSet.form(nil), maximumStep: 128)
        try await generator.warmUp(TextProgress(prompt: shared, options: options, prefixTokens: shared.count))
        #expect(try await generator.onSession { $0.tokensRun } == 1)
    }

    @Test("A conversation's instructions are what it shares with others")
    func conversations() throws {
        let model = try place.model()
        guard let template = model.chatTemplate else { return }
        let system = ChatMessage(role: .system, content: "Answer in one short sentence, and be kind.")
        func encode(_ question: String) throws -> ([ChatMessage], [TokenID]) {
            let messages = [system, ChatMessage(role: .user, content: question)]
            return (messages, try template.encode(messages, model.tokenizer))
        }
        let counts = try ["Why is the sky blue?", "1 + 1?", "and then?"].map { question in
            let (messages, tokens) = try encode(question)
            return try template.prefixTokens(of: messages, tokens, model.tokenizer)
        }
        #expect(Set(counts).count == 1 && counts[0] > 5)
        let (messages, tokens) = try encode("Why?")
        let alone = try template.encode(Array(messages.dropFirst()), model.tokenizer)
        #expect(try template.prefixTokens(of: Array(messages.dropFirst()), alone, model.tokenizer) == 0)
        #expect(tokens.count > counts[0])
    }
}
