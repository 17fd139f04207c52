import Foundation
import HearthSafety
import HearthTestSupport
import Synchronization
import Testing

/// The classifier of sentences, against what `Training/safety/train.py` computes.
@Suite("Safety by meaning", .timeLimit(.minutes(20)))
struct MeaningGuardTests {
    struct Golden: Decodable {
        var lang: String
        var context: String
        var text: String
        var logits: [Float]
    }

    private static func goldens() throws -> [Golden] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/meaning_golden.jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Golden.self, from: Data($0.utf8))
        }
    }

    @Test("Scores are those of the training script, in twelve languages, with and without context")
    func goldens() throws {
        let goldens = try Self.goldens()
        #expect(goldens.count >= 200)
        #expect(Set(goldens.map(\.lang)) == Set(FilterLanguage.allCases.map(\.rawValue)))
        var worst: Float = 0
        for golden in goldens {
            let context = golden.context.isEmpty ? [] : [golden.context]
            let parts = try MeaningGuard().logits(of: golden.text, after: context)
            #expect(parts.count == 1, "\(golden.text)")
            let difference = zip(parts[0], golden.logits).map { abs($0 - $1) }.max() ?? .infinity
            worst = max(worst, difference)
            #expect(parts[0].count == golden.logits.count && difference < 1e-4, "\(difference): \(golden.text)")
        }
        print("largest difference of a logit: \(worst)")
    }

    /// Lines of the training data that the classifier stops, with the context that makes them harmful.
    private static func stopped() throws -> [(Golden, FilterLanguage, Verdict)] {
        let filter = OutputFilter()
        return try goldens().compactMap { golden in
            guard let language = FilterLanguage(tag: golden.lang) else { return nil }
            let seam = golden.context.isEmpty ? Seam() : Seam(after: [golden.context])
            let verdict = filter.judge(golden.text, in: language, after: seam)
            return verdict.objection == nil ? nil : (golden, language, verdict)
        }
    }

    @Test("What it objects to stops the story, with its theme and the polite ending")
    func stops() throws {
        let stopped = try Self.stopped()
        #expect(stopped.count > 10)
        for (golden, language, verdict) in stopped {
            #expect(verdict.action == .stop, "\(golden.text)")
            #expect(verdict.themes == [verdict.objection?.theme])
            #expect(verdict.text == OutputFilter().ending(in: language))
            #expect(verdict.failure == nil)
        }
    }

    @Test("The sentences before change the score")
    func context() throws {
        let withContext = try Self.goldens().filter { !$0.context.isEmpty }
        #expect(withContext.count > 50)
        for golden in withContext {
            let alone = try MeaningGuard().logits(of: golden.text, after: [])[0][0]
            let after = try MeaningGuard().logits(of: golden.text, after: [golden.context])[0][0]
            #expect(alone != after, "\(golden.text)")
        }
    }

    /// Objects to nothing and notes what it was given.
    private final class Listener: SentenceGuard {
        let contexts = Mutex<[[String]]>([])

        func objection(
            to sentence: String, after context: [String], in language: FilterLanguage?
        ) throws -> SentenceObjection? {
            contexts.withLock { $0.append(context) }
            return nil
        }
    }

    @Test("A seam hands on the last three sentences, and of a long one its end")
    func seam() {
        let listener = Listener()
        let filter = OutputFilter(guard: listener)
        var seam = Seam()
        for sentence in ["One.", "Two.", "Three.", "Four.", "Five."] {
            seam = filter.judge(sentence, in: .english, after: seam).seam
        }
        #expect(seam == Seam(after: ["One.", "Two.", "Three.", "Four.", "Five."]))
        let expected = [[], ["One."], ["One.", "Two."], ["One.", "Two.", "Three."], ["Two.", "Three.", "Four."]]
        #expect(listener.contexts.withLock { $0 } == expected)
        let long = String(repeating: "far away ", count: 1000)
        _ = filter.judge("Now.", in: .english, after: filter.judge(long, in: .english).seam)
        let context = listener.contexts.withLock { $0.last }
        #expect(context == [String(long.suffix(400))])
    }

    @Test("An app's own guard is asked after the lexicon, about what would be said")
    func ownGuard() {
        struct Own: SentenceGuard {
            struct Broken: Error {}
            func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
                -> SentenceObjection?
            {
                if sentence.contains("broken") { throw Broken() }
                return sentence.contains("secret") ? SentenceObjection(theme: "luring", score: 0.9) : nil
            }
        }
        let filter = OutputFilter(guard: Own())
        #expect(filter.judge("The moon rose.", in: .english).action == .pass)
        let verdict = filter.judge("It is our secret.", in: .english)
        #expect(verdict.action == .stop && verdict.themes == ["luring"])
        #expect(filter.judge("He stabbed the man over a secret.", in: .english).themes == ["violence"])
        let failed = filter.judge("It is broken.", in: .english)
        #expect(failed.action == .stop && failed.failure != nil)
    }

    @Test("No sentence of a finished story is stopped, alone or after those before it")
    func finishedStories() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources/CHearthStories/Files")
        struct File: Decodable {
            struct Story: Decodable {
                var id: String
                var text: String
            }
            var language: FilterLanguage
            var stories: [Story]
        }
        var count = 0
        for language in ["en", "es", "zh-Hans"] {
            let file = try JSONDecoder().decode(
                File.self, from: Data(contentsOf: folder.appendingPathComponent("\(language).json")))
            count += file.stories.count
            for story in fewerWhereSlow(file.stories) {
                let verdict = OutputFilter().judge(story.text, in: file.language)
                #expect(verdict.action == .pass, "\(story.id): \(verdict.themes)")
            }
        }
        #expect(count == 264)
    }

    @Test("Endless and odd texts are judged in a time that grows with their length")
    func oddTexts() throws {
        for text in ["", " ", "\u{200B}", "'", "a'b'c'd", "…", "。。。", "字", "a", "😀", "\u{301}\u{301}"] {
            for language in [FilterLanguage.english, .japanese, nil] {
                #expect(OutputFilter().judge(text, in: language).failure == nil)
            }
        }
        func seconds(_ text: String) throws -> Double {
            try processorSeconds {
                var evidence = StoryEvidence()
                _ = try MeaningGuard().objection(to: text, after: [], in: .simplifiedChinese, &evidence)
            }
        }
        func isLinear(_ time: (short: Double, long: Double)) -> Bool {
            time.long < 0.05 || time.long < 12 * time.short
        }
        for unit in ["far ", "字", "x", "He slept. "] {
            // Other tests use the same caches at the same time: one of some has to show it.
            var times: [(short: Double, long: Double)] = []
            repeat {
                times.append(
                    (
                        try seconds(String(repeating: unit, count: 2000)),
                        try seconds(String(repeating: unit, count: 8000))
                    ))
            } while times.count < 20 && !isLinear(times[times.count - 1])
            #expect(isLinear(times[times.count - 1]), "\(unit): \(times)")
        }
    }
}
