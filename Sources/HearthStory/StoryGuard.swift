package import HearthSafety

/// Text that has passed the filter. Only this module's filter can create it, so it cannot be bypassed.
public struct CheckedText: Sendable, Equatable {
    /// Text that may be shown, spoken and stored.
    public let text: String

    fileprivate init(_ text: String) { self.text = text }
}

/// The final filter stage of a story: every text passes it, in order, before it is shown or spoken.
///
/// Screen and voice split the story differently: the voice starts with the first clause, the screen with the first sentence.
/// Each therefore has its own filter context, and a text rejected for either ends the story for both. The story as a whole is
/// judged by its sentences only: what the voice says of them does not count again.
package struct StoryGuard: Sendable {
    private let language: FilterLanguage?
    private let filter: OutputFilter
    private var shown = Seam()
    private var spoken = Seam()
    private(set) var swaps = 0
    /// Whether the story has ended; nothing may be told after the last words.
    package private(set) var hasEnded = false

    /// A sentence that passed the filter.
    package struct Passed: Equatable {
        var shown: CheckedText
        /// nil if nothing is left to speak.
        var spoken: CheckedText?
    }

    package init(_ language: StoryLanguage, filter: OutputFilter = OutputFilter()) {
        self.language = FilterLanguage(tag: language.rawValue)
        self.filter = filter
    }

    /// Filters a whole sentence.
    /// - Parameter prefix: the part of it that was already spoken, as written.
    /// - Returns: nil if the sentence must not be told: the story then ends with `lastWords`.
    package mutating func sentence(_ text: String, spokenAlready prefix: String = "") -> Passed? {
        guard !hasEnded else { return nil }
        let verdict = filter.judge(text, in: language, after: shown)
        if verdict.action == .swap { swaps += 1 }
        guard verdict.action != .stop, swaps <= OutputFilter.mostSwaps else { return end() }
        // What was spoken cannot be retracted, so the rest is judged as its continuation.
        let isContinued = !prefix.isEmpty && text.hasPrefix(prefix)
        let rest = isContinued ? String(text.dropFirst(prefix.count)).trimmed : verdict.text
        var voice: CheckedText?
        if rest.hasSpeech {
            let heard = filter.judge(part: rest, in: language, after: spoken)
            guard heard.action != .stop else { return end() }
            if heard.text.hasSpeech { voice = CheckedText(heard.text) }
            spoken = heard.seam
        }
        shown = verdict.seam
        spoken = spoken.completing(shown)
        return Passed(shown: CheckedText(verdict.text), spoken: voice)
    }

    /// Filters the beginning of a sentence that is spoken before its end is written.
    /// - Returns: nil if it must not be told: the story then ends with `lastWords`.
    package mutating func clause(_ text: String) -> CheckedText? {
        guard !hasEnded else { return nil }
        let verdict = filter.judge(part: text, in: language, after: spoken)
        guard verdict.action != .stop else {
            hasEnded = true
            return nil
        }
        spoken = verdict.seam
        return CheckedText(verdict.text)
    }

    /// Filters text outside the story, such as a title or a notice. Returns nil if it is rejected.
    package func aside(_ text: String) -> CheckedText? {
        let verdict = filter.judge(text, in: language)
        return verdict.action == .stop ? nil : CheckedText(verdict.text)
    }

    /// The polite ending of a stopped story, in its language. It is defined by the filter and not judged again.
    var lastWords: CheckedText { CheckedText(filter.ending(in: language)) }

    private mutating func end() -> Passed? {
        hasEnded = true
        return nil
    }
}

extension String {
    /// Whether the text contains anything to speak.
    fileprivate var hasSpeech: Bool {
        unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
    }

    fileprivate var trimmed: String {
        let kept = drop(while: \.isWhitespace)
        return String(kept.reversed().drop(while: \.isWhitespace).reversed())
    }
}
