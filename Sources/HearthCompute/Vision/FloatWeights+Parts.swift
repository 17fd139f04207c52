extension FloatWeights {
    /// `count` values, starting at `first`.
    /// - Throws: `ComputeError.shapeMismatch` if there are fewer.
    package func part(_ first: Int, _ count: Int) throws(ComputeError) -> FloatWeights {
        guard first >= 0, count >= 0, first <= self.count, count <= self.count - first else {
            throw .shapeMismatch(what: "values of weights", expected: self.count, found: count)
        }
        return FloatWeights(base: base + first, count: count, owner: owner)
    }

    /// A copy of all values.
    package var values: [Float] { Array(UnsafeBufferPointer(start: base, count: count)) }
}
