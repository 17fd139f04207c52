import HearthFormats
import HearthText

/// `hearth inspect`: what a model file holds, and whether this build runs it.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what a model file holds, and whether this build runs it.",
        discussion: """
            Reads the header only: metadata, tensors, sizes, and the memory that the model needs. Shapes stand as they
            do in the file, the dimension that changes fastest first. A file that is valid and cannot be run is no
            error: runnable is false then, and reason says why.
            """,
        examples: [
            ("inspect gemma-3-270m-it-q8_0.gguf", "Prints a summary and all tensors."),
            ("inspect hearth-nano --json", "Everything about the bundled model, for programs."),
        ])

    @Argument(valueName: "FILE", help: "GGUF file, or the name of an installed or bundled model.")
    var file: String
    @Flag(help: "Prints one JSON object.")
    var json = false

    mutating func run() async throws {
        let report = ModelReport(gguf: try GGUFFile(path: ModelLocator.current.path(of: file)))
        if json { try Output.standard.writeJSON(report) } else { Output.standard.write(report.table) }
    }
}
