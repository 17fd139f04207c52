internal import Foundation
package import HearthCoreMLFormat

/// Compresses the weights of a Core ML package, or of a neural network in a file, into a smaller copy; everything else stays as
/// it is.
///
///     let compressor = PackageCompressor(.palette(Palettization(bits: 4)))
///     let report = try compressor.compress("Digits.mlpackage", to: "Small.mlpackage")
///
/// Compressed are constants in float16 or float32 of more than 200 elements that an operation uses as its weight, or
/// that have at least two dimensions, where the form makes them smaller. Biases, normalisation parameters, and weights that are already compressed stay byte for
/// byte. The version of the format is raised only if the form requires it. A constant that several operations share, and
/// constants that share their bytes, are compressed once. In a pipeline each model with weights is compressed, and the name of
/// a weight begins with that of its model, or the model's number.
public struct PackageCompressor: Sendable {
    /// The target format of the weights.
    public var form: CompressionForm
    /// Tensors of up to this many elements are left uncompressed.
    package var minimumElements = 200
    /// Names of weights that are left uncompressed. One that the model does not have is an error.
    public var kept: Set<String> = []
    /// Whether weights may be stored without their zeros.
    package var sparseForms = SparseForms.sameVersion
    /// Names of weights that are stored sparsely and without loss.
    package var lossless: Set<String> = []
    /// Whether integers must have scales for blocks: networks of layers have none, and are refused instead of getting channels.
    package var requiresBlocks = false
    /// Weights that were made already, by name: they are stored as they are.
    package var prepared: [String: PalettizedWeight] = [:]
    /// New elements of uncompressed vectors, by name: biases that belong to the prepared weights.
    package var vectors: [String: [Float]] = [:]
    /// Ranges of activations that are rounded to int8 when the model runs, by name.
    package var activations: [String: ActivationRange] = [:]
    /// Number of threads.
    public var threads: Int

    /// - Parameters:
    ///   - form: the target format of the weights.
    ///   - threads: nil takes one for each processor available to the process.
    public init(_ form: CompressionForm, threads: Int? = nil) {
        self.form = form
        self.threads = threads ?? ProcessInfo.processInfo.activeProcessorCount
    }

    /// The size in bytes of a file, or of all files in a folder.
    /// - Throws: if the path cannot be read.
    package static func byteCount(of path: String) throws -> Int { try OutputPath.bytes(of: path) }

    /// Opens a package to be compressed, once it is known that a copy may go to `output`.
    /// - Throws: `FileError` for the package, `CompressionError`.
    package func open(_ input: String, output: String, replacing: Bool) throws -> CoreMLPackage {
        try form.check()
        try OutputPath.check(output, input: input, replacing: replacing)
        let package = try CoreMLPackage(path: input)
        try OutputPath.check(output, is: CompressedCopy.kind(package, output))
        return package
    }

    /// The models of a package whose weights can be calibrated.
    /// - Throws: `CompressionError` where there is none, and for settings that one of them does not take.
    package func calibratedParts(of package: CoreMLPackage) throws -> [CalibratedPart] {
        let parts = ModelPart.all(of: package)
        let calibrated = try parts.compactMap { part -> CalibratedPart? in
            switch part.package.model.kind {
            case .program: return CalibratedPart(prefix: part.prefix, version: version(for: part))
            case .neuralNetwork(let network):
                _ = try NetworkPlan(network, part, self)
                return CalibratedPart(prefix: part.prefix, version: nil)
            default: return nil
            }
        }
        guard !calibrated.isEmpty else {
            throw CompressionError.unsupportedModel(file: package.path, what: ModelPart.kinds(parts))
        }
        return calibrated
    }

    /// The ranges of a model's activations, by the names that they have there.
    func activations(of part: ModelPart) -> [String: ActivationRange] {
        guard !part.prefix.isEmpty else { return activations }
        let own = activations.filter { $0.key.hasPrefix(part.prefix) }
        return Dictionary(
            own.map { (String($0.key.dropFirst(part.prefix.count)), $0.value) }, uniquingKeysWith: { first, _ in first }
        )
    }

    /// The version of the format that the copy of a program has at least.
    func version(for part: ModelPart) -> Int {
        let old = part.package.model.specificationVersion
        let own = prepared.filter { $0.key.hasPrefix(part.prefix) }
        let least = own.values.reduce(max(old, form.minimumVersion)) { max($0, CompressionForm.minimumVersion($1)) }
        // `quantize` exists from iOS 17 on.
        return max(least, sparseForms == .newest ? 9 : activations(of: part).isEmpty ? 0 : 8)
    }

    /// Reports progress: elements done, and elements in all.
    public typealias Progress = @Sendable (_ done: Int, _ total: Int) -> Void

