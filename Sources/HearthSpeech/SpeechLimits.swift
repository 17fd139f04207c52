/// Sizes of chunks for speech synthesis, in weight units: 1 for a letter or digit, 3 for a Han, kana or Hangul character. About
/// 14 units take one second of speech.
public struct SpeechLimits: Sendable, Equatable {
    /// The minimum weight of a first piece that ends at a clause mark, so that speech starts early.
    package var firstMinimum = 10
    /// The minimum weight of a sentence; shorter ones are joined with the following text.
    package var minimum = 10
    /// The maximum weight of the first piece.
    package var firstMaximum = 80
    /// The maximum weight of all other pieces.
    package var maximum = 200

    /// The default sizes.
    public init() {}
}
