/// Which elements of a weight are there: a bit each, the first in the lowest bit of the first byte. The others are zeros.
package struct SparseMask: Sendable, Equatable {
    /// The bits, packed; those that belong to no element are 0.
    package let packed: [UInt8]
    /// Elements of the weight.
    package let count: Int
    /// Elements that are there.
    package let used: Int

    /// The share of elements that is left out.
    package var sparsity: Double { count > 0 ? Double(count - used) / Double(count) : 0 }

    /// Elements between two looks at whether the work is still wanted.
    private static let piece = 1 << 20

    /// A mask of `count` elements. Of a weight of zeros only the first one counts as there: an empty list is not what readers
    /// of the format expect.
    init(_ count: Int, isCancelled: () -> Bool, isPresent: (Int) -> Bool) throws {
        var packed = [UInt8](repeating: 0, count: (count + 7) / 8)
        var used = 0
        for start in stride(from: 0, to: count, by: Self.piece) {
            if isCancelled() { throw CancellationError() }
            for index in start..<min(start + Self.piece, count) where isPresent(index) {
                packed[index >> 3] |= 1 << UInt8(index & 7)
                used += 1
            }
        }
        if used == 0, count > 0 { (packed[0], used) = (1, 1) }
        (self.packed, self.count, self.used) = (packed, count, used)
    }

    /// The elements that are not zero; -0 is a zero too.
    init(_ elements: WeightElements, isCancelled: () -> Bool) throws {
        self =
            switch elements {
            case .half(let bits):
                try bits.withBase { base in
                    try SparseMask(bits.count, isCancelled: isCancelled) { base[$0] & 0x7fff != 0 }
                }
            case .single(let values):
                try values.withBase { base in
                    try SparseMask(values.count, isCancelled: isCancelled) { base[$0] != 0 }
                }
            }
    }

    /// Calls `body` with the place of each element that is there, in order.
    package func forEach(_ body: (Int) -> Void) {
        for (index, byte) in packed.enumerated() {
            var rest = byte
            while rest != 0 {
                body(index << 3 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
    }

    /// What an array with an entry for each element has for those that are there.
    func selected<Element>(_ all: [Element]) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(used)
        forEach { result.append(all[$0]) }
        return result
    }
}
