import Foundation
import HearthCompute
import HearthGPU
import HearthSystem
import HearthText
import HearthTokenizer
import Synchronization
import Testing

@Suite("Gemma on a GPU", .timeLimit(.minutes(20)))
struct GemmaGPUPassTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
    static let folder =
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path + "/Fixtures/gemma/"

    private func generator(_ name: String, onGPU: Bool, _ failed: @escaping @Sendable (GPUError) -> Void = { _ in })
        async throws -> TextGenerator
    {
        let model = try TextModel(path: Self.folder + name)
        let generator = try TextGenerator(model: model, contextLength: 64, threads: 1, maximumStep: 8)
        if onGPU {
            try await generator.useGPU(#require(Self.device), cacheFolder: nil, onFailure: failed)
        }
        return generator
    }

    /// The likeliest tokens, one after the other; `before` is told how many there are.
    private func likeliest(
        _ generator: TextGenerator, _ count: Int, before: @escaping @Sendable (Int, GemmaSession) -> Void = { _, _ in }
    ) async throws -> [TokenID] {
        try await generator.onSession { session in
            session.reset()
            var text: [TokenID] = (0..<19).map { 5 + $0 * 3 }
            var next = text[...]
            for step in 0..<count {
                before(step, session)
                let logits = try session.logits(after: next)
                var best = 0
                logits.withRow(0) { row in
                    for index in row.indices where row[index] > row[best] { best = index }
                }
                text.append(TokenID(best))
                next = text[(text.count - 1)...]
            }
            return text
        }
    }

    @Test(
        "A device that fails in the middle of a text is a note, and the CPU goes on token for token",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: ["gemma1-f32.gguf", "gemma2-f16.gguf", "gemma3-f16.gguf"])
    func failure(name: String) async throws {
        let expected = try await likeliest(generator(name, onGPU: false), 24)
        let failures = Mutex<[GPUError]>([])
        let generator = try await generator(name, onGPU: true) { error in failures.withLock { $0.append(error) } }
        #expect(await generator.isOnGPU)
        let whole = try await likeliest(generator, 24)
        #expect(whole == expected)
        #expect(failures.withLock { $0 } == [])
        let broken = try await likeliest(generator, 24) { step, session in
            if step == 9 { session.gpu?.pass.device.timeoutMS = 0 }
        }
        #expect(broken == expected)
        #expect(failures.withLock { $0 } == [.timedOut(milliseconds: 0)])
        #expect(await !generator.isOnGPU)
        // And later texts.
        #expect(try await likeliest(generator, 24) == expected)
    }

    @Test(
        "What is taken back is computed again, and many positions are checked together",
        .enabled(if: device != nil, "no Vulkan device"))
    func takingBack() async throws {
        func logits(onGPU: Bool) async throws -> [[Float]] {
            try await generator("gemma3-f16.gguf", onGPU: onGPU).onSession { session in
                let text: [TokenID] = (0..<40).map { 4 + $0 * 7 % 50 }
                try session.prefill(text[..<36])
                var rows: [[Float]] = []
                for _ in 0..<2 {
                    let found = try session.logits(checking: text[36..<40])
                    rows += (0..<4).map { found.row($0) }
                    session.takeBack(to: 36)
                }
                // Another text that begins alike.
                let known = session.keep(of: Array(text[..<20]))
                rows.append(try session.logits(after: text[known..<20]).row(0))
                return rows
            }
        }
        let (gpu, cpu) = (try await logits(onGPU: true), try await logits(onGPU: false))
        #expect(gpu.count == 9 && Array(gpu[0..<4]) == Array(gpu[4..<8]))
        for (a, b) in zip(gpu, cpu) {
            #expect(zip(a, b).allSatisfy { abs($0 - $1) < 2e-3 })
        }
    }

    @Test(
        "The memory that a model needs on a device",
        arguments: ["gemma1-f32.gguf", "gemma3-f16.gguf", "gemma3-q8_0.gguf"])
    func memory(name: String) throws {
        let model = try TextModel(path: Self.folder + name)
        func least(_ context: Int, isHalf: Bool) -> Int {
            GemmaGPUPass.leastBytes(model.configuration, model.weights, context: context, isHalf: isHalf)
        }
        // All weights but the gains of norms, each once.
        let weights = least(0, isHalf: true)
        #expect(weights < model.weightBytes && 10 * weights > 9 * model.weightBytes)
        let values = model.configuration.layers.reduce(0) { $0 + 2 * $1.keyValueHeads * $1.headWidth }
        #expect(least(64, isHalf: true) == weights + 2 * 64 * values)
        #expect(least(64, isHalf: false) == weights + 4 * 64 * values)
    }

    @Test("What is not covered is refused before a device is opened")
    func refusals() async throws {
        for name in ["gemma3n-f16.gguf", "gemma4-bf16.gguf"] {
            let generator = try await generator(name, onGPU: false)
            guard let device = Self.device else { return }
            let error = await #expect(throws: GPUError.self) {
                try await generator.useGPU(device, cacheFolder: nil)
            }
            #expect(error?.category == .unavailable)
            #expect(error?.localizedDescription.contains("architecture") == true)
            #expect(await !generator.isOnGPU)
        }
    }
}
