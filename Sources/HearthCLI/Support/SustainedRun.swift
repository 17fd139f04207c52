import Foundation
import HearthRuntime
import HearthSystem

/// Minutes of uninterrupted generation.
struct SustainedRun: Encodable {
    /// A sample, taken about once a second, at most about a thousand in all.
    struct Sample: Encodable {
        var seconds: Double
        /// Since the previous sample.
        var tokensPerSecond: Double
        var residentBytes: Int
        var dirtyBytes: Int
    }
    var minutes: Double
    var tokens: Int
    var tokensPerSecond: Double
    /// Rate in the last tenth of the time over that in the first.
    var steadiness: Double
    /// Least-squares slope of dirty memory over the samples, without the first tenth of the time.
    var dirtyBytesPerMinute: Double
    @ExplicitNull var joulesPerToken: Double?
    /// The source of the energy figure, or why there is none.
    var energy: String
    var samples: [Sample] = []
}

/// The record of a model that generates text after text, and the figures derived from it at any moment.
struct SustainedSamples: Sendable {
    private(set) var texts: [(seconds: Double, tokens: Int)] = []
    private(set) var samples: [SustainedRun.Sample] = []
    /// Minimum seconds between samples.
    private let distance: Double

    init(minutes: Double) { distance = max(1, minutes * 60 / 1000) }

    /// Adds a text that ended at this many seconds after the start.
    mutating func add(_ tokens: Int, at seconds: Double, memory: @autoclosure () -> ProcessMemory?) {
        texts.append((seconds, tokens))
        let last = samples.last?.seconds
        if seconds - (last ?? -distance) >= distance, let memory = memory() {
            samples.append(
                .init(
                    seconds: seconds, tokensPerSecond: rate(from: last ?? 0, to: seconds),
                    residentBytes: memory.resident,
                    dirtyBytes: memory.dirty))
        }
    }

    /// Tokens per second between two moments; a text's tokens are spread evenly over its time.
    func rate(from start: Double, to end: Double) -> Double {
        var sum = 0.0, begin = 0.0
        for text in texts {
            let shared = min(end, text.seconds) - max(start, begin)
            if shared > 0 { sum += Double(text.tokens) * shared / (text.seconds - begin) }
            begin = text.seconds
        }
        return end > start ? sum / (end - start) : 0
    }

    /// The run up to the end of the last text; nil before the first has ended.
    func run(energy: EnergyMeter.Energy) -> SustainedRun? {
        guard let end = texts.last?.seconds, end > 0 else { return nil }
        let tokens = texts.reduce(0) { $0 + $1.tokens }
        let first = rate(from: 0, to: 0.1 * end)
        var run = SustainedRun(
            minutes: end / 60, tokens: tokens, tokensPerSecond: Double(tokens) / end,
            steadiness: first > 0 ? rate(from: 0.9 * end, to: end) / first : 0,
            dirtyBytesPerMinute: 60
                * Self.slope(samples.filter { $0.seconds > 0.1 * end }.map { ($0.seconds, Double($0.dirtyBytes)) }),
            energy: "", samples: samples)
        switch energy {
        case .joules(let joules, let source):
            run.joulesPerToken = joules / Double(max(tokens, 1))
            run.energy = String(
                format: "%.2f J per token, counted by the %@", joules / Double(max(tokens, 1)), source)
        case .notMeasurable(let reason): run.energy = "not measurable here: \(reason)"
        }
        return run
    }

    /// The least-squares slope; 0 for fewer than two points.
    static func slope(_ points: [(seconds: Double, dirty: Double)]) -> Double {
        guard points.count > 1 else { return 0 }
        let n = Double(points.count)
        let x = points.reduce(0) { $0 + $1.seconds } / n, y = points.reduce(0) { $0 + $1.dirty } / n
        let square = points.reduce(0) { $0 + ($1.seconds - x) * ($1.seconds - x) }
        let product = points.reduce(0) { $0 + ($1.seconds - x) * ($1.dirty - y) }
        return square > 0 ? product / square : 0
    }
}
