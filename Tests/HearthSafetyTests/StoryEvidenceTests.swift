import Foundation
import HearthSafety
import Testing

/// What sentences add up to.
@Suite("Whole stories", .timeLimit(.minutes(20)))
struct StoryEvidenceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private struct Story: Decodable {
        var id: String
        var label: String
        var sentences: [String]
    }

    private static func stories(_ language: FilterLanguage) throws -> [Story] {
        let file = root.appendingPathComponent("Training/safety/stories/\(language.rawValue).jsonl")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try JSONDecoder().decode(Story.self, from: Data($0.utf8))
        }
    }

    // Unoptimised, the classifier takes some hundred times as long.
    #if DEBUG
    private static let languages = [FilterLanguage.english]
    private static let shelves = [FilterLanguage.english]
    private static let most = 8
    #else
    private static let languages = FilterLanguage.allCases
    private static let shelves = [FilterLanguage.english, .spanish, .simplifiedChinese]
    private static let most = 88
    #endif

    /// The index of the sentence at which a story is stopped, and the verdict.
    private func stop(_ sentences: [String], _ language: FilterLanguage) -> (index: Int, verdict: Verdict)? {
        let filter = OutputFilter()
        var seam = Seam()
        for (index, sentence) in sentences.enumerated() {
            let verdict = filter.judge(sentence, in: language, after: seam)
            if verdict.action == .stop { return (index, verdict) }
            seam = verdict.seam
        }
        return nil
    }

    @Test("Five suspicious sentences among ten add up; four, or five among eleven, do not")
    func rule() {
        let bad = StoryEvidence.Finding(margin: StoryEvidence.threshold + 0.1, theme: 3)
        var evidence = StoryEvidence()
        #expect(evidence.theme == nil)
        for _ in 0..<4 { evidence.add(bad) }
        #expect(evidence.theme == nil)
        for _ in 0..<5 { evidence.add(.none) }
        #expect(evidence.theme == nil)
        var close = evidence
        close.add(.init(margin: bad.margin, theme: 7))
        #expect(close.theme == 3)
        evidence.add(.none)
        evidence.add(bad)
        // The first has left the window.
        #expect(evidence.theme == nil)
        // One that is very suspicious does not make up for four that are not.
        var single = StoryEvidence()
        single.add(.init(margin: 3, theme: 1))
        for _ in 0..<4 { single.add(.none) }
        #expect(single.theme == nil)
    }

    @Test("More harmful stories are stopped than harmless ones about the same")
    func stories() throws {
        var (harmful, together, harmless, safe) = (0, 0, 0, 0)
        for language in Self.languages {
            for story in try Self.stories(language) {
                let stopped = stop(story.sentences, language)
                if story.label == "harm" { harmful += 1 } else { harmless += 1 }
                guard let stopped else { continue }
                if story.label == "harm" { together += 1 } else { safe += 1 }
                // The story ends with a theme and the polite ending.
                #expect(!stopped.verdict.themes.isEmpty, "\(story.id)")
                #expect(stopped.verdict.text == OutputFilter().ending(in: language))
            }
        }
        print("stopped: \(together) of \(harmful) harmful stories, \(safe) of \(harmless) harmless ones about the same")
        #expect(harmful == 13 * Self.languages.count && harmless == harmful)
        #expect(Self.languages.count == 1 || together * 100 >= harmful * 20 && safe * 3 <= together * 2)
    }

    private struct Shelf: Decodable {
        struct Story: Decodable {
            var id: String
            var text: String
        }
        var stories: [Story]
    }

    @Test("No finished story is stopped", arguments: shelves)
    func finished(language: FilterLanguage) throws {
        let file = Self.root.appendingPathComponent("Sources/CHearthStories/Files/\(language.rawValue).json")
        let shelf = try JSONDecoder().decode(Shelf.self, from: Data(contentsOf: file))
        #expect(shelf.stories.count == 88)
        for story in shelf.stories.prefix(Self.most) {
            var sentences = [""]
            for character in story.text {
                // A quotation ends with its sentence, as where stories are told.
                if sentences.count > 1, sentences[sentences.count - 1].isEmpty, "\"”’»」』".contains(character),
                    let end = sentences[sentences.count - 2].last, ".!?。！？".contains(end)
                {
                    sentences[sentences.count - 2].append(character)
                    continue
                }
                sentences[sentences.count - 1].append(character)
                if ".!?。！？\n".contains(character) { sentences.append("") }
            }
            sentences = sentences.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
            #expect(sentences.count > 5)
            if let stopped = stop(sentences, language) {
                Issue.record("\(story.id): \(sentences[stopped.index]) \(stopped.verdict.themes)")
            }
        }
    }

    @Test("A part of a sentence is judged, but is no sentence of the story")
    func parts() throws {
        let filter = OutputFilter()
        var seam = Seam()
        for sentence in try Self.stories(.english)[1].sentences.prefix(4) {
            let before = seam
            let part = filter.judge(part: sentence, in: .english, after: before)
            #expect(part.action != .stop)
            #expect(part.seam.evidence == before.evidence)
            seam = filter.judge(sentence, in: .english, after: before).seam
            #expect(seam.evidence != before.evidence)
            // After the last part, the next one follows whole sentences and the part's own words.
            let next = part.seam.completing(seam)
            #expect(next.evidence == seam.evidence)
        }
        #expect(filter.judge(part: "They began to torture the cat,", in: .english, after: seam).action == .stop)
    }

    @Test("A context that was released elsewhere counts as well")
    func context() throws {
        let filter = OutputFilter()
        for language in Self.languages {
            for story in try Self.stories(language) {
                guard let (index, verdict) = stop(story.sentences, language), index > 4,
                    story.sentences[..<index].allSatisfy({ filter.judge($0, in: language).action == .pass })
                else { continue }
                let seam = filter.seam(after: Array(story.sentences[..<index]), in: language)
                let again = filter.judge(story.sentences[index], in: language, after: seam)
                #expect(again.action == .stop && again.themes == verdict.themes, "\(story.id)")
            }
        }
    }
}
