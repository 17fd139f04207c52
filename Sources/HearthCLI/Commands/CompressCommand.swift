import Foundation
import HearthCalibration
import HearthCompression
import HearthGGUF
import HearthModels
import HearthSystem

/// `hearth compress`: makes a smaller copy of a model.
struct CompressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compress",
        abstract: "Makes a smaller copy of a Core ML model or a GGUF file.",
        discussion: """
            Palettes have the least possible squared error: one-dimensional k-means is solved exactly. Every weight
            of more than 200 elements that the form makes smaller is compressed; biases, normalisation parameters,
            weights that are already compressed, and all metadata stay byte for byte. The version of a package is
            raised to iOS 18 only if the form needs it: palettes of 3 bits, groups, vectors, blocks, int4; to iOS 26
            for --channel-scales. In a pipeline each model with weights is compressed, and the name of a weight
            begins with that of its model or its number. A neural network (.mlmodel) has one palette for each
            weight, and scales for channels only. In a GGUF file the output matrix is stored as q8_0, and vectors
            stay as they are.

            Weights with many zeros, such as those of pruned networks, are stored sparsely if that is smaller
            and the error is no larger: one bit per element, and the elements that are not zero. Sparse palettes
            and integers exist in iOS 18 only; --sparse ios18 raises the package to that version.

            With --calibrate, the palettes of a Core ML package are fitted to the inputs that up to 128 images
            give each layer: weights count as much as their inputs, the error of each column is passed on to the
            following columns, and biases absorb the change of the mean (no other vector changes). Nothing is
            trained. --budget or --max-drop, instead of --to, gives each weight a bit width of its own, chosen
            by its measured effect on accuracy.

            --activations int8 rounds the inputs and results of convolutions, dense layers, pooling and sums to
            8-bit integers when the model runs, over the ranges that they have for the images of --calibrate:
            with --to int8, devices that multiply such integers do so (W8A8). Needs iOS 17.

            With --json, ratio is output size over input size, and snrDB is 300 if nothing is lost.
            """,
        examples: [
            ("compress Digits.mlpackage --to palette4 -o Small.mlpackage", "A palette of 16 values per weight tensor."),
            (
                "compress Digits.mlpackage --to int8 --asymmetric -o Small.mlpackage",
                "8-bit integers with one scale per channel."
            ),
            (
                "compress Net.mlpackage --to palette3 --group-size 8 -o Small.mlpackage",
                "One palette per group of 8 channels."
            ),
            (
                "compress Net.mlpackage --to palette3 --calibrate pictures -o Small.mlpackage",
                "Palettes calibrated with the images in a folder."
            ),
            (
                "compress Net.mlpackage --to int8 --activations int8 --calibrate pictures -o Small.mlpackage",
                "8-bit integers for weights and activations (W8A8)."
            ),
            (
                "compress Net.mlpackage --max-drop 0.01 --calibrate pictures --labels labels.csv -o Small.mlpackage",
                "The smallest package that loses at most 1 % accuracy."
            ),
            ("compress gemma-f16.gguf --to q4_0 -o gemma-q4_0.gguf", "A language model in 4 bits."),
        ])

    @Argument(
        valueName: "MODEL", help: ".mlpackage, .mlmodel or GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "FORM", help: "Target format of the weights; not with --budget or --max-drop.")
    var to: CompressionTarget?
    @Option(short: "o", valueName: "OUT", help: "Path of the copy.")
    var output: String
    @Option(valueName: "N", help: "Palettes: channels that share a palette; default: all channels of the tensor.")
    var groupSize: Int?
    @Option(valueName: "N", help: "Palettes: neighbouring channels that share an index into vectors of N (iOS 18).")
    var vector: Int?
    @Flag(help: "Palettes: multiplied by a scale for each channel, for channels of different magnitude (iOS 26).")
    var channelScales = false
    @Option(
        valueName: "DIR", help: "Palettes, activations: a folder of representative images (or .f32 files).")
    var calibrate: String?
    @Option(valueName: "FORM", help: "Rounds activations too; with --to and --calibrate (value: int8).")
    var activations: ActivationForm?
    @Option(valueName: "BYTES", help: "Chooses the bits per weight so that the package has at most this size.")
    var budget: Int?
    @Option(valueName: "X", help: "Chooses the bits per weight so that accuracy drops by at most this share.")
    var maxDrop: Float?
    @Option(
        valueName: "CSV", help: "Labels of the images, CSV: file,label; default: what the original model predicts.")
    var labels: String?
    @Option(
        valueName: "LIST",
        help: "Calibration steps to use, for measurements: importance, compensation, bias, drift, or none.")
    var steps: String?
    @Option(
        valueName: "G", help: "Integers: granularity of the scales; default: channel for int8, block for int4.")
    var granularity: ScaleGranularity?
    @Option(valueName: "N", help: "Integers: input channels per block; default: 32.")
    var blockSize: Int?
    @Option(
        valueName: "FORMS",
        help:
            "Sparse weights where they are smaller and no worse: auto, off, or ios18 (allows forms of iOS 18)."
    )
    var sparse = SparseOption.auto
    @Flag(help: "Integers: with a zero point, for weights that are mostly of one sign.")
    var asymmetric = false
    @Flag(help: "Integers: searches for the scale with the least squared error.")
    var scaleSearch = false
    @Option(valueName: "N", help: "Leaves tensors of up to this many elements uncompressed.")
    var minElements = 200
    @Option(valueName: "NAME", help: "Names of tensors to leave uncompressed.")
    var keep: [String] = []
    @Option(valueName: "N", help: "Number of threads; default: those of the performance cores.")
    var threads: Int?
    @Flag(help: "Replaces an existing OUT.")
    var force = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        try checkPositive("group-size", groupSize)
        try checkPositive("block-size", blockSize)
        if let threads, !(1...1024).contains(threads) {
            throw usage("'--threads \(threads)' is out of range: expected 1 to 1024")
        }
        if minElements < 0 { throw usage("'--min-elements' is below 0") }
        if output.isEmpty { throw usage("'--output' is empty") }
        if output == "-" { throw usage("the copy cannot go to standard output: '--output' takes a path") }
        try validateCalibration()
        if groupSize != nil, to?.paletteBits == nil, !isMixed { throw usage("'--group-size' is for palettes") }
        try checkPositive("vector", vector)
        if vector != nil, to?.paletteBits == nil { throw usage("'--vector' is for palettes") }
        if vector != nil, calibrate != nil || channelScales {
            throw usage("'--vector' excludes '--calibrate' and '--channel-scales'")
        }
        if channelScales, to?.paletteBits == nil { throw usage("'--channel-scales' is for palettes") }
        if channelScales, calibrate != nil { throw usage("'--channel-scales' and '--calibrate' exclude each other") }
        let isLinearOnly = granularity != nil || blockSize != nil || asymmetric || scaleSearch
        if isLinearOnly, to?.isLinear != true {
            throw usage("'--granularity', '--block-size', '--asymmetric' and '--scale-search' are for int8 and int4")
        }
        if blockSize != nil, let granularity, granularity != .block {
            throw usage("'--block-size' goes with '--granularity block'")
        }
    }

    /// Whether each weight gets its own bit width.
    private var isMixed: Bool { budget != nil || maxDrop != nil }

    private func validateCalibration() throws {
        try checkPositive("budget", budget)
        if let maxDrop, !(0..<1).contains(maxDrop) {
            throw usage("'--max-drop \(maxDrop)' is out of range: expected 0 to 1")
        }
        if isMixed {
            if to != nil { throw usage("'--budget' and '--max-drop' choose the bits themselves: leave '--to' out") }
            if budget != nil, maxDrop != nil { throw usage("'--budget' and '--max-drop' exclude each other") }
            if calibrate == nil { throw usage("'--budget' and '--max-drop' need '--calibrate DIR'") }
        } else if to == nil {
            throw usage("missing option '--to FORM'")
        }
        if activations != nil {
            if calibrate == nil { throw usage("'--activations' needs '--calibrate DIR'") }
            if to?.format != nil { throw usage("'--activations' is for Core ML packages") }
            if isMixed { throw usage("'--activations' goes with '--to', not with '--budget' and '--max-drop'") }
        } else if calibrate != nil, !isMixed, to?.paletteBits == nil {
            throw usage("'--calibrate' is for palettes and '--activations'")
        }
        if steps != nil, calibrate == nil || !isMixed && to?.paletteBits == nil {
            throw usage("'--steps' goes with palettes and '--calibrate'")
        }
        if labels != nil, maxDrop == nil, budget == nil { throw usage("'--labels' goes with '--max-drop'") }
        _ = try calibrationSteps
    }

    private var calibrationSteps: CalibrationSteps {
        get throws {
            guard let steps else { return .all }
            return try steps.split(separator: ",").reduce(into: CalibrationSteps()) { all, name in
                if name == "none" { return }
                guard let step = CalibrationSteps.names.first(where: { $0.name == name })?.step else {
                    throw usage("'--steps \(name)' is unknown: expected importance, compensation, bias, drift or none")
                }
                all.insert(step)
            }
        }
    }

    private func usage(_ what: String) -> UsageError { UsageError(what, command: "compress") }

    private struct Report: Encodable {
        struct Side: Encodable {
            var bytes: Int
            var path: String
        }
        struct Tensor: Encodable {
            var name: String
            var shape: [Int]
            var bits: Int
            var encoding: String
            var snrDB: Double
            var squaredError: Double
            var bytes: Int
            var sparsity: Double?
            var savedBytes: Int?
            var outputSNRdB: Double?
            var biasCorrected: Bool?
            var reason: String?
        }
        struct Calibration: Encodable {
            var images: Int
            var unused: Int
            var drop: Double?
            var activations: Int?
        }
        struct Skipped: Encodable {
            var name: String
            var reason: String
        }

        var input: Side
        var output: Side
        var ratio: Double
        @ExplicitNull var version: Int?
        var tensors: [Tensor]
        var skipped: [Skipped]
        var calibration: Calibration?
        var seconds: Double
    }

    mutating func run() async throws {
        let begin = ContinuousClock.now
        let path = try ModelLocator.current.path(of: model)
        let job = try self.job(path)
        let meter = json ? nil : ProgressMeter(total: 1000, label: "compressing")
        let unfinished = UnfinishedFiles()
        do {
            let outcome = try await Interruption.shared.cancelling(atOnce: unfinished.removeAll) {
                unfinished.removeAll()
                meter?.clear()
            } _: {
                try await OwnThread.run { isCancelled in
                    try job(
                        unfinished.begin, { meter?.show(1000 * $0 / max($1, 1)) },
                        { Task.isCancelled || isCancelled() })
                }
            }
            unfinished.endAll()
            meter?.clear()
            let seconds = (ContinuousClock.now - begin).milliseconds / 1000
            Interruption.shared.finish { show(outcome, path, seconds) }
        } catch {
            meter?.clear()
            throw error
        }
    }

    private typealias Job =
        @Sendable (
            _ began: (String) -> Void, _ progress: @escaping PackageCompressor.Progress,
            _ isCancelled: @escaping @Sendable () -> Bool
        ) throws -> CompressionOutcome

    private func job(_ path: String) throws -> Job {
        let isPackage = InspectCommand.isCoreML(path)
        guard isPackage == (to?.format == nil) else {
            // What is neither is not told which forms a GGUF file takes.
            if !isPackage { _ = try GGUFFile(path: path) }
            throw usage(
                "'\(to.map { "--to \($0.rawValue)" } ?? "--calibrate")' is not for this kind of file: \(isPackage ? "a Core ML model" : "a GGUF file") "
                    + "takes \(CompressionTarget.list(gguf: !isPackage))")
        }
        let (output, force) = (output, force)
        if let format = to?.format {
            var quantizer = GGUFQuantizer(format, threads: threads)
            quantizer.minimumElements = minElements
            quantizer.kept = Set(keep)
            return { [quantizer] began, progress, isCancelled in
                CompressionOutcome(
                    report: try quantizer.compress(
                        path, to: output, replacing: force, began: began, progress: progress, isCancelled: isCancelled))
            }
        }
        var compressor = PackageCompressor(form, threads: threads)
        compressor.minimumElements = minElements
        compressor.kept = Set(keep)
        compressor.sparseForms = sparse.forms
        compressor.requiresBlocks = granularity == .block || blockSize != nil
        if let calibrate {
            let choice: CalibratedCompression.Choice =
                budget.map { .budget($0) } ?? maxDrop.map { .drop(Double($0) + 1e-6) }
                ?? to?.paletteBits.map { .bits($0) } ?? .form
            var calibrated = CalibratedCompression(
                folder: calibrate,
                labels: try labels.map { .init(file: $0, text: try InputFile.text($0, option: "--labels")) },
                choice: choice, steps: try calibrationSteps, compressor: compressor)
            calibrated.quantizesActivations = activations != nil
            return { [calibrated] began, progress, isCancelled in
                try calibrated.run(
                    path, to: output, replacing: force, began: began, progress: progress, isCancelled: isCancelled)
            }
        }
        return { [compressor] began, progress, isCancelled in
            CompressionOutcome(
                report: try compressor.compress(
                    path, to: output, replacing: force, began: began, progress: progress, isCancelled: isCancelled))
        }
    }

    private var form: CompressionForm {
        // Weights that cannot be calibrated lose little accuracy at 8 bits.
        if let bits = isMixed ? 8 : to?.paletteBits {
            var palette = Palettization(bits: bits, groupSize: groupSize)
            palette.hasChannelScales = channelScales
            palette.vectorSize = vector ?? 1
            return .palette(palette)
        }
        guard let to, to.isLinear else { return .float16 }
        let usual: ScaleGranularity = blockSize != nil || to == .int4 ? .block : .channel
        let granularity: LinearQuantization.Granularity =
            switch self.granularity ?? usual {
            case .tensor: .tensor
            case .channel: .channel
            case .block: .block(blockSize ?? 32)
            }
        return .linear(
            LinearQuantization(
                bits: to == .int4 ? 4 : 8, granularity: granularity, isAsymmetric: asymmetric,
                searchesScale: scaleSearch)
        )
    }

    /// Why a weight has its bit width, and why it is stored sparsely.
    private static func reason(
        _ tensor: CompressionReport.Tensor, _ known: CalibrationSummary.Tensor?
    ) -> String? {
        let reasons = [known?.reason, tensor.sparsity.map(CompressionTable.reason)].compactMap { $0 }
        return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
    }

    private func show(_ outcome: CompressionOutcome, _ path: String, _ seconds: Double) {
        let (report, calibration) = (outcome.report, outcome.calibration)
        if report.tensors.isEmpty {
            Output.error.writeLine(
                "hearth: no weight was compressed; the copy holds the same weights (\(path.withVisibleControls))")
        }
        guard json else {
            Output.standard.write(CompressionTable(report: report, calibration: calibration, seconds: seconds).text)
            return
        }
        let result = Report(
            input: Report.Side(bytes: report.inputBytes, path: path),
            output: Report.Side(bytes: report.outputBytes, path: output),
            ratio: Double(report.outputBytes) / Double(max(report.inputBytes, 1)), version: report.version,
            tensors: report.tensors.map { tensor in
                let known = calibration?.tensors[tensor.name]
                return Report.Tensor(
                    name: tensor.name, shape: tensor.shape, bits: tensor.bits, encoding: tensor.encoding,
                    snrDB: tensor.snrDB, squaredError: tensor.squaredError, bytes: tensor.bytes,
                    sparsity: tensor.sparsity?.share, savedBytes: tensor.sparsity?.savedBytes,
                    outputSNRdB: known?.outputDB, biasCorrected: known?.correctsBias,
                    reason: Self.reason(tensor, known))
            },
            skipped: report.skipped.map { Report.Skipped(name: $0.name, reason: $0.reason) },
            calibration: calibration.map {
                Report.Calibration(
                    images: $0.images, unused: $0.unused, drop: $0.drop, activations: $0.activations)
            }, seconds: seconds)
        Output.standard.writeReport(result)
    }
}
