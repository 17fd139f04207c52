/// An open-addressing hash table for interning values stored in arrays; it stores indices only.
struct InternTable: Sendable {
    /// Index + 1; 0 marks a free slot.
    private var slots = [Int32](repeating: 0, count: 256)
    private var hashes: [UInt32] = []
    private var count = 0

    static func mix(_ hash: UInt64, _ value: Int32) -> UInt64 {
        var mixed = (hash ^ UInt64(UInt32(bitPattern: value))) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        return mixed
    }

    static func mix(_ a: Int32, _ b: Int32, _ c: Int32, _ d: Int32) -> UInt64 {
        mix(mix(mix(mix(0x51_7C_C1_B7, a), b), c), d)
    }

    /// The index of an equal value; nil if there is none.
    func find(_ hash: UInt64, _ isEqual: (Int32) -> Bool) -> Int32? {
        let mask = slots.count - 1
        let short = UInt32(truncatingIfNeeded: hash >> 32)
        var slot = Int(truncatingIfNeeded: hash >> 7) & mask
        while slots[slot] != 0 {
            let index = slots[slot] - 1
            if hashes[slot] == short, isEqual(index) { return index }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Adds a value that is not in the table.
    mutating func insert(_ hash: UInt64, _ index: Int32) {
        if hashes.isEmpty { hashes = [UInt32](repeating: 0, count: slots.count) }
        if count * 2 >= slots.count { grow() }
        place(hash, index)
        count += 1
    }

    private mutating func place(_ hash: UInt64, _ index: Int32) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 7) & mask
        while slots[slot] != 0 { slot = (slot + 1) & mask }
        slots[slot] = index + 1
        hashes[slot] = UInt32(truncatingIfNeeded: hash >> 32)
        full.append(hash)
        fullIndex.append(index)
    }

    /// The full hashes in insertion order, needed for growing.
    private var full: [UInt64] = []
    private var fullIndex: [Int32] = []

    private mutating func grow() {
        let (old, indices) = (full, fullIndex)
        full.removeAll(keepingCapacity: true)
        fullIndex.removeAll(keepingCapacity: true)
        slots = [Int32](repeating: 0, count: slots.count * 2)
        hashes = [UInt32](repeating: 0, count: slots.count)
        for (hash, index) in zip(old, indices) { place(hash, index) }
    }
}
