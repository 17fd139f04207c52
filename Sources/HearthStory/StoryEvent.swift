public import HearthText

/// An event of a story.
public enum StoryEvent: Sendable, Equatable {
    /// The title of the story that begins here; a finished story after a handover has its own.
    case title(CheckedText)
    /// The number of tokens generated so far: shows that the model is working, and reveals no text.
    case progress(tokens: Int)
    /// The next sentence for the screen, complete and trimmed. `startsParagraph` asks for a blank line before it.
    case sentence(CheckedText, startsParagraph: Bool)
    /// The next piece for the voice: the same story, but its first clause comes before the first sentence is complete.
    case spoken(CheckedText)
    /// The model was released; the story waits for it, and continues where it was.
    case paused(HandoverReason)
    /// The model does not continue; a finished story follows, or nothing.
    case handover(StoryHandover)
    /// Always the last event of a story that did not throw; nil if the model did not write the end of its text, or counts nothing.
    case finished(GenerationSummary?)
}

/// How a story passed from the model to the finished stories.
public struct StoryHandover: Sendable, Equatable {
    /// Why.
    public let reason: HandoverReason
    /// The number of sentences of the model's story that were told before.
    package let afterSentences: Int
    /// The finished story that follows; nil if there is none.
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
