/// Sizes of the pieces to be spoken, in units of weight: a letter or digit 1, a Han, kana or Hangul character 3; about 14 make
/// a second of speech.
public struct SpeechLimits: Sendable, Equatable {
    /// From here on a clause mark ends the first piece, so that the first word is heard early.
    package var firstMinimum = 10
    /// Shorter sentences are joined with what follows.
    package var minimum = 10
    /// The first piece is cut before it gets heavier.
    package var firstMaximum = 80
    /// All others.
    package var maximum = 200

    /// The defaults.
    public init() {}
}
