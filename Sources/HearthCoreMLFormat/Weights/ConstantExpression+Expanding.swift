package import HearthSystem

/// A weight in full: its dimensions and elements, row by row.
package struct DenseWeight: Sendable, Equatable {
    /// The dimensions, slowest first.
    package let shape: [Int]
    /// The elements. Values of half precision are rounded to it before they are widened.
    package let values: [Float]

    package init(shape: [Int], values: [Float]) {
        self.shape = shape
        self.values = values
    }
}

/// The reference decoder of compressed weights: plain arithmetic in double precision, for checks and for
/// whatever is done once.
extension ConstantExpression {
    /// The weight in full, where no parameter is another weight's result.
    /// - Parameter file: the file that an error names.
    package func expanded(file: String) throws(FileError) -> DenseWeight {
        do throws(WireFault) {
            return try expanded { _ in nil }
        } catch {
            throw error.inside(kind.rawValue).error(in: file)
        }
    }

    /// The weight in full.
    ///
    /// Of an operation that makes parts these are the elements, one after the other; their mask is `expandedMask`. Throws
    /// `FileError` above `CoreMLLimits.expandedElements`.
    /// - Parameter resolve: the weight of an earlier operation, by the name of its result.
    func expanded(resolve: (String) -> DenseWeight?) throws(WireFault) -> DenseWeight {
        guard count <= CoreMLLimits.expandedElements else {
            throw .limit("outputs", count, CoreMLLimits.expandedElements)
        }
        let values: [Float]
        switch kind {
        case .palette: values = try expandedPalette(resolve)
        case .affine:
            values = scaled(
                try dense("quantized_data", resolve), scale: channels(try dense("scale", resolve)),
                offset: channels(try dense("zero_point", resolve)))
        case .blockwise:
            let offset = parameters["offset"] == nil ? nil : try dense("offset", resolve)
            values = scaled(try dense("data", resolve), scale: try dense("scale", resolve), offset: offset)
        case .sparse: values = try expandedSparse(resolve)
        case .cast: values = try dense("source_val", resolve).values
        case .sparsePalette: values = try expandedSparsePalette(resolve)
        case .sparseBlockwise: values = try expandedSparseBlocks(resolve)
        }
        guard values.count == count else {
            throw .malformed("outputs", "\(values.count) elements, and the type has \(count)")
        }
        return DenseWeight(shape: shape, values: values)
    }

    /// The codes, scales and offsets of a linearly quantized weight; nil for any other, and where a parameter is another
    /// weight's result.
    package func linearCodes() -> LinearCodes? {
        let isFlat = kind == .affine
        guard isFlat || kind == .blockwise, count <= CoreMLLimits.expandedElements,
            let tensor = tensor(isFlat ? "quantized_data" : "data"), tensor.type.isInteger, tensor.type.bits <= 8,
            let codes = tensor.floats(), codes.count == count
        else { return nil }
        let offsetName = isFlat ? "zero_point" : "offset"
        guard var scale = try? dense("scale", { _ in nil }) else { return nil }
        var offset = parameters[offsetName] == nil ? nil : try? dense(offsetName, { _ in nil })
        guard parameters[offsetName] == nil || offset != nil else { return nil }
        if isFlat { (scale, offset) = (channels(scale), offset.map(channels)) }
        guard let scales = BlockWalk(shape, blocks: scale.shape) else { return nil }
        let offsets = offset.flatMap { BlockWalk(shape, blocks: $0.shape) }
        guard offset == nil || offsets != nil else { return nil }
        func inputBlock(_ blocks: [Int]) -> Int { shape.count > 1 ? max(shape[1] / blocks[1], 1) : 1 }
        let isSigned = tensor.type == .int8 || tensor.type == .int4
        return LinearCodes(
            codes: codes, lowest: isSigned ? -Float(1 << (tensor.type.bits - 1)) : 0, bits: tensor.type.bits,
            scales: (0..<count).map { scale.values[scales.block(of: $0)] },
            offsets: (0..<count).map { index in
                guard let offset, let offsets else { return 0 }
                return offset.values[offsets.block(of: index)]
            }, roundsToHalf: type == .float16,
            inputBlock: min(inputBlock(scale.shape), offset.map { inputBlock($0.shape) } ?? .max))
    }

    func dense(_ name: String, _ resolve: (String) -> DenseWeight?) throws(WireFault) -> DenseWeight {
        switch parameters[name] {
        case .tensor(let tensor)?:
            guard let values = tensor.floats() else { break }
            return DenseWeight(shape: tensor.shape, values: values)
        case .output(let output)?:
            guard let weight = resolve(output) else {
                throw WireFault(name) { .undefinedName($0, name: output) }
            }
            return weight
        default: break
        }
        throw .missing(name, "a parameter of \(kind.rawValue)")
    }

