import Foundation
import HearthCoreML
import HearthModels
import HearthReports
import HearthRuntime
import HearthSystem
import HearthText
import Synchronization

/// `hearth startup`: measures startup times on this device.
struct StartupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup",
        abstract: "Measures how long a model takes to start, cold and warm.",
        discussion: """
            Each start happens in a fresh process with artifacts of its own; yours stay untouched. Kinds:
            cold-compile (nothing compiled, model not in the page cache), cold-disk (compiled, not in the page
            cache) and warm; they take turns, --runs of each. Times are milliseconds: compiling, loading, the
            first inference, and one token or inference in steady state. Every sample is logged; 'hearth startup report'
            compares it with earlier ones. With --trace, the last warm start is traced. On a GPU, --json also says
            how the weights came there, and how long the first inference waited for them.
            """,
        examples: [
            ("startup --model hearth-nano", "Measures five starts of each kind."),
            ("startup --model gemma-3-1b-it.gguf --runs 10 --json", "Ten of each, as JSON."),
            ("startup --model Digits.mlpackage", "Starts of a Core ML package."),
            ("startup report --html startup.html", "Plots what was measured so far."),
        ])
    static var subcommands: [any ParsableCommand.Type] {
        [StartupReportCommand.self, StartupSampleCommand.self, StartupPrewarmCommand.self]
    }

    @Option(valueName: "M", help: "GGUF file, Core ML package, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "N", help: "Starts of each kind.")
    var runs: Int = 5
    @Option(
        valueName: "N",
        help: "Context length in tokens, prompt and answer together; default: 4096, or less if the model has less."
    )
    var context: Int?
    @OptionGroup var engine: EngineOptions
    @OptionGroup var compute: ComputeOptions
    @OptionGroup var trace: TraceOptions
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard (1...1000).contains(runs) else {
            throw UsageError("'--runs \(runs)' is out of range: expected 1 to 1000", command: "startup")
        }
        try checkPositive("context", context)
    }

    mutating func run() async throws {
        try compute.check()
        _ = try engine.kernels()
        let path = try resolved(sourcePath())
        if context != nil, CoreMLOpening.isVision(path) {
            throw UsageError("'--context' is for models that write text", command: "startup")
        }
        try OutputPlace.check(trace.trace, option: "--trace", command: "startup", apartFrom: [path])
        let folders = HearthFolders(environment: ProcessInfo.processInfo.environment)
        let recorder = StartupRecorder(log: StartupLog(folders: folders), processVersion: HearthVersion.number)
        let home = try MeasuringHome(beside: folders)
        let probe = StartupProbe(words: words(path), home: home.path)
        let result = StartupResult(recorder: recorder, json: json)
        let meter = StepMeter(total: runs * StartupSample.Kind.allCases.count)
        Interruption.shared.setLastWords {
            // First the measured start, which may be writing into the home folder.
            RunningPrograms.shared.killAll()
            home.remove()
            meter.clear()
            result.print()
        }
        do {
            defer {
                home.remove()
                meter.clear()
            }
            try await measure(path, probe, home, result, meter)
        }
        Interruption.shared.finish { result.print() }
    }

    /// Measures the kinds in rounds, so that other load on the machine affects all kinds alike.
    private func measure(
        _ path: String, _ probe: StartupProbe, _ home: MeasuringHome, _ result: StartupResult, _ meter: StepMeter
    ) async throws {
        for round in 0..<runs {
            for (number, kind) in StartupSample.Kind.allCases.enumerated() {
                meter.show(round * StartupSample.Kind.allCases.count + number, kind.rawValue)
                var probe = probe
                if kind == .coldCompile { try home.clear() }
                if kind != .warm {
                    let isCold = (modelFiles(path) + home.files).map(PageCache.drop).allSatisfy { $0 }
                    if !isCold, kind == .coldDisk {
                        result.note(
                            "the page cache keeps the model (another process uses it, or it is stored in memory): "
                                + "cold-disk is skipped")
                        continue
                    }
                } else if round == runs - 1, let file = trace.trace {
                    probe.words += ["--trace", URL(fileURLWithPath: file).path]
                }
                let measurement = try await probe.run()
                // If the artifact was missing or unusable, this start compiled the model, and counts as such.
                result.add(measurement, measurement.times.reused ? kind : .coldCompile)
                if let notice = await result.logLast() { result.note(notice) }
            }
        }
    }

    private func words(_ path: String) -> [String] {
        var words = ["--model", path]
        if let context { words += ["--context", String(context)] }
        if let threads = engine.threadCount { words += ["--threads", String(threads)] }
        if compute.compute != .auto { words += ["--compute", compute.compute.rawValue] }
        return words
    }

    /// The path of the model's file; an artifact names its source.
    private func sourcePath() throws -> String {
        let path = try ModelLocator.current.path(of: model)
        if CoreMLOpening.isVision(path) {
            return CoreMLArtifact.isArtifact(path) ? try CoreMLCompiler.open(folder: path).modelPath : path
        }
        return ModelOpening.isFolder(path) ? try TextCompiler.open(folder: path).modelPath : path
    }

    /// The files to drop from the page cache: the model's file, or all files of a package.
    private func modelFiles(_ path: String) -> [String] {
        ModelFiles(path: path)?.paths.map(\.path) ?? [path]
    }

    /// The path with symbolic links resolved, since the page cache is dropped by file.
    private func resolved(_ path: String) throws -> String {
        guard let real = realpath(path, nil) else {
            throw CommandFailure(
                .invalidInput, "cannot read the file: \(String(cString: strerror(errno)))", at: "\(path): --model",
                todo: "Check the path and its permissions.")
        }
        defer { free(real) }
        return String(cString: real)
    }

}

