import HearthRuntime
import HearthSystem
package import HearthVision
import Synchronization

/// Prints the results of frames in order. Thread-safe.
final class FramePrinter: Sendable {
    private struct Line: Encodable {
        var frame: Int
        var image: String?
        var decision: FrameDecision
        var budget: InferenceBudget.Level
        var results: [SeenRow]
        var ms: Double
    }
    private struct State {
        var order = FrameOrder<FrameRecord<Seen>>()
        /// Names of frames that have not been printed, by number.
        var names: [Int: String] = [:]
        var named = 0
        var counts: [FrameDecision: Int] = [:]
        var runMS: [Double] = []
        var failure: (any Error)?
    }
    private let json: Bool
    private let terminal = Terminal(.standard)
    private let state = Mutex(State())

    init(json: Bool) { self.json = json }

    /// The first error of an inference.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Sets the name of the next frame, if it has one.
    func name(_ name: String?) {
        state.withLock { state in
            if let name { state.names[state.named] = name }
            state.named += 1
        }
    }

    /// Takes the result of a frame.
    func take(_ record: FrameRecord<Seen>) {
        // Printed under the lock, so that lines stay in order.
        state.withLock { state in
            for record in state.order.take(record, number: record.frame) {
                state.counts[record.decision, default: 0] += 1
                if record.decision == .run { state.runMS.append(record.milliseconds) }
                if state.failure == nil { state.failure = record.failure }
                guard record.failure == nil else { continue }
                print(record, name: state.names.removeValue(forKey: record.frame))
            }
        }
    }

    private func print(_ record: FrameRecord<Seen>, name: String?) {
        if json {
            Output.standard.writeReport(
                Line(
                    frame: record.frame, image: name, decision: record.decision, budget: record.budget,
                    results: record.output?.rows ?? [], ms: record.milliseconds))
        } else {
            Output.standard.writeLine(FrameText.line(record, name: name) { terminal?.dim($0) ?? $0 })
        }
    }

    /// Prints one line on standard error with the number of frames per decision; nothing with JSON.
    func end() {
        guard !json else { return }
        let (counts, times) = state.withLock { ($0.counts, $0.runMS) }
        Output.error.writeLine(FrameText.summary(counts, runMS: times))
    }
}

/// Frames as text. Pure.
package enum FrameText {
    /// `   12  run       full       4.1 ms  seven 99.8 %`
    package static func line(_ record: FrameRecord<Seen>, name: String?, dim: (String) -> String) -> String {
        let time = record.milliseconds > 0 ? "\(tenths(record.milliseconds)) ms" : ""
        let head =
            [
                String(record.frame).leftPadded(to: 6), record.decision.rawValue.padded(to: 8),
                record.budget.rawValue.padded(to: 9), time.leftPadded(to: 9),
            ].joined(separator: "  ")
        let seen = record.output?.brief ?? ""
        let text = [head, seen, name.map { dim($0.withVisibleControls) } ?? ""].filter { !$0.isEmpty }
            .joined(separator: "  ")
        return record.decision == .run ? text : dim(text)
    }

    /// `60 frames: 25 run, 35 dropped; 39.8 ms in the median`
    package static func summary(_ counts: [FrameDecision: Int], runMS: [Double]) -> String {
        let words: [(FrameDecision, String)] = [
            (.run, "run"), (.reuse, "reused a result"), (.drop, "dropped"), (.fallback, "fell back"),
        ]
        let total = counts.values.reduce(0, +)
        let parts = words.compactMap { decision, word in counts[decision].map { "\($0) \(word)" } }
        let median = runMS.isEmpty ? "" : "; \(tenths(runMS.sorted()[runMS.count / 2])) ms in the median"
        return "\(total) frame\(total == 1 ? "" : "s")"
            + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))") + median
    }

    /// What to say of images that could not be read, after a line for each: `2 of 30 images could not be read`.
    package static func unreadable(_ count: Int, of total: Int) -> (what: String, advice: String) {
        let lines = "See the line\(count == 1 ? "" : "s") above"
        guard count == total else {
            return ("\(count) of \(total) images could not be read", "\(lines); the others were processed.")
        }
        let what = total == 1 ? "the only image could not be read" : "none of the \(total) images could be read"
        return (what, "\(lines).")
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
