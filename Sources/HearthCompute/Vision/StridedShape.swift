internal import CHearthKernels

/// A copy between strided views of at most six dimensions; covers transposes, slices, tiles, padding and concatenation.
package struct StridedCopy: @unchecked Sendable {
    // Sendable: the descriptors' pointers are null, or refer to constant weights.
    /// Sizes, innermost last.
    package let sizes: [Int]
    /// Strides in floats; 0 repeats, negative ones go backwards.
    package let inputStrides, outputStrides: [Int]
    /// Offset of index 0 ... 0.
    package let inputOffset, outputOffset: Int

    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        sizes: [Int], inputStrides: [Int], outputStrides: [Int], inputOffset: Int = 0, outputOffset: Int = 0
    ) throws(ComputeError) {
        guard sizes.count <= HK_RANK, inputStrides.count == sizes.count, outputStrides.count == sizes.count
        else { throw .shapeMismatch(what: "dimensions of a copy", expected: HK_RANK, found: sizes.count) }
        self.sizes = sizes
        self.inputStrides = inputStrides
        self.outputStrides = outputStrides
        self.inputOffset = inputOffset
        self.outputOffset = outputOffset
        input = try Extent(sizes: sizes, strides: inputStrides, offset: inputOffset)
        output = try Extent(sizes: sizes, strides: outputStrides, offset: outputOffset)
        // Each value has a place of its own. Strides of 0 could stand for any number of values in one place.
        let places = output.highest - output.lowest + 1
        var count = 1
        for size in sizes {
            let (next, overflow) = count.multipliedReportingOverflow(by: size)
            guard !overflow, next <= places else {
                throw .shapeMismatch(what: "values of a copy", expected: places, found: size)
            }
            count = next
        }
        walk = Walk(sizes: sizes, strides: [inputStrides, outputStrides])
        kernel = hk_copy(
            input: nil, output: nil, size: walk.sizes, input_stride: walk.strides[0], output_stride: walk.strides[1])
    }

    let input, output: Extent
    let walk: Walk
    let kernel: hk_copy

    /// The range of indices that a strided view covers.
    struct Extent: Hashable, Sendable {
        let lowest, highest: Int

        init(sizes: [Int], strides: [Int], offset: Int) throws(ComputeError) {
            guard offset.magnitude < 1 << 44 else {
                throw .shapeMismatch(what: "first value of a view", expected: 0, found: offset)
            }
            var lowest = offset
            var highest = offset
            for (size, stride) in zip(sizes, strides) {
                guard size > 0 else { throw .shapeMismatch(what: "size of a dimension", expected: 1, found: size) }
                let (reach, overflow) = stride.multipliedReportingOverflow(by: size - 1)
                guard !overflow, reach.magnitude < 1 << 44 else {
                    throw .shapeMismatch(what: "size of a dimension", expected: 1, found: size)
                }
                if reach < 0 { lowest += reach } else { highest += reach }
            }
            guard lowest >= 0 else { throw .shapeMismatch(what: "first value of a view", expected: 0, found: lowest) }
            self.lowest = lowest
            self.highest = highest
        }
    }
}

