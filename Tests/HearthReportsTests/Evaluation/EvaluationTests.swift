import Foundation
import HearthReports
import HearthTestSupport
import Testing

@Suite("Evaluations", .timeLimit(.minutes(20)))
struct EvaluationTests {
    private typealias Samples = EvaluationSamples

    private static func accuracy(_ variant: Evaluation.Variant) throws -> Evaluation.Accuracy {
        guard case .classification(let accuracy) = variant.quality else { throw CancellationError() }
        return accuracy
    }

    @Test("Counts are those of the pictures, and differences are paired")
    func counts() throws {
        let evaluation = try Samples.evaluation(
            sizes: [1000, 500], pictures: 100, wrong: [[1, 2, 3], [3, 4, 5, 6, 7]], maxDrop: 0.01)
        let (full, small) = (evaluation.variants[0], evaluation.variants[1])
        let (first, second) = (try Self.accuracy(full), try Self.accuracy(small))
        #expect(first.correct == 97 && first.top1 == 0.97 && full.comparison == nil)
        #expect(second.correct == 95)
        // Of the wrong answers those for classes up to 3 have the right class among the five that are kept.
        #expect(first.correctInFive == 100 && second.correctInFive == 96)
        let comparison = try #require(small.comparison)
        let agreement = try #require(comparison.agreement)
        #expect(agreement.counts == PairedCounts(pictures: 100, lost: 4, gained: 2))
        #expect(comparison.difference == -0.02)
        // Both are wrong on picture 3, in the same way.
        #expect(agreement.share == 0.94)
        #expect(abs(agreement.probability - 0.6875) < 1e-12)
        #expect(abs(full.median - 1.45) < 1e-12 && abs(small.p10 - 2.09) < 0.011 && abs(small.p90 - 2.81) < 0.091)
    }

    @Test(
        "The smallest that is non-inferior is chosen; better ones that are larger are not, nor smaller ones that are not sure"
    )
    func choice() throws {
        let sizes = [1000, 800, 600, 400, 1200]
        // Nothing lost; one lost; ten lost of 5000; three hundred lost; nothing lost, and larger.
        let wrong: [Set<Int>] = [[], [0], Set(0..<10), Set(0..<300), []]
        func chosen(_ drop: Double, pictures: Int = 5000) throws -> Int {
            try Samples.evaluation(sizes: sizes, pictures: pictures, wrong: wrong, maxDrop: drop).chosen
        }
        #expect(try chosen(0.01) == 2)
        // 10 of 5000 with Tango's interval: −0.37 points at worst.
        #expect(try chosen(0.0037) == 2 && chosen(0.0036) == 1)
        #expect(try chosen(0.0001) == 0, "the full model itself always is")
        #expect(try chosen(0.08) == 3)
        #expect(try chosen(0) == 0)
    }