/// Results so far, which an interruption can print at any moment.
final class StartupResult: Sendable {
    private struct Document: Encodable {
        struct Sample: Encodable {
            var kind: String
            var compileMS: Double
            var loadMS: Double
            var firstInferenceMS: Double
            @ExplicitNull var steadyMS: Double?
            var peakResidentBytes: Int
            var dirtyBytes: Int
            /// How weights came to a GPU; left out on the CPU.
            var weights: WeightTransfer?
        }
        var samples: [Sample]
        @ExplicitNull var profile: RuntimeProfile?
    }

    private let samples = Mutex<[(sample: StartupSample, weights: WeightTransfer?)]>([])
    private let notes = Mutex<Set<String>>([])
    private let recorder: StartupRecorder
    private let json: Bool

    init(recorder: StartupRecorder, json: Bool) {
        self.recorder = recorder
        self.json = json
    }

    func add(_ measurement: StartupMeasurement, _ kind: StartupSample.Kind) {
        let sample = recorder.sample(measurement, as: kind)
        samples.withLock { $0.append((sample, measurement.weights)) }
    }

    /// - Returns: a message for the user; nil if there is none.
    func logLast() async -> String? {
        guard let sample = samples.withLock({ $0.last?.sample }) else { return nil }
        return await recorder.record(sample)
    }

    /// Prints a note once, even if it applies repeatedly.
    func note(_ text: String) {
        guard notes.withLock({ $0.insert(text).inserted }) else { return }
        Output.error.writeLine("hearth: " + text.withVisibleControls)
    }

    func print() {
        let samples = samples.withLock { $0 }
        if json {
            Output.standard.writeReport(
                Document(
                    samples: samples.map { sample, weights in
                        Document.Sample(
                            kind: sample.kind.rawValue, compileMS: sample.compileMS, loadMS: sample.loadMS,
                            firstInferenceMS: sample.firstInferenceMS, steadyMS: sample.steadyMS,
                            peakResidentBytes: sample.peakResidentBytes, dirtyBytes: sample.dirtyBytes,
                            weights: weights)
                    }, profile: samples.last?.sample.profile))
        } else if !samples.isEmpty {
            let hasStyles = Terminal(.standard)?.hasStyles ?? false
            Output.standard.write(
                StartupTable(StartupReport(samples.map(\.sample)), hasStyles: hasStyles, showsRegressions: false).text)
        }
    }
}
