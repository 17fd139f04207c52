/// `hearth bench startup`: `hearth startup` under the name that it has beside the other benchmarks.
struct BenchStartupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench startup",
        abstract: StartupCommand.configuration.abstract,
        discussion: "The same as 'hearth startup', whose help says what is measured.",
        examples: [
            ("bench startup --model hearth-nano --runs 10 --json", "Measures ten starts of each kind; prints JSON.")
        ])

    @OptionGroup var startup: StartupCommand

    mutating func run() async throws {
        var startup = startup
        try await startup.run()
    }
}
