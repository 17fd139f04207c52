internal import HearthRuntime
internal import HearthSafety
internal import HearthSpeech
internal import HearthStory
internal import HearthText

/// A story for a page: whatever becomes of the model, there is one, and the filter has judged each word of it.
struct Tale: Sendable {
    enum Event: Sendable, Equatable {
        /// What is told, and by whom.
        case start(title: String, source: Source)
        case sentence(String, startsParagraph: Bool)
        /// One line in the story's language: why the story is another than was wished for.
        case notice(String)
        /// The model has to rest; the story goes on later.
        case paused
        case resumed
        /// From here on a finished story is told.
        case library(title: String)
        /// The model is at work.
        case working
        /// Always last.
        case end(Source, stop: String)
    }
    /// Where a story comes from.
    enum Source: String, Sendable { case model, library }

    var wish: Wish
    var language: StoryLanguage
    var seed: UInt64
    var metrics: ServerMetrics
    /// Takes what may be seen; throws `CancellationError` where nobody wants it any more.
    var send: @Sendable (Event) async throws -> Void

    /// Tells it by the model.
    /// - Throws: `CancellationError` where nobody listens; nothing else.
    func tell(by model: WarmModel) async throws {
        var judge = Judge(language, metrics)
        var hasBegun = false
        var isPaused = false
        do {
            let storyteller = Storyteller(runner: model.runner, pace: model.pace)
            for try await event in storyteller.tell(wish, in: language, seed: seed) {
                if isPaused, event != .paused {
                    isPaused = false
                    try await send(.resumed)
                }
                switch event {
                case .progress(let tokens):
                    metrics.generated(tokens: 1)
                    if tokens == 1 { metrics.story(from: "model") }
                    try await send(.working)
                case .sentence(let text, let startsParagraph):
                    if !hasBegun { try await send(.start(title: wish.title(in: language), source: .model)) }
                    hasBegun = true
                    guard try await pass(text, startsParagraph, &judge) else {
                        try await send(.end(.model, stop: "filter"))
                        return
                    }
                case .paused:
                    isPaused = true
                    try await send(.paused)
                case .finished(let summary):
                    try await send(.end(.model, stop: summary.stop.rawValue))
                    return
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            try Task.checkCancellation()
            try await tellFinished(notice: nil, hasBegun: hasBegun)
            return
        }
        // A stream without a last event was left.
        throw CancellationError()
    }

    /// Tells a finished one.
    func tellFinished(notice: String?, hasBegun: Bool = false) async throws {
        let story = StoryLibrary.story(for: wish, in: language, seed: seed)
        let title = story?.title ?? wish.title(in: language)
        if !hasBegun { try await send(.start(title: title, source: .library)) }
        if let notice { try await send(.notice(notice)) }
        try await send(.library(title: title))
        metrics.story(from: "library")
        var judge = Judge(language, metrics)
        for sentence in story?.sentences ?? [] {
            guard try await pass(sentence.text, sentence.startsParagraph, &judge) else { break }
        }
        try await send(.end(.library, stop: "end"))
    }

    private func pass(_ text: String, _ startsParagraph: Bool, _ judge: inout Judge) async throws -> Bool {
        let verdict = judge.judge(text)
        try await send(.sentence(verdict.text, startsParagraph: startsParagraph))
        return verdict.action != .stop
    }

    /// The filter with what it has let through before.
    private struct Judge {
        private let filter = OutputFilter()
        private let language: FilterLanguage?
        private let metrics: ServerMetrics
        private var seam = Seam()

        init(_ language: StoryLanguage, _ metrics: ServerMetrics) {
            self.language = FilterLanguage(tag: language.rawValue)
            self.metrics = metrics
        }

        mutating func judge(_ text: String) -> Verdict {
            let verdict = filter.judge(text, in: language, after: seam)
            seam = verdict.seam
            if verdict.action != .pass { metrics.filter(verdict.action.rawValue) }
            return verdict
        }
    }
}
