import Foundation
import HearthReports
import HearthTestSupport
import Testing

/// Against pycocotools and numpy; see Tests/Compression/make_evaluation_goldens.py.
@Suite("Precision of boxes, errors of numbers", .timeLimit(.minutes(20)))
struct PrecisionTests {
    private struct Goldens: Decodable {
        struct Picture: Decodable {
            var labelled: [LabelledBox]
            var found: [FoundBox]
        }
        struct Precision: Decodable {
            var average, at50, at75: Double
            var classes: [Double?]
        }
        struct Resample: Decodable {
            var weights: [Int]
            var expected: Precision
        }
        struct Detection: Decodable {
            var name: String
            var classes: Int
            var pictures: [Picture]
            var expected: Precision
            var resample: Resample?
        }
        struct Column: Decodable {
            var mae, rmse: Double
            var r2: Double?
        }
        struct Regression: Decodable {
            var labels, answers: [[Double]]
            var columns: [Column]
            var mae, rmse: Double
            var r2: Double?
        }
        var detection: [Detection]
        var regression: [Regression]
    }

    private static func goldens() throws -> Goldens {
        try JSONDecoder().decode(Goldens.self, from: Data(contentsOf: TestFixtures.url("evaluation/goldens.json")))
    }

    private func close(_ found: Double?, _ expected: Double?) -> Bool {
        guard let found, let expected else { return found == nil && expected == nil }
        return abs(found - expected) <= 1e-9 * max(1, abs(expected))
    }

    private func expect(_ found: AveragePrecision?, _ expected: Goldens.Precision, _ name: String) throws {
        let found = try #require(found)
        #expect(close(found.average, expected.average), "\(name): \(found.average), not \(expected.average)")
        #expect(close(found.at50, expected.at50) && close(found.at75, expected.at75), "\(name)")
        #expect(found.classes.count == expected.classes.count)
        for (own, other) in zip(found.classes, expected.classes) { #expect(close(own, other), "\(name)") }
    }

    @Test("Average precision is that of pycocotools, of all pictures and of resamples")
    func precision() throws {
        let cases = try Self.goldens().detection
        #expect(cases.count == 6 && cases.contains { $0.pictures.contains { $0.found.count > 100 } })
        #expect(cases.contains { $0.pictures.contains { $0.labelled.contains(where: \.isCrowd) } })
        for golden in cases {
            let matches = DetectionMatches(golden.pictures.map { ($0.labelled, $0.found) }, classes: golden.classes)
            try expect(matches.precision(), golden.expected, golden.name)
            if let resample = golden.resample {
                try expect(matches.precision(weights: resample.weights), resample.expected, "\(golden.name) resampled")
            }
        }
    }

    @Test("Without a labelled box there is no precision; a crowd is none, and takes detections away")
    func crowds() {
        let crowd = LabelledBox(label: 0, isCrowd: true, x: 0, y: 0, width: 50, height: 50)
        let object = LabelledBox(label: 0, x: 60, y: 0, width: 10, height: 10)
        let found = [
            FoundBox(label: 0, confidence: 0.9, x: 5, y: 5, width: 10, height: 10),
            FoundBox(label: 0, confidence: 0.8, x: 60, y: 0, width: 10, height: 10),
        ]
        #expect(DetectionMatches([([crowd], found)], classes: 1).precision() == nil)
        #expect(DetectionMatches([], classes: 1).precision() == nil)
        let both = DetectionMatches([([object, crowd], found)], classes: 2).precision()
        #expect(close(both?.average, 1) && both?.classes.last == .some(nil))
        #expect(close(DetectionMatches([([object], found)], classes: 1).precision()?.average, 0.5))
    }

    @Test("Mean absolute error, root mean squared error and R² are those of numpy")
    func errors() throws {
        for golden in try Self.goldens().regression {
            let found = RegressionErrors(labels: golden.labels, answers: golden.answers)
            #expect(close(found.mae, golden.mae) && close(found.rmse, golden.rmse) && close(found.r2, golden.r2))
            #expect(found.columns.count == golden.columns.count)
            for (own, other) in zip(found.columns, golden.columns) {
                #expect(close(own.mae, other.mae) && close(own.rmse, other.rmse) && close(own.r2, other.r2))
            }
        }
    }

    @Test("The bootstrap's interval is that of the normal distribution for many pictures, and the same each time")
    func bootstrap() throws {
        var random = SeededNumbers(seed: 5)
        let values = (0..<900).map { _ in Double.random(in: -1...2, using: &random) }
        func interval() -> ClosedRange<Double> {
            PairedBootstrap.intervals(pictures: values.count, models: 2, reference: 0, .usual) { model, weights in
                model == 0 ? 0 : zip(values, weights).reduce(0) { $0 + $1.0 * Double($1.1) } / Double(values.count)
            }[1]
        }
        let found = interval()
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)
        let half = 1.96 * (variance / Double(values.count)).squareRoot()
        #expect(abs(found.lowerBound - (mean - half)) < half / 8 && abs(found.upperBound - (mean + half)) < half / 8)
        #expect(interval() == found)
    }

