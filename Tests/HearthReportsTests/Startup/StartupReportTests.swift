import Foundation
import HearthReports
import HearthRuntime
import HearthTestSupport
import Testing

@Suite("Startup report", .timeLimit(.minutes(20)))
struct StartupReportTests {
    // MARK: - Statistics

    /// Values of R's `quantile(type = 7)` and `mad`: quantile(c(1,2,4,8,16), c(.5,.9)), mad(c(1,2,4,8,16)).
    @Test("Median, p90 and robust deviation as R computes them")
    func spread() throws {
        let spread = try #require(Spread([8, 1, 16, 2, 4]))
        #expect(spread.median == 4)
        #expect(abs(spread.p90 - 12.8) < 1e-12)
        #expect((spread.min, spread.max) == (1, 16))
        #expect(abs(Spread.robustDeviation([1, 2, 4, 8, 16]) - 1.4826 * 3) < 1e-12)
        #expect(Spread([Double]()) == nil)
        #expect(Spread([7])?.p90 == 7)
    }

    /// Stated rule: the share of all ways to choose the second group whose rank sum is as high, counted one by one.
    @Test("The exact rank test counts what enumeration counts, ties included", arguments: 0..<30)
    func rankTest(seed: Int) {
        var generator = SeededNumbers(seed: UInt64(seed))
        let before = (0..<Int.random(in: 2...6, using: &generator)).map { _ in
            Double(Int.random(in: 0...8, using: &generator))
        }
        let after = (0..<Int.random(in: 2...6, using: &generator)).map { _ in
            Double(Int.random(in: 0...8, using: &generator))
        }
        let all = before + after
        // A rank is the number of smaller values plus half of the equal ones.
        let ranks = all.map { value in
            Double(all.count { $0 < value }) + Double(all.count { $0 == value } + 1) / 2
        }
        let observed = ranks.suffix(after.count).reduce(0, +)
        var asHigh = 0
        var choices = 0
        for mask in 0..<(1 << all.count) where mask.nonzeroBitCount == after.count {
            choices += 1
            let sum = all.indices.filter { mask & (1 << $0) != 0 }.map { ranks[$0] }.reduce(0, +)
            if sum >= observed - 1e-9 { asHigh += 1 }
        }
        let probability = RankTest.probability(of: after, above: before)
        #expect(abs(probability - Double(asHigh) / Double(choices)) < 1e-12)
    }

    /// scipy.stats.mannwhitneyu(range(20, 50), range(0, 40), alternative="greater", method="asymptotic",
    /// use_continuity=True).pvalue
    @Test("The normal approximation agrees with SciPy")
    func rankTestLarge() {
        let probability = RankTest.probability(of: (20..<50).map(Double.init), above: (0..<40).map(Double.init))
        #expect(abs(probability - 1.0579757158299317e-06) < 1e-9)
        let tied = RankTest.probability(
            of: (0..<40).map { Double($0 % 7 + 1) }, above: (0..<45).map { Double($0 % 7) })
        #expect(abs(tied - 0.01558090627579259) < 1e-9)
    }

    // MARK: - The rule

