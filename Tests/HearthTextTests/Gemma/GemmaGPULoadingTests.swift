import Foundation
import HearthCompute
import HearthGPU
import HearthRuntime
import HearthSystem
import HearthText
import HearthTokenizer
import Synchronization
import Testing

@Suite("A GPU that computes while its weights are copied", .timeLimit(.minutes(20)))
struct GemmaGPULoadingTests {
    static let device = try? GPUDeviceInfo.preferred(environment: ProcessInfo.processInfo.environment)
    private static let text: [TokenID] = (0..<19).map { 4 + $0 * 7 % 50 }

    /// Holds the copying thread in front of the second part, with the first layer on the device, until it is opened; not for ever, as
    /// a test that fails never opens it.
    private final class Gate: Sendable {
        let opened = DispatchSemaphore(value: 0)
        let order = Mutex<[Int]>([])

        func pass(_ part: Int) {
            order.withLock { $0.append(part) }
            if part == 1 { _ = opened.wait(timeout: .now() + 600) }
        }

        /// While a step waits.
        func openSoon() {
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { [opened] in opened.signal() }
        }
    }

    private func generator(_ name: String) throws -> TextGenerator {
        try TextGenerator(
            model: TextModel(path: GemmaGPUPassTests.folder + name), contextLength: 64, threads: 1, maximumStep: 8)
    }

    /// The logits after a text, and after one more token.
    private func bits(_ generator: TextGenerator) async throws -> [UInt32] {
        try await generator.onSession { session in
            session.reset()
            let first = try session.logits(after: Self.text[...]).row(0)
            return try (first + session.logits(after: [7]).row(0)).map(\.bitPattern)
        }
    }

    private func waitForCopies(_ generator: TextGenerator) async throws -> WeightTransfer {
        while true {
            let transfer = try #require(await generator.weightTransfer)
            if transfer.copyMS != nil { return transfer }
            try await Task.sleep(for: .milliseconds(2))
        }
    }

    @Test(
        "Every way has the bits of a whole copy in front of the first step",
        .enabled(if: device != nil, "no Vulkan device"),
        arguments: [
            "gemma1-q8_0.gguf", "gemma2-f16.gguf", "gemma3-q8_0.gguf", "gemma3n-f16.gguf", "gemma4-q4_0.gguf",
        ])
    func equality(name: String) async throws {
        let device = try #require(Self.device)
        let whole = try generator(name)
        try await whole.useGPU(device, cacheFolder: nil, way: .copied)
        _ = try await waitForCopies(whole)
        let expected = try await bits(whole)
        #expect(try await #require(whole.weightTransfer).waitMS == 0)

        for way in GPUWeightWay.allCases {
            let gate = Gate()
            let generator = try generator(name)
            try await generator.useGPU(device, cacheFolder: nil, way: way, beforePart: { gate.pass($0) })
            let before = try #require(await generator.weightTransfer)
            #expect(before.copyMS == nil)
            gate.openSoon()
            #expect(try await bits(generator) == expected)
            let after = try await waitForCopies(generator)
            if way == .imported, device.importAlignment == 0 {
                #expect(after.importedBytes == 0)
            } else {
                #expect(after.way == way.rawValue || (way == .copied && after.way == "staged"))
                #expect((after.importedBytes > 0) == (way == .imported))
            }
            let c = generator.model.configuration
            let all = GemmaGPUPass.leastBytes(c, generator.model.weights, context: 0, cacheFormat: .float16)
            #expect(after.importedBytes + after.copiedBytes == all)
            // Layers, what is behind them, the head, the table of embeddings.
            #expect(gate.order.withLock { $0 } == Array(0..<c.layers.count + 3))
            #expect(try await bits(generator) == expected)
        }
    }

    @Test(
        "A step that waits for weights can be cancelled, and closing frees the device",
        .enabled(if: device != nil, "no Vulkan device"), arguments: [GPUWeightWay.copied, .staged])
    func closing(way: GPUWeightWay) async throws {
        final class Opened: @unchecked Sendable {
            // Sendable: written before it is read.
            weak var device: GPUDevice?
        }
        let (gate, opened) = (Gate(), Opened())
        do {
            let generator = try generator("gemma3-q8_0.gguf")
            try await generator.useGPU(#require(Self.device), cacheFolder: nil, way: way, beforePart: { gate.pass($0) })
            try await generator.onSession { session in opened.device = session.gpu?.pass.device }
            #expect(opened.device != nil)
            let step = Task { try await bits(generator) }
            try await Task.sleep(for: .milliseconds(50))
            step.cancel()
            await #expect(throws: CancellationError.self) { try await step.value }
            generator.close()
            await generator.waitUntilIdle()
            gate.opened.signal()
        }
        // The generator's queue may hold on to it for a moment.
        while opened.device != nil { try await Task.sleep(for: .milliseconds(5)) }
    }

    @Test(
        "A device that fails while weights are copied is a note, and the CPU goes on",
        .enabled(if: device != nil, "no Vulkan device"), arguments: [GPUWeightWay.copied, .staged])
    func failure(way: GPUWeightWay) async throws {
        let name = "gemma3-q8_0.gguf"
        let expected = try await bits(generator(name))
        let failures = Mutex<[GPUError]>([])
        let gate = Gate()
        let generator = try generator(name)
        try await generator.useGPU(
            #require(Self.device), cacheFolder: nil, way: way,
            onFailure: { error in failures.withLock { $0.append(error) } }, beforePart: { gate.pass($0) })
        try await generator.onSession { session in
            let device = try #require(session.gpu?.pass.device)
            device.timeoutMS = 0
        }
        gate.openSoon()
        #expect(try await bits(generator) == expected)
        #expect(failures.withLock { $0 } == [.timedOut(milliseconds: 0)])
        #expect(await !generator.isOnGPU)
        #expect(await generator.weightTransfer == nil)
        #expect(try await bits(generator) == expected)
    }
}
