import Foundation
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Each stage against a plain reference: straight-line double precision, everything sorted, by the definitions of the papers and
/// of llama.cpp.
@Suite("Stages of sampling", .timeLimit(.minutes(20))) struct SamplerStageTests {
    private typealias Choice = (id: Int, logit: Double)

    private static func probabilities(_ choices: [Choice]) -> [Double] {
        let top = choices.map(\.logit).max() ?? 0
        let weights = choices.map { exp($0.logit - top) }
        let sum = weights.reduce(0, +)
        return weights.map { $0 / sum }
    }

    /// What is left of `logits` after all stages, likeliest first, with logits.
    /// - Parameter excludes: whether XTC strikes.
    private static func reference(
        _ logits: [Float], _ options: SamplingOptions, prompt: [TokenID], generated: [TokenID], excludes: Bool
    ) -> [Choice] {
        var choices = logits.enumerated().map { (id: $0.offset, logit: Double($0.element)) }
        for index in choices.indices { choices[index].logit += Double(options.logitBias[TokenID(index)] ?? 0) }
        let history = prompt + generated
        func sort() { choices.sort { $0.logit == $1.logit ? $0.id < $1.id : $0.logit > $1.logit } }
        for stage in options.stages {
            switch stage {
            case .penalties:
                let recent = Set(history.suffix(options.repeatWindow))
                for index in choices.indices {
                    let id = TokenID(choices[index].id)
                    if recent.contains(id) {
                        let penalty = Double(options.repeatPenalty)
                        choices[index].logit =
                            choices[index].logit > 0
                            ? choices[index].logit / penalty : choices[index].logit * penalty
                    }
                    let count = generated.count { $0 == id }
                    choices[index].logit -= Double(count) * Double(options.frequencyPenalty)
                    if count > 0 { choices[index].logit -= Double(options.presencePenalty) }
                }
            case .dry where options.dryMultiplier > 0:
                // For each token: the longest sequence at the end that was followed by it before.
                for index in choices.indices {
                    var longest = 0
                    for place in history.indices.dropFirst() where Int(history[place]) == choices[index].id {
                        var length = 0
                        while length < place, history[place - 1 - length] == history[history.count - 1 - length],
                            !isBreaker(history[history.count - 1 - length])
                        { length += 1 }
                        longest = max(longest, length)
                    }
                    if longest >= options.dryAllowedLength {
                        choices[index].logit -=
                            Double(options.dryMultiplier)
                            * pow(Double(options.dryBase), Double(longest - options.dryAllowedLength))
                    }
                }
            case .topNSigma where options.topNSigma > 0:
                let mean = choices.map(\.logit).reduce(0, +) / Double(choices.count)
                let deviation = (choices.map { pow($0.logit - mean, 2) }.reduce(0, +) / Double(choices.count))
                    .squareRoot()
                let top = choices.map(\.logit).max() ?? 0
                choices = choices.filter { $0.logit >= top - Double(options.topNSigma) * deviation }
            case .topK where options.topK > 0:
                sort()
                choices = Array(choices.prefix(options.topK))
            case .typical where options.typicalP < 1:
                sort()
                let p = probabilities(choices)
                let entropy = -p.map { $0 * log($0) }.reduce(0, +)
                let order = choices.indices.sorted {
                    let a = abs(-log(p[$0]) - entropy), b = abs(-log(p[$1]) - entropy)
                    return a == b ? $0 < $1 : a < b
                }
                var sum = 0.0
                var kept: [Choice] = []
                for index in order {
                    kept.append(choices[index])
                    sum += p[index]
                    if sum > Double(options.typicalP) { break }
                }
                choices = kept
            case .topP where options.topP < 1:
                sort()
                let p = probabilities(choices)
                var sum = 0.0
                var count = 0
                repeat {
                    sum += p[count]
                    count += 1
                } while sum < Double(options.topP) && count < p.count
                choices = Array(choices.prefix(count))
            case .minP where options.minP > 0:
                let p = probabilities(choices)
                let top = p.max() ?? 0
                choices = zip(choices, p).filter { $1 >= top * Double(options.minP) }.map(\.0)
            case .xtc where options.xtcProbability > 0 && excludes:
                sort()
                let above = probabilities(choices).filter { $0 >= Double(options.xtcThreshold) }.count
                if above > 1 { choices.removeFirst(above - 1) }
            case .temperature:
                for index in choices.indices { choices[index].logit /= Double(options.temperature) }
            default: break
            }
        }
        sort()
        return choices
    }

    private static func isBreaker(_ id: TokenID) -> Bool { id % 17 == 0 }

    private func options(_ random: inout Xoshiro256) -> SamplingOptions {
        func coin() -> Bool { Bool.random(using: &random) }
        func number(_ range: ClosedRange<Float>) -> Float { Float.random(in: range, using: &random) }
        var options = SamplingOptions(
            temperature: coin() ? 1 : number(0.3...2), topK: coin() ? 0 : Int.random(in: 1...30, using: &random),
            topP: coin() ? 1 : number(0.3...0.99), minP: coin() ? 0 : number(0.01...0.3),
            repeatPenalty: coin() ? 1 : number(0.7...1.6), repeatWindow: Int.random(in: 0...20, using: &random),
            seed: random.next())
        if coin() { options.presencePenalty = number(-2...2) }
        if coin() { options.frequencyPenalty = number(-2...2) }
        for _ in 0..<(coin() ? 4 : 0) { options.logitBias[TokenID.random(in: 0..<60, using: &random)] = number(-9...9) }
        if coin() {
            (options.dryMultiplier, options.dryAllowedLength) = (number(0.1...2), Int.random(in: 1...3, using: &random))
        }
        if coin() { options.topNSigma = number(0.5...3) }
        if coin() { options.typicalP = number(0.2...0.95) }
        if coin() { (options.xtcProbability, options.xtcThreshold) = (coin() ? 1 : 0, number(0.02...0.4)) }
        if coin() { options.stages.shuffle(using: &random) }
        if coin() { options.stages.removeLast(2) }
        return options
    }

    @Test("Random options, in random order: the token is the one that the reference draws", arguments: UInt64(1)...40)
    func everything(seed: UInt64) throws {
        var random = Xoshiro256(seed: seed)
        var narrow = 0
        for round in 0..<40 {
            let options = options(&random)
            // Few tokens, so that sequences come again.
            let prompt = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                TokenID.random(in: 0..<5, using: &random)
            }
            let chosen = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                TokenID.random(in: 0..<5, using: &random)
            }
            var sampler = try Sampler(options, vocabularyCount: 60, breaks: { Self.isBreaker($0) })
            for id in prompt { sampler.accept(id) }
            for id in chosen { sampler.acceptGenerated(id) }
            let logits = (0..<60).map { _ in Float.random(in: -4...4, using: &random) }
            let found = try sampler.sample(logits)

            // The same numbers: XTC's first, where it is asked for.
            var numbers = Xoshiro256(seed: options.seed ?? 0)
            let strikes =
                options.stages.contains(.xtc) && options.xtcProbability > 0
                ? numbers.unit() < Double(options.xtcProbability) : false
            var left = Self.reference(logits, options, prompt: prompt, generated: chosen, excludes: strikes)
            if left.count < 60 { narrow += 1 }
            let target = numbers.unit()
            var sum = 0.0
            var expected = left[left.count - 1].id
            for (choice, p) in zip(left, Self.probabilities(left)) {
                sum += p
                if sum > target {
                    expected = choice.id
                    break
                }
            }
            left.removeAll { $0.id != Int(found) }
            #expect(Int(found) == expected && !left.isEmpty, "seed \(seed), round \(round): \(options)")
        }
        #expect(narrow > 10)
    }

    @Test("The way without sorting chooses what the other one does", arguments: UInt64(1)...8)
    func plain(seed: UInt64) throws {
        var random = Xoshiro256(seed: seed)
        for _ in 0..<30 {
            let options = SamplingOptions(
                temperature: Float.random(in: 0.2...2, using: &random),
                topK: [0, 3, 64].randomElement(using: &random) ?? 0,
                topP: [1, 0.9, 0.5].randomElement(using: &random) ?? 1,
                minP: [0, 0.05].randomElement(using: &random) ?? 0,
                repeatPenalty: [1, 1.3].randomElement(using: &random) ?? 1, seed: random.next())
            var fast = try Sampler(options, vocabularyCount: 700)
            var slow = try Sampler(options, vocabularyCount: 700, allowsPlain: false)
            for _ in 0..<20 {
                let logits = (0..<700).map { _ in (Float.random(in: -4...4, using: &random) * 8).rounded() / 8 }
                #expect(try fast.sample(logits) == slow.sample(logits), "\(options)")
            }
        }
    }

    @Test("Mirostat 2 keeps to its surprise, and follows its own definition")
    func mirostat() throws {
        var options = SamplingOptions(temperature: 0.8, topK: 1, seed: 5)
        options.topK = 3  // takes no part
        options.mirostatTau = 3
        var random = Xoshiro256(seed: 4)
        var sampler = try Sampler(options, vocabularyCount: 400)
        var numbers = Xoshiro256(seed: 5)
        var bound = 6.0
        var surprises: [Double] = []
        for _ in 0..<300 {
            let logits = (0..<400).map { _ in Float.random(in: -5...5, using: &random) }
            let found = try sampler.sample(logits)
            var choices = logits.enumerated().map { (id: $0.offset, logit: Double($0.element) / Double(Float(0.8))) }
            choices.sort { $0.logit == $1.logit ? $0.id < $1.id : $0.logit > $1.logit }
            let p = Self.probabilities(choices)
            let kept = max(1, p.prefix { -log2($0) <= bound }.count)
            let q = Self.probabilities(Array(choices.prefix(kept)))
            let target = numbers.unit()
            var sum = 0.0
            var index = 0
            while index < kept - 1 {
                sum += q[index]
                if sum > target { break }
                index += 1
            }
            #expect(Int(found) == choices[index].id)
            surprises.append(-log2(q[index]))
            bound -= Double(options.mirostatEta) * (surprises[surprises.count - 1] - 3)
        }
        let mean = surprises.dropFirst(50).reduce(0, +) / 250
        #expect(abs(mean - 3) < 0.3, "\(mean)")
    }

    @Test("XTC strikes as often as it is asked to")
    func frequency() throws {
        var options = SamplingOptions(topK: 0, topP: 1, seed: 2)
        (options.xtcProbability, options.xtcThreshold) = (0.3, 0.2)
        var sampler = try Sampler(options, vocabularyCount: 3)
        // 0.49, 0.49, 0.02: with the two likeliest above the threshold, the first is left out.
        var first = 0
        for _ in 0..<6000 where try sampler.sample([5, 4.999, 1.8]) == 0 { first += 1 }
        #expect(abs(Double(first) / 6000 - 0.7 * 0.49) < 0.03, "\(first)")
    }

    @Test("Greedy takes penalties and biases into account, and no filter")
    func greedy() throws {
        var options = SamplingOptions.greedy
        options.presencePenalty = 1
        options.logitBias = [2: 3]
        options.typicalP = 0.1
        var sampler = try Sampler(options, vocabularyCount: 4)
        #expect(try sampler.sample([1, 2, 0, 0]) == 2)  // 0 + 3
        #expect(try sampler.sample([1, 2.5, 0, 0]) == 1)  // 2.5 against 0 + 3 - 1
        // Penalties listed after a filter or the temperature count, too.
        options.logitBias = [:]
        options.stages = [.typical, .topK, .temperature, .penalties]
        var late = try Sampler(options, vocabularyCount: 4)
        #expect(try late.sample([1, 2, 1.5, 0]) == 1)
        #expect(try late.sample([1, 2, 1.5, 0]) == 2)  // 1.5 against 2 - 1
        #expect(throws: TokenizerError.tokenOutOfRange(id: 4, count: 4)) {
            var options = SamplingOptions()
            options.logitBias = [4: 1]
            _ = try Sampler(options, vocabularyCount: 4)
        }
    }

    @Test("A top-k of 1 takes the most likely token of those that the stages before it leave")
    func topOne() throws {
        var options = SamplingOptions(topK: 1, topP: 1, repeatPenalty: 2, seed: 1)
        options.stages = [.minP, .penalties, .topK]
        var penalized = try Sampler(options, vocabularyCount: 3)
        #expect(try [penalized.sample([3, 2, 1]), penalized.sample([3, 2, 1])] == [0, 1])  // 2 against 3 / 2
        options.repeatPenalty = 1
        (options.xtcProbability, options.xtcThreshold) = (1, 0.1)
        options.stages = [.xtc, .topK]
        var excluding = try Sampler(options, vocabularyCount: 3)
        #expect(try excluding.sample([5, 4.9, -9]) == 1)
        // Mirostat replaces it.
        (options.xtcProbability, options.mirostatTau) = (0, 8)
        var free = try Sampler(options, vocabularyCount: 3)
        var found: Set<TokenID> = []
        for _ in 0..<40 { found.insert(try free.sample([1, 1, 1])) }
        #expect(found == [0, 1, 2])
    }

    @Test("Options of an older version are read, and every field survives")
    func coding() throws {
        let old = #"{"temperature":0.5,"topK":3,"topP":0.9,"minP":0,"repeatPenalty":1,"repeatWindow":64,"seed":9}"#
        let read = try JSONDecoder().decode(SamplingOptions.self, from: Data(old.utf8))
        #expect(read == SamplingOptions(temperature: 0.5, topK: 3, topP: 0.9, seed: 9))
        var random = Xoshiro256(seed: 77)
        for _ in 0..<50 {
            let options = options(&random)
            #expect(
                try JSONDecoder().decode(SamplingOptions.self, from: JSONEncoder().encode(options)) == options)
        }
    }

    @Test("Likelihoods are the logarithms of the softmax, the likeliest first")
    func likelihoods() async throws {
        let model = try TextModel(path: GemmaFixtures.bundled)
        let generator = try TextGenerator(model: model, threads: 2)
        let prompt = model.tokenizer.encode("Once upon a time", addBOS: true)
        var options = TextGenerator.Options(maximumTokens: 6, sampling: SamplingOptions(seed: 3))
        options.likelihoods = 4
        var found: [TokenLikelihood] = []
        var tokens: [TokenID] = []
        for try await event in generator.generate(prompt, options: options) {
            switch event {
            case .likelihood(let likelihood): found.append(likelihood)
            case .token(let id, _): tokens.append(id)
            default: break
            }
        }
        #expect(tokens.count == 6 && found.map(\.chosen.id) == tokens)
        let rows = Rows()
        _ = try await generator.score(prompt + tokens) { rows.add($0) }
        for (index, likelihood) in found.enumerated() {
            let row = rows.all[prompt.count - 1 + index].map(Double.init)
            let top = row.max() ?? 0
            let total = top + log(row.map { exp($0 - top) }.reduce(0, +))
            let order = row.indices.sorted { row[$0] == row[$1] ? $0 < $1 : row[$0] > row[$1] }
            #expect(likelihood.top.map { Int($0.id) } == Array(order.prefix(4)))
            for entry in likelihood.top + [likelihood.chosen] {
                #expect(abs(Double(entry.logProbability) - (row[Int(entry.id)] - total)) < 1e-5)
            }
        }
    }

    private final class Rows: @unchecked Sendable {
        private let lock = NSLock()
        private var rows: [[Float]] = []
        func add(_ row: [Float]) { lock.withLock { rows.append(row) } }
        var all: [[Float]] { lock.withLock { rows } }
    }
}
