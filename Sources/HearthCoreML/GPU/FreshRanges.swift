/// Where the current values of a block of memory are that two processors have a copy of: which stretches have to be copied before
/// one of them reads what the other wrote.
package struct FreshRanges {
    /// A processor.
    package enum Side: Hashable { case host, device }

    /// Newest last.
    private var writes: [(range: Range<Int>, sides: Set<Side>)] = []

    package init() {}

    /// Notes that a side wrote a range, so that only its copy is current.
    package mutating func write(_ range: Range<Int>, on side: Side) {
        guard !range.isEmpty else { return }
        // What is written over says nothing any more.
        writes.removeAll { range.lowerBound <= $0.range.lowerBound && $0.range.upperBound <= range.upperBound }
        writes.append((range, [side]))
    }

    /// The parts of a range that only the other side has; they count as copied.
    package mutating func bring(_ range: Range<Int>, to side: Side) -> [Range<Int>] {
        var open = range.isEmpty ? [] : [range], missing: [Range<Int>] = []
        for write in writes.reversed() where !open.isEmpty {
            var rest: [Range<Int>] = []
            for part in open {
                let common = part.clamped(to: write.range)
                if common.isEmpty {
                    rest.append(part)
                    continue
                }
                if !write.sides.contains(side) { missing.append(common) }
                rest += [part.lowerBound..<common.lowerBound, common.upperBound..<part.upperBound]
                    .filter { !$0.isEmpty }
            }
            open = rest
        }
        // What was never written has no values yet.
        for part in missing { writes.append((part, [.host, .device])) }
        return missing
    }
}
