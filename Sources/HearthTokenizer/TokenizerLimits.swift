/// Every limit of this module, in one place.
///
/// They are the second line only: the first is that nothing is believed beyond what the file really holds.
package enum TokenizerLimits {
    /// Entries of a vocabulary; the largest Gemma has 262,400.
    package static let vocabularyCount = 1 << 21
    /// UTF-8 bytes of one piece; the longest of Gemma stays below 100.
    package static let pieceBytes = 4096
    /// UTF-8 bytes of all pieces together; leaves every offset inside 31 bits.
    package static let totalPieceBytes = 1 << 28
    /// Merges of a rank vocabulary; Gemma 4 has 514,906.
    package static let mergeCount = 1 << 22
    /// Symbols that are merged as one run. Only text without any place where no piece can cross gets there.
    static let runSymbols = 1 << 26
    /// Bytes of an unfinished grapheme cluster that a ``StreamingDetokenizer`` keeps back before letting go.
    /// The longest emoji sequences in use need about 40.
    package static let heldBackBytes = 128
}
