/// All limits of this module.
///
/// They are a second line of defence: first of all, every count and length is checked against the actual size of the file.
package enum TokenizerLimits {
    /// Entries of a vocabulary; the largest Gemma has 262,400.
    package static let vocabularyCount = 1 << 21
    /// UTF-8 bytes of one piece; Gemma's longest is below 100.
    package static let pieceBytes = 4096
    /// UTF-8 bytes of all pieces together; keeps every offset within 31 bits.
    package static let totalPieceBytes = 1 << 28
    /// Merges of a vocabulary merged by rank; Gemma 4 has 514,906.
    package static let mergeCount = 1 << 22
    /// Symbols merged as one run. Only text without any boundary that merges cannot cross reaches it.
    static let runSymbols = 1 << 26
    /// Bytes of an incomplete grapheme cluster that a ``StreamingDetokenizer`` holds back. The longest emoji sequences in use
    /// need about 40.
    package static let heldBackBytes = 128
}
