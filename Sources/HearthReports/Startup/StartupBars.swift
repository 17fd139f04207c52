import HearthRuntime

/// Stacked bars of compile, load and first inference times: medians for each profile and kind of start.
struct StartupBars {
    private let rows: [StartupReport.Row]
    private let colours: [RuntimeProfile: Int]

    private static let width = 1000.0
    private static let left = 262.0
    private static let right = 90.0
    private static let barHeight = 18.0
    private static let step = 30.0
    private static let top = 6.0
    /// Space between kinds.
    private static let gap = 10.0

    /// - Parameter rows: in the order of their profiles; shown kind by kind, so that profiles are next to each other.
    init(rows: [StartupReport.Row], colours: [RuntimeProfile: Int]) {
        self.rows = StartupSample.Kind.allCases.flatMap { kind in rows.filter { $0.kind == kind } }
        self.colours = colours
    }

    /// The upper edge of each row, and the lower edge of the last.
    private var edges: [Double] {
        var edges = [Self.top]
        for (row, next) in zip(rows, rows.dropFirst().map(Optional.some) + [nil]) {
            let isLastOfKind = next.map { $0.kind != row.kind } ?? false
            edges.append((edges.last ?? 0) + Self.step + (isLastOfKind ? Self.gap : 0))
        }
        return edges
    }

    /// An SVG element.
    var svg: String {
        let edges = edges
        let base = edges.last ?? Self.top
        let height = base + 26
        let scale = PlotScale(
            largest: rows.map(total).max() ?? 1, length: Self.width - Self.left - Self.right, count: 6)
        var parts: [String] = []
        for tick in scale.ticks {
            let x = HTML.coordinate(Self.left + scale.position(tick))
            parts.append(
                HTML.element(
                    "line",
                    [
                        "class": tick == 0 ? "base" : "grid", "x1": x, "y1": HTML.coordinate(Self.top), "x2": x,
                        "y2": HTML.coordinate(base),
                    ], ""))
            parts.append(
                HTML.element(
                    "text", ["class": "date", "x": x, "y": HTML.coordinate(base + 18), "text-anchor": "middle"],
                    HTML.text(scale.label(tick))))
        }
        for (row, edge) in zip(rows, edges) { parts.append(bar(row, edge, scale)) }
        return HTML.element(
            "svg",
            [
                "viewBox": "0 0 \(Int(Self.width)) \(Int(height))", "role": "img",
                "aria-label": "Median time of compiling, loading and the first inference, by profile and kind",
            ], parts.joined())
    }

    private func total(_ row: StartupReport.Row) -> Double {
        row.compileMS.median + row.loadMS.median + row.firstInferenceMS.median
    }

    private func bar(_ row: StartupReport.Row, _ y: Double, _ scale: PlotScale) -> String {
        let middle = HTML.coordinate(y + Self.step / 2)
        var result = HTML.element(
            "circle",
            [
                "class": "dot c\(colours[row.profile] ?? 0)", "cx": "6", "cy": middle, "r": "5",
            ], "")
        result += HTML.element(
            "text", ["class": "digest", "x": "18", "y": middle, "dy": "0.32em"], HTML.text(row.profile.shortDigest))
        result += HTML.element(
            "text", ["class": "kind", "x": "92", "y": middle, "dy": "0.32em"], HTML.text(row.kind.title))
        var x = Self.left
        let parts = [
            ("compile", row.compileMS.median), ("load", row.loadMS.median),
            ("first inference", row.firstInferenceMS.median),
        ]
        for (index, (name, value)) in parts.enumerated() {
            let width = scale.position(value)
            result += HTML.element(
                "rect",
                [
                    "class": "part\(index)", "x": HTML.coordinate(x),
                    "y": HTML.coordinate(y + (Self.step - Self.barHeight) / 2), "width": HTML.coordinate(width),
                    "height": HTML.coordinate(Self.barHeight),
                ], HTML.element("title", HTML.text("\(name): \(Figures.milliseconds(value))")))
            x += width
        }
        return result
            + HTML.element(
                "text", ["class": "total", "x": HTML.coordinate(x + 8), "y": middle, "dy": "0.32em"],
                HTML.text(Figures.milliseconds(total(row))))
    }
}
