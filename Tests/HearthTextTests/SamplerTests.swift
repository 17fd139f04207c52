import Foundation
import HearthGGUF
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

@Suite("Sampler", .timeLimit(.minutes(20)))
struct SamplerTests {
    /// The distribution by the book: sort everything, in the documented order of steps.
    private func probabilities(_ logits: [Float], _ options: SamplingOptions) -> [TokenID: Double] {
        var order = logits.indices.sorted { logits[$0] == logits[$1] ? $0 < $1 : logits[$0] > logits[$1] }
        if options.topK > 0 { order = Array(order.prefix(options.topK)) }
        let top = Double(logits[order[0]])
        let weights = order.map { exp(Double(logits[$0]) - top) }
        let total = weights.reduce(0, +)
        var kept: [Int] = []
        var sum = 0.0
        for (rank, index) in order.enumerated() {
            if rank > 0, weights[rank] < Double(options.minP) { break }
            kept.append(index)
            sum += weights[rank]
            if options.topP < 1, sum >= total * Double(options.topP) { break }
        }
        let tempered = kept.map { exp((Double(logits[$0]) - top) / Double(options.temperature)) }
        let sumTempered = tempered.reduce(0, +)
        return Dictionary(uniqueKeysWithValues: zip(kept.map { TokenID($0) }, tempered.map { $0 / sumTempered }))
    }

    private static let settings: [SamplingOptions] = [
        SamplingOptions(temperature: 1, topK: 0, topP: 1, seed: 1),
        SamplingOptions(temperature: 0.7, topK: 0, topP: 1, seed: 2),
        SamplingOptions(temperature: 1.5, topK: 5, topP: 1, seed: 3),
        SamplingOptions(temperature: 1, topK: 0, topP: 0.8, seed: 4),
        SamplingOptions(temperature: 1, topK: 12, topP: 0.9, minP: 0.05, seed: 5),
        SamplingOptions(temperature: 2, topK: 64, topP: 0.95, minP: 0.2, seed: 6),
        SamplingOptions(temperature: 1, topK: 1000, topP: 0.5, seed: 7),
    ]

    @Test(arguments: settings)
    func choicesFollowTheExactProbabilities(_ options: SamplingOptions) throws {
        var random = Xoshiro256(seed: 3)
        let logits = (0..<40).map { _ in Float.random(in: -3...3, using: &random) }
        let exact = probabilities(logits, options)
        var sampler = try Sampler(options, vocabularyCount: 40)
        let draws = 8_000
        var seen: [TokenID: Int] = [:]
        for _ in 0..<draws { seen[try sampler.sample(logits), default: 0] += 1 }
        #expect(Set(seen.keys).isSubset(of: exact.keys))
        var chiSquare = 0.0
        for (id, probability) in exact {
            let expected = probability * Double(draws)
            chiSquare += pow(Double(seen[id] ?? 0) - expected, 2) / expected
        }
        // Mean + 5 standard deviations of the chi-square distribution; seeds are fixed, so this is no matter of luck.
        let freedom = Double(exact.count - 1)
        #expect(chiSquare < freedom + 5 * (2 * freedom).squareRoot() + 5, "\(chiSquare) at \(freedom)")
    }

    @Test func equalSeedsChooseEqually() throws {
        var random = Xoshiro256(seed: 9)
        for options in Self.settings {
            var a = try Sampler(options, vocabularyCount: 500)
            var b = try Sampler(options, vocabularyCount: 500)
            for _ in 0..<50 {
                let logits = (0..<500).map { _ in Float.random(in: -4...4, using: &random) }
                #expect(try a.sample(logits) == b.sample(logits))
            }
        }
    }

