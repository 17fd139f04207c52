import Foundation
import HearthReports
import HearthRuntime
import HearthSystem

/// `hearth startup report`: the times of all logged starts, and regressions.
struct StartupReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "startup report",
        abstract: "Reports the times of all logged starts, and regressions.",
        discussion: """
            Every start of a model is logged under HEARTH_HOME, whether measured on purpose or not. The report
            groups starts by model, device, system, profile and kind, and lists regressions: shifts of the
            median that noise does not explain. For each it lists the fields of the profile that drifted; if
            none did, it says that the start was truly cold.
            """,
        examples: [
            ("startup report", "Prints a table and the regressions."),
            ("startup report --html startup.html", "Writes a page with plots, for a browser or a printer."),
            ("startup report --csv startup.csv", "Writes one line per start, for a spreadsheet."),
            ("startup report --otlp startup.jsonl", "Writes every start as metrics, for the OpenTelemetry collector."),
        ])

    @Option(valueName: "F", help: "Writes a self-contained page with plots; here and below - is standard output.")
    var html: String?
    @Option(valueName: "F", help: "Writes all starts as comma-separated values.")
    var csv: String?
    @Option(valueName: "F", help: "Writes all starts as OpenTelemetry metrics, one JSON object per line.")
    var otlp: String?
    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        guard [html, csv, otlp].count(where: { $0 != nil }) <= 1 else {
            throw UsageError(
                "'--html', '--csv' and '--otlp' do not go together", command: "startup report",
                suggestion: "Pass one of them.")
        }
        try ReportFile.check([("--html", html), ("--csv", csv), ("--otlp", otlp)], json: json)
    }

    mutating func run() async throws {
        let log = StartupLog(folders: HearthFolders(environment: ProcessInfo.processInfo.environment))
        let (samples, notice) = try log?.samples() ?? ([], nil)
        if let notice { Output.error.writeLine("hearth: " + notice.withVisibleControls) }
        if let html { try ReportFile.write(StartupPage(samples).html, to: html) }
        if let csv { try ReportFile.write(StartupCSV.text(samples), to: csv) }
        if let otlp { try ReportFile.write(StartupOTLP.lines(samples), to: otlp) }
        if json {
            try Output.standard.writeJSON(StartupReportJSON(StartupReport(samples)))
        } else if html == nil, csv == nil, otlp == nil {
            let hasStyles = Terminal(.standard)?.hasStyles ?? false
            Output.standard.write(StartupTable(StartupReport(samples), hasStyles: hasStyles).text)
        }
    }
}

/// The report in the format of `--json`.
struct StartupReportJSON: Encodable {
    struct Row: Encodable {
        var model: String
        var device: String
        var osVersion: String
        var profile: String
        var driftedFields: [String]
        var kind: String
        var count: Int
        var compileMS: Spread
        var loadMS: Spread
        var firstInferenceMS: Spread
        var startMS: Spread
        @ExplicitNull var steadyMS: Spread?
        var peakResidentBytes: Spread
        var dirtyBytes: Spread
        var first: Date
        var last: Date
    }

    struct Regression: Encodable {
        var profile: String
        var kind: String
        var before: Double
        var after: Double
        var driftedFields: [String]
        var metric: String
        var cause: String
        var explanation: String
        var model: String
        var device: String
        @ExplicitNull var probability: Double?
        var since: Date
    }

    var rows: [Row]
    var regressions: [Regression]
    /// The fields of each profile, by digest.
    var profiles: [String: RuntimeProfile]

    init(_ report: StartupReport) {
        rows = report.rows.map {
            Row(
                model: $0.model, device: $0.device, osVersion: $0.osVersion, profile: $0.profile.digest,
                driftedFields: $0.driftedFields, kind: $0.kind.rawValue, count: $0.count, compileMS: $0.compileMS,
                loadMS: $0.loadMS,
                firstInferenceMS: $0.firstInferenceMS, startMS: $0.startMS, steadyMS: $0.steadyMS,
                peakResidentBytes: $0.peakResidentBytes, dirtyBytes: $0.dirtyBytes, first: $0.first, last: $0.last)
        }
        regressions = report.regressions.map {
            Regression(
                profile: $0.profile.digest, kind: $0.kind.rawValue, before: $0.before, after: $0.after,
                driftedFields: $0.driftedFields, metric: $0.metric.rawValue, cause: $0.cause.rawValue,
                explanation: $0.explanation, model: $0.profile.model, device: $0.device, probability: $0.probability,
                since: $0.since)
        }
        profiles = Dictionary(report.rows.map { ($0.profile.digest, $0.profile) }) { first, _ in first }
    }
}
