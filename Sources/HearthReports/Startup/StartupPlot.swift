import HearthRuntime

/// A plot of the starts of one kind in order: a dot for each, a line at the median of each profile, the newest on the
/// right.
struct StartupPlot {
    private static let width = 320.0
    private static let height = 190.0
    private static let left = 52.0
    private static let right = 10.0
    private static let top = 12.0
    private static let bottom = 30.0
    /// Maximum number of dots; more than pixels would show nothing.
    static let mostDots = 400

    let samples: [StartupSample]
    /// Colour index of each profile.
    let colours: [RuntimeProfile: Int]

    /// An SVG element.
    var svg: String {
        let shown = Array(samples.suffix(Self.mostDots))
        let scale = PlotScale(
            largest: shown.map(\.totalMS).max() ?? 1, length: Self.height - Self.top - Self.bottom)
        let parts = [grid(scale), segments(shown, scale), dots(shown, scale), axis(shown)]
        return HTML.element(
            "svg",
            [
                "viewBox": "0 0 \(Int(Self.width)) \(Int(Self.height))", "role": "img",
                "aria-label": "Time to ready of \(samples.count) starts",
            ], parts.joined())
    }

    private func x(_ index: Int, of count: Int) -> Double {
        let inner = Self.width - Self.left - Self.right - 12
        return Self.left + 6 + (count > 1 ? Double(index) / Double(count - 1) * inner : inner / 2)
    }

    private func y(_ value: Double, _ scale: PlotScale) -> Double { Self.height - Self.bottom - scale.position(value) }

    private func grid(_ scale: PlotScale) -> String {
        scale.ticks.map { tick in
            let y = HTML.coordinate(y(tick, scale))
            let line = HTML.element(
                "line",
                [
                    "class": tick == 0 ? "base" : "grid", "x1": HTML.coordinate(Self.left), "y1": y,
                    "x2": HTML.coordinate(Self.width - Self.right), "y2": y,
                ], "")
            let label = HTML.element(
                "text", ["class": "tick", "x": HTML.coordinate(Self.left - 8), "y": y, "dy": "0.32em"],
                HTML.text(scale.label(tick)))
            return line + label
        }.joined()
    }

    /// A line at the median of each run of starts with the same profile.
    private func segments(_ shown: [StartupSample], _ scale: PlotScale) -> String {
        var result = ""
        var begin = 0
        while begin < shown.count {
            var end = begin
            while end < shown.count, shown[end].profile == shown[begin].profile { end += 1 }
            if let median = Spread(shown[begin..<end].map(\.totalMS))?.median {
                let y = HTML.coordinate(y(median, scale))
                result += HTML.element(
                    "line",
                    [
                        "class": "median c\(colour(shown[begin].profile))",
                        "x1": HTML.coordinate(x(begin, of: shown.count) - 5), "y1": y,
                        "x2": HTML.coordinate(x(end - 1, of: shown.count) + 5), "y2": y,
                    ], "")
            }
            if begin > 0 {
                let middle = HTML.coordinate((x(begin - 1, of: shown.count) + x(begin, of: shown.count)) / 2)
                result += HTML.element(
                    "line",
                    [
                        "class": "change", "x1": middle, "y1": HTML.coordinate(Self.top), "x2": middle,
                        "y2": HTML.coordinate(Self.height - Self.bottom),
                    ], "")
            }
            begin = end
        }
        return result
    }

    private func dots(_ shown: [StartupSample], _ scale: PlotScale) -> String {
        shown.enumerated().map { index, sample in
            let title = """
                \(Figures.milliseconds(sample.totalMS)) on \(Figures.date(sample.time)) UTC · \
                \(sample.profile.shortDigest) · \(sample.profile.kernelSet)
                """
            return HTML.element(
                "circle",
                [
                    "class": "dot c\(colour(sample.profile))", "cx": HTML.coordinate(x(index, of: shown.count)),
                    "cy": HTML.coordinate(y(sample.totalMS, scale)), "r": shown.count > 120 ? "1.8" : "3.2",
                ], HTML.element("title", HTML.text(title)))
        }.joined()
    }

    private func axis(_ shown: [StartupSample]) -> String {
        guard let first = shown.first, let last = shown.last else { return "" }
        let y = HTML.coordinate(Self.height - Self.bottom + 18)
        let begin = Figures.day(first.time)
        let end = Figures.day(last.time)
        func label(_ text: String, _ x: Double, _ anchor: String) -> String {
            HTML.element(
                "text", ["class": "date", "x": HTML.coordinate(x), "y": y, "text-anchor": anchor], HTML.text(text))
        }
        let middle = label(
            shown.count == 1 ? "1 start" : "\(shown.count) starts", (Self.left + Self.width - Self.right) / 2, "middle")
        return label(begin, Self.left, "start") + middle
            + (begin == end ? "" : label(end, Self.width - Self.right, "end"))
    }

    private func colour(_ profile: RuntimeProfile) -> Int { colours[profile] ?? 0 }
}
