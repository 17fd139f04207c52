import CAllocationCount
import Foundation
import HearthCompute
import Testing

@testable import HearthText

/// What a token costs has to be arithmetic and nothing else: the heap is shared with the app, and a phone's is slow.
@Suite("Allocations") struct AllocationTests {
    static let files = [
        "gemma1-q4_0.gguf", "gemma2-q8_0.gguf", "gemma3-q4_0.gguf", "gemma3-f16.gguf", "gemma3n-q8_0.gguf",
        "gemma4-q4_0.gguf",
    ]

    @Test("The counter counts") func counter() {
        guard allocation_count_is_kept() else { return }
        let before = allocation_count_of_this_thread()
        withExtendedLifetime([Int](repeating: 1, count: Int.random(in: 3...4))) {}
        #expect(allocation_count_of_this_thread() > before)
    }

    @Test(
        "A decode step allocates nothing, alone or with a second thread, in short texts and long ones",
        arguments: files, [1, 2])
    func decodeStep(file: String, threads: Int) throws {
        let model = try LanguageModel(path: Fixtures.path(file))
        for format in CacheFormat.allCases {
            let session = try GemmaSession(
                configuration: model.configuration, weights: model.weights, kernels: KernelSet.selected(by: nil),
                threads: threads, context: 256, cacheFormat: format)
            let tokens = [2] + (1..<256).map { TokenID(4 + $0 * 37 % 500) }
            _ = try session.logits(after: tokens[..<8])
            // Whatever is made on first use.
            for index in 8..<12 { _ = try session.logits(after: tokens[index...index]) }
            func count(_ range: Range<Int>) throws -> Double {
                let before = allocation_count_of_this_thread()
                for index in range { _ = try session.logits(after: tokens[index...index]) }
                return Double(allocation_count_of_this_thread() - before) / Double(range.count)
            }
            let short = try count(12..<40)
            _ = try session.logits(after: tokens[40..<200])
            // Two parts of positions, which two threads share.
            let long = try count(200..<240)
            #if DEBUG
            // Without optimisation, closures and what they capture are on the heap: as many at each step, whatever its position,
            // but for the parts of each layer.
            #expect(
                short == short.rounded() && long <= short + 8 * Double(model.configuration.layers.count),
                "\(short), \(long)")
            #else
            #expect(short == 0 && long == 0, "\(format): \(short), \(long)")
            #endif
            if ProcessInfo.processInfo.environment["HEARTH_TEST_VERBOSE"] != nil {
                print(file, threads, format, short, long)
            }
        }
    }
}
