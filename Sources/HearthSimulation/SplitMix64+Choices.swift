internal import HearthSystem

extension SplitMix64 {
    /// A random number from 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int {
        bound > 1 ? Int(next().multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// Returns true with a probability of `percent` %.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// A random number of milliseconds in `range`.
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(within(range)) }
}
