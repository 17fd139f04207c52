/// Slices of a tensor by their number: of the [size][inner] values of each of `outer` blocks, those of one place for each index.
package struct Lookup: Sendable {
    /// Blocks, places in each of them, values at each place.
    package let outer, size, inner: Int
    /// Number of indices.
    package let indices: Int
    /// Values of the table and of the result.
    package let tableCount, count: Int

    /// - Throws: `ComputeError.shapeMismatch` for sizes that cannot be.
    package init(outer: Int, size: Int, inner: Int, indices: Int) throws(ComputeError) {
        tableCount = try [outer, size, inner].product("size of a dimension of a table")
        count = try [outer, indices, inner].product("size of a dimension of a table")
        (self.outer, self.size, self.inner, self.indices) = (outer, size, inner, indices)
    }

    /// The place that an index means: counted from the end where it is negative, the nearest one where there is none.
    func place(_ index: Float) -> Int {
        guard index.isFinite else { return 0 }
        let place = Int(max(min(index, 0x1p31), -0x1p31))
        return min(max(place < 0 ? place + size : place, 0), size - 1)
    }
}

/// Elements of one tensor where a condition is not 0, else those of another one, with broadcasting; the output is dense.
package struct Choice: Sendable {
    /// Sizes of the output with as few dimensions as possible, innermost last.
    let sizes: [Int]
    /// Strides of the condition and of both tensors, in floats; 0 where one is repeated. The innermost are 0 or 1.
    let strides: [[Int]]
    /// Values of the condition and of both tensors.
    let counts: [Int]
    /// Number of output values.
    package let count: Int

    /// Broadcasts dense shapes as NumPy does.
    /// - Throws: `ComputeError.shapeMismatch` if they are incompatible.
    package init(condition: [Int], _ x: [Int], _ y: [Int]) throws(ComputeError) {
        let rank = max(condition.count, x.count, y.count)
        let shapes = [condition, x, y].map { [Int](repeating: 1, count: rank - $0.count) + $0 }
        var sizes: [Int] = []
        var strides: [[Int]] = [[], [], []]
        var counts = [1, 1, 1]
        var count = 1
        for axis in (0..<rank).reversed() {
            let all = shapes.map { $0[axis] }
            let size = all.max() ?? 1
            let (next, overflow) = count.multipliedReportingOverflow(by: size)
            guard all.allSatisfy({ $0 == 1 || $0 == size }), size > 0, !overflow else {
                throw .shapeMismatch(what: "size of a dimension to be broadcast", expected: size, found: all.min() ?? 0)
            }
            count = next
            guard size > 1 else { continue }
            let steps = zip(all, counts).map { $0 == 1 ? 0 : $1 }
            // One dimension with the one inside it, where all three go on from the one to the other.
            if let inner = sizes.last, zip(steps, strides).allSatisfy({ $0 == ($1.last ?? 0) * inner }) {
                sizes[sizes.count - 1] = inner * size
            } else {
                sizes.append(size)
                for operand in 0..<3 { strides[operand].append(steps[operand]) }
            }
            for operand in 0..<3 { counts[operand] *= all[operand] }
        }
        self.sizes = sizes.reversed()
        self.strides = strides.map { $0.reversed() }
        self.counts = counts
        self.count = count
    }
}

extension Compute {
    /// Values in a part of a selection.
    private static let part = 8192

    /// Copies the slices that the indices name.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func lookUp(
        _ lookup: Lookup, _ table: FloatWeights, indices: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try table.require("values of a table", lookup.tableCount)
        try indices.require("indices", atLeast: lookup.indices)
        try output.require("output of a lookup", atLeast: lookup.count)
        let slices = lookup.outer * lookup.indices
        let step = max(1, Self.part / lookup.inner)
        eachPart((slices + step - 1) / step) { part in
            for slice in part * step..<min((part + 1) * step, slices) {
                let (block, index) = slice.quotientAndRemainder(dividingBy: lookup.indices)
                let place = block * lookup.size + lookup.place(indices.base[index])
                (output.base + slice * lookup.inner).update(
                    from: table.base + place * lookup.inner, count: lookup.inner)
            }
        }
    }

    /// Copies the elements that the condition chooses.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func choose(
        _ choice: Choice, condition: FloatRegion, _ x: FloatRegion, _ y: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try condition.require("condition", atLeast: choice.counts[0])
        try x.require("first input of a choice", atLeast: choice.counts[1])
        try y.require("second input of a choice", atLeast: choice.counts[2])
        try output.require("output of a choice", atLeast: choice.count)
        let operands = [condition, x, y].map { UnsafePointer($0.base) }
        let width = choice.sizes.last ?? 1
        let steps = choice.strides.map { $0.last ?? 0 }
        let rows = choice.count / width
        // Long rows in pieces, or short ones together.
        let pieces = (width + Self.part - 1) / Self.part
        let together = max(1, Self.part / width)
        eachPart((rows + together - 1) / together * pieces) { part in
            let (group, piece) = part.quotientAndRemainder(dividingBy: pieces)
            let first = piece * Self.part
            for row in group * together..<min((group + 1) * together, rows) {
                var starts = [first * steps[0], first * steps[1], first * steps[2]]
                var rest = row
                for axis in choice.sizes.indices.dropLast().reversed() {
                    let (outer, index) = rest.quotientAndRemainder(dividingBy: choice.sizes[axis])
                    for operand in 0..<3 { starts[operand] += index * choice.strides[operand][axis] }
                    rest = outer
                }
                Self.choose(
                    operands[0] + starts[0], operands[1] + starts[1], operands[2] + starts[2], steps,
                    output.base + row * width + first, min(Self.part, width - first))
            }
        }
    }

    private static func choose(
        _ condition: UnsafePointer<Float>, _ x: UnsafePointer<Float>, _ y: UnsafePointer<Float>, _ steps: [Int],
        _ output: UnsafeMutablePointer<Float>, _ count: Int
    ) {
        // Steps that the compiler knows become vector instructions.
        func row(_ xStep: Int, _ yStep: Int) {
            for index in 0..<count {
                let (a, b) = (x[index &* xStep], y[index &* yStep])
                output[index] = condition[index] != 0 ? a : b
            }
        }
        switch (steps[0], steps[1], steps[2]) {
        case (0, let xStep, let yStep):
            let (source, step) = condition[0] != 0 ? (x, xStep) : (y, yStep)
            if step == 1 {
                output.update(from: source, count: count)
            } else {
                output.update(repeating: source[0], count: count)
            }
        case (_, 0, 0): row(0, 0)
        case (_, 0, _): row(0, 1)
        case (_, _, 0): row(1, 0)
        default: row(1, 1)
        }
    }
}
