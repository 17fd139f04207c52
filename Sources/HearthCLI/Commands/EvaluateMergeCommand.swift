import HearthReports
import HearthSystem

/// `hearth evaluate merge`: combines the shards of an evaluation.
struct EvaluateMergeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate merge",
        abstract: "Combines the parts of an evaluation.",
        discussion: """
            Takes files that 'hearth evaluate --results' wrote for the same models, labels and images, and
            reports what one run over all of them would report. An image that appears in several files counts
            once; missing images are listed. Neither the models nor the images are needed.
            """,
        examples: [
            ("evaluate merge part*.jsonl", "Prints the table and the chosen model."),
            (
                "evaluate merge part*.jsonl --max-drop 0.02 --html sizes.html",
                "Uses another margin, and writes a page with a plot."
            ),
        ])

    @Argument(valueName: "FILE", help: "Results of 'hearth evaluate --results'.")
    var files: [String]
    @OptionGroup var report: EvaluationReportOptions

    mutating func run() async throws {
        try report.check(command: "evaluate merge", files: files.map { ("FILE", $0) })
        let merged = try await OwnThread.run { [files] isCancelled in
            try EvaluationResults.merge(
                files.map { try EvaluationResults(path: $0, isCancelled: isCancelled) })
        }
        guard let merged else { return }
        try report.show(merged.header, merged.answers, place: files[0], missing: merged)
    }
}
