import Foundation
import HearthReports
import HearthSafety

/// `hearth evaluate-filter`: measures the filter on the user's own labelled sentences.
struct EvaluateFilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate-filter",
        abstract: "Measures the filter on labelled sentences.",
        discussion: """
            The file has one JSON object per line: {"lang": "en", "text": "...", "label": "harm" or "safe"},
            optionally with "theme" and "context", an array of the sentences before it. Prints the share of harmful
            lines that are stopped or changed, and of harmless ones, by language and by theme, each with its 95 %
            confidence interval (Wilson), and the themes under which harmful lines were stopped.
            """,
        examples: [
            ("evaluate-filter sentences.jsonl", "Prints three tables."),
            ("evaluate-filter sentences.jsonl --json", "The same as one JSON object."),
        ])

    @Argument(valueName: "FILE.jsonl", help: "File with labelled sentences; - reads standard input.")
    var file: String
    @Flag(help: "Prints one JSON object.")
    var json = false

    private struct Line: Decodable {
        enum Label: String, Decodable { case harm, safe }
        var lang: String?
        var text: String
        var label: Label
        var theme: String?
        var context: [String]?
    }

    mutating func run() async throws {
        let text = try InputFile.text(file, option: "FILE.jsonl")
        let filter = OutputFilter()
        var evaluation = FilterEvaluation()
        var unknown = UnknownLanguages()
        for (index, row) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard row.contains(where: { !$0.isWhitespace }) else { continue }
            let line: Line
            do {
                line = try JSONDecoder().decode(Line.self, from: Data(row.utf8))
            } catch {
                throw CommandFailure(
                    .invalidInput, LineProgram.problem(error).text, at: "\(file):\(index + 1)",
                    todo: "Write \"text\" and \"label\" in each line; the label is harm or safe.")
            }
            let language = FilterLanguage(tag: line.lang ?? "")
            if language == nil { unknown.note(line.lang) }
            let verdict = filter.judge(
                line.text, in: language, after: filter.seam(after: line.context ?? [], in: language))
            if let failure = verdict.failure { throw CommandFailure(failure) }
            evaluation.add(
                isHarmful: line.label == .harm, language: language?.rawValue ?? line.lang ?? "unknown",
                theme: line.theme, action: FilterEvaluation.Action(verdict.action), found: verdict.themes.first)
        }
        guard evaluation.sentences > 0 else {
            throw CommandFailure(
                .invalidInput, "no labelled sentence", at: file, todo: "Write one JSON object per line.")
        }
        let table = FilterTable(evaluation)
        if json { try Output.standard.writeJSON(table) } else { Output.standard.write(table.text) }
    }
}

extension FilterEvaluation.Action {
    init(_ action: Verdict.Action) {
        self =
            switch action {
            case .pass: .passed
            case .swap: .changed
            case .stop: .stopped
            }
    }
}
