import Foundation
import Synchronization

/// The speed of several texts that are generated at the same time, measured in repetitions until it is more than noise.
///
/// What counts is the time while all texts are being written: from when the last one has its first token until the first one
/// has its last.
package struct ParallelRate {
    /// The time that is measured, all repetitions together.
    package static let enough = Duration.milliseconds(100)
    /// The time below which there is no rate.
    package static let least = Duration.milliseconds(10)

    private var tokens = 0.0
    private var time = Duration.zero

    package init() {}

    /// Whether no further repetition is needed.
    package var isEnough: Bool { time >= Self.enough }

    /// Tokens per second of all texts together; nil if too little time was measured.
    package var tokensPerSecond: Double? { time >= Self.least ? tokens / (time / .seconds(1)) : nil }

    /// Adds a repetition.
    /// - Parameter texts: when each token of each text was there, in order.
    package mutating func add(_ texts: [[ContinuousClock.Instant]]) {
        guard texts.allSatisfy({ !$0.isEmpty }), let begin = texts.compactMap(\.first).max(),
            let end = texts.compactMap(\.last).min(), begin < end
        else { return }
        for times in texts {
            // The tokens of a step come one after the other: counting those between begin and end would leave out up to one
            // token of each text. So each text is timed between its own tokens that are nearest to both.
            let first = Self.nearest(begin, in: times), last = Self.nearest(end, in: times)
            guard times[first] < times[last] else { continue }
            tokens += Double(last - first) * ((end - begin) / (times[last] - times[first]))
        }
        time += end - begin
    }

    private static func nearest(_ time: ContinuousClock.Instant, in times: [ContinuousClock.Instant]) -> Int {
        let next = times.firstIndex { $0 >= time } ?? times.count - 1
        return next > 0 && time - times[next - 1] < times[next] - time ? next - 1 : next
    }
}

/// When the tokens of a text were generated. Thread-safe.
final class TokenTimes: Sendable {
    private let state = Mutex<[ContinuousClock.Instant]>([])

    var times: [ContinuousClock.Instant] { state.withLock { $0 } }

    func note() { state.withLock { $0.append(.now) } }
}

/// The speed of several texts generated concurrently, as `hearth bench text --parallel` prints it.
package struct ParallelRow: Encodable {
    package var texts: Int
    /// Of all texts together; null if it could not be measured.
    @ExplicitNull package var tokensPerSecond: Double?
    /// Relative to the first number of texts.
    @ExplicitNull package var ratio: Double?
    /// Why there is no rate; omitted if there is one.
    package var reason: String?

    /// - Parameters:
    ///   - rates: of the runs, nil where a run had none.
    ///   - baseRates: those of the row that `ratio` refers to.
    package init(texts: Int, rates: [Double?], baseRates: [Double?]) {
        let rate = Self.median(rates)
        self.texts = texts
        tokensPerSecond = rate
        ratio = rate.flatMap { rate in Self.median(baseRates).map { rate / $0 } }
        let least = Int(ParallelRate.least / .milliseconds(1))
        reason =
            rate == nil ? "the texts were not written at the same time for \(least) ms; raise --tokens" : nil
    }

    private static func median(_ rates: [Double?]) -> Double? {
        let known = rates.compactMap { $0 }
        return known.isEmpty ? nil : TextBench.median(known)
    }

    /// The row as text.
    package var line: String {
        let head = "\(texts) texts at once    "
        guard let tokensPerSecond else { return "\(head)  no rate: \(reason ?? "")" }
        return head + String(format: "  %9.1f tokens/s", tokensPerSecond)
            + (ratio.map { String(format: "  %6.2f times", $0) } ?? "")
    }
}
