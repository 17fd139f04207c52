#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Cosines and sines of the rotary angles for a range of positions, computed once per step and shared by all layers of the same
/// kind. A table for the whole context would take megabytes, mostly never read.
package final class RotaryTable: Sendable {
    private let frequencies: [Double]

    /// One row per prepared position: cosines, then sines.
    package let rows: Rows
    /// Width of the rotated heads.
    package let width: Int
    /// Maximum number of positions per step.
    package let capacity: Int

    /// - Parameters:
    ///   - width: head width; pair i is elements (i, i + width/2).
    ///   - base: angle of pair i at position p is `p · positionScale · base^(−2i/width) / divisors[i]`.
    ///   - divisors: positive, one per pair; nil for ones. Files contain 1e30 for a pair that is not rotated: its angle is 0.
    package init(
        width: Int, base: Double, positionScale: Double, divisors: [Float]? = nil, capacity: Int
    ) throws(ComputeError) {
        if let divisors, divisors.count != width / 2 {
            throw .shapeMismatch(what: "rotary divisors", expected: width / 2, found: divisors.count)
        }
        self.width = width
        self.capacity = capacity
        self.frequencies = (0..<width / 2).map {
            let divisor = Double(divisors?[$0] ?? 1)
            return divisor > 1e20 ? 0 : positionScale * pow(base, -2 * Double($0) / Double(width)) / divisor
        }
        self.rows = try Rows(count: capacity, width: width)
    }

    /// Fills rows `start ..< start + count` with the angles of positions `first ..< first + count`.
    package func prepare(first: Int, count: Int, at start: Int = 0) {
        for row in 0..<min(count, capacity - start) {
            let values = rows.pointer(start + row)
            for pair in frequencies.indices {
                let angle = Double(first + row) * frequencies[pair]
                values[pair] = Float(cos(angle))
                values[pair + width / 2] = Float(sin(angle))
            }
        }
    }

    func cosines(_ row: Int) -> UnsafePointer<Float> { UnsafePointer(rows.pointer(row)) }
    func sines(_ row: Int) -> UnsafePointer<Float> { UnsafePointer(rows.pointer(row) + width / 2) }
}
