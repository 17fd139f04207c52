internal import HearthStory

/// The stories that this server told recently, kept so that their sentences can be spoken.
actor StoryShelf {
    private struct Told {
        var language: StoryLanguage
        var sentences: [String] = []
        var isStopped = false
        var begun: ContinuousClock.Instant
    }
    private var stories: [String: Told] = [:]
    private var order: [String] = []

    /// Maximum number of stories.
    static let most = 32
    /// How long one is kept.
    static let time = Duration.seconds(3600)
    /// Maximum number of sentences of one story; far above any real one.
    static let mostSentences = 2000

    /// Registers a new story, and returns its ID.
    func begin(_ language: StoryLanguage) -> String {
        let now = ContinuousClock.now
        let id = Identifier.random()
        stories[id] = Told(language: language, begun: now)
        order.append(id)
        while let oldest = order.first,
            order.count > Self.most || stories[oldest].map({ now - $0.begun > Self.time }) ?? true
        {
            stories[oldest] = nil
            order.removeFirst()
        }
        return id
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
