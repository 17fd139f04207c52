import Foundation
import HearthSystem

/// The same random numbers for the same seed, on every machine: `SplitMix64`, with what tests ask of it.
package struct SeededNumbers: RandomNumberGenerator, Sendable {
    private var numbers: SplitMix64

    /// Every seed is good, and neighbouring ones have nothing in common.
    package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

    /// Numbers that no run before has seen. The seed is printed; `HEARTH_SEED` repeats it.
    package static func fresh(_ test: String = #function) -> SeededNumbers { SeededNumbers(seed: freshSeed(test)) }

    /// The seed of such numbers.
    package static func freshSeed(_ test: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["HEARTH_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0..<1 << 32)
        print("\(test): HEARTH_SEED=\(seed)")
        return seed
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 { numbers.next() }

    /// A whole number from 0 up to, and without, `count`; 0 where there is none.
    package mutating func below(_ count: Int) -> Int { Int(next() % UInt64(max(count, 1))) }
}
