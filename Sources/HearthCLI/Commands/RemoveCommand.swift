import HearthDelivery
import HearthModels
import HearthSystem

/// `hearth remove`: deletes an installed model.
struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes an installed model.",
        discussion: """
            Removes all versions of a model, or one of them, and what was compiled from it. A model that a
            running program uses is not removed; the exit status is then 4.
            """,
        examples: [
            ("remove bedtime", "Removes a model with all its versions."),
            ("remove bedtime --version 1.1.0", "Removes one version; 'hearth models' lists them."),
        ])

    @Argument(valueName: "NAME", help: "Name of an installed model.")
    var name: String
    @Option(valueName: "V", help: "Removes only this version.")
    var version: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    mutating func run() async throws {
        let cleaning = try InstalledModels.library().remove(name: name, version: version)
        try CleaningReport(cleaning).print(json: json)
    }
}

/// The output of `hearth remove` and `hearth prune`.
struct CleaningReport: Encodable {
    struct Version: Encodable {
        var name: String
        var version: String
    }

    var removed: [Version]
    var artifacts: [String]
    var freedBytes: Int
    var remainingBytes: Int

    init(_ cleaning: LibraryCleaning) {
        removed = cleaning.removed.map { Version(name: $0.name, version: $0.version) }
        artifacts = cleaning.artifacts
        (freedBytes, remainingBytes) = (cleaning.freedBytes, cleaning.remainingBytes)
    }

    func print(json: Bool) throws {
        if json { return try Output.standard.writeJSON(self) }
        for version in removed { Output.standard.writeLine("Removed \(version.name) \(version.version)") }
        Output.standard.writeLine(
            "\(ByteSize.text(freedBytes)) freed; \(ByteSize.text(remainingBytes)) of models and artifacts are left.")
    }
}
