import Foundation
import HearthCompute
import HearthCoreML
import HearthModels
import HearthSystem

/// `hearth units`: recommends compute units for a model on this machine.
struct UnitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "units",
        abstract: "Compares compute units for a Core ML package.",
        discussion: """
            Runs the model on all processors, on one thread per core, and on one thread: first single inferences
            for the latency, then some seconds without a pause, because sustained load is what heat and other
            programs react to. Recommends the fewest threads whose sustained rate is within a tenth of the best:
            fewer threads use less power and leave more for the app.
            """,
        examples: [
            ("units --model Net.mlpackage", "Measures each choice for two seconds and recommends one."),
            ("units --model Net.mlpackage --seconds 10 --json", "Measures longer; reports as JSON."),
        ])

    @Option(valueName: "M", help: "Core ML package or model, or the folder of a compiled one.")
    var model: String
    @Option(valueName: "S", help: "Seconds of sustained load per choice.")
    var seconds: Float = 2
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard (0.05...600).contains(seconds) else {
            throw UsageError("'--seconds \(seconds)' is out of range: expected 0.05 to 600", command: "units")
        }
    }

    private struct Result: Encodable {
        struct Choice: Encodable {
            var units: ComputeUnits
            var threads: Int
            var msMedian: Double
            var msBest: Double
            var sustainedPerSecond: Double
            /// Rate of the last quarter over that of the first: below 1 if the machine slows down.
            var steadiness: Double
        }
        var choices: [Choice]
        var recommended: ComputeUnits
        var reason: String
    }

    mutating func run() async throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        var choices: [Result.Choice] = []
        let meter = StepMeter(total: ComputeUnits.allCases.count)
        defer { meter.clear() }
        for (number, units) in ComputeUnits.allCases.enumerated() {
            meter.show(number, units.rawValue)
            // Choices with the same number of threads are measured once, so that they do not differ by noise.
            if let same = choices.first(where: { $0.threads == units.threads }) {
                var choice = same
                choice.units = units
                choices.append(choice)
                continue
            }
            let (session, _) = try await OwnThread.run { _ in
                try CoreMLOpening(threads: units.threads, units: units).session(path, kernels: kernels)
            }
            choices.append(try await measure(session, units))
        }
        meter.clear()
        let (recommended, reason) = Self.recommendation(choices.map { ($0.units, $0.threads, $0.sustainedPerSecond) })
        let result = Result(choices: choices, recommended: recommended, reason: reason)
        if json {
            try Output.standard.writeJSON(result)
            return
        }
        Output.standard.writeLine("units      threads   median ms   best ms   sustained/s   steadiness")
        for choice in choices {
            let name = choice.units.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
            Output.standard.writeLine(
                name
                    + String(
                        format: "%8d %11.2f %9.2f %13.1f %12.2f", choice.threads, choice.msMedian, choice.msBest,
                        choice.sustainedPerSecond, choice.steadiness))
        }
        Output.standard.writeLine("recommended: \(recommended.rawValue): \(reason)")
    }

    private func measure(_ session: CoreMLSession, _ units: ComputeUnits) async throws -> Result.Choice {
        _ = try await session.latencies { $0 < 3 }
        let end = ContinuousClock.now + .seconds(Double(seconds))
        let times = try await session.latencies { $0 < 8 || ContinuousClock.now < end }
        let quarter = max(times.count / 4, 1)
        let (first, last) = (times.prefix(quarter).reduce(0, +), times.suffix(quarter).reduce(0, +))
        let sorted = times.sorted()
        return Result.Choice(
            units: units, threads: session.threads, msMedian: sorted[sorted.count / 2], msBest: sorted[0],
            sustainedPerSecond: 1000 * Double(times.count) / times.reduce(0, +), steadiness: first / last)
    }

    /// The choice with the fewest threads within a tenth of the best rate; among equals the first.
    static func recommendation(
        _ choices: [(units: ComputeUnits, threads: Int, rate: Double)]
    ) -> (ComputeUnits, reason: String) {
        let best = choices.map(\.rate).max() ?? 0
        let good = choices.filter { $0.rate >= 0.9 * best }
        guard let choice = good.min(by: { $0.threads < $1.threads }) else { return (.all, "nothing was measured") }
        let share = Int((100 * choice.rate / max(best, 1e-9)).rounded())
        return (
            choice.units,
            "\(share) % of the best sustained rate with \(choice.threads) thread\(choice.threads == 1 ? "" : "s")"
        )
    }
}
