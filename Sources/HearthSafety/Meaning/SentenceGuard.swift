/// Judges sentences by their meaning, after the lexicons have judged their words. It can stop a text, but not change it.
///
/// This build includes one, which `OutputFilter()` uses. An app can provide its own, such as a larger model that it runs
/// anyway:
///
///     struct LargeGuard: SentenceGuard {
///         func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
///             -> SentenceObjection?
///         { /* ask a model for "yes" or "no"; nil where the sentence may be told */ }
///     }
///     let filter = OutputFilter(guard: LargeGuard())
public protocol SentenceGuard: Sendable {
    /// Returns the reason why the sentence must not be told; nil if it may.
    /// - Parameters:
    ///   - context: up to three sentences released before it, oldest first.
    ///   - language: nil if unknown.
    /// - Throws: any error if it cannot judge; the sentence is then stopped.
    func objection(to sentence: String, after context: [String], in language: FilterLanguage?) throws
        -> SentenceObjection?
}

/// The reason why a guard stops a sentence.
public struct SentenceObjection: Sendable, Equatable {
    /// The theme, such as `luring`; becomes one of `Verdict.themes`.
    public let theme: String
    /// The guard's confidence, from 0 to 1.
    public let score: Double

    /// Creates an objection.
    /// - Parameter score: from 0 to 1.
    public init(theme: String, score: Double) {
        self.theme = theme
        self.score = score
    }
}
