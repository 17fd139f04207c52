import Foundation
import HearthCompute
import HearthGrammar
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Texts that have to be something.
@Suite("Constrained texts", .timeLimit(.minutes(20))) struct ConstraintTests {
    private static let schema = #"""
        {"type":"object","properties":{"name":{"type":"string","maxLength":12},"age":{"type":"integer","minimum":0,"maximum":99},
         "tags":{"type":"array","items":{"enum":["a","b","née"]},"maxItems":3}},"required":["name","age","tags"],"additionalProperties":false}
        """#
    private static let constraints: [TextConstraint] = [
        .jsonSchema(schema), .choices(["yes", "no", "perhaps not"]), .regularExpression("[a-f]{3}-\\d{2,4}(é|😀)"),
        .grammar("root ::= \"(\" root \")\" | [0-9]{1,3}"),
    ]

    private func session(_ model: TextModel) throws -> GemmaSession {
        try GemmaSession(
            configuration: model.configuration, weights: model.weights, kernels: KernelSet.form(nil),
            threads: 1,
            context: min(model.configuration.contextLength, 400), cacheFormat: TextGenerator.defaultCacheFormat,
            maximumStep: 64)
    }

    private func options(_ constraint: TextConstraint, _ seed: UInt64, _ temperature: Float = 1.5)
        -> TextGenerator.Options
    {
        TextGenerator.Options(
            maximumTokens: 90, sampling: SamplingOptions(temperature: temperature, topK: 0, topP: 1, seed: seed),
            constraint: constraint)
    }

    private struct Run {
        var progress: TextProgress
        var text = ""
        var stop: StopReason?
    }

    private func run(
        _ progress: TextProgress, _ model: TextModel, drafts: DraftTable? = nil, limit: Int = .max
    ) throws -> Run {
        var loop = try GenerationLoop(
            session: session(model), model: model, progress: progress, pace: nil, drafts: drafts)
        var made = 0
        var text = ""
        let end = try loop.run(mustStop: { made >= limit }) {
            made += 1
            text += $1
        }
        guard case .finished(let stop, let rest) = end else { return Run(progress: loop.progress, text: text) }
        return Run(progress: loop.progress, text: text + rest.answer, stop: stop)
    }

    @Test(
        "Whole where they end, a valid beginning where they are cut",
        arguments: ["gemma3-q8_0.gguf", "gemma4-q4_0.gguf"])
    func holds(file: String) throws {
        let model = try TextModel(path: GemmaFixtures.path(file))
        var whole = 0
        for constraint in Self.constraints {
            let grammar = try constraint.compiled()
            for seed in UInt64(1)...4 {
                let made = try run(TextProgress(prompt: [2, 50, 60], options: options(constraint, seed)), model)
                let bytes = try model.tokenizer.decode(made.progress.generated)
                let verdict = try grammar.verdict(of: bytes)
                if made.stop == .end {
                    whole += 1
                    #expect(verdict == .accepted, "\(made.text)")
                } else {
                    #expect(verdict == .rejected(at: bytes.count) || verdict == .accepted, "\(made.text)")
                }
                let greedy = try run(TextProgress(prompt: [2, 50, 60], options: options(constraint, seed, 0)), model)
                let found = try grammar.verdict(of: model.tokenizer.decode(greedy.progress.generated))
                #expect(greedy.stop != .end || found == .accepted)
            }
        }
        #expect(whole > 4)
    }

    @Test("Interrupted at any token, and with drafts right and wrong, the text is the same")
    func resumes() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        let begin = TextProgress(prompt: [2, 50, 60], options: options(Self.constraints[0], 3))
        let whole = try run(begin, model)
        for limit in [1, 2, 5, 9] {
            let part = try run(begin, model, limit: limit)
            let saved = try JSONDecoder().decode(TextProgress.self, from: JSONEncoder().encode(part.progress))
            let rest = try run(saved, model)
            #expect(rest.progress.tokens == whole.progress.tokens)
            #expect(part.text + rest.text == whole.text)
        }
        for wrong in [[:], [5: TokenID(70), 9: 71, 12: 72]] as [[Int: TokenID]] {
            let table = try Drafts.table(
                of: whole.progress.tokens, longest: 2, vocabularyCount: model.tokenizer.vocabulary.count, wrong: wrong)
            #expect(try run(begin, model, drafts: table).progress.tokens == whole.progress.tokens)
        }
    }

    @Test("What the constraint leaves no choice about is not asked of the model, and is spelled as usual")
    func forced() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        // Nothing is left to choose: the model computes nothing at all.
        let text = #"{"title":"née","kind":"a story","pages":[12,7]}"#
        let whole = TextConstraint.jsonSchema(
            #"""
            {"type":"object","properties":{"title":{"const":"née"},"kind":{"enum":["a story"]},"pages":{"const":[12,7]}},
             "required":["title","kind","pages"],"additionalProperties":false}
            """#)
        let session = try session(model)
        var loop = try GenerationLoop(
            session: session, model: model, progress: TextProgress(prompt: [2, 50, 60], options: options(whole, 1)),
            pace: nil)
        var written = ""
        let end = try loop.run(mustStop: { false }) { written += $1 }
        guard case .finished(.end, let rest) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(written + rest.answer == text && session.position == 0)
        #expect(Array(loop.progress.generated) == model.tokenizer.encode(bytes: Array(text.utf8)))

        // In an object the model chooses values only; asked for likelihoods as well, it says the same.
        for seed in UInt64(1)...4 {
            var options = options(Self.constraints[0], seed)
            let progress = TextProgress(prompt: [2, 50, 60], options: options)
            let session = try self.session(model)
            var loop = try GenerationLoop(session: session, model: model, progress: progress, pace: nil)
            // Each step of the model moves the session on.
            var positions: Set<Int> = []
            _ = try loop.run(
                mustStop: {
                    positions.insert(session.position)
                    return false
                }, onToken: { _, _ in })
            let tokens = loop.progress.generated
            #expect(positions.count < tokens.count - 5)
            options.likelihoods = 1
            let asked = try run(TextProgress(prompt: [2, 50, 60], options: options), model)
            #expect(asked.progress.generated == tokens)
        }
    }

    @Test("Every spelling of an accepted text is accepted, and no control token", arguments: GemmaFixtures.tokenizers)
    func spellings(name: String) throws {
        let tokenizer = try GemmaFixtures.tokenizer(name)
        let text = #"{"name":"née \n","age":7,"tags":["a","née"]}"#
        let grammar = try TextConstraint.jsonSchema(Self.schema).compiled()
        var seed: UInt64 = 5
        for _ in 0..<40 {
            var reading = ConstrainedText(grammar, tokenizer)
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                try reading.update()
                var fitting: [(TokenID, Int)] = []
                for id in 0..<TokenID(tokenizer.vocabulary.count) {
                    let bytes = try tokenizer.decode([id])
                    if bytes.isEmpty {
                        #expect(!reading.allows(id))
                    } else if rest.starts(with: bytes), try tokenizer.vocabulary.kind(of: id) != .control {
                        #expect(reading.allows(id), "token \(id) before \(String(decoding: rest, as: UTF8.self))")
                        fitting.append((id, bytes.count))
                    }
                }
                seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                guard let (id, count) = fitting.isEmpty ? nil : fitting[Int(seed >> 33) % fitting.count] else {
                    Issue.record("no token spells what follows")
                    return
                }
                #expect(try reading.advance(id).all)
                rest = rest.dropFirst(count)
            }
            #expect(reading.isComplete && reading.mustEnd)
        }
    }

    @Test("Faulty constraints are errors that name the place, before anything is generated")
    func faults() throws {
        let model = try TextModel(path: GemmaFixtures.path("gemma3-q8_0.gguf"))
        for (constraint, error) in [
            (.jsonSchema(#"{"uniqueItems":true}"#), .unsupportedConstraint(keywords: ["#: uniqueItems"])),
            (.jsonSchema("false"), .invalidConstraint(place: "#", problem: "nothing satisfies the constraint")),
            (.grammar("root ::= x"), .invalidConstraint(place: "line 1", problem: "there is no rule 'x'")),
        ] as [(TextConstraint, TextError)] {
            #expect(throws: error) {
                _ = try run(TextProgress(prompt: [2], options: options(constraint, 1)), model)
            }
        }
    }
}
