internal import HearthStory

/// The stories that this server tells, and those that it told recently, kept so that their sentences can be spoken.
actor StoryShelf {
    private struct Told {
        var language: StoryLanguage
        var sentences: [String] = []
        var isStopped = false
        /// Whether nothing more comes.
        var isOver = false
        var begun: ContinuousClock.Instant
    }
    private var stories: [String: Told] = [:]
    private var order: [String] = []

    /// Maximum number of stories beside those that are being told.
    static let most = 32
    /// How long one is kept.
    static let time = Duration.seconds(3600)
    /// Maximum number of sentences of one story; far above any real one.
    static let mostSentences = 2000

    /// Registers a new story, and keeps it at least until `body`, which tells it, has ended.
    func tell(_ language: StoryLanguage, _ body: @Sendable (_ id: String) async throws -> Void) async throws {
        let id = Identifier.random()
        stories[id] = Told(language: language, begun: .now)
        order.append(id)
        defer {
            stories[id]?.isOver = true
            tidy()
        }
        try await body(id)
    }

    /// Forgets the oldest stories that have been told.
    private func tidy() {
        let now = ContinuousClock.now
        let over = order.filter { stories[$0]?.isOver == true }
        for (index, id) in over.enumerated() {
            let isOld = stories[id].map { now - $0.begun > Self.time } ?? true
            guard isOld || over.count - index > Self.most else { break }
            stories[id] = nil
        }
        order.removeAll { stories[$0] == nil }
    }

    /// Asks for the story to be stopped; a story that is gone counts as stopped.
    func stop(_ id: String) { stories[id]?.isStopped = true }
    func isStopped(_ id: String) -> Bool { stories[id]?.isStopped ?? true }
    /// Number of sentences told.
    func count(_ id: String) -> Int { stories[id]?.sentences.count ?? 0 }

    /// - Returns: the sentence's index.
    func add(_ sentence: String, to id: String) -> Int {
        guard let count = stories[id]?.sentences.count, count < Self.mostSentences else { return Self.mostSentences }
        stories[id]?.sentences.append(sentence)
        return count
    }

    /// A sentence and its language; nil if it is gone or never existed.
    func sentence(_ number: Int, of id: String) -> (text: String, language: StoryLanguage)? {
        guard let story = stories[id], .now - story.begun < Self.time, story.sentences.indices.contains(number) else {
            return nil
        }
        return (story.sentences[number], story.language)
    }
}
