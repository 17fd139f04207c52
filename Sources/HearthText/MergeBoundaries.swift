/// Tells where, between two neighbouring characters, no merge can ever happen.
///
/// Merging by score or rank has no word boundaries: in principle the whole text is one run. But when no piece of the
/// vocabulary has some byte followed by some other, the two stay apart whatever the merge order, and the text can be
/// cut there without changing the result. With real vocabularies this cuts text into words, which keeps the merging
/// inside a few cache lines.
///
/// Characters are told apart by their last and first byte, except U+2581: it stands for the space, is by far the most
/// frequent boundary, and shares its bytes with other symbols.
struct MergeBoundaries: Sendable {
    private static let classes = 257
    /// The class of U+2581; other characters are of the class of their last or first byte.
    static let space = 256
    private var joins = [Bool](repeating: false, count: classes * classes)

    /// Every pair of neighbours inside a piece that merging may produce.
    init(pieces: ByteStringTable, kinds: [TokenKind]) {
        for index in kinds.indices {
            switch kinds[index] {
            case .control, .unknown, .byte: continue
            case .normal, .userDefined, .unused: break
            }
            let range = pieces.range(index)
            guard range.count > 1 else { continue }
            for split in range.dropFirst() {
                note(pieces.bytes, start: range.lowerBound, split: split, end: range.upperBound)
            }
        }
    }

    /// The pair of neighbours that each merge joins.
    init(merges: MergeList) {
        for index in merges.splits.indices {
            let start = Int(merges.offsets[index])
            note(
                merges.bytes, start: start, split: start + Int(merges.splits[index]),
                end: Int(merges.offsets[index + 1]))
        }
    }

    private mutating func note(_ bytes: [UInt8], start: Int, split: Int, end: Int) {
        guard start < split, split < end else { return }
        joins[Self.left(bytes, start, split) * Self.classes + Self.right(bytes, split, end)] = true
    }

    /// Whether a character of the one class can ever be merged with a following one of the other.
    @inline(__always)
    func canJoin(_ left: Int, _ right: Int) -> Bool { joins[left * Self.classes + right] }

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
