import HearthRuntime
import HearthSafety
import HearthStory
import Synchronization
import Testing

/// Stories whose text comes from another model than Hearth's.
@Suite("Stories of another writer", .timeLimit(.minutes(20)))
struct WriterStoryTests {
    private struct Gone: Error {}

    private func tell(
        _ pieces: [String], then error: (any Error)? = nil, in language: StoryLanguage = .english,
        conditions: DeviceConditions = .calm, asked: @escaping @Sendable (String, String) -> Void = { _, _ in }
    ) async throws -> Told {
        let storyteller = Storyteller(conditions: { conditions }) { instructions, prompt in
            asked(instructions, prompt)
            return AsyncThrowingStream { continuation in
                for piece in pieces { continuation.yield(piece) }
                continuation.finish(throwing: error)
            }
        }
        var told = Told()
        let wish = try #require(Wishes.wish("sleepy-bear"))
        for try await event in storyteller.tell(StoryRequest(.wish(wish), in: language, seed: 3)) { told.take(event) }
        return told
    }

    @Test("are told sentence by sentence, with the title of the wish")
    func told() async throws {
        let told = try await tell(["Once upon a ", "time. A bear", " slept."])
        #expect(told.titles == ["A sleepy bear"])
        #expect(told.sentences == ["Once upon a time.", "A bear slept."])
        #expect(told.handover == nil && told.summaries == [nil])
    }

    @Test("the writer is asked for a bedtime story in the language, and told what to keep away from")
    func prompt() async throws {
        let asked = Mutex<[String]>([])
        _ = try await tell(["Un oso."], in: .spanish) { instructions, prompt in
            asked.withLock { $0 += [instructions, prompt] }
        }
        let (instructions, prompt) = (asked.withLock { $0[0] }, asked.withLock { $0[1] })
        #expect(!instructions.isEmpty && prompt.contains("un oso"))
    }

    @Test("pass the filter: what it stops is not told, and a finished story follows")
    func filtered() async throws {
        let told = try await tell(["A day. ", "Then they began to torture the cat. ", "The end."])
        #expect(told.handover?.reason == .stopped)
        #expect(told.sentences.prefix(2) == ["A day.", OutputFilter().ending(in: .english)])
        #expect(!(told.sentences + told.spoken).joined().contains("torture"))
    }

    @Test("a writer that fails hands over, at the start and in the middle")
    func failed() async throws {
        let early = try await tell([], then: Gone())
        #expect(early.handover?.reason == .failed && early.sentences.count > 5)
        let late = try await tell(["A bear slept. The moon"], then: Gone())
        #expect(late.sentences.first == "A bear slept.")
        #expect(late.handover?.afterSentences == 1 && late.titles.count == 2)
    }

    @Test("a writer that says nothing is one that failed")
    func silent() async throws {
        #expect(try await tell(["", " \n"]).handover?.reason == .failed)
    }

    @Test("who stops listening stops the writer")
    func cancelled() async throws {
        let ended = AsyncStream.makeStream(of: Void.self)
        let storyteller = Storyteller(conditions: { .calm }) { _, _ in
            AsyncThrowingStream { continuation in
                let task = Task {
                    while !Task.isCancelled {
                        continuation.yield("A bear slept, and slept again. ")
                        try await Task.sleep(for: .milliseconds(1))
                    }
                }
                continuation.onTermination = { _ in
                    task.cancel()
                    ended.continuation.finish()
                }
            }
        }
        let wish = try #require(Wishes.wish("sleepy-bear"))
        for try await event in storyteller.tell(StoryRequest(.wish(wish), in: .english, seed: 3)) {
            if case .sentence = event { break }
        }
        // Waits for its end, and for ever if it has none.
        for await _ in ended.stream {}
    }
}
