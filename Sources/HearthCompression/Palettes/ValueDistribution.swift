internal import CHearthCompression
internal import HearthSystem

/// The distribution of the values of a weight: cells in ascending order, each with the sums of its values.
///
/// A cell is one distinct value, except where a weight of 32-bit floats has more of them than are worth telling apart:
/// then cells hold about equally many elements each.
struct ValueDistribution {
    /// The middle of the values; sums are about it, so that they do not cancel.
    let origin: Double
    /// The values of the cells, where each is one value.
    let values: [Float]?
    /// Weight, sum and sum of squares of all cells before an index, up to a constant: one entry more than cells.
    let weights: [Double]
    let sums: [Double]
    let squares: [Double]

    /// Cells.
    var count: Int { weights.count - 1 }

    /// Values by their weights, ascending.
    private init(exact values: [Float], _ masses: [Double]) {
        let middle = values.isEmpty ? 0 : Double(values[Self.middle(masses)])
        var sums: [Double] = []
        var squares: [Double] = []
        sums.reserveCapacity(values.count)
        squares.reserveCapacity(values.count)
        for (value, mass) in zip(values, masses) {
            let distance = Double(value) - middle
            sums.append(mass * distance)
            squares.append(mass * distance * distance)
        }
        self.init(origin: middle, values: values, masses, sums, squares)
    }

    private init(origin: Double, values: [Float]?, _ masses: [Double], _ sums: [Double], _ squares: [Double]) {
        self.origin = origin
        self.values = values
        // Prefix sums that are 0 in the middle: a far value at one end does not swallow the digits of the other.
        let zero = Self.middle(masses)
        weights = Self.prefix(masses, zero: 0)
        self.sums = Self.prefix(sums, zero: zero)
        self.squares = Self.prefix(squares, zero: zero)
    }

    private static func middle(_ masses: [Double]) -> Int {
        let half = masses.reduce(0, +) / 2
        var sum = 0.0
        for (index, mass) in masses.enumerated() {
            sum += mass
            if sum >= half { return index }
        }
        return 0
    }

    private static func prefix(_ terms: [Double], zero: Int) -> [Double] {
        var result = [Double](repeating: 0, count: terms.count + 1)
        for index in zero..<terms.count { result[index + 1] = result[index] + terms[index] }
        for index in (0..<zero).reversed() { result[index] = result[index + 1] - terms[index] }
        return result
    }

    /// Up to this many floats are sorted; more are counted in cells.
    static let sortedLimit = 1 << 16

    /// - Parameters:
    ///   - importance: one weight an element; 1 each where it is nil. Elements of weight 0 do not count.
    ///   - cells: how many cells to aim at where values are not told apart.
    init(_ elements: WeightElements, importance: [Float]? = nil, cells: Int) {
        switch elements {
        case .half(let bits): self.init(halves: bits, importance)
        case .single(let floats) where floats.count <= Self.sortedLimit: self.init(sorting: floats, importance)
        case .single(let floats): self.init(counting: floats, importance, cells)
        }
    }

    private init(halves: FlatArray<UInt16>, _ importance: [Float]?) {
        var masses = [Double](repeating: 0, count: 1 << 16)
        halves.withBase { hc_half_weights($0, importance, halves.count, &masses) }
        var values: [Float] = []
        var present: [Double] = []
        for (rank, mass) in masses.enumerated() where mass > 0 {
            values.append(hc_half_to_float(hc_half_at_rank(UInt32(rank))))
            present.append(mass)
        }
        self.init(exact: values, present)
    }

    private init(sorting floats: FlatArray<Float>, _ importance: [Float]?) {
        var values: [Float] = []
        var masses: [Double] = []
        if let importance {
            for index in floats.indices.sorted(by: { floats[$0] < floats[$1] }) where importance[index] > 0 {
                if values.last == floats[index] {
                    masses[masses.count - 1] += Double(importance[index])
                } else {
                    values.append(floats[index])
                    masses.append(Double(importance[index]))
                }
            }
        } else {
            for value in floats.sorted() {
                if values.last == value {
                    masses[masses.count - 1] += 1
                } else {
                    values.append(value)
                    masses.append(1)
                }
            }
        }
        self.init(exact: values, masses)
    }

    /// Two passes: how many values share their upper 16 bits, then sums of cells that divide those further, the more
    /// the more there are.
    private init(counting floats: FlatArray<Float>, _ importance: [Float]?, _ cells: Int) {
        var counts = [UInt32](repeating: 0, count: 1 << 16)
        floats.withBase { hc_float_counts($0, floats.count, &counts) }
        var first = [UInt32](repeating: 0, count: 1 << 16)
        var bits = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        var middle = 0
        var seen = 0
        for (rank, count) in counts.enumerated() where count > 0 {
            if seen * 2 < floats.count { middle = rank }
            seen += Int(count)
            let wanted = Int(count) * cells / floats.count
            bits[rank] = UInt8(min(16, wanted > 1 ? Int.bitWidth - (wanted - 1).leadingZeroBitCount : 0))
            first[rank] = UInt32(total)
            total += 1 << Int(bits[rank])
        }
        let origin = Double(Self.float(rank: UInt32(middle) << 16))
        var masses = [Double](repeating: 0, count: total)
        var sums = masses
        var squares = masses
        floats.withBase {
            hc_float_cells($0, importance, floats.count, first, bits, origin, &masses, &sums, &squares)
        }
        var kept = 0
        for index in 0..<total where masses[index] > 0 {
            masses[kept] = masses[index]
            sums[kept] = sums[index]
            squares[kept] = squares[index]
            kept += 1
        }
        self.init(
            origin: origin, values: nil, Array(masses[..<kept]), Array(sums[..<kept]), Array(squares[..<kept]))
    }

    /// The float whose bits have a place in the order of all floats.
    private static func float(rank: UInt32) -> Float {
        Float(bitPattern: rank & 0x8000_0000 != 0 ? rank & 0x7fff_ffff : ~rank)
    }
}
