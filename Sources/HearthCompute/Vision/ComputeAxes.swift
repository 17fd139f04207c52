internal import CHearthKernels

/// Operations along an axis of a plain tensor whose result is the same, bit by bit, in every kernel set.
extension Compute {
    /// The place of the first of the greatest, or least, elements along an axis: [outer][count][stride] to [outer][stride].
    /// NaN is neither greater nor less than anything.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func findExtremes(
        least: Bool, _ axis: AxisShape, _ input: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("input of a search", atLeast: axis.total)
        try output.require("output of a search", atLeast: axis.rows)
        let table = kernels.vision
        eachStretch(axis) { blocks, columns in
            for block in blocks {
                table.find_extreme(
                    least, input.base + block * axis.size + columns.lowerBound, axis.count, axis.stride, columns.count,
                    output.base + block * axis.stride + columns.lowerBound)
            }
        }
    }

    /// Sums along an axis, in double precision, of all elements up to each one; `output` may be `input`.
    /// - Parameters:
    ///   - isExclusive: without the element itself.
    ///   - isReversed: from the last element to the first.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func sumUp(
        _ axis: AxisShape, isExclusive: Bool, isReversed: Bool, _ input: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("input of running sums", atLeast: axis.total)
        try output.require("output of running sums", atLeast: axis.total)
        let table = kernels.vision
        let step = isReversed ? -axis.stride : axis.stride
        let first = isReversed ? (axis.count - 1) * axis.stride : 0
        eachStretch(axis) { blocks, columns in
            if axis.stride == 1 {
                let start = blocks.lowerBound * axis.size + first
                table.running_sum(
                    input.base + start, axis.count, step, blocks.count, axis.size, isExclusive, output.base + start)
                return
            }
            for block in blocks {
                let start = block * axis.size + columns.lowerBound + first
                table.running_sum(
                    input.base + start, axis.count, step, columns.count, 1, isExclusive, output.base + start)
            }
        }
    }

    /// The first elements along an axis in order, and their places: [outer][count][stride] to [outer][kept][stride]. Equal ones
    /// are in the order of their places; NaN comes last, among what is infinite.
    /// - Parameter scratch: `scratchCount` values.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func order(
        _ order: AxisOrder, _ input: FloatRegion, scratch: FloatRegion, values: FloatRegion, places: FloatRegion
    ) throws(ComputeError) {
        let axis = order.axis
        try input.require("input of an order", atLeast: axis.total)
        try values.require("values of an order", atLeast: axis.rows * order.kept)
        try places.require("places of an order", atLeast: axis.rows * order.kept)
        try scratch.require("scratch of an order", atLeast: order.scratchCount)
        guard order.parts > 0 else { return }
        let table = kernels.vision
        let step = (axis.rows + order.parts - 1) / order.parts
        eachPart(order.parts) { part in
            let keys = UnsafeMutableRawPointer(scratch.base + part * order.partScratch)
                .assumingMemoryBound(to: UInt64.self)
            for row in min(part * step, axis.rows)..<min((part + 1) * step, axis.rows) {
                let (block, column) = row.quotientAndRemainder(dividingBy: axis.stride)
                var kernel = hk_order(
                    x: UnsafePointer(input.base + block * axis.size + column), step: axis.stride, kept: order.kept,
                    room: order.room, keys: keys, spare: keys + order.room, ascending: order.isAscending, held: 0,
                    is_bounded: false, bound: 0)
                for first in stride(from: 0, to: axis.count, by: 1 << 16) {
                    if isCancelled { return }
                    table.order(&kernel, first, min(first + (1 << 16), axis.count))
                }
                let target = block * order.kept * axis.stride + column
                table.ordered(&kernel, axis.stride, values.base + target, places.base + target)
            }
        }
    }

    /// Runs a body for some blocks and neighbours at a time.
    private func eachStretch(_ axis: AxisShape, _ body: (_ blocks: Range<Int>, _ columns: Range<Int>) -> Void) {
        let cut = AxisShape.Cut(axis)
        eachPart(cut.parts) { part in
            let (group, piece) = part.quotientAndRemainder(dividingBy: cut.pieces)
            let (block, column) = (group * cut.blocks, piece * cut.columns)
            body(
                block..<min(block + cut.blocks, axis.outer), column..<min(column + cut.columns, axis.stride))
        }
    }
}
