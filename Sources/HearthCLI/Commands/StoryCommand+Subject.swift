import HearthModels
import HearthStory
import HearthSystem

/// What the story is about, from the command line.
extension StoryCommand {
    /// The chosen or referenced story; nil for a story about a wish.
    var choice: StoryChoice? {
        story.map { .story($0) } ?? like.map { .like($0) }
            ?? after.map { .after($0, evening: evening ?? StoryChoice.evenings.lowerBound) }
    }

    /// - Returns: the subject, and whether the filter refused the adult's prompt.
    func subject(_ seed: UInt64) throws -> (StorySubject, isRefused: Bool) {
        guard let adultPrompt else { return (.wish(try chosenWish(seed: seed)), false) }
        switch AdultTheme.check(adultPrompt, in: language) {
        case .accepted(let theme): return (.theme(theme), false)
        case .refused: return (.wish(try chosenWish(seed: seed)), true)
        case .empty:
            throw UsageError(
                "'--adult-prompt' has no usable text", command: "story",
                suggestion: "Pass some words, such as 'a fox who collects buttons'.")
        }
    }

    func child() throws -> StoryChild? {
        guard let name else { return nil }
        do {
            return try StoryChild(name, pronoun: pronoun, in: language)
        } catch {
            throw UsageError(
                "'--name' has no usable name", command: "story",
                suggestion: "Pass the child's first name, such as Mina.")
        }
    }

    /// ID of the tale or finished story; on further evenings, the ID of the first evening's tale, which requests the
    /// next one. nil if a model writes freely.
    func tale(_ request: StoryRequest, _ source: StorySource, _ seed: UInt64) -> FinishedStory.ID? {
        if source.isTale { return after ?? request.tale(seed: seed)?.id }
        guard case .model(let path) = source, !request.isModelChosen else { return nil }
        return request.plan(seed: seed, byModelAt: path)?.id
    }

    /// Whether the request has wants that only a tale meets, unless a model was chosen: the bundled one knows a name and a length if it
    /// answers plans and writes freely.
    func needsTale(_ request: StoryRequest) throws -> Bool {
        guard request.hasWants, model == nil, request.manner != .tale else { return request.hasWants }
        guard let path = try? ModelLocator.using.path(of: ModelLocator.bundled), StoryPlan.isAnswered(byModelAt: path)
        else {
            throw tellsNoTale
        }
        return false
    }

    var tellsNoTale: UsageError {
        UsageError(
            "--\(free ? "free" : "no-choosing") tells no tale", command: "story",
            suggestion: "Leave out --source library, --story, --like, --after, --name and --length.")
    }

    private func chosenWish(seed: UInt64) throws -> Wish {
        if let choice {
            if let wish = choice.wish(in: language) { return wish }
            throw UsageError(
                "unknown \(after == nil ? "story" : "tale") '\(choice.id)' in \(language.name)", command: "story",
                suggestion:
                    "'hearth stories' lists finished stories; 'hearth story --json' gives a tale's id as 'story'.")
        }
        guard let id = wish else {
            guard let drawn = Wishes.drawn(by: seed) else {
                throw CommandFailure(
                    .failure, "there are no wishes", todo: "This build is incomplete; build again.")
            }
            return drawn
        }
        guard let found = Wishes.wish(id) else {
            let near = Nearest.match(for: id, in: Wishes.all.map(\.id)).map { "Did you mean '\($0)'? " } ?? ""
            throw UsageError(
                "unknown wish '\(id)'", command: "story", suggestion: near + "'hearth wishes' lists them all.")
        }
        return found
    }
}
