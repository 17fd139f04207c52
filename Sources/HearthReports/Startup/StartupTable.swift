import HearthRuntime

/// The report for a terminal: a block for each model, device and profile, with medians first and their spread below.
package struct StartupTable: Sendable {
    private let report: StartupReport
    private let hasStyles: Bool

    private let showsRegressions: Bool

    /// - Parameters:
    ///   - hasStyles: whether the terminal supports colours.
    ///   - showsRegressions: false if there is nothing to compare with.
    package init(_ report: StartupReport, hasStyles: Bool, showsRegressions: Bool = true) {
        self.report = report
        self.showsRegressions = showsRegressions
        self.hasStyles = hasStyles
    }

    private struct Block: Hashable {
        var device: String
        var osVersion: String
        var profile: RuntimeProfile
    }

    /// The report's lines, each with a line break. Control characters in external text are made visible.
    package var text: String {
        guard report.count > 0 else { return "No starts are logged yet. Measure one: hearth startup --model M\n" }
        var lines: [String] = []
        var last: Block?
        for row in report.rows {
            let block = Block(device: row.device, osVersion: row.osVersion, profile: row.profile)
            if block != last {
                if last != nil { lines.append("") }
                lines += heading(row, after: last?.profile)
                last = block
            }
            lines += figures(row)
        }
        if showsRegressions { lines += [""] + regressions }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: - Figures

    private static let columns = ["compile", "load", "first", "ready", "steady", "peak", "dirty"]
    private static let width = 10

    private func heading(_ row: StartupReport.Row, after earlier: RuntimeProfile?) -> [String] {
        let profile = row.profile
        var second = "\(profile.shortDigest)  \(profile.summary)"
        if let earlier, earlier.model == profile.model {
            let drifted = profile.drift(from: earlier)
            if !drifted.isEmpty { second += "  (changed: \(drifted.joined(separator: ", ")))" }
        }
        return [
            bold(Figures.plain(row.model)) + dim(Figures.plain("  \(row.device) · \(row.osVersion)")),
            dim(Figures.plain(second)),
            dim(
                padded("kind", 13) + leading("n", 5) + "  " + padded("", 7)
                    + Self.columns.map { leading($0, Self.width) }.joined()),
        ]
    }

    private func figures(_ row: StartupReport.Row) -> [String] {
        let times: [Spread?] = [row.compileMS, row.loadMS, row.firstInferenceMS, row.startMS, row.steadyMS]
        let memory = [row.peakResidentBytes, row.dirtyBytes]
        func line(_ name: String, _ value: (Spread) -> Double) -> String {
            let cells =
                times.map { $0.map { Figures.milliseconds(value($0)) } ?? "–" }
                + memory.map { Figures.bytes(value($0)) }
            return padded(name, 7) + cells.map { leading($0, Self.width) }.joined()
        }
        let blank = String(repeating: " ", count: 20)
        return [
            padded(row.kind.rawValue, 13) + leading(String(row.count), 5) + "  " + bold(line("median") { $0.median }),
            dim(blank + line("p90") { $0.p90 }), dim(blank + line("min") { $0.min }),
            dim(blank + line("max") { $0.max }),
        ]
    }

    // MARK: - Regressions

    private var regressions: [String] {
        guard !report.regressions.isEmpty else {
            return [green("No regressions.") + " No start became slower than noise explains."]
        }
        return [red(report.regressions.count == 1 ? "1 regression" : "\(report.regressions.count) regressions")]
            + report.regressions.flatMap { regression -> [String] in
                let metric = regression.metric
                let change = Figures.change(from: regression.before, to: regression.after)
                let figures =
                    "\(Figures.value(regression.before, of: metric)) → \(Figures.value(regression.after, of: metric))"
                let probability = regression.probability.map { ", " + Figures.probability($0) } ?? ""
                return [
                    "  " + red("▲ \(change)") + "  " + bold("\(regression.kind.rawValue), \(metric.title): \(figures)")
                        + dim("  \(Figures.plain(regression.profile.model)), profile \(regression.profile.shortDigest)"),
                    "    " + Figures.plain(regression.explanation)
                        + dim("  (since \(Figures.date(regression.since)) UTC\(probability))"),
                ]
            }
    }

    // MARK: - Text

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
    private func leading(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    private func style(_ code: String, _ text: String) -> String {
        hasStyles ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
    private func bold(_ text: String) -> String { style("1", text) }
    private func dim(_ text: String) -> String { style("2", text) }
    private func red(_ text: String) -> String { style("31", text) }
    private func green(_ text: String) -> String { style("32", text) }
}
