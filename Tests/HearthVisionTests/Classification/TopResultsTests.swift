import HearthCoreML
import HearthGraphProof
import HearthTestSupport
import HearthVision
import Testing

@Suite("Top results", .timeLimit(.minutes(20)))
struct TopResultsTests {
    private let labels = ["a", "b", "c", "d", "e"]

    private func top(_ confidences: [Float], _ limit: Int = 3, _ threshold: Float = 0.05) throws -> [String] {
        try TopResults(limit: limit, threshold: threshold).select(confidences, labels: labels).map(\.label)
    }

    @Test("The best three of at least 0.05, best first")
    func defaults() throws {
        #expect(TopResults() == TopResults(limit: 3, threshold: 0.05))
        let results = try TopResults().select([0.04, 0.5, 0.06, 0.1, 0.3], labels: labels)
        #expect(
            results == [
                Classification(label: "b", confidence: 0.5), Classification(label: "e", confidence: 0.3),
                Classification(label: "d", confidence: 0.1),
            ])
    }

    @Test("Threshold, limit and ties")
    func edges() throws {
        #expect(try top([0.05, 0.0499, 0, 0, 0]) == ["a"])
        #expect(try top([0.2, 0.2, 0.2, 0.2, 0.2]) == ["a", "b", "c"])
        #expect(try top([0.1, 0.2, 0.1, 0.2, 0.1], 4) == ["b", "d", "a", "c"])
        #expect(try top([0.1, 0.2, 0.3, 0.3, 0.1], 1) == ["c"])
        #expect(try top([0.1, 0.2, 0.3, 0.3, 0.1], 0).isEmpty)
        #expect(try top([0.1, 0.2, 0.3, 0.3, 0.1], -1).isEmpty)
        #expect(try top([0.1, 0.2, 0.3, 0.3, 0.1], .max) == ["c", "d", "b", "a", "e"])
        #expect(try top([-3, -1, 0, -2, -5], 2, -10) == ["c", "b"])
        #expect(try TopResults().select([], labels: []).isEmpty)
    }

    @Test("The same as sorting everything", arguments: 0..<20)
    func sorting(seed: Int) throws {
        var random = SeededNumbers(seed: UInt64(seed))
        let count = Int(random.next() % 200)
        // Few different values, so that there are ties.
        let confidences = (0..<count).map { _ in Float(random.next() % 16) / 16 }
        let names = (0..<count).map(String.init)
        let limit = Int(random.next() % 12)
        let kept: [Int] = confidences.indices.filter { confidences[$0] >= 0.25 }
        let sorted = kept.sorted { (a: Int, b: Int) -> Bool in
            confidences[a] == confidences[b] ? a < b : confidences[a] > confidences[b]
        }
        let expected = sorted.prefix(limit).map { names[$0] }
        let found = try TopResults(limit: limit, threshold: 0.25).select(confidences, labels: names).map(\.label)
        #expect(found == expected)
    }

    @Test("What is not a number is refused by its place", arguments: [Float.nan, .infinity, -.infinity])
    func notFinite(value: Float) {
        #expect(throws: CoreMLError.nonFiniteOutput(.init(file: "model", field: "confidences"), index: 3)) {
            try top([0, 0, 0, value, 0])
        }
    }

    @Test("Labels and results have to be as many")
    func counts() {
        #expect(throws: CoreMLError.labelCount(.init(file: "model", field: "labels"), labels: 5, results: 2)) {
            try top([0, 1])
        }
    }
}