    @Test("The smallest regressor whose error is not much larger is chosen; differences are those of the error")
    func regression() throws {
        let errors = (0..<60).map { $0.isMultiple(of: 2) ? 1.0 : -2.0 }
        let worse = errors.map { $0 * 1.1 }
        let evaluation = try #require(
            EvaluationSamples.regression([errors, worse, errors.map { $0 * 3 }], maxDrop: 0.2))
        #expect(evaluation.chosen == 1 && abs(evaluation.variants[0].quality.score + 1.5) < 1e-12)
        let comparison = try #require(evaluation.variants[1].comparison)
        let shown = evaluation.shown(comparison)
        #expect(abs(shown.difference - 0.15) < 1e-12 && shown.low < 0.15 && shown.high > 0.15 && shown.high < 0.2)
        #expect(comparison.agreement == nil && evaluation.variants[2].comparison?.picturesNeeded == nil)
        let reason = EvaluationWords(evaluation).reason
        #expect(
            reason.hasPrefix(
                "model1.mlpackage is the smallest that is non-inferior at a margin of 0.2: on 60 pictures it errs by "
                    + "1.650 on average, model0.mlpackage by 1.500, and with 95 % confidence it errs by at most 0.16"),
            "\(reason)")
        let table = EvaluationTable(evaluation, hasStyles: false).text
        #expect(table.contains("MAE") && table.contains("+0.1500 [") && !table.contains("top-1"), "\(table)")
        let rows = try CSVText(Array(EvaluationCSV.text(evaluation).utf8)).rows.map(\.cells)
        #expect(Set(rows.map(\.count)).count == 1 && rows[0].contains("mae") && !rows[0].contains("top1"))
        let few = try #require(
            EvaluationSamples.regression([errors, errors].map { Array($0.prefix(29)) }, maxDrop: 0.2))
        #expect(few.chosen == 0 && few.variants[1].comparison?.picturesNeeded == 30)
    }

    @Test("Detectors are compared by average precision; boxes survive the file of results")
    func detection() async throws {
        // A box moved by a tenth of its width overlaps by 0.82: it is right at 7 of 10 limits.
        let shifts = [(0..<40).map { _ in 0.0 }, (0..<40).map { _ in 0.001 }, (0..<40).map { _ in 0.1 }]
        let evaluation = try #require(EvaluationSamples.detection(shifts, maxDrop: 0.01))
        #expect(close(evaluation.variants[0].quality.score, 1) && close(evaluation.variants[2].quality.score, 0.7))
        #expect(evaluation.chosen == 1 && evaluation.variants[2].comparison?.isNonInferior == false)
        let reason = EvaluationWords(evaluation).reason
        #expect(
            reason.contains("on 40 pictures its average precision is 100.00 %, that of model0.mlpackage"), "\(reason)")
        let html = EvaluationPage(evaluation, time: Date(timeIntervalSince1970: 0)).html
        #expect(html.contains("AP75") && html.contains("average precision") && !html.contains("McNemar"))

        let folder = try TemporaryFolder()
        let header = EvaluationSamples.detectionHeader(models: 3, pictures: 40)
        let answers = EvaluationSamples.detected(shifts)
        do {
            let log = try EvaluationLog.open(folder["r"], header)
            for answer in answers { try await log.append(answer) }
        }
        let results = try EvaluationResults(path: folder["r"])
        #expect(results.answers == answers && results.header == header)
        #expect(Evaluation(results.header, results.answers, maxDrop: 0.01) == evaluation)
        let other = EvaluationSamples.detectionHeader(models: 3, pictures: 40, threshold: 0.5)
        #expect(header.conflict(with: other)?.contains("other thresholds") == true)
        var text = try String(contentsOfFile: folder["r"], encoding: .utf8)
        text = text.replacing("[1,0.5,", with: "[2,0.5,")
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder["b"]))
        #expect(throws: ReportError.self) { try EvaluationResults(path: folder["b"]) }
    }

    @Test("Plots of errors have finite coordinates inside the frame", arguments: 0..<20)
    func plots(seed: UInt64) throws {
        var random = SeededNumbers(seed: seed)
        let scales: [Double] = [1e-12, 1, 1e9]
        let scale = scales.randomElement(using: &random) ?? 1
        let errors = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            let own = seed.isMultiple(of: 5) ? 0 : Double.random(in: 0...scale, using: &random)
            return (0..<35).map { _ in Double.random(in: -own...own, using: &random) }
        }
        let drops: [Double] = [0, 0.5, 1e6]
        let drop = drops.randomElement(using: &random) ?? 0
        let evaluation = try #require(EvaluationSamples.regression(errors, maxDrop: drop))
        for range in [EvaluationPlot.near(evaluation), EvaluationPlot.all(evaluation)] {
            let svg = EvaluationPlot(evaluation, range: range, identifier: "p").svg
            #expect(!svg.contains("nan") && !svg.contains("inf") && svg.contains("mean absolute error"))
            for match in svg.matches(of: /(y1|y2|cy)="([^"]+)"/) {
                #expect((17...356).contains(Double(match.output.2) ?? .nan))
            }
        }
    }

    private static let annotations = """
        {"images": [{"id": 7, "file_name": "b.jpg", "width": 64, "height": 32}, {"id": 3, "file_name": "a/a.jpg"}],
         "annotations": [{"id": 1, "image_id": 7, "category_id": 5, "bbox": [1, 2.5, 3, 4], "area": 12, "iscrowd": 0},
          {"id": 2, "image_id": 3, "category_id": 2, "bbox": [0, 0, 9, 9], "iscrowd": 1}],
         "categories": [{"id": 5, "name": "dog", "supercategory": "animal"}, {"id": 2, "name": "cat"}, {"id": 9, "name": "cow"}]}
        """

    private func read(_ text: String) throws -> ObjectAnnotations {
        try ObjectAnnotations(Array(text.utf8), file: "c.json")
    }

    @Test("COCO's annotations are read in the order of their numbers")
    func annotations() throws {
        let found = try read(Self.annotations)
        #expect(found.classes == ["cat", "dog", "cow"] && found.labelledClasses == ["cat", "dog"])
        #expect(found.pictures.map(\.file) == ["a/a.jpg", "b.jpg"])
        #expect(
            found.pictures[1].size == ObjectAnnotations.Size(width: 64, height: 32) && found.pictures[0].size == nil)
        #expect(found.pictures[1].boxes == [LabelledBox(label: 1, x: 1, y: 2.5, width: 3, height: 4)])
        #expect(found.pictures[0].boxes.map(\.isCrowd) == [true])
        #expect(ObjectAnnotations.areIn(Array(" \n{".utf8)) && !ObjectAnnotations.areIn(Array("a.png,1".utf8)))
        #expect(!ObjectAnnotations.areIn([]))
    }

    @Test(
        "Annotations that cannot be used are named",
        arguments: [
            ("\"image_id\": 7", "\"image_id\": 8", "annotations[0] is of the image 8"),
            ("\"category_id\": 5", "\"category_id\": 4", "annotations[0] is of the category 4"),
            ("[1, 2.5, 3, 4]", "[1, 2.5, -3, 4]", "bbox of annotations[0]"),
            ("[1, 2.5, 3, 4]", "[1, 2.5, 3]", "bbox of annotations[0]"), ("\"dog\"", "\"cat\"", "named 'cat'"),
            ("\"id\": 3", "\"id\": 7", "two images"), ("\"iscrowd\": 0", "\"iscrowd\": 1", "no image has a box"),
            ("\"bbox\": [1, 2.5, 3, 4]", "\"x\": 1", "there is no annotations[0].bbox"),
            ("\"images\"", "\"pictures\"", "there is no images"), ("[0, 0, 9, 9]", "\"x\"", "annotations[1].bbox"),
            ("}]}", "}]", "not valid JSON"),
            ("\"id\": 9", "\"id\": 9.5", "not a whole number"),
        ])
    func refused(part: String, other: String, problem: String) throws {
        do {
            _ = try read(Self.annotations.replacing(part, with: other))
            Issue.record("no error")
        } catch let error as ReportError {
            guard case .malformedAnnotations("c.json", let found) = error else { throw error }
            #expect(found.contains(problem), "\(found)")
        }
    }
}
