import HearthGrammar
import HearthRuntime
import HearthStory
import HearthSystem
import HearthTestSupport
import HearthText
import HearthTokenizer
import Testing

/// Tales that a model tells.
@Suite("Told tales", .timeLimit(.minutes(20)))
struct TalePlanTests {
    private static let fixture = StorytellerTests.fixture("gemma3-f16.gguf")

    private static func tales(_ language: StoryLanguage) -> [Tale] {
        Wishes.all.flatMap { TaleLibrary.tales(about: $0.id, in: language) }
    }

    private func request(_ wish: String, _ seed: UInt64) throws -> StoryRequest {
        StoryRequest(.wish(try #require(Wishes.wish(wish))), in: .english, seed: seed)
    }

    private func tell(_ request: StoryRequest, threads: Int = 1) async throws -> Told {
        let runner = ModelRunner(
            engine: try TextEngine(
                path: StorytellerTests.bundled, threads: threads, folders: nil, opening: Storyteller.opening(request)))
        var told = Told()
        for try await event in Storyteller(runner: runner, conditions: { .calm }).tell(request) { told.take(event) }
        return told
    }

    /// A telling of the plan, and the sentences of its paragraphs.
    private func telling(_ plan: TalePlan, _ random: inout SplitMix64) -> String {
        plan.paragraphs.map { sentences in
            sentences.map { $0.randomElement(using: &random) ?? "" }.joined(separator: plan.language.sentenceSeparator)
        }.joined(separator: "\n\n")
    }

    @Test("The grammar of a plan accepts its tellings and nothing else", arguments: StoryLanguage.allCases)
    func grammar(language: StoryLanguage) throws {
        let seed = SeededNumbers.freshSeed()
        var random = SplitMix64(seed: seed)
        for tale in Self.tales(language) {
            let plan = try #require(tale.plan(seed: seed), "\(tale.id)")
            #expect(plan.paragraphs.map(\.count) == tale.paragraphs.map(\.count), "\(tale.id)")
            #expect(plan.paragraphs.joined().allSatisfy { (1...2).contains($0.count) }, "\(tale.id)")
            let grammar = try Grammar(gbnf: plan.grammar)
            let text = telling(plan, &random)
            #expect(try grammar.verdict(of: text.utf8) == .accepted, "\(tale.id), seed \(seed)")
            #expect(try grammar.verdict(of: (text + " Then").utf8) == .rejected(at: text.utf8.count), "\(tale.id)")
            #expect(try grammar.verdict(of: String(text.dropLast(3)).utf8) != .accepted, "\(tale.id), seed \(seed)")
        }
    }

    @Test("A plan has the cast of the telling with its seed, and quotes what a grammar has to")
    func cast() throws {
        let tale = try #require(TaleLibrary.tales(about: "brave-mouse", in: .english).first { $0.length == .medium })
        for seed in UInt64(0)..<8 {
            let plan = try #require(tale.plan(seed: seed))
            let whole = try #require(tale.plan(seed: seed, wordings: 100))
            let told = try #require(tale.told(seed: seed))
            // The telling is one of those with all wordings.
            let grammar = try Grammar(gbnf: whole.grammar)
            #expect(try grammar.verdict(of: told.text.utf8) == .accepted, "seed \(seed)")
            #expect(zip(plan.paragraphs.joined(), whole.paragraphs.joined()).allSatisfy { Set($1).isSuperset(of: $0) })
        }
        let odd = TalePlan(id: "x", language: .english, paragraphs: [[["\"Hm\\\"", "Ä\tß"], ["[a-z]*"]], [["End."]]])
        let grammar = try Grammar(gbnf: odd.grammar)
        #expect(try grammar.verdict(of: "\"Hm\\\" [a-z]*\n\nEnd.".utf8) == .accepted)
        #expect(try grammar.verdict(of: "Ä\tß [a-z]*\n\nEnd.".utf8) == .accepted)
        #expect(try grammar.verdict(of: "Ä\tß b\n\nEnd.".utf8) == .rejected(at: 6))
    }

    @Test("The bundled model tells the plan's tale to its end, each seed its own")
    func told() async throws {
        var texts: Set<String> = []
        for (wish, seed) in [("brave-mouse", 3), ("wise-owl", 4), ("star-train", 5)] as [(String, UInt64)] {
            let request = try request(wish, seed)
            let plan = try #require(request.plan(seed: seed))
            let told = try await tell(request)
            let text = told.sentences.joined(separator: " ")
            texts.insert(text)
            #expect(told.summaries.first??.stop == .end && told.handover == nil, "\(wish)")
            // In order, every sentence of the plan in one of its wordings.
            var rest = text[...]
            for wordings in plan.paragraphs.joined() {
                let wording = try #require(wordings.first { rest.hasPrefix($0) }, "\(wish): \(rest.prefix(60))")
                rest = rest.dropFirst(wording.count)
                if rest.first == " " { rest.removeFirst() }
            }
            #expect(rest.isEmpty, "\(wish): \(rest)")
            #expect(try await tell(request, threads: 2).sentences == told.sentences)
        }
        #expect(texts.count == 3)
        let other = try await tell(request("brave-mouse", 4)).sentences.joined(separator: " ")
        #expect(!texts.contains(other))
    }

    @Test("Only the bundled model tells tales, only about wishes, and only where it is not to write freely")
    func scope() throws {
        let bundled = try TextModel(path: StorytellerTests.bundled)
        var request = try request("sleepy-bear", 3)
        #expect(try Storyteller.opening(request)(bundled).options.constraint != nil)
        #expect(try Storyteller.opening(request)(TextModel(path: Self.fixture)).options.constraint == nil)
        #expect(try Storyteller.prelude(in: .english)(bundled).options.constraint == nil)
        guard case .accepted(let theme) = AdultTheme.check("a fox who collects buttons", in: .english) else {
            Issue.record("a theme that was refused")
            return
        }
        request.subject = .theme(theme)
        #expect(try Storyteller.opening(request)(bundled).options.constraint == nil)
        for manner in [StoryRequest.Manner.chosen, .plain] {
            var request = try self.request("sleepy-bear", 3)
            request.manner = manner
            #expect(try Storyteller.opening(request)(bundled).options.constraint == nil)
        }
    }

    @Test("No short or medium tale is longer than a story may be")
    func lengths() throws {
        let tokenizer = try TextModel(path: StorytellerTests.bundled).tokenizer
        for tale in Self.tales(.english) where tale.length != .long {
            for seed in UInt64(0)..<4 {
                let plan = try #require(tale.plan(seed: seed, wordings: 100))
                let longest = plan.paragraphs.map { sentences in
                    sentences.map { $0.max { $0.utf8.count < $1.utf8.count } ?? "" }.joined(separator: " ")
                }.joined(separator: "\n\n")
                let tokens = tokenizer.encode(longest)
                // The model may spell a text with other tokens than the tokenizer's.
                #expect(Double(tokens.count) * 1.02 < Double(StoryRequest.defaultMaximumTokens), "\(tale.id)")
            }
        }
    }
}
