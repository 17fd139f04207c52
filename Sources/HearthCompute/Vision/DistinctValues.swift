/// Up to 256 distinct numbers, compared by their bits, with indices in order of first occurrence.
struct DistinctValues {
    /// The numbers in order of first occurrence.
    private(set) var values: [Float] = []
    // An open-addressing hash table with four times as many slots; -1 is empty.
    private var places = [Int16](repeating: -1, count: 1024)
    private var last: (bits: UInt32, place: Int)?

    /// The index of a number, which is added if it is new; nil if there are 256 others.
    mutating func place(of value: Float) -> Int? {
        let bits = value.bitPattern
        if let last, last.bits == bits { return last.place }
        // Knuth's multiplicative hashing.
        var slot = Int((bits &* 2_654_435_761) >> 22)
        while places[slot] >= 0 {
            let place = Int(places[slot])
            if values[place].bitPattern == bits {
                last = (bits, place)
                return place
            }
            slot = (slot + 1) & 1023
        }
        guard values.count < 256 else { return nil }
        places[slot] = Int16(values.count)
        values.append(value)
        last = (bits, values.count - 1)
        return values.count - 1
    }
}
