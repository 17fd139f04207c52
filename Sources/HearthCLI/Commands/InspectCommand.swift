import HearthCoreML
import HearthCoreMLFormat
import HearthGGUF
import HearthModels
import HearthSystem
import HearthText

/// `hearth inspect`: shows what a model file contains, and whether this build can run it.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what a model file contains, and whether this build can run it.",
        discussion: """
            Reads the header only: metadata, tensors, sizes, and the memory that the model needs. Shapes are
            printed as the file has them: in GGUF with the fastest-changing dimension first, in Core ML with it
            last. A valid file that this build cannot run is not an error: runnable is false, and reason says
            why.
            """,
        examples: [
            ("inspect gemma-3-270m-it-q8_0.gguf", "Prints a summary and all tensors."),
            ("inspect hearth-nano --json", "Prints everything about the bundled model, as JSON."),
            ("inspect Digits.mlpackage", "Prints the inputs, operations and weights of a Core ML package."),
        ])

    @Argument(
        valueName: "FILE",
        help: "GGUF file, .mlpackage, .mlmodel, folder of a compiled model, or name of an installed or bundled one."
    )
    var file: String
    @Option(
        valueName: "DIR",
        help: "Core ML: writes every compressed weight, decompressed, to DIR/NAME.f32, little-endian, row-major.")
    var weights: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    mutating func run() async throws {
        let path = try ModelLocator.current.path(of: file)
        if weights != nil, CoreMLArtifact.isArtifact(path) || !Self.isCoreML(path) {
            throw UsageError(
                "'--weights' is for Core ML packages and models", command: "inspect", suggestion: "Leave it out.")
        }
        if CoreMLArtifact.isArtifact(path), CoreMLOpening.isVision(path) {
            let report = ArtifactReport(try CoreMLCompiler.open(folder: path))
            if json { try Output.standard.writeJSON(report) } else { Output.standard.write(report.table) }
        } else if CoreMLArtifact.isArtifact(path) {
            let report = ArtifactReport(try TextCompiler.open(folder: path))
            if json { try Output.standard.writeJSON(report) } else { Output.standard.write(report.table) }
        } else if Self.isCoreML(path) {
            let package = try CoreMLPackage(path: path)
            try package.requireDefinedOperations()
            if let weights { try WeightFolder(weights, apartFrom: path).write(package) }
            let report = try CoreMLReport(package)
            if json { try Output.standard.writeJSON(report) } else { Output.standard.write(report.table) }
        } else {
            let report = ModelReport(gguf: try GGUFFile(path: path))
            if json { try Output.standard.writeJSON(report) } else { Output.standard.write(report.table) }
        }
    }

    /// Whether a path is a Core ML model: a package is a folder, and a bare model is recognized by its extension only.
    static func isCoreML(_ path: String) -> Bool {
        path.hasSuffix(".mlmodel") || path.hasSuffix(".mlpackage")
            || (try? SystemFiles().status(RealPath.of(path) ?? path))??.kind == .folder
    }
}