/// A function of two tensors with broadcasting, over at most six dimensions; the output is dense. It may be an input that is
/// dense too.
package struct PairOperation: @unchecked Sendable {
    // Sendable: the descriptors' pointers are null, or refer to constant weights.
    /// The function of x and y.
    package let function: PairFunction
    /// Applied to the result.
    package let then: ElementFunction
    /// Sizes of the output, innermost last.
    package let sizes: [Int]
    /// Strides in floats; 0 where an input is broadcast.
    package let xStrides, yStrides: [Int]
    let x, y: StridedCopy.Extent
    let walk: Walk
    let kernel: hk_combination

    /// - Parameters:
    ///   - xStrides: strides in floats, 0 where x is broadcast; the innermost must be 0 or 1.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        _ function: PairFunction, then: ElementFunction = .identity, sizes: [Int], xStrides: [Int], yStrides: [Int]
    ) throws(ComputeError) {
        guard sizes.count <= HK_RANK, xStrides.count == sizes.count, yStrides.count == sizes.count else {
            throw .shapeMismatch(what: "dimensions of an operation", expected: HK_RANK, found: sizes.count)
        }
        for strides in [xStrides, yStrides] where !(0...1).contains(strides.last ?? 1) {
            throw .shapeMismatch(what: "innermost stride", expected: 1, found: strides.last ?? 1)
        }
        self.function = function
        self.then = then
        self.sizes = sizes
        self.xStrides = xStrides
        self.yStrides = yStrides
        x = try StridedCopy.Extent(sizes: sizes, strides: xStrides, offset: 0)
        y = try StridedCopy.Extent(sizes: sizes, strides: yStrides, offset: 0)
        walk = Walk(sizes: sizes, strides: [xStrides, yStrides])
        let (after, a, b) = then.kernel
        kernel = hk_combination(
            x: nil, y: nil, output: nil, operation: function.kernel, function: after, a: a, b: b, size: walk.sizes,
            x_stride: walk.strides[0], y_stride: walk.strides[1])
    }

    /// Broadcasts dense shapes as NumPy does: aligned at the last dimension, with sizes of 1 repeated. Adjacent dimensions with
    /// the same kind of broadcasting are merged.
    /// - Throws: `ComputeError.shapeMismatch` if the shapes are incompatible, or more than six dimensions remain.
    package init(
        _ function: PairFunction, then: ElementFunction = .identity, broadcasting a: [Int], with b: [Int]
    ) throws(ComputeError) {
        let rank = max(a.count, b.count)
        let a = [Int](repeating: 1, count: rank - a.count) + a
        let b = [Int](repeating: 1, count: rank - b.count) + b
        var sizes: [Int] = []
        var repeats: [(a: Bool, b: Bool)] = []
        for (left, right) in zip(a, b) where left != 1 || right != 1 {
            guard left == right || left == 1 || right == 1, left > 0, right > 0 else {
                throw .shapeMismatch(what: "size of a dimension to be broadcast", expected: left, found: right)
            }
            let kind = (a: left == 1, b: right == 1)
            if let last = repeats.last, let size = sizes.last, last == kind {
                let (product, overflow) = size.multipliedReportingOverflow(by: max(left, right))
                guard !overflow else {
                    throw .shapeMismatch(what: "values of a tensor", expected: 1 << 44, found: left)
                }
                sizes[sizes.count - 1] = product
            } else {
                sizes.append(max(left, right))
                repeats.append(kind)
            }
        }
        var strides: (x: [Int], y: [Int]) = ([], [])
        var next = (x: 1, y: 1)
        for (size, isRepeated) in zip(sizes, repeats).reversed() {
            strides.x.insert(isRepeated.a ? 0 : next.x, at: 0)
            strides.y.insert(isRepeated.b ? 0 : next.y, at: 0)
            next.x = isRepeated.a ? next.x : next.x &* size
            next.y = isRepeated.b ? next.y : next.y &* size
        }
        try self.init(function, then: then, sizes: sizes, xStrides: strides.x, yStrides: strides.y)
    }

    /// Number of output values.
    package var count: Int { sizes.reduce(1, *) }
}

/// Dimensions in the form the kernels use: always six, the first of which is distributed to threads.
struct Walk: Sendable {
    typealias Six = (Int, Int, Int, Int, Int, Int)
    let sizes: Six
    let strides: [Six]
    /// Number of outermost indices per part.
    let step: Int
    let parts: Int

    init(sizes: [Int], strides: [[Int]]) {
        let real = sizes.indices.filter { sizes[$0] > 1 }
        var sizes = real.map { sizes[$0] }
        var strides = strides.map { strides in real.map { strides[$0] } }
        if sizes.count == 1, let count = sizes.first {
            // Split a single long row into equal parts, if possible.
            let wanted = max(count / 8192, 1)
            if let pieces = (wanted..<wanted + 64).first(where: { count % $0 == 0 }) {
                sizes = [pieces, count / pieces]
                strides = strides.map { [$0[0] * (count / pieces), $0[0]] }
            }
        }
        self.sizes = Self.six(sizes, filler: 1)
        // For a single value, the innermost stride counts as dense.
        self.strides = strides.map { $0.isEmpty ? (0, 0, 0, 0, 0, 1) : Self.six($0, filler: 0) }
        let first = self.sizes.0
        step = max(1, min(first, 16384 / max(sizes.dropFirst(first > 1 ? 1 : 0).reduce(1, *), 1)))
        parts = (first + step - 1) / step
    }

    /// The first dimension stays first, the others are moved to the end.
    private static func six(_ values: [Int], filler: Int) -> Six {
        let isRow = values.count < 2
        var all: [Int] = Array(values.prefix(isRow ? 0 : 1))
        all += [Int](repeating: filler, count: 6 - values.count)
        all += isRow ? values[...] : values.dropFirst()
        return (all[0], all[1], all[2], all[3], all[4], all[5])
    }
}