    /// Writes a smaller copy. It appears complete or not at all.
    /// - Parameters:
    ///   - input: path of the package.
    ///   - output: path of the copy.
    ///   - replacing: whether an existing `output` may be replaced.
    ///   - began: receives the path of the temporary folder in which the copy is made.
    ///   - progress: receives the elements done and the elements in all, on any thread.
    ///   - isCancelled: asked at least every 50 ms, from several threads.
    /// - Returns: the sizes before and after, in bytes.
    /// - Throws: `FileError` for the package, `CompressionError`, `CancellationError`.
    public func compress(
        _ input: String, to output: String, replacing: Bool = false, began: (String) -> Void = { _ in },
        progress: Progress = { _, _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws -> CompressionReport {
        try compress(
            open(input, output: output, replacing: replacing), to: output, replacing: replacing, began: began,
            progress: progress, isCancelled: isCancelled)
    }

    /// The same for a package that `open` has opened.
    package func compress(
        _ package: CoreMLPackage, to output: String, replacing: Bool, began: (String) -> Void,
        progress: Progress = { _, _ in }, isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompressionReport {
        do {
            return try compress(package, output, replacing, began, progress, isCancelled)
        } catch {
            // The package is being changed: errors in what was read are not its fault.
            if !(error is CancellationError) { try package.checkIntact() }
            throw error
        }
    }

    private func compress(
        _ package: CoreMLPackage, _ output: String, _ replacing: Bool, _ began: (String) -> Void,
        _ progress: Progress, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws -> CompressionReport {
        let (input, parts) = (package.path, ModelPart.all(of: package))
        let plans = try parts.compactMap { part in try PartPlan(part, self).map { (part, $0) } }
        guard !plans.isEmpty else {
            throw CompressionError.unsupportedModel(file: input, what: ModelPart.kinds(parts))
        }
        if let unknown = plans.reduce(kept, { $0.subtracting($1.1.names) }).min() {
            throw CompressionError.noSuchTensor(file: input, tensor: unknown)
        }
        let target = try CompressedCopy(package, output, replacing, began)
        let total = plans.reduce(0) { $0 + $1.1.elements }
        var model = package.model
        var (done, tensors, skipped): (Int, [CompressionReport.Tensor], [CompressionReport.Skipped]) = (0, [], [])
        for (part, plan) in plans {
            let made = try run(part, plan, target, input, isCancelled) { elements in
                done += elements
                progress(done, total)
            }
            if let changed = made.model { model = model.replacing(part.place, by: changed) }
            tensors += made.tensors
            skipped += made.skipped
        }
        if isCancelled() { throw CancellationError() }
        try target.finish(model, began)
        return CompressionReport(
            inputBytes: try OutputPath.bytes(of: input), outputBytes: try OutputPath.bytes(of: output),
            version: model.specificationVersion, tensors: tensors, skipped: skipped)
    }

    /// What became of one model; `model` is nil where it stays as it was.
    private typealias Made = (
        model: CoreMLSpecification?, tensors: [CompressionReport.Tensor], skipped: [CompressionReport.Skipped]
    )

    private func run(
        _ part: ModelPart, _ plan: PartPlan, _ target: CompressedCopy, _ file: String,
        _ isCancelled: @escaping @Sendable () -> Bool, done: (_ elements: Int) -> Void
    ) throws -> Made {
        let (form, sparse) = (form, sparseForms)
        switch (plan, target.writer) {
        case (.program(let plan), let writer?):
            writer.weightFile = part.weightFile
            var assembly = PackageAssembly(part.package, plan)
            let version = plan.version
            try OrderedWork.run(
                plan.steps, threads: threads, limit: 128 << 20, size: { $0?.form?.byteCount ?? 0 },
                isCancelled: isCancelled,
                work: { step, isCancelled in
                    try step.encoded(form, sparse, version: version, file: file, isCancelled: isCancelled)
                },
                consume: { index, weight in
                    try assembly.take(plan.steps[index], weight, into: writer)
                    done(plan.steps[index].elements)
                })
            return (try assembly.model(activations(of: part)), assembly.tensors, plan.skipped + assembly.skipped)
        case (.program, nil): preconditionFailure("programs go to packages")
        case (.network(let plan), _):
            var assembly = NetworkAssembly(plan, form)
            try OrderedWork.run(
                plan.steps, threads: threads, limit: 128 << 20, size: { $0.form?.message.count ?? 0 },
                isCancelled: isCancelled,
                work: { step, isCancelled in
                    try NetworkWeight.coded(step, form, file: file, isCancelled: isCancelled)
                },
                consume: { index, weight in
                    assembly.take(plan.steps[index], weight)
                    done(plan.steps[index].count)
                })
            let model = try assembly.model(part.package.model, file: part.package.modelPath)
            return (model, assembly.tensors, plan.skipped + assembly.skipped)
        }
    }
}

/// A model whose weights can be calibrated: the package's own, or one of its pipeline.
package struct CalibratedPart: Sendable {
    /// What the names of its weights begin with.
    package let prefix: String
    /// The version of the format that its copy has at least; nil for a neural network, which has neither sparse weights nor
    /// activations of integers.
    package let version: Int?
}

/// The result of a compression.
public struct CompressionReport: Sendable {
    /// A tensor that was compressed.
    package struct Tensor: Sendable, Equatable {
        /// Its name in the model.
        package let name: String
        /// The dimensions, in the model's order.
        package let shape: [Int]
        /// Bits of an element, without palettes and scales.
        package let bits: Int
        /// How it is stored now, for people.
        package let encoding: String
        /// The signal-to-noise ratio in decibels; 300 without any error.
        package let snrDB: Double
        /// Sum of the squared errors.
        package let squaredError: Double
        /// Bytes before, palettes and scales included.
        package let bytesBefore: Int
        /// Bytes now, palettes and scales included.
        package let bytes: Int
        /// What a sparse weight leaves out.
        package var sparsity: Sparsity?
    }

    /// A tensor that was left alone.
    package struct Skipped: Sendable, Equatable {
        /// Its name in the model.
        package let name: String
        /// Why.
        package let reason: String

        static let beyondHalf = "it holds numbers beyond the range of half precision (65504)"
        static let notSmaller = "it would not be smaller in this form"
    }

    /// Size of all files of the input, in bytes.
    public let inputBytes: Int
    /// Size of all files of the output, in bytes.
    public let outputBytes: Int
    /// Version of the format; nil for GGUF.
    package let version: Int?
    /// The compressed tensors, in the model's order.
    package let tensors: [Tensor]
    /// Tensors that were not compressed, although one might expect it.
    package let skipped: [Skipped]
}
