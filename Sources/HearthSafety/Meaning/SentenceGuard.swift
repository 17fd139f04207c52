/// Judges sentences by what they mean, after the lexicons have judged their words. It can stop a text and change nothing.
///
/// The build brings one (`OutputFilter()` asks it). An app can bring its own, such as a larger model that it runs anyway:
///
///     struct LargeGuard: SentenceGuard {
///         func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
///             -> SentenceObjection?
///         { /* ask a model for "yes" or "no"; nil where the sentence may be told */ }
///     }
///     let filter = OutputFilter(guard: LargeGuard())
public protocol SentenceGuard: Sendable {
    /// Says why the sentence must not be told; nil where it may.
    /// - Parameters:
    ///   - context: up to three sentences that were released before it, the oldest first.
    ///   - language: nil where it is unknown.
    /// - Throws: anything, where it cannot judge. The sentence is stopped then.
    func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
        -> SentenceObjection?
}

/// Why a guard stops a sentence.
public struct SentenceObjection: Sendable, Equatable {
    /// Such as `luring`; it becomes one of `Verdict.themes`.
    public let theme: String
    /// From 0 to 1, how sure the guard is.
    public let score: Double

    /// - Parameter score: from 0 to 1.
    public init(theme: String, score: Double) {
        self.theme = theme
        self.score = score
    }
}
