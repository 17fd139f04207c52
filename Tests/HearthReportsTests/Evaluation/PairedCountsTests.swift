import Foundation
import HearthReports
import HearthTestSupport
import Testing

/// Against scipy, statsmodels and published examples; see Tests/Compression/make_paired_goldens.py.
@Suite("Paired proportions", .timeLimit(.minutes(20)))
struct PairedCountsTests {
    private struct Goldens: Decodable {
        struct Published: Decodable {
            var lost, gained, pictures, decimals: Int
            var interval: [Double]
        }
        struct Paired: Decodable {
            var lost, gained, pictures: Int
            var level, probability: Double
            var interval: [Double]
        }
        struct Single: Decodable {
            var successes, trials: Int
            var level: Double
            var interval: [Double]
        }
        struct Quantile: Decodable { var level, quantile: Double }
        struct Needed: Decodable {
            var lost, gained, pictures: Int
            var drop: Double
            var needed: Int?
        }
        var published: [Published]
        var paired: [Paired]
        var single: [Single]
        var quantiles: [Quantile]
        var needed: [Needed]
    }

    private static func goldens() throws -> Goldens {
        try JSONDecoder().decode(Goldens.self, from: Data(contentsOf: TestFixtures.url("compression/paired.json")))
    }

    @Test("Published examples come out as printed")
    func published() throws {
        let examples = try Self.goldens().published
        #expect(examples.count == 2)
        for example in examples {
            let interval = PairedCounts(pictures: example.pictures, lost: example.lost, gained: example.gained)
                .interval(.usual)
            let scale = pow(10, Double(example.decimals))
            for (found, printed) in zip([interval.lowerBound, interval.upperBound], example.interval) {
                #expect((found * scale).rounded() == (printed * scale).rounded(), "\(found), printed \(printed)")
            }
        }
    }

    @Test("Tango's interval and McNemar's probability, as other programs have them")
    func paired() throws {
        let cases = try Self.goldens().paired
        #expect(cases.count >= 60)
        for golden in cases {
            let counts = PairedCounts(pictures: golden.pictures, lost: golden.lost, gained: golden.gained)
            let interval = counts.interval(try #require(ConfidenceLevel(golden.level)))
            #expect(abs(interval.lowerBound - golden.interval[0]) < 2e-8, "\(golden)")
            #expect(abs(interval.upperBound - golden.interval[1]) < 2e-8, "\(golden)")
            #expect(abs(counts.probability - golden.probability) < 1e-9, "\(golden)")
        }
    }

    @Test("Wilson's interval, and quantiles of the normal distribution")
    func single() throws {
        let goldens = try Self.goldens()
        for golden in goldens.single {
            let interval = try #require(ConfidenceLevel(golden.level)).proportion(golden.successes, of: golden.trials)
            #expect(abs(interval.lowerBound - golden.interval[0]) < 1e-12, "\(golden)")
            #expect(abs(interval.upperBound - golden.interval[1]) < 1e-12, "\(golden)")
        }
        for golden in goldens.quantiles {
            #expect(abs((ConfidenceLevel(golden.level)?.quantile ?? 0) - golden.quantile) < 1e-9, "\(golden)")
        }
        for level in [0, 1, -0.5, 2, .nan, .infinity] { #expect(ConfidenceLevel(level) == nil) }
    }

    @Test("How many pictures would be needed, within a thousandth")
    func needed() throws {
        for golden in try Self.goldens().needed {
            let counts = PairedCounts(pictures: golden.pictures, lost: golden.lost, gained: golden.gained)
            let found = counts.picturesNeeded(drop: golden.drop, .usual)
            guard let wanted = golden.needed else {
                #expect(found == nil)
                continue
            }
            #expect(abs(Double(found ?? 0) - Double(wanted)) <= Double(wanted) * 1e-3 + 1, "\(golden), \(found ?? -1)")
        }
    }

    @Test(
        "Intervals hold the measured difference, mirror each other, widen with the level and narrow with the pictures")
    func properties() {
        var generator = SeededNumbers(seed: 7)
        for _ in 0..<400 {
            let pictures = Int.random(in: 1...3000, using: &generator)
            let lost = Int.random(in: 0...pictures, using: &generator)
            let gained = Int.random(in: 0...(pictures - lost), using: &generator)
            let counts = PairedCounts(pictures: pictures, lost: lost, gained: gained)
            let interval = counts.interval(.usual)
            #expect(interval.contains(counts.difference) && interval.lowerBound >= -1 && interval.upperBound <= 1)
            let mirrored = PairedCounts(pictures: pictures, lost: gained, gained: lost).interval(.usual)
            #expect(abs(mirrored.lowerBound + interval.upperBound) < 1e-12)
            if let wide = ConfidenceLevel(0.99)?.interval(counts) {
                #expect(wide.lowerBound <= interval.lowerBound && wide.upperBound >= interval.upperBound)
            }
            let more = PairedCounts(pictures: 10 * pictures, lost: 10 * lost, gained: 10 * gained).interval(.usual)
            #expect(more.upperBound - more.lowerBound <= interval.upperBound - interval.lowerBound + 1e-9)
            #expect((0...1).contains(counts.probability))
        }
        #expect(PairedCounts(pictures: 0, lost: 0, gained: 0).interval(.usual) == -1...1)
        // 2^-n is 0 in Double; the probability is not.
        #expect(PairedCounts(pictures: 100_000, lost: 20_000, gained: 20_000).probability == 1)
    }
}

extension ConfidenceLevel {
    fileprivate func interval(_ counts: PairedCounts) -> ClosedRange<Double> { counts.interval(self) }
}
