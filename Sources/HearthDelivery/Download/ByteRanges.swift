/// A set of positions in a file, kept as sorted ranges that do not touch.
package struct ByteRanges: Sendable, Equatable {
    package private(set) var ranges: [Range<Int>] = []

    package init(_ ranges: [Range<Int>] = []) {
        for range in ranges { insert(range) }
    }

    /// How many positions it holds.
    package var count: Int { ranges.reduce(0) { $0 + $1.count } }
    var isEmpty: Bool { ranges.isEmpty }
    /// One past the last position.
    var end: Int { ranges.last?.upperBound ?? 0 }

    package mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        // Almost always, the new bytes directly follow a range.
        var lower = range.lowerBound
        var upper = range.upperBound
        let first = ranges.firstIndex { $0.upperBound >= lower } ?? ranges.endIndex
        var last = first
        while last < ranges.endIndex, ranges[last].lowerBound <= upper {
            lower = min(lower, ranges[last].lowerBound)
            upper = max(upper, ranges[last].upperBound)
            last += 1
        }
        ranges.replaceSubrange(first..<last, with: CollectionOfOne(lower..<upper))
    }

    package mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        ranges = ranges.flatMap { held -> [Range<Int>] in
            guard held.overlaps(range) else { return [held] }
            return [
                held.lowerBound..<max(held.lowerBound, range.lowerBound),
                min(held.upperBound, range.upperBound)..<held.upperBound,
            ].filter { !$0.isEmpty }
        }
    }

    /// The end of the range that begins at 0.
    package var front: Int {
        guard let first = ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// The end of the contiguous range from a position on; the position itself if it is missing.
    func end(from position: Int) -> Int {
        ranges.first { $0.contains(position) }?.upperBound ?? position
    }

    /// What is missing below `total`.
    package func gaps(below total: Int) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var position = 0
        for range in ranges where position < total {
            if range.lowerBound > position { gaps.append(position..<min(range.lowerBound, total)) }
            position = max(position, range.upperBound)
        }
        if position < total { gaps.append(position..<total) }
        return gaps
    }
}
