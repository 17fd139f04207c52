internal import HearthSafety

/// Text that has passed the filter. Only the filter of this module can create it, so there is no way around it.
public struct CheckedText: Sendable, Equatable {
    /// Text that may be shown, spoken and stored.
    public let text: String

    fileprivate init(_ text: String) { self.text = text }
}

/// The last gate of a story: every text passes here, in its order, before anybody sees or hears it.
///
/// Screen and voice say the same story in pieces of their own: the voice begins with the first clause, the screen with the
/// first sentence. So each has a seam of its own, and what either is refused ends the story for both.
package struct StoryGuard: Sendable {
    private let language: FilterLanguage?
    private let filter = OutputFilter()
    private var shown = Seam()
    private var spoken = Seam()
    private(set) var swaps = 0
    /// Nothing more may be told after the last words.
    package private(set) var hasEnded = false

    /// A sentence that passed.
    package struct Passed: Equatable {
        var shown: CheckedText
        /// nil where there is nothing left to speak.
        var spoken: CheckedText?
    }

    package init(_ language: StoryLanguage) {
        self.language = FilterLanguage(tag: language.rawValue)
    }

    /// Judges one whole sentence.
    /// - Parameter prefix: what was spoken of it already, as it was written.
    /// - Returns: nil where the sentence must not be told: the story ends, and `lastWords` are to be said.
    package mutating func sentence(_ text: String, spokenAlready prefix: String = "") -> Passed? {
        guard !hasEnded else { return nil }
        let verdict = filter.judge(text, in: language, after: shown)
        if verdict.action == .swap { swaps += 1 }
        guard verdict.action != .stop, swaps <= OutputFilter.mostSwaps else { return end() }
        // What was spoken cannot be unsaid: the rest is judged as what it is, the continuation of that.
        let isContinued = !prefix.isEmpty && text.hasPrefix(prefix)
        let rest = isContinued ? String(text.dropFirst(prefix.count)).trimmed : verdict.text
        var voice: CheckedText?
        if rest.hasSpeech {
            let heard = filter.judge(rest, in: language, after: spoken)
            guard heard.action != .stop else { return end() }
            if heard.text.hasSpeech { voice = CheckedText(heard.text) }
            spoken = heard.seam
        }
        shown = verdict.seam
        return Passed(shown: CheckedText(verdict.text), spoken: voice)
    }

    /// Judges the beginning of a sentence that is spoken before its end is written.
    /// - Returns: nil as for a sentence.
    package mutating func clause(_ text: String) -> CheckedText? {
        guard !hasEnded else { return nil }
        let verdict = filter.judge(text, in: language, after: spoken)
        guard verdict.action != .stop else {
            hasEnded = true
            return nil
        }
        spoken = verdict.seam
        return CheckedText(verdict.text)
    }

    /// Judges what stands beside the story: a title, a notice. What may not be said is left out.
    package func aside(_ text: String) -> CheckedText? {
        let verdict = filter.judge(text, in: language)
        return verdict.action == .stop ? nil : CheckedText(verdict.text)
    }

    /// The language's polite end of a story that was stopped. It comes from the filter and is not judged again.
    var lastWords: CheckedText { CheckedText(filter.ending(in: language)) }

    private mutating func end() -> Passed? {
        hasEnded = true
        return nil
    }
}

extension String {
    /// Whether there is anything to say aloud.
    fileprivate var hasSpeech: Bool {
        unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    fileprivate var trimmed: String {
        let kept = drop(while: \.isWhitespace)
        return String(kept.reversed().drop(while: \.isWhitespace).reversed())
    }
}
