import Foundation
import HearthTestSupport
import Testing

/// What an app's user would feel: measured in a process of its own, with a model of 200 MB.
@Suite("Prewarming", .serialized, .timeLimit(.minutes(20)))
struct PrewarmTests {
    private static let layers = 14

    @Test("Loading ahead of use waits for the first frame, skips no heartbeat, and gives the memory back")
    func prewarm() throws {
        let folder = try HearthProcess.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let model = folder + "/large.gguf"
        try SlowModel.write(to: model, layers: Self.layers)
        // A machine that is busy with other things skips beats by itself: then the measurement says nothing, and is
        // taken again.
        var attempts: [String] = []
        for attempt in 0..<30 {
            let outcome = try HearthProcess.run(
                ["startup", "prewarm", "--model", model], environment: ["HEARTH_HOME": "\(folder)/home\(attempt)"])
            #expect(outcome.status == 0, "\(outcome.error)")
            let json = outcome.json
            func number(_ path: String...) -> Double {
                (path.reduce(json as Any?) { ($0 as? [String: Any])?[$1] } as? NSNumber)?.doubleValue ?? .nan
            }
            func numbers(_ name: String) -> [Double] { (json[name] as? [NSNumber])?.map(\.doubleValue) ?? [] }
            #expect(json["loadedBeforeFirstFrame"] as? Bool == false)
            // Memory does not depend on how busy the machine is.
            let before = number("residentBefore")
            let ready = numbers("residentReady"), released = numbers("residentReleased")
            #expect(ready.count == 2 && ready.allSatisfy { $0 > before + 150e6 }, "the model was not in memory")
            #expect(released.count == 2 && released.allSatisfy { $0 <= before + 15e6 }, "\(before), then \(released)")
            let idle = number("idle", "maximumMS"), warming = number("warming", "maximumMS")
            let beside = number("beside", "maximumMS")
            let beats = number("warming", "beats")
            // One beat late is 16 ms; what the machine does to an idle program, or to another thread of this one at the same time,
            // it does to the main thread too.
            if beats > 5, warming <= max(16, idle + 8, beside + 8) { return }
            attempts.append("idle \(idle) ms, warming \(warming) ms, beside \(beside) ms, \(beats) beats")
        }
        Issue.record("a heartbeat was skipped while the model was loaded: \(attempts.joined(separator: "; "))")
    }
}
