package import Foundation

/// An evaluation as one HTML page: no scripts, no external resources, plots as inline SVG, light and dark colour
/// schemes, printable.
package struct EvaluationPage: Sendable {
    private let evaluation: Evaluation
    private let words: EvaluationWords
    private let notes: [String]
    private let time: Date

    /// - Parameters:
    ///   - notes: further information, such as missing results; one paragraph each.
    ///   - time: when the page was made.
    package init(_ evaluation: Evaluation, notes: [String] = [], time: Date = Date()) {
        (self.evaluation, self.notes, self.time) = (evaluation, notes, time)
        words = EvaluationWords(evaluation)
    }

    /// The page.
    package var html: String {
        HTML.page(
            title: "Hearth: size and \(words.metric)", style: StartupPage.style + Self.style,
            body: """
                \(header)
                <section class="calm"><h2>\(HTML.text(words.name(evaluation.chosen)))</h2>
                <p>\(HTML.text(words.reason))</p></section>
                \(notes.isEmpty ? "" : "<section class=\"notes\">\(notes.map { "<p>\(HTML.text($0))</p>" }.joined())</section>")
                <section class="model">
                \(plots)
                \(table)
                </section>
                \(footer)
                """)
    }

    private var header: String {
        """
        <header>
        <p class="brand">Hearth</p>
        <h1>Size and \(words.metric)</h1>
        <p class="lead"><b>\(evaluation.variants.count)</b> \(evaluation.variants.count == 1 ? "model" : "models") · \
        <b>\(evaluation.pictures)</b> \(evaluation.pictures == 1 ? "picture" : "pictures") · \
        greatest \(evaluation.task == .regression ? "rise" : "drop") <b>\(words.maxDrop)</b></p>
        </header>
        """
    }

    private var plots: String {
        let (near, all) = (EvaluationPlot.near(evaluation), EvaluationPlot.all(evaluation))
        func figure(_ title: String, _ note: String, _ plot: EvaluationPlot) -> String {
            """
            <figure><figcaption>\(title) <small>\(note)</small>\
            <span class="keys"><i class="held"></i>non-inferior <i class="open"></i>not shown to be</span></figcaption>
            <div class="wide">\(plot.svg)</div></figure>
            """
        }
        let level = EvaluationWords.percent(evaluation.confidence.level)
        let first = figure(
            "Near the full model", "whiskers: \(level) interval of the difference, on the same pictures",
            EvaluationPlot(evaluation, range: near, identifier: "near"))
        guard evaluation.variants.contains(where: { $0.quality.score < near.lowerBound }) else { return first }
        return first
            + figure(
                "All models", "the same, from the worst to the best",
                EvaluationPlot(evaluation, range: all, identifier: "all"))
    }

    private var table: String {
        let isClassification = evaluation.task == .classification
        let head =
            ["Model", "Size", "Download"] + words.figureNames.map(Self.capitalized)
            + (isClassification ? ["Lost", "Gained"] : []) + ["Difference"] + (isClassification ? ["p"] : []) + ["Time"]
        return """
            <div class="wide"><table class="evaluation"><caption>\(caption); time of an inference: median, and from the \
            10th to the 90th percentile</caption><thead><tr>\
            \(head.map { HTML.element("th", ["scope": "col"], $0) }.joined())</tr></thead><tbody>\
            \(evaluation.variants.indices.map(row).joined())</tbody></table></div>
            """
    }

    private static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private var caption: String {
        switch evaluation.task {
        case .classification:
            """
            Top-1 with Wilson's interval; difference in percentage points with Tango's; p is McNemar's exact
            """
        case .detection:
            """
            AP: average precision at overlaps of 0.50 to 0.95, and at 0.50 and 0.75; difference of AP in percentage points
            """
        case .regression: "MAE: mean absolute error; RMSE: root of the mean squared error; difference of MAE"
        }
    }

    private func row(_ place: Int) -> String {
        let variant = evaluation.variants[place]
        func cell(_ text: String, _ small: String = "") -> String {
            HTML.element(
                "td", HTML.text(text) + (small.isEmpty ? "" : HTML.element("small", HTML.text(small))))
        }
        let comparison = variant.comparison
        let agreement = comparison?.agreement
        let difference = comparison.map(words.difference)
        let verdict =
            place == evaluation.reference
            ? "reference" : comparison?.isNonInferior == true ? "non-inferior" : needed(comparison)
        let name = HTML.element(
            "td", ["class": "name"],
            HTML.text(words.name(place)) + (place == evaluation.chosen ? " <b class=\"mark\">chosen</b>" : "")
                + HTML.element("small", HTML.text(verdict)))
        var cells = [
            name, cell(Figures.bytes(Double(variant.model.bytes))),
            cell(variant.model.downloadBytes.map { Figures.bytes(Double($0)) } ?? "–"),
        ]
        var figures = words.figures(variant, missing: "–").map { cell($0) }
        if case .classification(let accuracy) = variant.quality {
            let share = accuracy.top1Interval
            figures[0] = cell(
                EvaluationWords.accuracy(accuracy.top1),
                "\(EvaluationWords.accuracy(share.lowerBound)) – \(EvaluationWords.accuracy(share.upperBound))")
            figures += [agreement?.counts.lost, agreement?.counts.gained].map { cell($0.map { String($0) } ?? "–") }
        }
        cells += figures
        cells.append(cell(difference?.value ?? "–", difference.map { "\($0.low) to \($0.high)" } ?? ""))
        if evaluation.task == .classification {
            cells.append(cell(agreement.map { EvaluationTable.probability($0.probability) } ?? "–"))
        }
        cells.append(
            cell(
                Figures.milliseconds(variant.median),
                "\(Figures.digits(variant.p10)) – \(Figures.milliseconds(variant.p90))"))
        return HTML.element("tr", place == evaluation.chosen ? ["class": "chosen"] : [:], cells.joined())
    }

    private func needed(_ comparison: Evaluation.Comparison?) -> String {
        guard let count = comparison?.picturesNeeded else { return "loses too much" }
        return "needs about \(EvaluationWords.rounded(count)) pictures"
    }

    private var footer: String {
        """
        <footer><p><b>When a model is non-inferior.</b> \(rule) The smallest such model on disk is chosen.</p>
        <p>Made by <code>hearth evaluate</code> on \(Figures.date(time)) UTC. This page loads nothing.</p></footer>
        """
    }

    private var rule: String {
        switch evaluation.task {
        case .classification:
            """
            All models saw the same pictures, so what counts is the pictures on which only one of them is right. The interval \
            of the difference is the score interval of Tango (1998), which keeps its level with few such pictures; a model is \
            non-inferior where its lower end is no more than the greatest drop below the full model.
            """
        case .detection, .regression:
            """
            All models saw the same pictures. The interval of the difference is that of a paired bootstrap, which draws \
            pictures with replacement, the same for all models; a model is non-inferior where the worse end is no more than \
            the greatest \(evaluation.task == .regression ? "rise above" : "drop below") the full model, and there are at \
            least \(PairedBootstrap.leastPictures) pictures.
            """
        }
    }

    private static let style = """
        .notes p { margin:0 0 6px; color:var(--alarm); } .calm p { max-width:86ch; }
        .evaluation th:nth-child(2) { text-align:right; } .evaluation .mark { color:var(--calm); font-weight:600;
          margin-left:6px; } tr.chosen td { background:color-mix(in srgb,var(--calm) 7%,transparent); }
        .reference { stroke:var(--soft); } .limit { stroke:var(--alarm); stroke-dasharray:5 4; }
        svg .note { font-size:11px; } svg .label { fill:var(--ink); font-size:12px;
          paint-order:stroke; stroke:var(--card); stroke-width:4px; stroke-linejoin:round; } svg .label.chosen { font-weight:680; }
        .leader { stroke:currentColor; stroke-width:.8; opacity:.5; }
        .whisker { stroke:var(--c1); stroke-width:1.6; } .whisker.held { stroke:var(--c2); }
        .point { fill:var(--c1); } .point.held { fill:var(--c2); }
        .ring { fill:none; stroke:var(--c2); stroke-width:2; }
        .keys i.held { background:var(--c2); border-radius:50%; } .keys i.open { background:var(--c1); border-radius:50%; }

        """
}
