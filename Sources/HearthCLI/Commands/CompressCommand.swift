import Foundation
import HearthCalibration
import HearthCompression
import HearthSystem

/// `hearth compress`: a smaller copy of a model.
struct CompressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compress",
        abstract: "Makes a smaller copy of a Core ML package or a GGUF file.",
        discussion: """
            Palettes are of the least squared error that there is: one-dimensional k-means is solved, not searched for. Every
            weight of more than 200 elements is compressed; biases, what normalises, and what is compressed already stay
            byte for byte, and so does everything that people wrote. The version of a package is raised to iOS 18 only
            where the form needs it: palettes of 3 bits, groups, blocks, int4. In a GGUF file the matrix that makes
            the logits takes q8_0, vectors stay.

            Weights with many zeros, as networks that were pruned have, go without them where that is smaller at no greater
            error: a bit for each element, and what is not zero. Palettes and integers have such forms in iOS 18 only; with
            --sparse ios18 the package is made one for it.

            With --calibrate, palettes of a Core ML package are made for what up to 128 pictures show of each layer: levels
            weigh as much as their inputs, each column's error is passed on to the columns to come, and biases take up the
            change of the mean (the only vectors that change). Nothing is trained. --budget or --max-drop, in place of
            --to, give each weight bits of its own, by what they were measured to cost.

            With --json, ratio is output over input, and snrDB is 300 where nothing is lost.
            """,
        examples: [
            ("compress Digits.mlpackage --to palette4 -o Small.mlpackage", "Sixteen values for each weight tensor."),
            ("compress Digits.mlpackage --to int8 --asymmetric -o Small.mlpackage", "Codes of 8 bits a channel."),
            (
                "compress Net.mlpackage --to palette3 --group-size 8 -o Small.mlpackage",
                "A palette for 8 channels each."
            ),
            (
                "compress Net.mlpackage --to palette3 --calibrate pictures -o Small.mlpackage",
                "Palettes that the pictures in a folder make better."
            ),
            (
                "compress Net.mlpackage --max-drop 0.01 --calibrate pictures --labels labels.csv -o Small.mlpackage",
                "As few bits a weight as lose no more than one picture in a hundred."
            ),
            ("compress gemma-f16.gguf --to q4_0 -o gemma-q4_0.gguf", "A language model in 4 bits."),
        ])

    @Argument(valueName: "MODEL", help: ".mlpackage or GGUF file, or the name of an installed or bundled model.")
    var model: String
    @Option(valueName: "FORM", help: "What weights become; not with --budget and --max-drop.")
    var to: CompressionTarget?
    @Option(short: "o", valueName: "OUT", help: "Where the copy goes.")
    var output: String
    @Option(valueName: "N", help: "Palettes: channels that share one; default: one for the whole tensor.")
    var groupSize: Int?
    @Option(
        valueName: "DIR", help: "Palettes: a folder of pictures (or .f32 files) like those that the model will meet.")
    var calibrate: String?
    @Option(valueName: "BYTES", help: "Bits for each weight so that the whole package has at most so many bytes.")
    var budget: Int?
    @Option(valueName: "X", help: "Bits for each weight so that at most this share of the pictures is lost.")
    var maxDrop: Float?
    @Option(
        valueName: "CSV", help: "Lines 'file,label' for the pictures; without, what the original model says is right.")
    var labels: String?
    @Option(valueName: "LIST", help: "For measurements: of importance, compensation, bias, drift, or none.")
    var steps: String?
    @Option(
        valueName: "G", help: "Integers: what shares a scale; default: channel for int8, block for int4.")
    var granularity: ScaleGranularity?
    @Option(valueName: "N", help: "Integers: input channels of a block; default: 32.")
    var blockSize: Int?
    @Option(
        valueName: "FORMS",
        help:
            "Weights without their zeros where that is smaller and no worse: auto, off, or ios18 (forms of iOS 18 too)."
    )
    var sparse = SparseOption.auto
    @Flag(help: "Integers: codes with a zero point, for weights that lie to one side of 0.")
    var asymmetric = false
    @Flag(help: "Integers: searches the scale of least squared error.")
    var scaleSearch = false
    @Option(valueName: "N", help: "Tensors of no more elements stay as they are.")
    var minElements = 200
    @Option(valueName: "NAME", help: "Tensors that stay as they are.")
    var keep: [String] = []
    @Option(valueName: "N", help: "Threads that compute; default: one for each processor.")
    var threads: Int?
    @Flag(help: "Replaces what is at OUT.")
    var force = false
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        try checkPositive("group-size", groupSize)
        try checkPositive("block-size", blockSize)
        try checkPositive("threads", threads)
        if minElements < 0 { throw usage("'--min-elements' is below 0") }
        if output.isEmpty { throw usage("the output has no name") }
        try validateCalibration()
        if groupSize != nil, to?.paletteBits == nil, !isMixed { throw usage("'--group-size' is for palettes") }
        let isLinearOnly = granularity != nil || blockSize != nil || asymmetric || scaleSearch
        if isLinearOnly, to?.isLinear != true {
            throw usage("'--granularity', '--block-size', '--asymmetric' and '--scale-search' are for int8 and int4")
        }
        if blockSize != nil, let granularity, granularity != .block {
            throw usage("'--block-size' goes with '--granularity block'")
        }
    }

    /// Whether each weight has bits of its own.
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
        if calibrate != nil, !isMixed, to?.paletteBits == nil { throw usage("'--calibrate' is for palettes") }
        if steps != nil, calibrate == nil { throw usage("'--steps' goes with '--calibrate'") }
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
        let place = TemporaryPlace()
        do {
            let outcome = try await Interruption.shared.cancelling(atOnce: place.remove) {
                place.remove()
                meter?.clear()
            } _: {
                try await OwnThread.run { isCancelled in
                    // The thread asks the question from others too, which live no longer than the work.
                    try withoutActuallyEscaping(isCancelled) { isCancelled in
                        try job(
                            place.begin, { meter?.show(1000 * $0 / max($1, 1)) }, { Task.isCancelled || isCancelled() })
                    }
                }
            }
            place.end()
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
        if let calibrate {
            let choice: CalibratedCompression.Choice =
                budget.map { .budget($0) } ?? maxDrop.map { .drop(Double($0) + 1e-6) } ?? .bits(to?.paletteBits ?? 8)
            let calibrated = CalibratedCompression(
                folder: calibrate, labels: labels, choice: choice, steps: try calibrationSteps, compressor: compressor)
            return { began, progress, isCancelled in
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
        // Weights that cannot be calibrated lose little at 8 bits.
        if let bits = isMixed ? 8 : to?.paletteBits {
            return .palette(Palettization(bits: bits, groupSize: groupSize))
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

    /// Why a weight has its bits, and why it goes without its zeros.
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
                Report.Calibration(images: $0.images, unused: $0.unused, drop: $0.drop)
            }, seconds: seconds)
        try? Output.standard.writeJSON(result)
    }
}
