/// Sizes of chunks for speech synthesis, in units of weight: 1 for a letter or digit, 3 for a Han, kana or Hangul character.
/// About 14 units make a second of speech.
public struct SpeechLimits: Sendable, Equatable {
    /// From here on a clause mark ends the first piece, so that the first word is heard early.
    package var firstMinimum = 10
    /// Shorter sentences are joined with what follows.
    package var minimum = 10
    /// The first piece is cut before it gets heavier.
    package var firstMaximum = 80
    /// All others.
    package var maximum = 200

    /// The default sizes.
    public init() {}
}
