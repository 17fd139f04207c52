import Foundation
import HearthGPU
import HearthSystem
import Testing

@Suite("Errors of a GPU", .timeLimit(.minutes(20)))
struct GPUErrorTests {
    @Test("Each says what happened and what to do, and sorts itself into what a script is told")
    func wording() {
        let unavailable: [GPUError] = [
            .noLoader, .noDevice, .unfit(device: "A"), .notCovered(what: "B"), .outOfMemory(bytes: 1 << 30),
        ]
        let failed: [GPUError] = [.deviceLost, .timedOut(milliseconds: 7), .failed(call: "vkQueueSubmit", code: -13)]
        for error in unavailable { #expect(error.category == .unavailable) }
        for error in failed { #expect(error.category == .failed) }
        for error in unavailable + failed {
            let text = error.localizedDescription
            #expect(text.lowercased().contains("the cpu") && !text.contains("--") && text.hasSuffix("."), "\(text)")
        }
        #expect(GPUError.outOfMemory(bytes: 1 << 30).localizedDescription.contains("1.0 GiB"))
        #expect(GPUError.failed(call: "A", code: -13).localizedDescription.contains("(A: -13)"))
        #expect(GPUError.failed(call: "A, B", code: 0).localizedDescription.contains("(A, B)"))
        #expect(GPUError.timedOut(milliseconds: 7).localizedDescription.contains("7 ms"))
    }
}
