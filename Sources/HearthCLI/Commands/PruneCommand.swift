import HearthDelivery
import HearthModels
import HearthSystem

/// `hearth prune`: frees disk space.
struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes leftovers and, to meet a size limit, unused models.",
        discussion: """
            Removes abandoned downloads, leftovers of killed programs, files that no version needs, versions
            with missing files, and what was compiled from models that are gone. With --to, also removes
            versions until no more than that is left: first replaced versions, then purgeable models, then the
            others, least recently used first; and then what was compiled from models that are not installed.
            Pinned models and models in use stay.
            """,
        examples: [
            ("prune", "Removes what nothing needs any more."),
            ("prune --to 2GB", "Reduces models and artifacts to two gigabytes."),
        ])

    @Option(valueName: "BYTES", help: "Maximum total size of models and artifacts, such as 500MB or 2GB.")
    var to: ByteSize?
    @Flag(help: "Prints one JSON object.")
    var json = false

    mutating func run() async throws {
        let cleaning = try InstalledModels.library().prune(to: to?.bytes)
        try CleaningReport(cleaning).print(json: json)
        if let to, cleaning.remainingBytes > to.bytes {
            Output.error.writeLine(
                "hearth: notice: more than \(ByteSize.text(to.bytes)) is left: the rest is pinned or in use")
        }
    }
}