    @Test("Equal sizes: the better one; equal in all: the reference")
    func ties() throws {
        #expect(
            try Samples.evaluation(sizes: [10, 5, 5], pictures: 1000, wrong: [[1], [2, 3], [3]], maxDrop: 0.02).chosen
                == 2)
        #expect(
            try Samples.evaluation(sizes: [10, 10], pictures: 1000, wrong: [[1], [1]], maxDrop: 0.02, reference: 1)
                .chosen
                == 1)
    }

    @Test("Says what was chosen and why, and how many pictures would be needed")
    func sentences() throws {
        func reason(_ sizes: [Int], _ pictures: Int, _ wrong: [Set<Int>], _ drop: Double) throws -> String {
            EvaluationWords(try Samples.evaluation(sizes: sizes, pictures: pictures, wrong: wrong, maxDrop: drop))
                .reason
        }
        #expect(
            try reason([1000, 340, 200], 400, [[1], [1], [1, 2]], 0.01)
                == "model1.mlpackage is the smallest that is non-inferior at a drop of 1 %: it is right on 399 of 400 "
                + "pictures, model0.mlpackage on 399, and with 95 % confidence it loses at most 0.95 percentage points; it has "
                + "34 % of the size. model2.mlpackage scored 0.25 percentage points less, but may lose up to 1.40: "
                + "about 680 pictures like these would be needed to defend it.")
        #expect(
            try reason([1000, 340], 100, [[1], [1]], 0.01)
                == "model0.mlpackage stays: with 100 pictures no smaller model is non-inferior at a drop of 1 %. "
                + "model1.mlpackage scored the same, but may lose up to 3.70: about 390 pictures like these would be "
                + "needed to defend it.")
        #expect(
            try reason([1000, 340], 100, [[], Set(0..<20)], 0.005)
                == "model0.mlpackage stays: with 100 pictures no smaller model is non-inferior at a drop of 0.5 %.")
        #expect(
            try reason([10], 1, [[]], 0.01)
                == "model0.mlpackage is right on 1 of 1 picture; there is no other model to choose from.")
        #expect(try reason([10, 20], 9, [[], []], 0.01) == "model0.mlpackage stays: no model is smaller.")
    }

    @Test("Without a picture there is no evaluation; pictures that could not be read do not count")
    func unreadable() throws {
        let header = Samples.header(sizes: [10, 5], pictures: 3)
        var answers = Samples.answers(pictures: 3, wrong: [[], [1]])
        answers[2] = PictureAnswers(place: 2, picture: "2.png", label: 2, answers: [], unreadable: "cut off")
        let evaluation = try #require(Evaluation(header, answers, maxDrop: 1))
        #expect(evaluation.pictures == 2 && evaluation.variants[1].quality.score == 0.5)
        #expect(evaluation.unreadable == [Evaluation.Unreadable(picture: "2.png", reason: "cut off")])
        #expect(Evaluation(header, [answers[2]], maxDrop: 1) == nil && Evaluation(header, [], maxDrop: 1) == nil)
        #expect(Evaluation(header, answers, reference: 2, maxDrop: 1) == nil)
    }

    @Test("The table's columns stand one below the other; control characters do not reach a terminal")
    func table() throws {
        var header = Samples.header(sizes: [250_000, 61_234], pictures: 40)
        header = EvaluationHeader(
            models: [
                header.models[0],
                EvaluationHeader.Model(name: "x\u{1B}[2J", sha256: "", bytes: 61_234, downloadBytes: nil),
            ], reference: 0, classes: 10, pictures: 40, labelsSHA256: "", crop: "", shard: .whole)
        let answers = Samples.answers(pictures: 40, wrong: [[1], [1, 2]])
        let evaluation = try #require(Evaluation(header, answers, maxDrop: 0.2))
        let text = EvaluationTable(evaluation, hasStyles: false).text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(Set(lines[0..<3].map(\.count)).count == 1, "\(text)")
        #expect(lines[1].hasPrefix("  model0.mlpackage   250 kB    125 kB  97.50 %"), "\(text)")
        #expect(lines[2].hasPrefix("▸ x\\u{1b}[2J        61.2 kB         –  95.00 %"), "\(text)")
        #expect(lines[2].contains("−2.50 [") && !text.contains("\u{1B}"))
        let narrow = EvaluationTable(evaluation, hasStyles: false, columns: 40).text.split(separator: "\n").dropFirst(3)
        #expect(narrow.allSatisfy { $0.count <= 40 } && narrow.count > 4)
        #expect(narrow.joined(separator: " ") == lines[4])
        #expect(EvaluationTable(evaluation, hasStyles: true).text.contains("\u{1B}[1m▸ "))
    }

    @Test("Comma-separated values read back; formulas in names stay text")
    func csv() throws {
        let model = EvaluationHeader.Model(name: "=cmd(),\"x\"", sha256: "s", bytes: 5, downloadBytes: nil)
        let base = Samples.header(sizes: [10, 5], pictures: 50)
        let header = EvaluationHeader(
            models: [base.models[0], model], reference: 0, classes: 10, pictures: 50, labelsSHA256: "", crop: "",
            shard: .whole)
        let evaluation = try #require(
            Evaluation(header, Samples.answers(pictures: 50, wrong: [[1], [2]]), maxDrop: 0.5))
        let rows = try CSVText(Array(EvaluationCSV.text(evaluation).utf8)).rows.map(\.cells)
        #expect(rows.count == 3 && Set(rows.map(\.count)).count == 1)
        let (head, small) = (rows[0], rows[2])
        func value(_ name: String) -> String { head.firstIndex(of: name).map { small[$0] } ?? "" }
        #expect(value("model") == "'=cmd(),\"x\"" && value("lost") == "1" && value("gained") == "1")
        #expect(value("top1") == "0.980000" && value("defended") == "true" && value("chosen") == "true")
        #expect(value("probability") == "1" && value("downloadBytes").isEmpty)
    }

    @Test("The page is well-formed, escapes what comes from outside, and marks the chosen model in both plots")
    func page() throws {
        let names = ["full.mlpackage", "a<b>&\"c\".mlpackage", "tiny.mlpackage"]
        let header = EvaluationHeader(
            models: zip(names, [200_000, 60_000, 20_000]).map {
                EvaluationHeader.Model(name: $0, sha256: $0, bytes: $1, downloadBytes: $1 / 2)
            }, reference: 0, classes: 10, pictures: 400, labelsSHA256: "", crop: "", shard: .whole)
        let answers = Samples.answers(pictures: 400, wrong: [[1], [1], Set(0..<300)])
        let evaluation = try #require(Evaluation(header, answers, maxDrop: 0.01))
        let html = EvaluationPage(evaluation, notes: ["<note>"], time: Date(timeIntervalSince1970: 0)).html
        #expect(
            html.contains("a&lt;b&gt;&amp;&quot;c&quot;") && !html.contains("a<b>") && html.contains("&lt;note&gt;"))
        #expect(html.components(separatedBy: "class=\"ring\"").count == 3)
        #expect(html.components(separatedBy: "<svg").count == 3)
        #expect(html.contains("aria-labelledby=\"near-title near-desc\"") && html.contains("id=\"all-desc\""))
        #expect(html.contains("Content-Security-Policy") && !html.contains("<script") && !html.contains("http://"))
        let body = try #require(html.firstRange(of: "<body>"))
        let markup = String(html[body.lowerBound...]).replacingOccurrences(of: "</html>", with: "")
            .replacingOccurrences(of: "<br>", with: "<br/>")
        let parser = XMLParserCheck(markup)
        #expect(parser.problem == nil, "\(parser.problem ?? "")")
    }

    @Test("Plots of any evaluation have finite coordinates inside the frame", arguments: 0..<30)
    func plots(seed: UInt64) throws {
        var generator = SeededNumbers(seed: seed)
        let pictures = Int.random(in: 1...300, using: &generator)
        let models = Int.random(in: 1...9, using: &generator)
        let sizes = (0..<models).map { _ in Int.random(in: 0...(seed % 3 == 0 ? 3 : 9_000_000), using: &generator) }
        let wrong = (0..<models).map { _ -> Set<Int> in
            let share = Double.random(in: 0...1, using: &generator)
            return Set((0..<pictures).filter { _ in Double.random(in: 0...1, using: &generator) < share })
        }
        let drops: [Double] = [0, 0.01, 1]
        let drop = drops.randomElement(using: &generator) ?? 0
        let evaluation = try Samples.evaluation(sizes: sizes, pictures: pictures, wrong: wrong, maxDrop: drop)
        for range in [EvaluationPlot.near(evaluation), EvaluationPlot.all(evaluation)] {
            let svg = EvaluationPlot(evaluation, range: range, identifier: "p").svg
            #expect(!svg.contains("nan") && !svg.contains("inf"))
            for x in Self.numbers(svg, /(x1|x2|cx)="([^"]+)"/) { #expect((50...770).contains(x)) }
            for y in Self.numbers(svg, /(y1|y2|cy)="([^"]+)"/) { #expect((17...356).contains(y)) }
        }
    }

    private static func numbers(_ text: String, _ pattern: Regex<(Substring, Substring, Substring)>) -> [Double] {
        text.matches(of: pattern).map { Double(String($0.output.2)) ?? .nan }
    }
}

/// Whether tags are closed in order and attributes are quoted.
private struct XMLParserCheck {
    var problem: String?

    init(_ text: String) {
        var open: [String] = []
        for match in text.matches(of: /<(\/?)([a-z0-9]+)((?:\s+[a-zA-Z0-9-]+="[^"<]*")*)\s*(\/?)>/) {
            let name = String(match.2)
            if match.1 == "/" {
                guard open.popLast() == name else {
                    problem = "</\(name)> closes nothing"
                    return
                }
            } else if match.4 != "/" {
                open.append(name)
            }
        }
        if !open.isEmpty { problem = "not closed: \(open)" }
        let tags = text.matches(of: /<(\/?)([a-z0-9]+)((?:\s+[a-zA-Z0-9-]+="[^"<]*")*)\s*(\/?)>/).count
        if tags != text.count(where: { $0 == "<" }) { problem = "a '<' begins no tag" }
    }
}
