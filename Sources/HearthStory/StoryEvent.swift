public import HearthText

/// A story on its way.
public enum StoryEvent: Sendable, Equatable {
    /// What stands above the story that begins here; the finished story after a hand-over has one of its own.
    case title(CheckedText)
    /// How many tokens the model has made; says that it is at work, and gives nothing of the text away.
    case progress(tokens: Int)
    /// The next sentence, complete and trimmed, for the screen. `startsParagraph` asks for a blank line before it.
    case sentence(CheckedText, startsParagraph: Bool)
    /// The next piece for the voice: the same story, and its first clause before the first sentence is complete.
    case spoken(CheckedText)
    /// The model had to go; the story waits for it and goes on where it was.
    case paused(HandoverReason)
    /// The model tells no further; what follows is a finished story, or nothing.
    case handover(StoryHandover)
    /// Always last, in a story that did not throw. nil where the model did not write the end of its text.
    case finished(GenerationSummary?)
}

/// How a story went from the model to the library.
public struct StoryHandover: Sendable, Equatable {
    /// Why.
    public let reason: HandoverReason
    /// Sentences of the model's story that were told before.
    public let afterSentences: Int
    /// The finished story that follows; nil where the story simply ended.
    public let story: FinishedStory.ID?
    /// One line for who listens, in the story's language; nil where nothing has to be explained.
    package let notice: CheckedText?

    package init(
        reason: HandoverReason, afterSentences: Int, story: FinishedStory.ID? = nil, notice: CheckedText? = nil
    ) {
        self.reason = reason
        self.afterSentences = afterSentences
        self.story = story
        self.notice = notice
    }
}
