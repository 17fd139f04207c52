internal import HearthSystem

/// Finds the boundaries between adjacent characters that no merge can cross.
///
/// Merging by score or rank has no word boundaries: in principle the whole text is one run. But if no piece of the vocabulary
/// has a certain byte followed by a certain other, the two are never merged, whatever the merge order, and the text can be
/// split there without changing the result. With real vocabularies this splits text into words, which keeps merging within a
/// few cache lines.
///
/// Characters are classified by their last and first byte, except U+2581: it represents the space, is by far the most frequent
/// boundary, and shares its bytes with other symbols.
struct MergeBoundaries: Sendable {
    private static let classes = 257
    /// The class of U+2581; other characters have the class of their last or first byte.
    static let space = 256
    /// One flag per pair of classes; 0 if they never join.
    let joins: FlatArray<UInt8>

    /// Uses flags collected earlier; nil if there is not one per pair.
    init?(joins: FlatArray<UInt8>) {
        guard joins.count == Self.classes * Self.classes else { return nil }
        self.joins = joins
    }

    /// Collects all adjacent pairs inside pieces that merging may produce.
    init(bytes: [UInt8], offsets: [Int32], kinds: [TokenKind]) {
        var joins = [UInt8](repeating: 0, count: Self.classes * Self.classes)
        for index in kinds.indices {
            switch kinds[index] {
            case .control, .unknown, .byte: continue
            case .normal, .userDefined, .unused: break
            }
            let range = Int(offsets[index])..<Int(offsets[index + 1])
            guard range.count > 1 else { continue }
            for split in range.dropFirst() {
                Self.note(bytes, start: range.lowerBound, split: split, end: range.upperBound, &joins)
            }
        }
        self.joins = FlatArray(joins)
    }

    /// Collects the adjacent pair of each merge.
    init(merges: MergeList) {
        var joins = [UInt8](repeating: 0, count: Self.classes * Self.classes)
        for index in merges.splits.indices {
            let start = Int(merges.offsets[index])
            Self.note(
                merges.bytes, start: start, split: start + Int(merges.splits[index]),
                end: Int(merges.offsets[index + 1]), &joins)
        }
        self.joins = FlatArray(joins)
    }

    private static func note(_ bytes: [UInt8], start: Int, split: Int, end: Int, _ joins: inout [UInt8]) {
        guard start < split, split < end else { return }
        joins[left(bytes, start, split) * classes + right(bytes, split, end)] = 1
    }

    /// Whether a character of class `left` can ever be merged with a following one of class `right`.
    @inline(__always)
    func canJoin(_ left: Int, _ right: Int) -> Bool { joins[left * Self.classes + right] != 0 }

    private static func left(_ bytes: [UInt8], _ start: Int, _ split: Int) -> Int {
        let last = bytes[split - 1]
        if last == 0x81, split - start >= 3, bytes[split - 2] == 0x96, bytes[split - 3] == 0xE2 { return space }
        return Int(last)
    }

    private static func right(_ bytes: [UInt8], _ split: Int, _ end: Int) -> Int {
        let first = bytes[split]
        if first == 0xE2, end - split >= 3, bytes[split + 1] == 0x96, bytes[split + 2] == 0x81 { return space }
        return Int(first)
    }
}
