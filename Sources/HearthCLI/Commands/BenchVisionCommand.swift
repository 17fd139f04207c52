import Foundation
import HearthCoreML
import HearthModels
import HearthSystem

/// `hearth bench vision`: latency of a model for images, in total and by step.
struct BenchVisionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench vision",
        abstract: "Measures the latency of a Core ML package.",
        discussion: """
            Loads the model (its compiled artifact if there is one, see 'hearth compile'), runs it once, and
            then --runs times on one dummy input. Times are milliseconds. With --layers every step is also
            measured alone, and its arithmetic is compared with the multiply-add rate that the same threads
            reach in registers in the same run.
            """,
        examples: [
            ("bench vision --model MobileNetV2.mlpackage --runs 100", "Median and best of a hundred inferences."),
            ("bench vision --model ResNet50.mlpackage --layers --threads 2", "Measures every step."),
            ("bench vision --model ResNet50.mlpackage --json", "The same, as JSON."),
        ])

    @Option(valueName: "M", help: "Core ML package or model, or the folder of a compiled one.")
    var model: String
    @Option(valueName: "N", help: "Inferences to measure.")
    var runs: Int = 50
    @OptionGroup var engine: EngineOptions
    @Flag(help: "Also measures every step alone.")
    var layers = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard (1...1_000_000).contains(runs) else {
            throw UsageError("'--runs \(runs)' is out of range: expected 1 to 1000000", command: "bench vision")
        }
    }

    private struct Result: Encodable {
        struct Layer: Encodable {
            var place: String
            var kind: String
            var shape: [Int]
            var multiplyAdds: Int
            var ms: Double
            var gigaflops: Double
            var shareOfPeak: Double
        }

        var msMedian: Double
        var msBest: Double
        var loadMS: Double
        var firstMS: Double
        var threads: Int
        var compiled: Bool
        var multiplyAdds: Int
        var memoryBytes: Int
        var peakGigaflops: Double?
        var layers: [Layer]?
    }

    mutating func run() async throws {
        let kernels = try EngineOptions.kernels()
        let path = try ModelLocator.using.path(of: model)
        let opening = CoreMLOpening(threads: engine.threadCount)
        let begin = ContinuousClock.now
        let (session, isCompiled) = try await OwnThread.run { _ in try opening.session(path, kernels: kernels) }
        let loadMS = (ContinuousClock.now - begin).milliseconds
        let first = ContinuousClock.now
        _ = try await session.predict(session.dummyInputs())
        let firstMS = (ContinuousClock.now - first).milliseconds
        let runs = runs
        let times = try await session.latencies { $0 < runs }.sorted()
        var result = Result(
            msMedian: times[times.count / 2], msBest: times[0], loadMS: loadMS, firstMS: firstMS,
            threads: session.threads, compiled: isCompiled, multiplyAdds: session.multiplyAdds,
            memoryBytes: session.memoryBytes)
        if layers {
            let peak = try await session.measuredPeak() / 1e9
            result.peakGigaflops = peak
            result.layers = try await session.layers(runs: min(runs, 30)).map { layer in
                Result.Layer(
                    place: layer.place, kind: layer.kind, shape: layer.shape, multiplyAdds: layer.multiplyAdds,
                    ms: layer.ms, gigaflops: layer.gigaflops, shareOfPeak: layer.gigaflops / peak)
            }
        }
        if json { try Output.standard.writeJSON(result) } else { print(result) }
    }

    private func print(_ result: Result) {
        let output = Output.standard
        output.writeLine(
            String(
                format: "%.2f ms median, %.2f ms best of %d; %d threads; load %.1f ms, first %.1f ms%@",
                result.msMedian,
                result.msBest, runs, result.threads, result.loadMS, result.firstMS,
                result.compiled ? "" : " (compiled in memory: 'hearth compile' makes starts fast)"))
        guard let layers = result.layers, let peak = result.peakGigaflops else { return }
        output.writeLine(String(format: "%.1f GFLOP/s is what these threads reach in registers", peak))
        output.writeLine("")
        output.writeLine("      ms  GFLOP/s  of peak  kind              shape            step")
        for layer in layers { output.writeLine(row(layer.ms, layer, layer.kind, shape(layer.shape), layer.place)) }
        output.writeLine("")
        for kind in Set(layers.map(\.kind)).sorted() {
            let all = layers.filter { $0.kind == kind }
            let ms = all.reduce(0) { $0 + $1.ms }
            let work = all.reduce(0) { $0 + $1.multiplyAdds }
            let speed = ms > 0 ? 2e-6 * Double(work) / ms : 0
            let sum = Result.Layer(
                place: "", kind: kind, shape: [], multiplyAdds: work, ms: ms, gigaflops: speed,
                shareOfPeak: speed / peak)
            output.writeLine(row(ms, sum, kind, "\(all.count) steps", ""))
        }
    }

    private func row(_ ms: Double, _ layer: Result.Layer, _ kind: String, _ shape: String, _ place: String) -> String {
        let figures =
            layer.multiplyAdds > 0
            ? String(format: "%8.3f %8.1f %6.1f %%", ms, layer.gigaflops, 100 * layer.shareOfPeak)
            : String(format: "%8.3f                  ", ms)
        return "\(figures)  \(kind.padded(to: 16))  \(shape.padded(to: 15))  \(place.withVisibleControls)"
    }

    private func shape(_ shape: [Int]) -> String { shape.map(String.init).joined(separator: "×") }
}
