import HearthReports
import Testing

@Suite struct FilterEvaluationTests {
    @Test("counts by language and theme, with Wilson's interval")
    func counts() throws {
        var evaluation = FilterEvaluation()
        for index in 0..<100 {
            evaluation.add(
                isHarmful: true, language: "en", theme: "luring",
                action: index < 85 ? .stopped : index < 90 ? .changed : .passed,
                found: index < 85 ? "luring" : nil)
        }
        evaluation.add(isHarmful: false, language: "de", theme: nil, action: .changed, found: nil)
        #expect(evaluation.sentences == 101)
        let english = try #require(evaluation.languages["en"])
        #expect(english.harmfulCaught.count == 90 && english.harmfulCaught.total == 100)
        #expect(english.harmlessStopped.value == nil && english.harmlessStopped.interval == nil)
        // Wilson's formula with z = 1.959964, worked out in Python: 0.8256343 to 0.9447709.
        let interval = try #require(english.harmfulCaught.interval)
        #expect(abs(interval.lowerBound - 0.825634) < 1e-5 && abs(interval.upperBound - 0.944771) < 1e-5)
        #expect(evaluation.all.harmlessChanged == evaluation.languages["de"]?.harmlessChanged)
        #expect(evaluation.all.harmlessChanged.count == 1 && evaluation.all.harmlessStopped.count == 0)
        #expect(evaluation.themes.keys.sorted() == ["luring"])
        #expect(evaluation.confusion == ["luring": ["luring": 85, "passed": 15]])
    }
}
