import HearthDelivery

/// `hearth prune`: gives back space.
struct PruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes leftovers and, to a budget, models not used for long.",
        discussion: """
            Removes unfinished downloads that nobody is making, what killed programs left, bytes that no version needs,
            versions with missing files, and what was compiled from models that are gone. With --to, also versions until
            no more than that is left: first those that another version has replaced, then purgeable models, then the
            others, the one first that was not used for the longest time. What is pinned or in use stays.
            """,
        examples: [
            ("prune", "Removes what nothing needs."),
            ("prune --to 2GB", "Leaves at most two gigabytes of models."),
        ])

    @Option(valueName: "BYTES", help: "Most bytes of models and artifacts to leave, such as 500MB or 2GB.")
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