    /// One value a channel as one block a channel.
    private func channels(_ weight: DenseWeight) -> DenseWeight {
        var blocks = [Int](repeating: 1, count: shape.count)
        if weight.shape.count == 1, let axis = tensor("axis")?.integers()?.first {
            blocks[axis < 0 ? axis + shape.count : axis] = weight.values.count
        }
        return DenseWeight(shape: blocks, values: weight.values)
    }

    /// scale · (data − offset), rounded once to the result's type.
    private func scaled(_ data: DenseWeight, scale: DenseWeight, offset: DenseWeight?) -> [Float] {
        guard data.shape == shape, let scales = BlockWalk(shape, blocks: scale.shape) else { return [] }
        let offsets = offset.flatMap { BlockWalk(shape, blocks: $0.shape) }
        if offset != nil, offsets == nil { return [] }
        return data.values.indices.map { index in
            var value = Double(data.values[index])
            if let offset, let offsets { value -= Double(offset.values[offsets.block(of: index)]) }
            return rounded(value * Double(scale.values[scales.block(of: index)]))
        }
    }

    func rounded(_ value: Double) -> Float { type == .float16 ? Float16Bits.rounded(value) : Float(value) }

    private func expandedPalette(_ resolve: (String) -> DenseWeight?) throws(WireFault) -> [Float] {
        let lut = try dense("lut", resolve)
        guard let indices = tensor("indices") else { throw .missing("indices", "the indices") }
        if lut.shape.count == 1 {
            let bits = lut.values.count.trailingZeroBitCount
            guard let bytes = indices.packedBytes, lut.values.count == 1 << bits, bits <= 8 else {
                throw .malformed("lut", "a palette of \(lut.values.count) entries")
            }
            return bytes.withBytes { BitPacking.unpack($0, bits: max(bits, 1), count: count) }
                .map { lut.values[Int($0)] }
        }
        let rank = indices.shape.count
        guard lut.shape.count == rank + 2, let codes = indices.integers(),
            let groups = BlockWalk(indices.shape, blocks: Array(lut.shape[..<rank]))
        else { throw .malformed("lut", "palette and indices do not fit") }
        let (entries, vector) = (lut.shape[rank], lut.shape[rank + 1])
        // A palette that is another weight's result was not seen before.
        guard entries == 1 << indices.type.bits, (1...CoreMLLimits.paletteVector).contains(vector),
            lut.values.count == lut.shape.reduce(1, *)
        else { throw .malformed("lut", "a palette of \(lut.shape) for indices of \(indices.type.bits) bits") }
        // Elements of one entry lie side by side along the axis: this many elements apart.
        let inner = vector > 1 ? indices.shape[(try vectorAxis(rank: rank) + 1)...].reduce(1, *) : 1
        var values = [Float](repeating: 0, count: codes.count * vector)
        for (index, code) in codes.enumerated() {
            let entry = (groups.block(of: index) * entries + code) * vector
            let place = index / inner * inner * vector + index % inner
            for part in 0..<vector { values[place + part * inner] = lut.values[entry + part] }
        }
        return values
    }

    private func expandedSparse(_ resolve: (String) -> DenseWeight?) throws(WireFault) -> [Float] {
        let present = try dense("nonzero_data", resolve).values
        let mask: [UInt8]
        if let packed = self.mask {
            mask = try maskBits(packed)
        } else {
            mask = try dense("mask", resolve).values.map { $0 == 0 ? 0 : 1 }
        }
        guard mask.count == count, mask.reduce(0, { $0 + Int($1) }) == present.count else {
            throw .malformed("nonzero_data", "\(present.count) values do not match the number of places in the mask")
        }
        var rest = present.makeIterator()
        return mask.map { bit in bit == 0 ? 0 : rest.next() ?? 0 }
    }
}

/// Which block an element is in, where every axis is cut into blocks of one size.
struct BlockWalk {
    private var axes: [(stride: Int, size: Int, blockSize: Int, blockStride: Int)] = []

    /// Nil where the blocks do not fit the shape.
    init?(_ shape: [Int], blocks: [Int]) {
        guard shape.count == blocks.count else { return nil }
        var (stride, blockStride) = (1, 1)
        for (size, count) in zip(shape, blocks).reversed() {
            guard count > 0, size % count == 0 else { return nil }
            axes.append((stride, max(size, 1), max(size / count, 1), blockStride))
            stride *= max(size, 1)
            blockStride *= count
        }
    }

    func block(of index: Int) -> Int {
        var block = 0
        for axis in axes { block += index / axis.stride % axis.size / axis.blockSize * axis.blockStride }
        return block
    }
}
