/// Palettes whose levels are vectors: output channels that lie side by side have one index.
extension Palettization {
    /// Palettes of vectors; nil for a weight whose channels, or those of a group, are not a multiple of the vectors' size.
    func encodeVectors(
        _ elements: WeightElements, shape: [Int], axis: Int, isCancelled: () -> Bool
    ) throws -> PalettizedWeight? {
        let groups = layout(shape, axis: axis)
        guard shape.indices.contains(axis), shape[axis] % (groups.count * vectorSize) == 0, elements.count > 0 else {
            return nil
        }
        var reduced = shape
        reduced[axis] /= vectorSize
        let layout = BlockLayout(reduced, blocks: groups.blocks)
        let inner = shape[(axis + 1)...].reduce(1, *)
        let isHalf = if case .half = elements { true } else { false }
        let solver = VectorPaletteSolver(levels: 1 << bits, size: vectorSize, isHalf: isHalf)
        let values = elements.floats([0..<elements.count])
        var weight = PalettizedWeight(
            bits: bits, groups: layout.blocks, palettes: [],
            codes: [UInt8](repeating: 0, count: elements.count / vectorSize), quality: SignalRatio())
        weight.vector = (vectorSize, axis)
        weight.quality.signal = values.reduce(0) { $0 + Double($1) * Double($1) }
        for group in 0..<layout.count {
            let places = layout.runs(group).flatMap { Array($0) }
            var vectors: [Float] = []
            vectors.reserveCapacity(places.count * vectorSize)
            for place in places {
                let first = place / inner * inner * vectorSize + place % inner
                for part in 0..<vectorSize { vectors.append(values[first + part * inner]) }
            }
            // Squares of single precision neither vanish nor overflow around 1; halves are near enough to it.
            let most = vectors.reduce(Float(0)) { max($0, abs($1)) }
            let unit = isHalf || most == 0 ? 1 : Float(sign: .plus, exponent: most.exponent, significand: 1)
            for index in vectors.indices { vectors[index] /= unit }
            // A level without vectors may lie beyond all of them, and beyond what the type holds.
            let bound = most / unit
            let levels = try solver.solve(vectors, isCancelled).map { min(max($0, -bound), bound) }
            let (codes, errors) = try solver.assign(vectors, levels, isCancelled)
            for (place, code) in zip(places, codes) { weight.codes[place] = code }
            weight.palettes.append(levels.map { $0 * unit })
            weight.quality.noise += errors.reduce(0) { $0 + Double($1) } * Double(unit) * Double(unit)
        }
        return weight
    }
}
