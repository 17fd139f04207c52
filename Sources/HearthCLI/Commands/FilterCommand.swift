import Foundation
import HearthSafety
import HearthSystem

/// `hearth filter`: applies the story filter to sentences.
struct FilterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "Filters sentences: pass, swap words, or stop the story.",
        discussion: """
            Reads JSON objects such as {"lang": "en", "text": "..."} from standard input, one per line, and
            answers each at once with {"action": "pass", "swap" or "stop", "text": ..., "themes": [...]}. The
            text is what may be shown: the sentence itself, the sentence with softer words, or the line that
            ends a story. Languages: en, zh-Hans, zh-Hant, es, fr, de, pt, it, ja, ko, ru, ar; to lines in others
            only language-independent rules apply, and a note says so. A line that cannot be parsed is answered
            with {"error": ...}. Each line is judged by itself and by its "context", an array of the sentences
            before it, the oldest first.
            """,
        examples: [
            ("filter < sentences.jsonl", "Filters a file of sentences."),
            ("filter --entries --language fr", "Lists all forms of a lexicon, for review."),
            ("filter --statistics < sentences.jsonl > verdicts.jsonl", "Also reports the time per sentence."),
            (
                "filter --explain --language de --text \"Er hatte ein M35ser.\"",
                "Explains which entries matched, and how."
            ),
        ])

    @Option(valueName: "T", help: "One text instead of standard input; prints the result as text.")
    var text: String?
    @Option(valueName: "L", help: "Language of --text and --entries (default: en); a line has its own.")
    var language: String?
    @Flag(help: "With --text: prints the normal form, and entry, theme, rule and position of each match.")
    var explain = false
    @Flag(
        help: "Lists all forms of the lexicon of --language, tab-separated: action, form, concept, theme, replacement.")
    var entries = false
    @Flag(help: "Prints timing statistics at the end, as a JSON object on standard error.")
    var statistics = false

    func validate() throws {
        if explain, text == nil {
            throw UsageError(
                "nothing to explain", command: "filter", suggestion: "Pass one sentence with --text.")
        }
        if entries, text != nil { throw UsageError("'--entries' and '--text' exclude each other", command: "filter") }
        if statistics, entries || text != nil {
            throw UsageError("'--statistics' goes with lines on standard input only", command: "filter")
        }
        if language != nil, text == nil, !entries {
            throw UsageError(
                "'--language' goes with --text or --entries only", command: "filter",
                suggestion: "Write \"lang\" into each line.")
        }
    }

    private struct Request: Decodable {
        var text: String?
        var lang: String?
        /// The sentences released before the text, oldest first.
        var context: [String]?
    }
    private struct Answer: Encodable {
        var action: String
        var text: String
        var themes: [String]
    }

    mutating func run() async throws {
        if entries { return try listEntries() }
        let filter = OutputFilter()
        if let text {
            let language = try knownLanguage()
            let verdict = filter.judge(text, in: language)
            Output.standard.write(explain ? explanation(filter, verdict, of: text, language) : verdict.text + "\n")
            if let failure = verdict.failure { throw CommandFailure(failure) }
            return
        }
        var costs = FilterStatistics()
        var failure: LexiconError?
        var unknown = UnknownLanguages()
        try LineProgram.run(Request.self) { request in
            guard let text = request.text else { throw LineProgram.Problem("no text") }
            let language = FilterLanguage(tag: request.lang ?? "")
            if language == nil { unknown.note(request.lang) }
            let seam = filter.seam(after: request.context ?? [], in: language)
            let verdict =
                statistics
                ? costs.measure(text.utf8.count) {
                    filter.judge(text, in: language, after: seam)
                } action: {
                    $0.action.rawValue
                } : filter.judge(text, in: language, after: seam)
            failure = failure ?? verdict.failure
            return Answer(action: verdict.action.rawValue, text: verdict.text, themes: verdict.themes)
        }
        if statistics { Output.error.write(try costs.report() + "\n") }
        // If the lexicon cannot be used, every sentence is stopped; report why.
        if let failure { throw CommandFailure(failure) }
    }

    /// The language of `--text` and `--entries`.
    private func knownLanguage() throws -> FilterLanguage {
        let tag = language ?? "en"
        guard let known = FilterLanguage(tag: tag) else {
            throw UsageError(
                "there is no lexicon for '\(tag)'", command: "filter",
                suggestion: "Pass one of \(FilterLanguage.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return known
    }

    private func listEntries() throws {
        let known = try knownLanguage()
        for entry in try OutputFilter.entries(known) {
            let fields = [entry.action.rawValue, entry.form, entry.concept, entry.theme, entry.replacement]
            Output.standard.write(fields.joined(separator: "\t") + "\n")
        }
    }

    private func explanation(
        _ filter: OutputFilter, _ verdict: Verdict, of text: String, _ language: FilterLanguage
    ) -> String {
        var lines = [
            "action       \(verdict.action.rawValue)", "text         \(verdict.text)",
            "language     \(language.rawValue)",
            "normal form  \(filter.normalForm(of: text, in: language))",
        ]
        if let objection = verdict.objection {
            lines += ["", "meaning      theme \(objection.theme), score \(String(format: "%.3f", objection.score))"]
        }
        for match in verdict.matches {
            lines += [
                "", "found        \(match.surface)",
                "  position   bytes \(match.range.lowerBound)–\(match.range.upperBound)",
                "  read as    \(match.reading) (\(match.view))", "  entry      \(match.entry)",
                "  concept    \(match.concept), theme \(match.theme), rule \(match.action.rawValue)",
            ]
        }
        return lines.map(\.withVisibleControls).joined(separator: "\n") + "\n"
    }
}

/// Says once for each unknown language that lines in it are judged by less than a lexicon.
struct UnknownLanguages {
    private static let most = 16
    private var tags: Set<String> = []

    mutating func note(_ tag: String?) {
        guard tags.count < Self.most, tags.insert(tag ?? "").inserted else { return }
        let what = tag.map { "there is no lexicon for \"lang\": \"\($0.prefix(40))\"" } ?? "a line has no \"lang\""
        Output.error.writeLine("hearth: note: \(what.withVisibleControls); only rules that need no language apply")
    }
}
