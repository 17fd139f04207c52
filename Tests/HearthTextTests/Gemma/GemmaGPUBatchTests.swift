import Foundation
import HearthCompute
import HearthGPU
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Synchronization
import Testing

/// Texts that share steps on a GPU: each has the tokens, and the logits to the last bit, that it has alone there.
@Suite("Several texts on a GPU", .timeLimit(.minutes(20)))
struct GemmaGPUBatchTests {
    static let device = GemmaGPUPassTests.device

    private static func onGPU(
        _ generator: TextGenerator, _ failed: @escaping @Sendable (GPUError) -> Void = { _ in }
    ) async throws -> TextGenerator {
        try await generator.useGPU(#require(device), cacheFolder: nil, onFailure: failed)
        return generator
    }

    @Test(
        "Each text is the one that it is alone, joining whenever it does",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["gemma1-q4_0.gguf", "gemma3-q8_0.gguf", "gemma3n-q8_0.gguf", "gemma4-q4_0.gguf"])
    func alike(file: String) async throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        let alone = try await Self.onGPU(TextBatchTests.generator(model, parallel: 1, step: 32))
        let wishes = TextBatchTests.wishes(4, room: alone.contextLength, vocabulary: model.tokenizer.vocabulary.count)
        var expected: [TextBatchTests.Text] = []
        for wish in wishes { expected.append(try await TextBatchTests.read(alone.generate(resuming: wish))) }
        #expect(expected.contains { $0.tokens.count > 5 })
        let together = try await Self.onGPU(TextBatchTests.generator(model, parallel: 3, step: 32))
        let found = try await withThrowingTaskGroup(of: (Int, TextBatchTests.Text).self) { group in
            for (index, wish) in wishes.enumerated() {
                group.addTask { (index, try await TextBatchTests.read(together.generate(resuming: wish))) }
            }
            return try await group.reduce(into: [Int: TextBatchTests.Text]()) { $0[$1.0] = $1.1 }
        }
        for index in wishes.indices { #expect(found[index] == expected[index], "text \(index)") }
        #expect(await together.isOnGPU)
        #expect(await alone.isOnGPU)
    }

    private static let prompts: [[TokenID]] = [19, 3, 11].enumerated().map { text, count in
        (0..<count).map { TokenID(4 + ($0 * 7 + text * 5) % 50) }
    }

    /// The likeliest tokens of several texts and the bits of their logits. In each step a text has at most four tokens; `before` is told
    /// how many steps there were.
    private static func likeliest(
        _ sessions: [GemmaSession], _ prompts: [[TokenID]], _ count: Int, before: (Int) -> Void = { _ in }
    ) throws -> [(tokens: [TokenID], bits: [[UInt32]])] {
        var texts: [(tokens: [TokenID], bits: [[UInt32]])] = prompts.map { ($0, []) }
        for session in sessions { session.reset() }
        var step = 0
        while texts.contains(where: { $0.bits.count < count }) {
            before(step)
            step += 1
            var users: [(index: Int, part: GemmaSession.Part)] = []
            for (index, session) in sessions.enumerated() where texts[index].bits.count < count {
                let rest = texts[index].tokens[session.position...]
                let share = rest.prefix(4)
                users.append((index, .init(session, share, wanted: share.count == rest.count ? 1 : 0)))
            }
            let logits = try GemmaSession.step(users.map(\.part))
            var row = 0
            for (index, part) in users where part.wanted == 1 {
                let values = logits.row(row)
                row += 1
                let best = values.indices.reduce(0) { values[$1] > values[$0] ? $1 : $0 }
                texts[index].tokens.append(TokenID(best))
                texts[index].bits.append(values.map(\.bitPattern))
            }
        }
        return texts
    }

    private static func sessions(beside session: GemmaSession) throws -> [GemmaSession] {
        [session, try GemmaSession(beside: session), try GemmaSession(beside: session)]
    }

    private static func generator(_ file: String) throws -> TextGenerator {
        try TextGenerator(
            model: TextModel(path: GemmaFixtures.path(file)), contextLength: 64, threads: 1, maximumStep: 16,
            parallel: 3)
    }

    @Test(
        "One step of several texts gives the bits of one text at a time",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["gemma2-f16.gguf", "gemma3-kquant-kmix.gguf", "gemma3n-f16.gguf", "gemma4-bf16.gguf"])
    func bits(file: String) async throws {
        let alone = try await Self.onGPU(Self.generator(file)).onSession { session in
            try Self.prompts.map { try Self.likeliest([session], [$0], 8)[0].bits }
        }
        let together = try await Self.onGPU(Self.generator(file)).onSession { session in
            try Self.likeliest(Self.sessions(beside: session), Self.prompts, 8).map(\.bits)
        }
        #expect(together == alone)
        #expect(Set(alone.map { $0.map(\.hashValue) }).count == Self.prompts.count)
    }

    @Test(
        "A device that fails in a step of several texts is one note, and the CPU goes on with all of them",
        .enabled(if: device != nil, "no Vulkan device"), arguments: ["gemma3-f16.gguf", "gemma3n-f16.gguf"])
    func failure(file: String) async throws {
        let expected = try await Self.generator(file).onSession { session in
            try Self.likeliest(Self.sessions(beside: session), Self.prompts, 12).map(\.tokens)
        }
        let failures = Mutex<[GPUError]>([])
        let generator = try await Self.onGPU(Self.generator(file)) { error in failures.withLock { $0.append(error) } }
        let found = try await generator.onSession { session in
            try Self.likeliest(Self.sessions(beside: session), Self.prompts, 12) { step in
                if step == 9 { session.gpu?.pass.device.timeoutMS = 0 }
            }.map(\.tokens)
        }
        #expect(found == expected)
        #expect(failures.withLock { $0 } == [.timedOut(milliseconds: 0)])
        #expect(await !generator.isOnGPU)
    }
}
