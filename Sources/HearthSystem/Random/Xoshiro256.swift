/// A small random generator whose numbers depend only on the seed, on every platform.
///
/// xoshiro256** (Blackman and Vigna, 2018), its state filled by SplitMix64, as its authors advise. Not for secrets.
package struct Xoshiro256: RandomNumberGenerator, Equatable, Codable, Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// A generator for a seed; every seed is good.
    package init(seed: UInt64) {
        var state = seed
        func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
        a = next()
        b = next()
        c = next()
        d = next()
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        let product = b &* 5
        let result = ((product << 7) | (product >> 57)) &* 9
        let shifted = b << 17
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = (d << 45) | (d >> 19)
        return result
    }

    /// The next number in 0..<1, with 53 random bits.
    package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
