import Foundation
import HearthCompute
import HearthCoreML
import HearthDelivery
import HearthGPU
import HearthModels
import HearthRuntime
import HearthSystem
import HearthText

/// `hearth units`: measures a model on the processors of this machine.
struct UnitsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "units",
        abstract: "Measures a model on the CPU and on GPUs; --compute auto uses the result.",
        discussion: """
            Runs the model on the CPU and on each GPU, and stores the medians of a few runs. From then on,
            --compute auto uses the GPU if it was at least 1.2 times as fast, otherwise the CPU; in heat or
            low-power mode, the one that needs less energy, if both were measured. A measurement applies as long
            as model, kernel set, number of threads, device, driver and shaders stay the same. Devices in software
            are only measured if HEARTH_GPU names one.

            For Core ML packages it also compares compute units: runs the model on all processors, on one thread
            per core, and on one thread: first single inferences for the latency, then some seconds without a
            pause, because sustained load is what heat and other programs react to. Recommends the fewest threads
            whose sustained rate is within a tenth of the best: fewer threads use less power and leave more for
            the app.
            """,
        examples: [
            ("units --model gemma-3-1b-it.gguf", "Measures the CPU and each GPU, for --compute auto."),
            ("units --model Net.mlpackage", "Also measures each choice of compute units for two seconds."),
            ("units --model Net.mlpackage --seconds 10 --json", "Measures longer; reports as JSON."),
        ])

    @Option(valueName: "M", help: "GGUF file, Core ML package, name of a model, or folder of a compiled artifact.")
    var model: String
    @Option(valueName: "S", help: "Core ML: seconds of sustained load per choice.")
    var seconds: Float = 2
    @Option(valueName: "P", help: "Processors to measure: cpu, gpu (an error if there is none), or auto.")
    var compute: TextCompute = .auto
    @OptionGroup var engine: EngineOptions
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
        var recommended: ComputeUnits?
        var reason: String?
        /// CPU and GPUs, and which of them `--compute auto` takes now.
        var processors: [ProcessorRun.Row]
        var chosen: String
        var chosenReason: String
    }

    /// What `--compute auto` compares.
    private func processors(_ path: String) async throws -> (rows: [ProcessorRun.Row], chosen: String, reason: String) {
        let isVision = CoreMLOpening.isVision(path)
        let devices = try ProcessorRun.devices(compute)
        let (file, threads): (String, Int)
        if isVision {
            file = CoreMLArtifact.isArtifact(path) ? try CoreMLCompiler.open(folder: path).modelPath : path
            threads = engine.threadCount ?? ComputeUnits.all.threads
        } else {
            file = ModelOpening.isFolder(path) ? try TextCompiler.open(folder: path).modelPath : path
            threads = engine.threadCount ?? WorkerPool.defaultThreads
        }
        guard let source = isVision ? ModelFiles(path: file)?.identity : SourceIdentity(path: file) else {
            throw CommandFailure(
                .invalidInput, "there is no such model", at: model, todo: "Check the path, or pass an installed model.")
        }
        guard let folders = HearthFolders(environment: ProcessInfo.processInfo.environment) else {
            throw CommandFailure(
                .unavailable, "there is no folder for measurements", at: "HOME", todo: "Set HEARTH_HOME to a folder.")
        }
        let chooser = ProcessorChooser(
            source: source, cacheFolder: folders.cache,
            kernels: try isVision ? EngineOptions.kernels() : engine.kernels(), threads: threads)
        let run = ProcessorRun(chooser: chooser, devices: devices)
        let rows: [ProcessorRun.Row]
        if isVision {
            rows = try await run.measure { try await run.network(path, on: $0) }
        } else {
            let loaded = try engine.model(model)
            rows = try await run.measure { try await run.text(loaded, on: $0) }
        }
        let (device, choice) = chooser.choose()
        guard device == nil, devices.isEmpty else { return (rows, device == nil ? "cpu" : "gpu", choice.reason) }
        return (rows, "cpu", compute == .cpu ? choice.reason : ProcessorChoice.noGPU.reason)
    }

    mutating func run() async throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        let (rows, chosen, why) = try await processors(path)
        guard CoreMLOpening.isVision(path) else {
            return try report(Result(choices: [], processors: rows, chosen: chosen, chosenReason: why))
        }
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
        try report(
            Result(
                choices: choices, recommended: recommended, reason: reason, processors: rows, chosen: chosen,
                chosenReason: why))
    }

    private func report(_ result: Result) throws {
        if json {
            try Output.standard.writeJSON(result)
            return
        }
        if let recommended = result.recommended, let reason = result.reason {
            Output.standard.writeLine("units      threads   median ms   best ms   sustained/s   steadiness")
            for choice in result.choices {
                let name = choice.units.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0)
                Output.standard.writeLine(
                    name
                        + String(
                            format: "%8d %11.2f %9.2f %13.1f %12.2f", choice.threads, choice.msMedian, choice.msBest,
                            choice.sustainedPerSecond, choice.steadiness))
            }
            Output.standard.writeLine("recommended: \(recommended.rawValue): \(reason)")
        }
        for row in result.processors { Output.standard.writeLine(row.line) }
        Output.standard.writeLine(
            "--compute auto: \(result.chosen): \(result.chosenReason.withVisibleControls)")
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
