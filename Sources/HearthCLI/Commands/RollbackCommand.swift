import HearthDelivery
import HearthModels

/// `hearth rollback`: returns to an earlier version.
struct RollbackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Makes an earlier version of a model current.",
        discussion: """
            Without --version, switches to the version that was current before. Nothing is downloaded or
            removed; a second rollback goes forward again. The next version that is pulled becomes current,
            unless one is pinned.
            """,
        examples: [
            ("rollback bedtime", "Goes back to the previous version."),
            ("rollback bedtime --version 1.1.0", "Makes this version current."),
        ])

    @Argument(valueName: "NAME", help: "Name of an installed model.")
    var name: String
    @Option(valueName: "V", help: "The version to make current.")
    var version: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Result: Encodable {
        var name: String
        var version: String
    }

    mutating func run() async throws {
        let version = try InstalledModels.library().rollBack(name: name, to: version)
        if json { return try Output.standard.writeJSON(Result(name: name, version: version)) }
        Output.standard.writeLine("\(name) is \(version) now")
    }
}
