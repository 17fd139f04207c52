/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014): the same numbers for the
/// same seed, in every process.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A generator whose numbers have nothing to do with those that follow here.
    mutating func split() -> SeededGenerator { SeededGenerator(seed: next()) }

    /// 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int {
        bound > 1 ? Int(next().multipliedFullWidth(by: UInt64(bound)).high) : 0
    }

    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// True in `percent` of a hundred cases.
    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

    /// Milliseconds in `range`.
    mutating func milliseconds(_ range: ClosedRange<Int>) -> Duration { .milliseconds(within(range)) }
}
