import Foundation
import HearthRuntime
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

#if os(Linux)
/// A model that is kept warm for days writes thousands of texts in one process.
@Suite("Memory over many texts", .timeLimit(.minutes(20))) struct GrowthTests {
    /// Texts before the first look, between the looks, and how much written memory may be more: what allocator and threads take
    /// on the way, not what texts leave. 300 texts of 20 tokens that left a kilobyte a token would leave six megabytes.
    static let (before, between, bound) = (60, 300, 1 << 20)

    // In a process of its own: what other tests hold is not this one's.
    @Test("Three hundred texts of twenty tokens leave no written memory behind")
    func texts() async {
        await #expect(processExitsWith: .success) {
            let root = NSTemporaryDirectory() + "hearth-growth-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: root) }
            let engine = try TextEngine(
                path: GemmaFixtures.bundled, contextLength: 256, threads: 2,
                folders: HearthFolders(data: root, cache: root))
            let runner = ModelRunner(engine: engine)
            func write(_ number: Int) async throws {
                // Some begin alike, so that the prefix cache takes part; some wait for a model that has to come back.
                let session = TextSession(runner: runner) { model in
                    let frame =
                        "Tell it gently and keep it short, for it is late, and everybody here is tired and small. "
                    let prefix = model.tokenizer.encode(frame + frame, addBOS: true)
                    let prompt = prefix + model.tokenizer.encode("Story \(number % 7)")
                    return TextProgress(
                        prompt: prompt,
                        options: TextGenerator.Options(
                            maximumTokens: 20, sampling: SamplingOptions(seed: UInt64(number))),
                        prefixTokens: number % 3 == 0 ? 0 : prefix.count)
                }
                for try await _ in session.events() {}
                if number % 50 == 49 { await runner.release() }
            }
            for number in 0..<GrowthTests.before { try await write(number) }
            let first = try #require(ProcessMemory.current()?.dirty)
            for number in 0..<GrowthTests.between { try await write(number) }
            let growth = try #require(ProcessMemory.current()?.dirty) - first
            if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil {
                print("dirty", first, "then", growth, "more")
            }
            #expect(growth < GrowthTests.bound, "\(growth) bytes more than \(first)")
        }
    }
}
#endif
