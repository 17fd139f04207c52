internal import Foundation
package import HearthCompression
internal import HearthCoreML
internal import HearthCoreMLFormat

/// The result of a compression: the report of the copy, and the summary of the calibration if there was one.
package struct CompressionOutcome: Sendable {
    package var report: CompressionReport
    package var calibration: CalibrationSummary?

    package init(report: CompressionReport, calibration: CalibrationSummary? = nil) {
        (self.report, self.calibration) = (report, calibration)
    }
}

/// The results of a calibration, for the report.
package struct CalibrationSummary: Sendable {
    package struct Tensor: Sendable {
        /// The signal-to-noise ratio of the layer's output, in decibels.
        package var outputDB: Double
        /// Whether the layer's bias compensates the change of the mean.
        package var correctsBias: Bool
        /// Why the weight has its number of bits, if it was chosen automatically.
        package var reason: String?
    }

    package var images: Int
    package var unused: Int
    /// The number of activations that are rounded to int8.
    package var activations: Int?
    /// The net fraction of calibration images whose result becomes wrong; nil if not measured.
    package var drop: Double?
    package var tensors: [String: Tensor]
}

/// Compresses a package with palettes fitted to the layer inputs that images produce, or with activations as integers over the
/// ranges that they have for images.
package struct CalibratedCompression: Sendable {
    /// How the number of bits is chosen.
    package enum Choice: Sendable {
        /// The compressor's form, without calibrated weights.
        case form
        /// The same number of bits for each weight.
        case bits(Int)
        /// A maximum size of the package in bytes.
        case budget(Int)
        /// A maximum fraction of images whose result becomes wrong.
        case drop(Double)
    }

    /// The classes of the images.
    package struct Labels: Sendable {
        package var file: String
        /// Lines of `picture,label`.
        package var text: String

        package init(file: String, text: String) { (self.file, self.text) = (file, text) }
    }

    private let folder: String
    private let labels: Labels?
    private let choice: Choice
    private let steps: CalibrationSteps
    private let compressor: PackageCompressor
    /// Whether activations are rounded to int8.
    package var quantizesActivations = false

    /// Creates a compression.
    /// - Parameters:
    ///   - folder: a folder of images, or of files with float32 values.
    ///   - labels: nil to use the predictions of the original model.
    ///   - compressor: writes the package, and compresses the weights that cannot be calibrated.
    package init(
        folder: String, labels: Labels?, choice: Choice, steps: CalibrationSteps, compressor: PackageCompressor
    ) {
        (self.folder, self.labels, self.choice) = (folder, labels, choice)
        (self.steps, self.compressor) = (steps, compressor)
    }

    /// Calibrates and writes the compressed package.
    /// - Parameters:
    ///   - path: path of the package.
    ///   - output: path of the compressed copy.
    ///   - began: receives the path of each temporary folder before it is created.
    /// - Throws: ``CalibrationError``, `ImageError`, `CompressionError`, `FileError`, `CancellationError`.
    package func run(
        _ path: String, to output: String, replacing: Bool, began: (String) -> Void,
        progress: @escaping PackageCompressor.Progress, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompressionOutcome {
        // Report an existing output, and a model of another kind, before the long-running work.
        let package = try compressor.open(path, output: output, replacing: replacing)
        let parts = try compressor.calibratedParts(of: package)
        if quantizesActivations, parts.allSatisfy({ $0.version == nil }) {
            throw CompressionError.invalidSetting(
                name: path,
                problem: "'--activations' is for ML Programs: a neural network has no operation that rounds activations"
            )
        }
        let model = try CoreMLModel(package)
        let inputs = try CalibrationInputs(folder: folder, for: model, isCancelled: isCancelled)
        var compressor = compressor
        if quantizesActivations {
            compressor.activations = try ActivationCalibration(
                package: package, model: model, inputs: inputs, threads: max(compressor.threads, 1)
            ).ranges(progress: { progress($0, 2 * $1) }, isCancelled: isCancelled)
        }
        var outcome = try weights(
            package, to: output, replacing: replacing, model, inputs, compressor, began, progress, isCancelled)
        if quantizesActivations { outcome.calibration?.activations = compressor.activations.count }
        return outcome
    }

    private func weights(
        _ package: CoreMLPackage, to output: String, replacing: Bool, _ model: CoreMLModel, _ inputs: CalibrationInputs,
        _ compressor: PackageCompressor, _ began: (String) -> Void, _ progress: @escaping PackageCompressor.Progress,
        _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompressionOutcome {
        if case .form = choice {
            let report = try compressor.compress(
                package, to: output, replacing: replacing, began: began, progress: { progress($1 + $0, 2 * $1) },
                isCancelled: isCancelled)
            return CompressionOutcome(report: report, calibration: Self.summary([], inputs, reasons: [:], drop: nil))
        }
        var calibration = try ModelCalibration(
            model, inputs, minimumElements: compressor.minimumElements, kept: compressor.kept,
            threads: compressor.threads)
        calibration.steps = steps
        (calibration.sparseForms, calibration.parts) = (
            compressor.sparseForms, try compressor.calibratedParts(of: package)
        )
        if case .palette(let palette) = compressor.form { calibration.groupSize = palette.groupSize }
        let writing = Writing(
            compressor: compressor, package: package, output: output, replacing: replacing, isCancelled: isCancelled)
        guard case .bits(let bits) = choice else {
            let mixed = MixedPrecision(
                calibration, expected: try labels.map { try expected($0, inputs, model) }, isCancelled: isCancelled)
            return try chosen(mixed, calibration, inputs, writing, began, progress)
        }
        let made = try calibration.run(
            bits: Dictionary(calibration.layers.map { ($0.weight, bits) }, uniquingKeysWith: { first, _ in first }),
            progress: { progress($0, $1 + 1) }, isCancelled: isCancelled)
        return CompressionOutcome(
            report: try writing(made, began), calibration: Self.summary(made, inputs, reasons: [:], drop: nil))
    }

    private func chosen(
        _ mixed: MixedPrecision, _ calibration: ModelCalibration, _ inputs: CalibrationInputs, _ writing: Writing,
        _ began: (String) -> Void, _ progress: @escaping PackageCompressor.Progress
    ) throws -> CompressionOutcome {
        let allocation = try mixed.allocation { progress($0, 2 * $1) }
        let tell: (Int, Int) -> Void = { progress($1 + $0, 2 * $1 + 1) }
        guard case .budget(let budget) = choice else {
            guard case .drop(let drop) = choice else { preconditionFailure("bits are given") }
            let result = try mixed.model(losing: drop, allocation, progress: tell)
            return CompressionOutcome(
                report: try writing(result.layers, began),
                calibration: Self.summary(result.layers, inputs, reasons: result.reasons, drop: result.drop))
        }
        // The size of the rest of the package is known only after writing; the first attempt assumes the original's.
        let whole = try PackageCompressor.byteCount(of: writing.package.path)
        let weights = calibration.layers.reduce(0) { $0 + MixedPrecision.bytes(of: $1) }
        var others = whole - weights + 200 * calibration.layers.count
        // Attempts are written to a different path: only a result within the budget replaces the output.
        var trying = writing
        trying.output = writing.output + ".try-\(ProcessInfo.processInfo.processIdentifier)"
        var tried: Int?
        var best: (layers: [ModelCalibration.Layer], calibration: CalibrationSummary, bytes: Int)?
        for _ in 0..<5 {
            guard let count = allocation.steps(within: budget - others) else { break }
            if count == tried { break }
            if let tried, let best, best.bytes <= budget, count < tried { break }
            let result = try mixed.model(within: budget - others, allocation, progress: tell)
            let bytes = try trying(result.layers, began).outputBytes
            began(trying.output)
            try FileManager.default.removeItem(atPath: trying.output)
            tried = count
            best = (
                result.layers,
                Self.summary(result.layers, inputs, reasons: result.reasons, drop: result.drop), bytes
            )
            others = bytes - result.bytes
        }
        guard let best, best.bytes <= budget else {
            throw CalibrationError.budgetTooSmall(budget: budget, least: allocation.bytes(after: 0) + others)
        }
        return CompressionOutcome(report: try writing(best.layers, began), calibration: best.calibration)
    }

    /// Writes a package from calibrated weights.
    private struct Writing {
        var compressor: PackageCompressor
        var package: CoreMLPackage
        var output: String
        var replacing: Bool
        var isCancelled: @Sendable () -> Bool

        func callAsFunction(_ made: [ModelCalibration.Layer], _ began: (String) -> Void) throws -> CompressionReport {
            var compressor = compressor
            compressor.take(made)
            return try compressor.compress(
                package, to: output, replacing: replacing, began: began, isCancelled: isCancelled)
        }
    }

    private static func summary(
        _ made: [ModelCalibration.Layer], _ inputs: CalibrationInputs, reasons: [String: String], drop: Double?
    ) -> CalibrationSummary {
        let tensors = made.map { layer in
            (
                layer.layer.weight,
                CalibrationSummary.Tensor(
                    outputDB: layer.made.output.decibels, correctsBias: layer.made.bias != nil,
                    reason: reasons[layer.layer.weight])
            )
        }
        return CalibrationSummary(
            images: inputs.count, unused: inputs.unused, drop: drop,
            tensors: Dictionary(tensors, uniquingKeysWith: { first, _ in first }))
    }

    /// The classes of the calibration images, from a table of file names and labels.
    private func expected(_ list: Labels, _ inputs: CalibrationInputs, _ model: CoreMLModel) throws -> [Int] {
        guard let labels = model.labels else {
            throw CalibrationError.invalidSetting(name: "hearth compress", problem: "'--labels' needs a classifier")
        }
        let places = Dictionary(
            (0..<labels.count).map { (labels[$0], $0) }, uniquingKeysWith: { first, _ in first })
        var known: [String: Int] = [:]
        for (index, line) in list.text.split(whereSeparator: \.isNewline).enumerated() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 2 else { continue }
            // The label is in the second or a later column, depending on whether it is a name or a number.
            if let place = cells.dropFirst().lazy.compactMap({ places[$0] }).first {
                known[cells[0]] = place
            } else if index > 0 {
                throw CalibrationError.unknownLabel(file: list.file, line: index + 1, label: cells[1])
            }
        }
        return try inputs.names.map { name in
            guard let place = known[name] else {
                throw CalibrationError.unlabelled(file: list.file, image: name)
            }
            return place
        }
    }
}
