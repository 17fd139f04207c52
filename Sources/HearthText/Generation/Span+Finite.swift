extension Span<Float> {
    /// Checks the first `count` logits of the model in `file`, in a pass without branches, which the compiler vectorises.
    ///
    /// - Throws: ``TextError/nonFiniteLogit(file:index:value:)``.
    package func requireFinite(_ count: Int, file: String) throws(TextError) {
        let count = Swift.min(count, self.count)
        var largest: UInt32 = 0
        for index in 0..<count { largest = Swift.max(largest, self[index].bitPattern & 0x7FFF_FFFF) }
        guard largest >= 0x7F80_0000 else { return }
        for index in 0..<count where !self[index].isFinite {
            throw .nonFiniteLogit(file: file, index: index, value: "\(self[index])")
        }
    }
}
