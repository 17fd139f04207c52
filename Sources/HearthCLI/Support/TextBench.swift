import Foundation
import HearthRuntime
import HearthSystem
import HearthText

/// Minutes of writing without a pause.
struct SustainedRun: Encodable {
    /// How it stood at a moment; about once a second, and at most a thousand of them.
    struct Sample: Encodable {
        var seconds: Double
        /// Since the sample before.
        var tokensPerSecond: Double
        var residentBytes: Int
        var dirtyBytes: Int
    }
    var minutes: Double
    var tokens: Int
    var tokensPerSecond: Double
    /// Rate of the last tenth of the time over that of the first.
    var steadiness: Double
    /// Slope of the line of least squares through the written memory, once a second, the first tenth left out.
    var dirtyBytesPerMinute: Double
    @ExplicitNull var joulesPerToken: Double?
    /// What counted the energy, or why nobody could.
    var energy: String
    var samples: [Sample] = []
}

/// Measures one generator.
struct TextBench {
    let generator: TextGenerator

    /// One text: a prompt of ids in no order, then tokens as they come.
    func run(prompt length: Int, tokens: Int, seed: Int) async throws -> GenerationSummary {
        let count = UInt64(generator.model.tokenizer.vocabulary.count)
        // Each length begins in a way of its own: what the session still held of another one would not be computed.
        let first = 7919 * (seed + 1) + 104_729 * length
        let prompt = (0..<length).map { TokenID((UInt64($0 + first) &* 2_654_435_761 % (count - 4)) + 4) }
        // The likeliest token each time: choosing among all costs time that is not the model's.
        let options = GenerationOptions(maximumTokens: tokens, sampling: .greedy)
        for try await event in generator.generate(prompt, options: options) {
            if case .finished(let summary, _) = event { return summary }
        }
        throw CancellationError()
    }

    /// Writes text after text.
    func sustain(minutes: Double, prompt: Int) async throws -> SustainedRun {
        let meter = EnergyMeter(), before = EnergyMeter().read(), begin = ContinuousClock.now
        func seconds() -> Double { (ContinuousClock.now - begin).milliseconds / 1000 }
        var samples: [SustainedRun.Sample] = []
        var sampled = 0, written = 0
        let distance = max(1, minutes * 60 / 1000)
        var finished: [(seconds: Double, tokens: Int)] = []
        var number = 0
        let room = generator.contextLength - prompt
        while seconds() < minutes * 60 {
            let summary = try await run(prompt: prompt, tokens: min(room, 128), seed: number)
            number += 1
            finished.append((seconds(), summary.generatedTokens))
            written += summary.generatedTokens
            let now = seconds(), since = now - (samples.last?.seconds ?? 0)
            if since >= distance, let memory = ProcessMemory.current() {
                samples.append(
                    .init(
                        seconds: now, tokensPerSecond: Double(written - sampled) / since,
                        residentBytes: memory.resident, dirtyBytes: memory.dirty))
                sampled = written
            }
        }
        let end = seconds(), tokens = finished.reduce(0) { $0 + $1.tokens }
        func rate(_ range: ClosedRange<Double>) -> Double {
            let some = finished.filter { range.contains($0.seconds) }
            return Double(some.reduce(0) { $0 + $1.tokens }) / max(range.upperBound - range.lowerBound, 1e-9)
        }
        var run = SustainedRun(
            minutes: end / 60, tokens: tokens, tokensPerSecond: Double(tokens) / end,
            steadiness: rate(0.9 * end...end) / max(rate(0...0.1 * end), 1e-9),
            dirtyBytesPerMinute: 60
                * Self.slope(
                    samples.filter { $0.seconds > 0.1 * end }.map { ($0.seconds, Double($0.dirtyBytes)) }), energy: "",
            samples: samples)
        switch meter.read().since(before) {
        case .joules(let joules, let source):
            run.joulesPerToken = joules / Double(max(tokens, 1))
            run.energy = String(format: "%.2f J a token, counted by the %@", joules / Double(max(tokens, 1)), source)
        case .notMeasurable(let reason): run.energy = "not measurable here: \(reason)"
        }
        return run
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// Of the line of least squares; 0 for fewer than two points.
    static func slope(_ points: [(seconds: Double, dirty: Double)]) -> Double {
        guard points.count > 1 else { return 0 }
        let n = Double(points.count)
        let x = points.reduce(0) { $0 + $1.seconds } / n, y = points.reduce(0) { $0 + $1.dirty } / n
        let square = points.reduce(0) { $0 + ($1.seconds - x) * ($1.seconds - x) }
        let product = points.reduce(0) { $0 + ($1.seconds - x) * ($1.dirty - y) }
        return square > 0 ? product / square : 0
    }
}
