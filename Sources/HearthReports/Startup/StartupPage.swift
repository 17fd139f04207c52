package import Foundation
package import HearthRuntime

/// The report as one HTML page: no scripts, no external resources, plots as inline SVG, light and dark colour schemes,
/// printable.
package struct StartupPage: Sendable {
    private let report: StartupReport
    private let samples: [StartupSample]
    private let time: Date

    /// - Parameters:
    ///   - samples: in the order logged.
    ///   - time: when the page was made.
    package init(_ samples: [StartupSample], time: Date = Date()) {
        self.samples = samples
        report = StartupReport(samples)
        self.time = time
    }

    /// The page.
    package var html: String {
        HTML.page(
            title: "Hearth: startup times", style: Self.style,
            body: """
                \(header)
                \(regressions)
                \(sections.joined(separator: "\n"))
                \(footer)
                """)
    }

    private var header: String {
        let devices = Set(report.rows.map(\.device)).count
        let profiles = Set(report.rows.map(\.profile)).count
        let models = Set(report.rows.map(\.model)).count
        let dates = samples.map(\.time)
        let span = dates.min().flatMap { first in
            dates.max().map { "\(Figures.date(first)) to \(Figures.date($0)) UTC" }
        }
        return """
            <header>
            <p class="brand">Hearth</p>
            <h1>Startup times</h1>
            <p class="lead">\(plural(samples.count, "start")) · \(plural(models, "model")) · \
            \(plural(devices, "device")) · \(plural(profiles, "profile"))\
            \(span.map { "<br>" + HTML.text($0) } ?? "")</p>
            </header>
            """
    }

    private func plural(_ count: Int, _ word: String) -> String { "<b>\(count)</b> \(word)\(count == 1 ? "" : "s")" }

    // MARK: - Regressions

    private var regressions: String {
        guard !samples.isEmpty else {
            return """
                <section class="calm"><h2>No starts yet</h2>
                <p>Run a model, or measure one with <code>hearth startup --model M</code>.</p></section>
                """
        }
        guard !report.regressions.isEmpty else {
            return """
                <section class="calm"><h2>No regressions</h2>
                <p>No start became slower, and none took more memory, than noise explains.</p></section>
                """
        }
        return """
            <section><h2>Regressions <span class="count">\(report.regressions.count)</span></h2>
            <ul class="regressions">\(causes.map(entry).joined())</ul></section>
            """
    }

    /// Groups regressions by cause: a drift can affect several kinds and metrics at once.
    private var causes: [[StartupRegression]] {
        report.regressions.reduce(into: [[StartupRegression]]()) { groups, next in
            let place = groups.firstIndex { group in
                group.first.map {
                    ($0.profile, $0.device, $0.cause, $0.explanation)
                        == (next.profile, next.device, next.cause, next.explanation)
                } ?? false
            }
            if let place { groups[place].append(next) } else { groups.append([next]) }
        }
        .map { group in group.sorted { ($0.metric.title, $0.kind) < ($1.metric.title, $1.kind) } }
    }

    private func entry(_ group: [StartupRegression]) -> String {
        guard let first = group.first, let worst = group.max(by: { $0.after / $0.before < $1.after / $1.before }) else {
            return ""
        }
        let rows = group.map { regression in
            let metric = regression.metric
            let cells = [
                "\(regression.kind.rawValue)", metric.title,
                "\(Figures.value(regression.before, of: metric)) → \(Figures.value(regression.after, of: metric))",
                Figures.change(from: regression.before, to: regression.after),
                regression.probability.map(Figures.probability) ?? "",
            ]
            return "<tr>" + cells.map { HTML.element("td", ["class": "name"], HTML.text($0)) }.joined() + "</tr>"
        }
        let since = group.map(\.since).min() ?? first.since
        let facts = "since \(Figures.date(since)) UTC · profile \(first.profile.shortDigest) · \(first.device)"
        let rise = Figures.change(from: worst.before, to: worst.after)
        return """
            <li class="\(first.cause.rawValue)">
            <p class="rise">\(HTML.text(rise))\(group.count > 1 ? "<small>at most</small>" : "")</p>
            <div><h3>\(HTML.text(first.profile.model))</h3>
            <p class="why">\(HTML.text(first.explanation))</p>
            <table><tbody>\(rows.joined())</tbody></table>
            <p class="facts">\(HTML.text(facts))</p></div></li>
            """
    }

    // MARK: - Models

    private struct Group: Hashable {
        var model: String
        var device: String
    }

    private var sections: [String] {
        var order: [Group] = []
        for row in report.rows {
            let group = Group(model: row.model, device: row.device)
            if order.last != group { order.append(group) }
        }
        return order.map(section)
    }

    private func section(_ group: Group) -> String {
        let rows = report.rows.filter { $0.model == group.model && $0.device == group.device }
        let starts = samples.filter { $0.profile.model == group.model && $0.device == group.device }
        var colours: [RuntimeProfile: Int] = [:]
        var profiles: [RuntimeProfile] = []
        for sample in starts where colours[sample.profile] == nil {
            // Six distinguishable colours, then again from the first.
            colours[sample.profile] = profiles.count % 6
            profiles.append(sample.profile)
        }
        return """
            <section class="model">
            <h2>\(HTML.text(group.model))</h2>
            <p class="device">\(HTML.text(group.device)) · \
            \(HTML.text(Set(rows.map(\.osVersion)).sorted().joined(separator: ", ")))</p>
            \(legend(profiles, colours))
            \(plots(starts, colours))
            <figure><figcaption>Where the time goes <small>medians</small>
            <span class="keys"><i class="part0"></i>compile <i class="part1"></i>load <i class="part2"></i>first \
            inference</span></figcaption>
            <div class="wide">\(StartupBars(rows: rows, colours: colours).svg)</div></figure>
            \(table(rows, colours))
            </section>
            """
    }

    private func legend(_ profiles: [RuntimeProfile], _ colours: [RuntimeProfile: Int]) -> String {
        let entries = zip(profiles, [nil] + profiles.map(Optional.some)).map { profile, earlier in
            let drift = earlier.map { profile.drift(from: $0) } ?? []
            let note = drift.isEmpty ? "" : " <em>changed: \(HTML.text(drift.joined(separator: ", ")))</em>"
            return """
                <li><i class="swatch c\(colours[profile] ?? 0)"></i><code>\(HTML.text(profile.shortDigest))</code> \
                \(HTML.text(profile.summary))\(note)</li>
                """
        }
        return "<ul class=\"profiles\">\(entries.joined())</ul>"
    }

    private func plots(_ starts: [StartupSample], _ colours: [RuntimeProfile: Int]) -> String {
        let panels = StartupSample.Kind.allCases.compactMap { kind -> String? in
            let samples = starts.filter { $0.kind == kind }
            guard let spread = Spread(samples.map(\.totalMS)) else { return nil }
            return """
                <figure><figcaption>\(HTML.text(kind.title)) \
                <small>median \(HTML.text(Figures.milliseconds(spread.median)))</small></figcaption>
                \(StartupPlot(samples: samples, colours: colours).svg)</figure>
                """
        }
        return "<div class=\"panels\">\(panels.joined())</div>"
    }

    private func table(_ rows: [StartupReport.Row], _ colours: [RuntimeProfile: Int]) -> String {
        let head = ["Profile", "Kind", "n", "Compile", "Load", "First inference", "Ready", "Steady", "Peak", "Dirty"]
            .map { HTML.element("th", ["scope": "col"], $0) }.joined()
        let body = rows.map { row in
            func cell(_ spread: Spread?, _ text: (Double) -> String) -> String {
                guard let spread else { return "<td class=\"none\">not measured</td>" }
                let range = "\(text(spread.min)) to \(text(spread.max)), p90 \(text(spread.p90))"
                return "<td title=\"\(HTML.text(range))\">\(HTML.text(text(spread.median)))"
                    + "<small>\(HTML.text(text(spread.min))) – \(HTML.text(text(spread.max)))</small>"
                    + "<small>p90 \(HTML.text(text(spread.p90)))</small></td>"
            }
            let times = [row.compileMS, row.loadMS, row.firstInferenceMS, row.startMS, row.steadyMS]
                .map { cell($0, Figures.milliseconds) }
            let memory = [row.peakResidentBytes, row.dirtyBytes].map { cell($0, Figures.bytes) }
            return """
                <tr><td class="name"><i class="swatch c\(colours[row.profile] ?? 0)"></i>\
                <code>\(HTML.text(row.profile.shortDigest))</code><small>\(HTML.text(row.osVersion))</small></td>\
                <td class="name">\(HTML.text(row.kind.rawValue))</td>\
                <td>\(row.count)</td>\((times + memory).joined())</tr>
                """
        }
        return """
            <div class="wide"><table><caption>Medians; below them the range and the value that nine of ten starts do \
            not exceed</caption><thead><tr>\(head)</tr></thead><tbody>\(body.joined())</tbody></table></div>
            """
    }

    private var footer: String {
        """
        <footer><p><b>When a shift counts.</b> The median rose by at least a tenth, and a one-sided rank-sum test gives a \
        probability of at most \(ShiftRule.highestProbability) for starts that do not differ. With fewer than four and \
        five starts, only shifts count that leave all earlier values behind, by half. Ready is compile, load and first \
        inference of each start, added.</p>
        <p>Made by <code>hearth startup report</code> on \(Figures.date(time)) UTC. This page loads nothing.</p></footer>
        """
    }
}
