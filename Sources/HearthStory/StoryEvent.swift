public import HearthText

/// An event of a story.
public enum StoryEvent: Sendable, Equatable {
    /// The title of the story that starts here; a finished story after a handover has its own.
    case title(CheckedText)
    /// The number of tokens generated so far, as a sign of activity without revealing text.
    case progress(tokens: Int)
    /// The next sentence for the screen, complete and trimmed. `startsParagraph` requests a blank line before it.
    case sentence(CheckedText, startsParagraph: Bool)
    /// The next piece for the voice: the same story, except that its first clause comes before the first sentence is complete.
    case spoken(CheckedText)
    /// The model was released; the story waits for it, and resumes where it stopped.
    case paused(HandoverReason)
    /// The model does not continue; a finished story follows, or nothing.
    case handover(StoryHandover)
    /// Always the last event of a story that did not throw; nil if the model did not finish its text, or provides no
    /// statistics.
    case finished(GenerationSummary?)
}

/// How a story was handed over from the model to the finished stories.
public struct StoryHandover: Sendable, Equatable {
    /// The reason.
    public let reason: HandoverReason
    /// The number of sentences of the model's story told before the handover.
    package let afterSentences: Int
    /// The id of the finished story that follows; nil if there is none.
    public let story: String?
    /// One line of explanation for the listener, in the story's language; nil if none is needed.
    package let notice: CheckedText?

    package init(
        reason: HandoverReason, afterSentences: Int, story: String? = nil, notice: CheckedText? = nil
    ) {
        self.reason = reason
        self.afterSentences = afterSentences
        self.story = story
        self.notice = notice
    }
}