    @Test func aSeedLeftOpenIsReported() throws {
        var first = try Sampler(SamplingOptions(), vocabularyCount: 100)
        var again = try Sampler(SamplingOptions(seed: first.seed), vocabularyCount: 100)
        let logits = (0..<100).map { Float($0 % 7) }
        for _ in 0..<20 { #expect(try first.sample(logits) == again.sample(logits)) }
    }

    @Test func greedyTakesTheLikeliestAndTheLowerIDOnTies() throws {
        var sampler = try Sampler(.greedy, vocabularyCount: 5)
        #expect(try sampler.sample([0, 3, 1, 3, 2]) == 1)
        #expect(try sampler.sample([-5, -3, -9, -3, -4]) == 1)
        var one = try Sampler(SamplingOptions(topK: 1), vocabularyCount: 5)
        #expect(try one.sample([0, 3, 1, 3, 2]) == 1)
    }

    /// Many logits with ties and zeros of both signs, against a plain sort.
    @Test(arguments: UInt64(1)...6)
    func longVocabulariesAgreeWithASort(seed: UInt64) throws {
        var random = Xoshiro256(seed: seed)
        let values: [Float] = [-0.0, 0.0, -1.5, 1.5, 2.25, 2.25, -3, seed > 3 ? 2.5 : -2.5]
        var logits = (0..<5000).map { _ in values[Int.random(in: 0..<(seed > 2 ? values.count : 2), using: &random)] }
        for place in [511, 512, 4999] { logits[place] = Bool.random(using: &random) ? 3 : logits[place] }
        let order = logits.indices.sorted { logits[$0] == logits[$1] ? $0 < $1 : logits[$0] > logits[$1] }

        var greedy = try Sampler(SamplingOptions(temperature: 0), vocabularyCount: logits.count)
        #expect(try Int(greedy.sample(logits)) == order[0])

        var options = SamplingOptions(temperature: 100)
        (options.topK, options.topP, options.minP, options.seed) = (6, 1, 0, seed)
        var sampler = try Sampler(options, vocabularyCount: logits.count)
        let drawn = try Set((0..<200).map { _ in try Int(sampler.sample(logits)) })
        #expect(drawn == Set(order.prefix(6)))
    }

    @Test func logitsBeyondTheVocabularyAreNeverChosen() throws {
        var logits = [Float](repeating: 0, count: 64)
        for index in 60..<64 { logits[index] = 50 }
        logits[63] = .nan
        for options in Self.settings + [.greedy] {
            var sampler = try Sampler(options, vocabularyCount: 60)
            for _ in 0..<100 { #expect(try sampler.sample(logits) < 60) }
        }
    }

    @Test(arguments: [Float.nan, .infinity, -.infinity])
    func nonFiniteLogitsAreNamed(_ value: Float) throws {
        var logits = [Float](repeating: 1, count: 100)
        logits[77] = value
        #expect(throws: TextError.nonFiniteLogit(file: "m.gguf", index: 77, value: "\(value)")) {
            try logits.withSpan { span throws(TextError) in try span.requireFinite(78, file: "m.gguf") }
        }
        // What is behind the vocabulary belongs to no token.
        try logits.withSpan { span throws(TextError) in try span.requireFinite(77, file: "m.gguf") }
    }

    @Test func extremeButFiniteLogitsWork() throws {
        for options in Self.settings + [.greedy, SamplingOptions(temperature: .leastNonzeroMagnitude)] {
            var sampler = try Sampler(options, vocabularyCount: 4)
            let huge = Float.greatestFiniteMagnitude
            #expect(try sampler.sample([-huge, huge, 0, -huge]) == 1)
        }
        var penal = try Sampler(SamplingOptions(repeatPenalty: 1e-30), vocabularyCount: 3)
        penal.accept(0)
        #expect(try penal.sample([.greatestFiniteMagnitude, 0, 0]) == 0)
    }

    @Test func penaltyLowersRecentTokensOnceAndForgetsThem() throws {
        let options = SamplingOptions(temperature: 0, repeatPenalty: 2, repeatWindow: 3)
        var sampler = try Sampler(options, vocabularyCount: 4)
        for _ in 0..<3 { sampler.accept(0) }
        #expect(try sampler.sample([10, 5.1, 0, 0]) == 1)  // 10 / 2 < 5.1
        #expect(try sampler.sample([10, 5.1, 0, 0]) == 0)  // 5 against 2.55: once a token, not once an occurrence
        var negative = try Sampler(options, vocabularyCount: 2)
        negative.accept(0)
        #expect(try negative.sample([-1, -1.5]) == 1)  // -2 against -1.5
        #expect(try negative.sample([-1, -1.9]) == 0)  // -2 against -3.8
        var window = try Sampler(options, vocabularyCount: 10)
        for id: TokenID in [0, 1, 2, 3] { window.accept(id) }
        #expect(try window.sample([1, 1.5, 1.5, 1.5, 0.9, 0, 0, 0, 0, 0]) == 0)  // 0 has left the window
    }

    @Test func optionsOutOfRangeAreRefused() {
        let bad = [
            SamplingOptions(temperature: -1), SamplingOptions(temperature: .nan),
            SamplingOptions(temperature: .infinity), SamplingOptions(topK: -1), SamplingOptions(topP: 0),
            SamplingOptions(topP: 1.01), SamplingOptions(topP: .nan), SamplingOptions(minP: -0.1),
            SamplingOptions(minP: 1.5), SamplingOptions(minP: .nan), SamplingOptions(repeatPenalty: 0),
            SamplingOptions(repeatPenalty: .nan), SamplingOptions(repeatWindow: -1),
            SamplingOptions(repeatWindow: 1 << 20),
        ]
        for options in bad {
            #expect(throws: TextError.self, "\(options)") { try Sampler(options, vocabularyCount: 10) }
        }
        #expect(throws: TextError.nothingToSample) { try Sampler(.greedy, vocabularyCount: 0) }
        #expect(throws: TextError.nothingToSample) {
            var sampler = try Sampler(.greedy, vocabularyCount: 3)
            _ = try sampler.sample([])
        }
    }

    @Test func defaultsComeFromTheFile() throws {
        let path = GemmaFixtures.path("tokenizer-llama.gguf")
        #expect(
            try SamplingOptions(gguf: GGUFFile(path: path)) == SamplingOptions(temperature: 1, topK: 64, topP: 0.95))
        func load(_ key: String, _ value: GGUFValue) throws -> SamplingOptions {
            var builder = GGUFBuilder(copying: try GGUFFile(path: path))
            builder.set(key, value)
            return try SamplingOptions(gguf: GGUFFile(MappedFile(copying: builder.bytes())))
        }
        #expect(try load("general.sampling.temp", .float32(0.25)).temperature == 0.25)
        #expect(try load("general.sampling.top_k", .int32(20)).topK == 20)
        #expect(try load("general.sampling.top_p", .float32(0.5)).topP == 0.5)
        #expect(
            throws: TextError.badValue(file: "memory", key: "general.sampling.top_k", index: 0, value: "-3.0")
        ) {
            try load("general.sampling.top_k", .int32(-3))
        }
        #expect(throws: (any Error).self) { try load("general.sampling.top_p", .float32(0)) }
        #expect(throws: (any Error).self) { try load("general.sampling.temp", .float32(.nan)) }
    }

    /// First outputs of the authors' C code for the state that SplitMix64 makes of seed 0.
    @Test func generatorIsTheOneItSaysItIs() {
        var generator = Xoshiro256(seed: 0)
        #expect(
            (0..<3).map { _ in generator.next() } == [
                0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0,
            ])
    }
}