    /// Times as starts have them: skewed, with a long tail.
    private static func times(_ count: Int, around median: Double, _ generator: inout SeededNumbers) -> [Double] {
        (0..<count).map { _ in
            // A normal deviate (Box and Muller, 1958), exponentiated.
            let radius = (-2 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &generator))).squareRoot()
            let deviate = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &generator))
            let spike = Double.random(in: 0..<1, using: &generator) < 0.05 ? 2.0 : 1.0
            return median * exp(0.15 * deviate) * spike
        }
    }

    @Test(
        "Starts that do not differ raise an alarm at most once in a hundred comparisons",
        arguments: [3, 4, 5, 10, 20, 30])
    func falseAlarms(count: Int) {
        var generator = SeededNumbers(seed: UInt64(count))
        let rule = ShiftRule(smallestShift: 5)
        let alarms = (0..<1000).count { _ in
            rule.shift(
                from: Self.times(count, around: 400, &generator), to: Self.times(count, around: 400, &generator)) != nil
        }
        // One in a hundred of 1000 is 10; 20 and fewer come of that by chance with p = 0.998 (binomial).
        #expect(alarms <= 20, "\(alarms)")
    }

    @Test("A start that takes half as long again is found", arguments: [(5, 0.6), (10, 0.9), (20, 0.99)])
    func detection(count: Int, share: Double) {
        var generator = SeededNumbers(seed: UInt64(count) + 100)
        let rule = ShiftRule(smallestShift: 5)
        let found = (0..<300).count { _ in
            rule.shift(
                from: Self.times(count, around: 400, &generator), to: Self.times(count, around: 600, &generator)) != nil
        }
        #expect(Double(found) >= share * 300, "\(found)")
    }

    @Test("What nobody notices, too few values and faster starts are no regression")
    func silence() {
        let rule = ShiftRule(smallestShift: 5)
        let before = (0..<10).map { 1 + Double($0) / 100 }
        #expect(rule.shift(from: before, to: before.map { $0 + 4 }) == nil)
        #expect(rule.shift(from: before, to: before.map { $0 + 6 }) != nil)
        #expect(rule.shift(from: before.map { $0 * 1000 }, to: before.map { $0 * 1050 }) == nil)
        #expect(rule.shift(from: [1, 1], to: [100, 100]) == nil)
        #expect(rule.shift(from: [100, 101, 102], to: [300, 301, 302]) != nil)
        #expect(rule.shift(from: [100, 101, 102], to: [120, 121, 122]) == nil)
        #expect(rule.shift(from: before.map { $0 + 100 }, to: before) == nil)
    }

    // MARK: - Regressions

    private func starts(
        _ count: Int, _ kind: StartupSample.Kind = .warm, ms: Double, at time: Double, measured: Bool = true,
        change: (inout RuntimeProfile) -> Void = { _ in }
    ) -> [StartupSample] {
        (0..<count).map { number in
            var sample = StartupSamples.sample(kind, firstMS: ms + Double(number % 5), change: change)
            sample.steadyMS = nil
            sample.dirtyBytes = 1 << 20
            sample.time = Date(timeIntervalSince1970: time + Double(number))
            sample.isMeasured = measured
            return sample
        }
    }

    @Test("Slower after a drift: the fields that drifted are named")
    func drifted() throws {
        let samples =
            starts(5, ms: 100, at: 0)
            + starts(5, ms: 160, at: 100) {
                $0.kernelSet = "portable"
                $0.osBuild = "6.2"
            }
        let found = try #require(StartupReport(samples).regressions.first)
        #expect(StartupReport(samples).regressions.count == 1)
        #expect(found.driftedFields == ["kernelSet", "osBuild"])
        #expect(found.cause == .drift)
        #expect(found.kind == .warm)
        #expect(found.metric == .startMS)
        #expect(found.before == 106 && found.after == 166)
        #expect(found.profile.kernelSet == "portable")
        #expect(found.explanation == "kernelSet drifted: avx2 → portable, osBuild drifted: Debian 12 → 6.2")
        #expect(StartupReport(samples.reversed()).regressions.isEmpty)
        // Back to a profile that was seen before: what is slower is slower, and said once.
        let back = Array(samples.suffix(5)) + Array(samples.prefix(5)) + samples.suffix(5)
        #expect(StartupReport(back + samples.prefix(5) + samples.suffix(5)).regressions.count == 1)
    }

    @Test("Slower without a drift, between two spans of time")
    func windows() throws {
        let samples = starts(10, ms: 100, at: 0) + starts(10, ms: 200, at: 1000)
        let found = try #require(StartupReport(samples).regressions.first)
        #expect(found.cause == .unexplained)
        #expect(found.driftedFields.isEmpty)
        #expect(found.explanation.hasPrefix("no drift"))
        #expect(StartupReport(starts(30, ms: 100, at: 0)).regressions.isEmpty)
    }

    @Test("A wanted start that finds nothing compiled, though nothing drifted, is truly cold")
    func trulyCold() throws {
        let warm = starts(6, ms: 100, at: 0, measured: false)
        let cold = starts(1, .coldCompile, ms: 900, at: 100, measured: false)
        let found = try #require(StartupReport(warm + cold).regressions.first)
        #expect(found.cause == .trulyCold)
        #expect(found.kind == .coldCompile)
        #expect(found.driftedFields.isEmpty)
        #expect(found.explanation == "no drift: truly cold (the start found nothing compiled)")
        // Cold because something drifted; over once a start is warm again; no matter where starts are cold on purpose.
        let drifted = starts(1, .coldCompile, ms: 900, at: 100, measured: false) { $0.contextLength = 2048 }
        #expect(StartupReport(warm + drifted).regressions.map(\.driftedFields) == [["contextLength"]])
        #expect(StartupReport(warm + cold + starts(1, ms: 100, at: 200, measured: false)).regressions.isEmpty)
        #expect(StartupReport(warm + starts(5, .coldCompile, ms: 900, at: 100)).regressions.isEmpty)
    }

    @Test("Steady state and dirty memory regress of their own")
    func otherMetrics() {
        var before = starts(6, ms: 100, at: 0)
        var after = starts(6, ms: 100, at: 100) { $0.runtimeVersion = "2" }
        for index in before.indices {
            before[index].steadyMS = 1 + Double(index) / 100
            after[index].steadyMS = 2 + Double(index) / 100
            after[index].dirtyBytes = 64 << 20
        }
        let found = StartupReport(before + after).regressions
        #expect(Set(found.map(\.metric)) == [.steadyMS, .dirtyBytes])
        #expect(found.allSatisfy { $0.driftedFields == ["runtimeVersion"] })
    }

    @Test("Rows: one for each device, system, profile and kind")
    func rows() throws {
        var other = starts(2, ms: 10, at: 50)
        for index in other.indices { other[index].device = "another" }
        let report = StartupReport(
            starts(3, ms: 100, at: 0) + starts(2, .coldDisk, ms: 300, at: 10) + other
                + starts(4, ms: 100, at: 70) { $0.kernelSet = "neon" })
        #expect(report.count == 11)
        #expect(report.rows.map(\.count) == [2, 2, 3, 4])
        #expect(report.rows.map(\.kind) == [.warm, .coldDisk, .warm, .warm])
        #expect(report.rows.map(\.device) == ["another", "board", "board", "board"])
        let row = report.rows[2]
        #expect(row.firstInferenceMS == Spread([100, 101, 102]))
        #expect(row.startMS.median == 105)
        #expect(row.steadyMS == nil)
        #expect(row.first == Date(timeIntervalSince1970: 0))
    }

    // MARK: - Shown

    private var hostile: [StartupSample] {
        var samples =
            starts(5, ms: 100, at: 0) + starts(5, .coldDisk, ms: 1500, at: 10)
            + starts(5, ms: 300, at: 100) {
                $0.kernelSet = "\"><script>alert(1)</script>"
                $0.quantization = "=1+1,\"x\"\n"
            }
        for index in samples.indices {
            samples[index].device = "<img src=x onerror='a'>&\u{202E}\u{1B}[31m"
            samples[index].steadyMS = 0.25
        }
        return samples
    }

    @Test("The page is one well-formed document that loads nothing, and shows data as text")
    func page() throws {
        let html = StartupPage(hostile, time: Date(timeIntervalSince1970: 0)).html
        for word in ["<script", "<img", "onerror='", "http://", "https://", "url(", "@import", "src=\"", "href="] {
            #expect(!html.contains(word), "\(word)")
        }
        #expect(!html.unicodeScalars.contains("\u{202E}"))
        #expect(!html.unicodeScalars.contains("\u{1B}"))
        #expect(html.contains("&lt;script&gt;"))
        #expect(html.contains("<circle"))
        #expect(html.contains("kernelSet"))
        // As XML every element is closed and every attribute quoted; these need no end in HTML.
        let body =
            try #require(html.range(of: "<main>")).lowerBound..<(try #require(html.range(of: "</main>"))).upperBound
        let xml = html[body].replacingOccurrences(of: "<br>", with: "<br/>")
        let document = XMLParserProbe()
        #expect(document.accepts(xml), "\(document.problem ?? "")")
        #expect(StartupPage([]).html.contains("No starts yet"))
    }

    @Test("CSV: every start a line of as many cells as the header, whatever the data hold")
    func csv() throws {
        let text = StartupCSV.text(hostile)
        let records = Self.records(text)
        #expect(records.count == 16)
        #expect(Set(records.map(\.count)).count == 1)
        let header = try #require(records.first)
        let last = Dictionary(uniqueKeysWithValues: zip(header, try #require(records.last)))
        #expect(last["profile.quantization"] == "'=1+1,\"x\"\n")
        #expect(last["time"] == "1970-01-01T00:01:44Z")
        #expect(last["firstInferenceMS"] == "304.000")
        #expect(last["kind"] == "warm")
    }

    /// A reader of RFC 4180, for the test.
    private static func records(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var cell = ""
        var quoted = false
        var characters = Array(text.unicodeScalars)[...]
        while let scalar = characters.popFirst() {
            if quoted {
                if scalar == "\"", characters.first == "\"" {
                    cell.unicodeScalars.append(characters.removeFirst())
                } else if scalar == "\"" {
                    quoted = false
                } else {
                    cell.unicodeScalars.append(scalar)
                }
            } else if scalar == "\"" {
                quoted = true
            } else if scalar == "," {
                record.append(cell)
                cell = ""
            } else if scalar == "\r", characters.first == "\n" {
                characters.removeFirst()
                records.append(record + [cell])
                record = []
                cell = ""
            } else {
                cell.unicodeScalars.append(scalar)
            }
        }
        return records
    }

    @Test("The terminal's table: columns in line, medians and spread, controls made visible, colour on request only")
    func table() throws {
        let report = StartupReport(hostile)
        let plain = StartupTable(report, hasStyles: false).text
        #expect(!plain.unicodeScalars.contains("\u{1B}"))
        let figures = plain.split(separator: "\n").filter { line in
            ["median", "p90", "min", "max"].contains { line.contains(" \($0) ") }
        }
        #expect(figures.count == 12)
        #expect(Set(figures.map(\.count)).count == 1, "\(figures.map(\.count)) \(plain)")
        #expect(plain.contains("kernelSet drifted"))
        #expect(plain.contains("▲ +"))
        #expect(StartupTable(report, hasStyles: true).text.contains("\u{1B}[31m"))
        #expect(StartupTable(StartupReport([]), hasStyles: false).text.contains("No starts are logged yet"))
    }

    @Test("Figures have three digits and a unit")
    func figures() {
        #expect(
            [0.5, 3.21, 12.54, 412.3, 999.6, 12_345].map(Figures.milliseconds)
                == ["0.50 ms", "3.21 ms", "12.5 ms", "412 ms", "1.00 s", "12.3 s"])
        #expect(Figures.change(from: 100, to: 159) == "+59 %")
        #expect(Figures.change(from: 1, to: 40) == "×40.0")
        #expect(PlotScale(largest: 87, length: 100).ticks == [0, 25, 50, 75, 100])
        #expect(
            PlotScale(largest: 2300, length: 100).ticks.map(PlotScale(largest: 2300, length: 100).label)
                == ["0 s", "1 s", "2 s", "3 s"])
        #expect(HTML.coordinate(-0.26) == "-0.3")
    }
}
