import HearthCompression
import HearthSystem

/// `hearth evaluate merge`: parts of an evaluation, added up.
struct EvaluateMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate merge",
        abstract: "Adds up the parts of an evaluation.",
        discussion: """
            Takes files that 'hearth evaluate --results' wrote, of the same models, labels and pictures, and reports as one run
            over all of them would. A picture that several files have counts once; what is missing is said. Neither models
            nor pictures have to be at hand.
            """,
        examples: [
            ("evaluate merge part*.jsonl", "The table, and the model that was chosen."),
            ("evaluate merge part*.jsonl --max-drop 0.02 --html sizes.html", "Another limit, and a page with a plot."),
        ])

    @Argument(valueName: "FILE", help: "Results of 'hearth evaluate --results'.")
    var files: [String]
    @OptionGroup var report: EvaluationReportOptions

    mutating func run() async throws {
        let merged = try await OwnThread.run { [files] isCancelled in
            try EvaluationResults.merge(
                files.map { try EvaluationResults(path: $0, isCancelled: isCancelled) })
        }
        guard let merged else { return }
        try report.show(merged.header, merged.answers, place: files[0], missing: merged)
    }
}
