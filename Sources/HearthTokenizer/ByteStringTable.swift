internal import HearthSystem

/// A table of byte strings with lookup in both directions, in flat arrays that are used in place: mapped from a compiled
/// artifact, or built in memory.
///
/// A dictionary of 262,144 Swift strings takes most of a second to build. This table consists of the bytes of all strings,
/// concatenated, their offsets, and an open-addressing hash table of 64-bit slots (fingerprint and index + 1): building it is
/// two passes over memory, and an artifact saves even those.
///
/// The hash is seeded at random, so a model file crafted to collide cannot make building or lookup quadratic. However damaged
/// the arrays are, reading stays within bounds and terminates.
struct ByteStringTable: Sendable {
    /// All strings, concatenated.
    let bytes: FlatArray<UInt8>
    /// String `i` is `bytes[offsets[i] ..< offsets[i + 1]]`.
    let offsets: FlatArray<Int32>
    /// A number per string that belongs to its identity in addition to its bytes (where a merge splits); empty if unused.
    let salts: FlatArray<UInt16>
    let slots: FlatArray<UInt64>
    let seed: UInt64

    /// Uses a table built earlier; nil if the arrays are inconsistent.
    init?(
        bytes: FlatArray<UInt8>, offsets: FlatArray<Int32>, salts: FlatArray<UInt16>, slots: FlatArray<UInt64>,
        seed: UInt64
    ) {
        guard offsets.count > 0, salts.isEmpty || salts.count == offsets.count - 1,
            slots.count >= 16, slots.count.nonzeroBitCount == 1
        else { return nil }
        self.bytes = bytes
        self.offsets = offsets
        self.salts = salts
        self.slots = slots
        self.seed = seed
    }

    /// Indexes the strings. Of equal strings (and equal salts) the first wins.
    ///
    /// - Parameters:
    ///   - offsets: one more than the number of strings, ascending, the last at most `bytes.count`.
    ///   - salts: empty, or one per string.
    init(bytes: [UInt8], offsets: [Int32], salts: [UInt16] = [], seed: UInt64 = .random(in: .min ... .max)) {
        let count = max(0, offsets.count - 1)
        var capacity = 16
        while capacity < count * 2 { capacity *= 2 }
        var slots = [UInt64](repeating: 0, count: capacity)
        let mask = capacity - 1
        for index in 0..<count {
            let start = Int(offsets[index])
            let end = Int(offsets[index + 1])
            let salt = salts.isEmpty ? 0 : salts[index]
            let hash = Self.hash(bytes, start, end, salt, seed)
            let entry = (hash & 0xFFFF_FFFF_0000_0000) | UInt64(index + 1)
            var slot = Int(truncatingIfNeeded: hash) & mask
            while true {
                let there = slots[slot]
                if there == 0 {
                    slots[slot] = entry
                    break
                }
                if (there ^ entry) >> 32 == 0 {
                    let other = Int(there & 0xFFFF_FFFF) - 1
                    if (salts.isEmpty || salts[other] == salt)
                        && Self.equal(bytes, start, end, bytes, Int(offsets[other]), Int(offsets[other + 1]))
                    {
                        break
                    }
                }
                slot = (slot + 1) & mask
            }
        }
        self.bytes = FlatArray(bytes)
        self.offsets = FlatArray(offsets)
        self.salts = FlatArray(salts)
        self.slots = FlatArray(slots)
        self.seed = seed
    }

    /// Number of strings, including duplicates.
    var count: Int { max(0, offsets.count - 1) }

    /// Range of string `index` in ``bytes``; empty if its offsets are invalid.
    func range(_ index: Int) -> Range<Int> {
        let start = Int(offsets[index])
        let end = Int(offsets[index + 1])
        return 0 <= start && start <= end && end <= bytes.count ? start..<end : 0..<0
    }

    /// Index of the first string that equals `text[start..<end]`, or -1.
    func index(of text: [UInt8], _ start: Int, _ end: Int, salt: UInt16 = 0) -> Int32 {
        let hash = Self.hash(text, start, end, salt, seed)
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        // A valid table has empty slots; the bound is for damaged ones.
        for _ in 0..<slots.count {
            let there = slots[slot]
            if there == 0 { return -1 }
            if (there ^ hash) >> 32 == 0 {
                let found = Int(there & 0xFFFF_FFFF) - 1
                if found >= 0, found < count, salts.isEmpty || salts[found] == salt {
                    let range = range(found)
                    if Self.equal(text, start, end, bytes, range.lowerBound, range.upperBound) {
                        return Int32(truncatingIfNeeded: found)
                    }
                }
            }
            slot = (slot + 1) & mask
        }
        return -1
    }

    /// Folded 64 × 64 → 128 bit multiplication, eight bytes at a time, similar to wyhash.
    private static func hash(_ text: [UInt8], _ start: Int, _ end: Int, _ salt: UInt16, _ seed: UInt64) -> UInt64 {
        var hash = seed ^ (UInt64(salt) &* 0x9E37_79B9_7F4A_7C15)
        var word: UInt64 = 0
        var filled: UInt64 = 0
        for index in start..<end {
            word |= UInt64(text[index]) << filled
            filled += 8
            if filled == 64 {
                hash = fold(hash ^ word, 0xA076_1D64_78BD_642F ^ seed)
                word = 0
                filled = 0
            }
        }
        hash = fold(hash ^ word, 0xE703_7ED1_A0B4_28DB ^ seed)
        return fold(hash ^ UInt64(truncatingIfNeeded: end - start), 0x8EBC_6AF0_9C88_C6E3)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b | 1)
        return product.high ^ product.low
    }

    @inline(__always)
    private static func equal<Bytes: RandomAccessCollection<UInt8>>(
        _ a: [UInt8], _ aStart: Int, _ aEnd: Int, _ b: Bytes, _ bStart: Int, _ bEnd: Int
    ) -> Bool where Bytes.Index == Int {
        guard aEnd - aStart == bEnd - bStart else { return false }
        for offset in 0..<(aEnd - aStart) where a[aStart + offset] != b[bStart + offset] {
            return false
        }
        return true
    }
}
