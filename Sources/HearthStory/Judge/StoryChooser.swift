internal import HearthRuntime
internal import HearthText
internal import HearthTokenizer
internal import Synchronization

/// Generates a story that the bundled model writes freely, paragraph by paragraph: several candidates of each, of which the judge's
/// favourite continues the story. The events are those of one text. Tales, and stories of other models, are generated as they are.
/// If the model answers plans, ``SlotJudge`` judges, and the text has slots.
///
/// Every candidate has its own seed, made from the story's, the paragraph's number and its own. The story is therefore the same
/// whether candidates are generated together or one after the other, and if the model was released in between: a candidate that is
/// interrupted resumes token for token, like any text.
package struct StoryChooser: Sendable {
    typealias Event = TextSession.Event

    /// Candidates generated at a time; half as many of the first paragraph, which a listener waits for.
    static let candidates = 8
    /// Most candidates of the first paragraph, and of the others, which are generated while the story is told. More than at first are
    /// only generated while all have a slip.
    static let mostFirst = 8
    static let most = 40
    /// The longest paragraphs of the training texts have at most as many tokens.
    private static func paragraphTokens(_ plan: StoryPlan?) -> Int { plan == nil ? 200 : 400 }

    private let request: StoryRequest
    private let runner: ModelRunner<TextEngine>
    private let pace: GenerationPace?
    private let patience: Duration
    private let opening: Opening

    init(_ request: StoryRequest, runner: ModelRunner<TextEngine>, pace: GenerationPace?, patience: Duration) {
        (self.request, self.runner, self.pace, self.patience) = (request, runner, pace, patience)
        opening = Opening(request)
    }

    /// Fills the slots of the text; nil if it has none. Known once the model has begun.
    var slots: SlotFiller? { opening.plan?.filler }

    func events(listener: TextCancellation) -> AsyncThrowingStream<Event, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do {
                    try await Choosing(self, listener) { continuation.yield($0) }.tell()
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in
                listener.leave()
                task.cancel()
            }
        }
    }

    /// A candidate for the next paragraph.
    package struct Candidate: Sendable {
        var tokens: [TokenID] = []
        /// The text that each token completes.
        var pieces: [String] = []
        /// What was held back until the end.
        var rest = ""
        var logProbability = 0.0
        var summary: GenerationSummary?
        /// Whether it ends with an empty line, and not with the story.
        var isFollowed = false

        init() {}

        /// A candidate with a text of one piece.
        package init(_ text: String, isFollowed: Bool) { (pieces, self.isFollowed) = ([text], isFollowed) }

        var text: String { pieces.joined() + rest }
        /// The mean surprise of a token, in nats.
        var surprise: Double { tokens.isEmpty ? 0 : -logProbability / Double(tokens.count) }
    }

    /// The seed of a candidate.
    package static func seed(_ story: UInt64, paragraph: Int, candidate: Int) -> UInt64 {
        paragraph == 0 && candidate == 0
            ? story : Wishes.scattered(story &+ UInt64(paragraph) << 32 &+ UInt64(candidate) &* 0x9E37_79B9)
    }

    /// The index of the best candidate, and whether it has no slip that the text before did not have.
    package static func best(
        of candidates: [Candidate], after told: String, judge: StoryJudge, wish: Wish?
    ) -> (index: Int, isSound: Bool)? {
        best(of: candidates, after: told) { judge.verdict(on: $0, wish: wish, isComplete: $1).cost }
    }

    /// The same by another measure.
    /// - Parameter cost: of a text, and whether it is complete.
    package static func best(
        of candidates: [Candidate], after told: String, cost: (_ text: String, _ isComplete: Bool) -> Double
    ) -> (index: Int, isSound: Bool)? {
        let before = cost(told, false)
        let costs = candidates.map { candidate in
            let cost = cost(told + candidate.text, !candidate.isFollowed)
            return (new: cost - before, all: cost + candidate.surprise)
        }
        // Of sound ones the first that is not more surprising than they are on average: the most likely one would make stories alike.
        let sound = costs.indices.filter { costs[$0].new <= 0 }
        let mean = sound.reduce(0) { $0 + candidates[$1].surprise } / Double(max(sound.count, 1))
        if let first = sound.first(where: { candidates[$0].surprise <= mean }) ?? sound.first { return (first, true) }
        return costs.indices.min { (costs[$0].all, $0) < (costs[$1].all, $1) }.map { ($0, false) }
    }

    /// One story while it is told.
    private struct Choosing {
        private let chooser: StoryChooser
        private let listener: TextCancellation
        private let yield: @Sendable (Event) -> Void
        private let opening: Opening

        init(_ chooser: StoryChooser, _ listener: TextCancellation, _ yield: @escaping @Sendable (Event) -> Void) {
            (self.chooser, self.listener, self.yield) = (chooser, listener, yield)
            opening = chooser.opening
        }

        func tell() async throws {
            // The first candidate loads the model, which decides whether there is a choice.
            async let written = write(nil, first: true)
            guard await opening.isKnownToBeChoice(), let start = opening.progress else {
                _ = try await written
                return
            }
            var told = Told(start: start, plan: opening.plan)
            let others = try await batch(told, 1..<StoryChooser.candidates / 2)
            guard let first = try await written else { return }
            var pending = [first] + others
            while true {
                let most = told.paragraphs == 0 ? StoryChooser.mostFirst : StoryChooser.most
                var best = best(of: pending, after: told)
                while best?.isSound != true, pending.count < most {
                    let size = told.paragraphs == 0 ? StoryChooser.candidates / 2 : StoryChooser.candidates
                    pending += try await batch(told, pending.count..<pending.count + size)
                    best = self.best(of: pending, after: told)
                }
                guard let best else { return }
                let chosen = pending[best.index]
                pending = []
                for (index, token) in chosen.tokens.enumerated() {
                    let isLast = index == chosen.tokens.count - 1
                    yield(.token(id: token, text: chosen.pieces[index] + (isLast && chosen.isFollowed ? "\n\n" : "")))
                }
                told.add(chosen)
                let isFull = told.left <= 0
                guard chosen.isFollowed, !isFull else {
                    let stop = chosen.isFollowed ? StopReason.length : chosen.summary?.stop ?? .end
                    return yield(.finished(told.summary(stop), text: chosen.rest))
                }
            }
        }

        private func best(of candidates: [Candidate], after told: Told) -> (index: Int, isSound: Bool)? {
            if let plan = opening.plan {
                return StoryChooser.best(of: candidates, after: told.text, cost: SlotJudge(plan).cost)
            }
            guard let judge = StoryJudge.bundled else { return nil }
            return StoryChooser.best(
                of: candidates, after: told.text, judge: judge, wish: chooser.request.subject.wish)
        }

        /// Generates the next candidates of a paragraph, at the same time where the model can.
        private func batch(_ told: Told, _ numbers: Range<Int>) async throws -> [Candidate] {
            try await withThrowingTaskGroup(of: (Int, Candidate?).self) { group in
                for index in numbers {
                    let progress = told.continuation(candidate: index)
                    group.addTask { (index, try await write(progress, first: false)) }
                }
                var found: [(Int, Candidate)] = []
                for try await (index, candidate) in group {
                    if let candidate { found.append((index, candidate)) }
                }
                return found.sorted { $0.0 < $1.0 }.map(\.1)
            }
        }

        /// Generates one candidate.
        /// - Parameter progress: nil for the first one, whose prompt is encoded by the loaded model.
        /// - Returns: nil if there is no choice; the story has then been told.
        private func write(_ progress: TextProgress?, first: Bool) async throws -> Candidate? {
            // Nobody waits for what is not known when it ends.
            defer { if first { opening.end() } }
            let session = TextSession(runner: chooser.runner) { [opening] model in
                try progress ?? opening.begin(model)
            }
            var candidate = Candidate()
            let events = session.events(
                pace: chooser.pace, patience: chooser.patience, listener: TextCancellation(partOf: listener),
                continuesText: !first)
            for try await event in events {
                // Known as soon as the text has begun.
                let isPlain = first && !opening.isChoice
                switch event {
                case .began: if isPlain || first { yield(event) }
                case .paused: if isPlain || opening.notePause() { yield(event) }
                case _ where isPlain: yield(event)
                case .thought: break
                case .likelihood(let likelihood): candidate.logProbability += Double(likelihood.chosen.logProbability)
                case .token(let id, let text):
                    candidate.tokens.append(id)
                    candidate.pieces.append(text)
                    opening.noteToken()
                case .finished(let summary, let text):
                    (candidate.summary, candidate.rest) = (summary, text)
                    candidate.isFollowed = summary.stop == .end && opening.breaksLine(candidate.tokens.last)
                    return isPlain ? nil : candidate
                }
            }
            if first, !opening.isChoice { return nil }
            throw CancellationError()
        }
    }

    /// What has been told.
    private struct Told {
        private let start: TextProgress
        private var tokens: [TokenID]
        private(set) var text = ""
        private(set) var paragraphs = 0
        private var summary: GenerationSummary?
        private let maximum: Int
        private let plan: StoryPlan?

        init(start: TextProgress, plan: StoryPlan?) {
            (self.start, self.plan) = (start, plan)
            tokens = Array(start.tokens)
            maximum = start.options.maximumTokens
        }

        /// How many tokens may follow.
        var left: Int { maximum - (tokens.count - start.tokens.count) }

        func continuation(candidate: Int) -> TextProgress {
            StoryChooser.continuation(
                of: tokens, start, plan, left: left, paragraph: paragraphs, candidate: candidate)
        }

        mutating func add(_ candidate: Candidate) {
            tokens += candidate.tokens
            text += candidate.text + (candidate.isFollowed ? "\n\n" : "")
            paragraphs += 1
            if summary == nil {
                summary = candidate.summary
            } else if let more = candidate.summary {
                summary?.decodeMS += more.prefillMS + more.decodeMS
            }
        }

        func summary(_ stop: StopReason) -> GenerationSummary {
            var figures =
                summary
                ?? GenerationSummary(promptTokens: 0, generatedTokens: 0, stop: stop, prefillMS: 0, decodeMS: 0)
            figures.generatedTokens = tokens.count - start.tokens.count
            figures.stop = stop
            return figures
        }
    }

    /// A candidate's text: what has been told, and options for one paragraph.
    private static func continuation(
        of tokens: [TokenID], _ start: TextProgress, _ plan: StoryPlan?, left: Int, paragraph: Int, candidate: Int
    ) -> TextProgress {
        var options = start.options
        options.maximumTokens = min(left, paragraphTokens(plan))
        options.stop = ["\n\n"]
        options.likelihoods = 1
        options.sampling.seed = seed(start.options.sampling.seed ?? 0, paragraph: paragraph, candidate: candidate)
        return TextProgress(prompt: tokens, options: options, prefixTokens: start.prefixTokens)
    }

    /// The beginning of the story, known once the model is loaded.
    private final class Opening: Sendable {
        private struct State {
            var progress: TextProgress?
            var plan: StoryPlan?
            var tokenizer: TextTokenizer?
            var isPaused = false
        }
        private let request: StoryRequest
        private let state = Mutex(State())
        /// Ends as soon as the prompt has been encoded, or cannot be.
        private let waiting: (stream: AsyncStream<Never>, end: AsyncStream<Never>.Continuation) = {
            let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
            return (stream, continuation)
        }()

        init(_ request: StoryRequest) { self.request = request }

        /// Waits until the model is loaded.
        func isKnownToBeChoice() async -> Bool {
            for await _ in waiting.stream {}
            return isChoice
        }

        func end() { waiting.end.finish() }

        /// The prompt with the options of the whole story; nil if there is no choice.
        var progress: TextProgress? { state.withLock { $0.progress } }
        var isChoice: Bool { progress != nil }
        /// The plan that the text answers; nil if it has no slots.
        var plan: StoryPlan? { state.withLock { $0.plan } }

        /// The text of the first candidate, or of the whole story if there is no choice.
        func begin(_ model: TextModel) throws -> TextProgress {
            defer { end() }
            if let progress { return StoryChooser.first(progress, plan) }
            let (start, plan) = try Storyteller.beginning(request, model)
            state.withLock { $0.plan = plan }
            // Nothing to choose if the text is a tale's. At temperature 0 all candidates are equal. The bundled judge only knows the
            // texts of models without plans.
            let isJudged =
                plan != nil
                || !model.answersPlans && StoryJudge.bundled != nil
                    && StoryPrompt.style(of: model, in: request.language) == .brief
            guard request.manner != .plain, start.options.constraint == nil, isJudged,
                start.options.sampling.temperature > 0
            else { return start }
            state.withLock { ($0.progress, $0.tokenizer) = (start, model.tokenizer) }
            return StoryChooser.first(start, plan)
        }

        func breaksLine(_ token: TokenID?) -> Bool {
            guard let token, let tokenizer = state.withLock({ $0.tokenizer }) else { return false }
            return ((try? tokenizer.text(of: [token])) ?? "").contains("\n")
        }

        /// Whether this is the first candidate to report that the model was released.
        func notePause() -> Bool {
            state.withLock { state in
                defer { state.isPaused = true }
                return !state.isPaused
            }
        }

        func noteToken() { state.withLock { $0.isPaused = false } }
    }

    private static func first(_ start: TextProgress, _ plan: StoryPlan?) -> TextProgress {
        continuation(
            of: Array(start.tokens), start, plan, left: start.options.maximumTokens, paragraph: 0, candidate: 0)
    }
}
