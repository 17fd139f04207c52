internal import HearthCoreMLFormat

/// Decides whether a weight is stored without its zeros.
struct SparseChoice {
    let forms: SparseForms
    /// Of the format.
    let version: Int
    let name: String
    let type: MILDataType
    let shape: [Int]
    let isCancelled: () -> Bool

    private var count: Int { shape.reduce(1, *) }

    /// The smaller one of two forms of a weight: a sparse one has to be as exact as the dense one.
    /// - Parameter dense: nil where the weight would stay as it is.
    func better(_ dense: EncodedWeight?, _ sparse: EncodedWeight?) -> EncodedWeight? {
        guard var sparse else { return dense }
        let (before, noise) = (dense.map(stored) ?? plainBytes, dense?.quality.noise ?? 0)
        // Sums in another order differ in their last digits.
        guard sparse.quality.noise <= noise * (1 + 1e-9) else { return dense }
        let bytes = stored(sparse)
        guard bytes < before || bytes == before && sparse.quality.noise < noise * (1 - 1e-9) else { return dense }
        sparse.sparsity?.savedBytes = before - bytes + (dense?.sparsity?.savedBytes ?? 0)
        return sparse
    }

    /// Numbers as they are, without the zeros; nil where that gains nothing.
    func lossless(_ elements: WeightElements, than dense: EncodedWeight?) throws -> EncodedWeight? {
        guard forms != .never, version >= 7 else { return nil }
        let mask = try SparseMask(elements, isCancelled: isCancelled)
        guard mask.packed.count + mask.used * type.bits / 8 <= dense?.byteCount ?? count * type.bits / 8 else {
            return nil
        }
        return EncodedWeight(elements, leaving: mask, type, shape: shape, version: version)
    }

    /// Integers without those that stand for 0.
    func sparse(_ weight: LinearWeight) throws -> EncodedWeight? {
        guard isJoint else { return nil }
        let mask: SparseMask
        if weight.isSigned {
            mask = try SparseMask(weight.codes.count, isCancelled: isCancelled) { weight.codes[$0] != 0 }
        } else {
            var isZero = [Bool](repeating: false, count: weight.codes.count)
            let layout = BlockLayout(shape, blocks: weight.blocks)
            for block in 0..<layout.count {
                if block & 63 == 0, isCancelled() { throw CancellationError() }
                let zero = Int8(truncatingIfNeeded: weight.zeroPoints[block])
                for run in layout.runs(block) {
                    for place in run { isZero[place] = weight.codes[place] == zero }
                }
            }
            mask = try SparseMask(weight.codes.count, isCancelled: isCancelled) { !isZero[$0] }
        }
        return EncodedWeight(weight, leaving: mask, type, shape: shape)
    }

    /// A palette for the elements that are not zero; nil where there are too few zeros for it, and with scales of channels or
    /// levels that are vectors.
    func sparse(
        _ elements: WeightElements, _ palette: Palettization, axis: Int, than dense: PalettizedWeight
    ) throws -> EncodedWeight? {
        guard isJoint, !palette.hasChannelScales, palette.vectorSize == 1 else { return nil }
        let left = try palette.leftOut(elements, dense, isCancelled)
        guard count / 8 + (count - left) * palette.bits / 8 <= count * palette.bits / 8 else { return nil }
        let weight = try palette.encodeWithoutZeros(
            elements, shape: shape, axis: axis, dense: dense, isCancelled: isCancelled)
        return EncodedWeight(weight, type, shape: shape, version: version)
    }

    /// Whether a palette of this many bits could take fewer bytes without the zeros.
    func mayGain(_ elements: WeightElements, _ bits: Int) throws -> Bool {
        let used = try SparseMask(elements, isCancelled: isCancelled).used
        return count / 8 + used * bits / 8 <= count * bits / 8
    }

    /// Whether a calibrated weight without its zeros is smaller and does no worse, or is better and no larger.
    func isBetter(_ sparse: CompensatedWeight, than dense: CompensatedWeight) throws -> Bool {
        guard let one = sparse.weight, let other = dense.weight else { return false }
        let bytes = stored(EncodedWeight(one, type, shape: shape, version: version))
        let before = stored(EncodedWeight(other, type, shape: shape, version: version))
        let (noise, limit) = (sparse.output.noise, dense.output.noise)
        return noise <= limit && bytes < before || noise < limit && bytes == before
    }

    /// The mask of a weight that takes fewer bytes uncompressed without its zeros than as a palette.
    func losslessMask(_ elements: WeightElements, than palette: PalettizedWeight) throws -> SparseMask? {
        let dense = EncodedWeight(palette, type, shape: shape, version: version)
        guard let sparse = try lossless(elements, than: dense), stored(sparse) < stored(dense) else { return nil }
        return try SparseMask(elements, isCancelled: isCancelled)
    }

    /// Whether palettes and integers can go without zeros.
    var isJoint: Bool { forms != .never && version >= 9 }

    /// Bytes that a weight takes in the package: in the file of weights with what is before and behind each piece, and in
    /// the program.
    func stored(_ weight: EncodedWeight) -> Int {
        PlacedWeight.storedBytes(weight, name: name, MILValueType(type, shape), version: version)
    }

    /// A weight that was made already, with what its form saves.
    func stored(_ weight: PalettizedWeight) -> EncodedWeight {
        var encoded = EncodedWeight(weight, type, shape: shape, version: version)
        guard weight.mask != nil else { return encoded }
        var full = weight
        full.mask = nil
        let saved = stored(EncodedWeight(full, type, shape: shape, version: version)) - stored(encoded)
        encoded.sparsity?.savedBytes = saved
        return encoded
    }

    /// The same for a constant.
    var plainBytes: Int { stored(EncodedWeight(constant: type, shape: shape)) }
}

extension EncodedWeight {
    /// What a constant would take; it has no elements.
    fileprivate init(constant type: MILDataType, shape: [Int]) {
        let bytes = [UInt8](repeating: 0, count: shape.reduce(1, *) * type.bits / 8)
        (kind, bits, groups, quality) = (.cast, type.bits, 1, SignalRatio())
        parameters = [Parameter(name: "val", type: type, shape: shape, content: .bytes(bytes))]
    }
}
