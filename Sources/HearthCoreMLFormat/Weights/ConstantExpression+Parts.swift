package import HearthSystem

/// Joint compression: an operation makes a mask and the elements that it leaves, and another one puts the weight together.
extension ConstantExpression {
    /// The mask that an operation of joint compression hands on as its first result; nil for other operations.
    /// - Parameter file: the file that an error names.
    package func expandedMask(file: String) throws(FileError) -> DenseWeight? {
        guard isPart, let mask else { return nil }
        do throws(WireFault) {
            return DenseWeight(shape: mask.shape, values: try maskBits(mask).map { Float($0) })
        } catch {
            throw error.inside(kind.rawValue).error(in: file)
        }
    }

    /// The bits of a mask that is a constant, an element each.
    func maskBits(_ mask: MILTensor) throws(WireFault) -> [UInt8] {
        // Before version 9 a mask is a list of bytes, and only the result knows how many bits count.
        let places = mask.type == .uint1 ? mask.count : count
        guard places <= CoreMLLimits.expandedElements else {
            throw .limit("mask", places, CoreMLLimits.expandedElements)
        }
        guard let bytes = mask.packedBytes else { throw .missing("mask", "the mask") }
        return bytes.withBytes { BitPacking.unpack($0, bits: 1, count: places) }
    }

    /// Levels by the indices of the elements that are there; the palette is that of the element's place in the mask.
    func expandedSparsePalette(_ resolve: (String) -> DenseWeight?) throws(WireFault) -> [Float] {
        let lut = try dense("lut", resolve)
        guard let mask, let indices = tensor("indices_nonzero_data"), let codes = indices.integers() else {
            throw .missing("indices_nonzero_data", "the indices")
        }
        let rank = mask.shape.count
        guard lut.shape.count == rank + 2, let groups = BlockWalk(mask.shape, blocks: Array(lut.shape[..<rank])),
            lut.shape[rank] == 1 << indices.type.bits, lut.values.count == lut.shape.reduce(1, *)
        else { throw .malformed("lut", "a palette of \(lut.shape) for indices of \(indices.type.bits) bits") }
        guard lut.shape[rank + 1] == 1 else {
            throw WireFault("lut") { .unsupported($0, what: "a sparse palette whose entries hold several values") }
        }
        let entries = lut.shape[rank]
        return try present(codes.count, mask) { place, element in
            lut.values[groups.block(of: place) * entries + codes[element]]
        }
    }

    /// scale · (code − offset) of the elements that are there.
    func expandedSparseBlocks(_ resolve: (String) -> DenseWeight?) throws(WireFault) -> [Float] {
        let scale = try dense("scale", resolve)
        let offset = parameters["offset"] == nil ? nil : try dense("offset", resolve)
        guard let mask, let codes = tensor("nonzero_data")?.floats() else {
            throw .missing("nonzero_data", "the codes")
        }
        guard let scales = BlockWalk(mask.shape, blocks: scale.shape) else {
            throw .malformed("scale", "\(mask.shape) is not cut into blocks of \(scale.shape)")
        }
        let offsets = offset.flatMap { BlockWalk(mask.shape, blocks: $0.shape) }
        guard offset == nil || offsets != nil else {
            throw .malformed("offset", "\(mask.shape) is not cut into blocks of \(offset?.shape ?? [])")
        }
        return try present(codes.count, mask) { place, element in
            var value = Double(codes[element])
            if let offset, let offsets { value -= Double(offset.values[offsets.block(of: place)]) }
            return rounded(value * Double(scale.values[scales.block(of: place)]))
        }
    }

    /// A value for each place of a mask.
    private func present(
        _ count: Int, _ mask: MILTensor, _ value: (_ place: Int, _ element: Int) -> Float
    ) throws(WireFault) -> [Float] {
        var values: [Float] = []
        values.reserveCapacity(count)
        for (place, bit) in try maskBits(mask).enumerated() where bit != 0 {
            guard values.count < count else { break }
            values.append(value(place, values.count))
        }
        return values
    }
}
