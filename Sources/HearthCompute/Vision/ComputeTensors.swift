internal import CHearthKernels

/// Operations on plain float32 tensors: matrix products, attention, elementwise functions and copies. Sizes are checked on
/// every call; nothing allocates. An output may not overlap an input unless stated otherwise.
extension Compute {
    /// Multiplies rows by packed weights.
    /// - Parameters:
    ///   - weights: packed by `MatrixProduct.pack`.
    ///   - residual: in the layout of the output; may be the output itself if it is added before the function.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func multiply(
        _ product: MatrixProduct, _ input: FloatRegion, weights: FloatWeights, residual: FloatRegion? = nil,
        into output: FloatRegion
    ) throws(ComputeError) {
        try multiply(product, input, weights: .floats(weights), residual: residual, into: output)
    }

    /// Multiplies rows by packed weights, which may be coded.
    /// - Parameter weights: values, or the codes that the product was created with.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func multiply(
        _ product: MatrixProduct, _ input: FloatRegion, weights: ProductWeights, residual: FloatRegion? = nil,
        into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("input of a matrix product", atLeast: product.inputCount)
        try output.require("output of a matrix product", atLeast: product.outputCount)
        try weights.require("packed weights", product.packedCount)
        try product.epilogue.check(residual: residual, count: product.outputCount)
        var kernel = product.kernel
        kernel.x = UnsafePointer(input.base)
        kernel.y = output.base
        kernel.weights = weights.base
        kernel.coded = weights.kernel
        if product.epilogue.residual != .none { kernel.epilogue.residual = residual.map { UnsafePointer($0.base) } }
        run(kernel, product.parts) { vision, kernel, part in
            let part = part.pointee
            vision.multiply(kernel, part.first_column, part.end_column, part.first_block, part.end_block)
        }
    }

    /// Multiplies pairs of matrices.
    /// - Parameter scratch: `scratchCount` values.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func multiply(
        _ batched: BatchedProduct, _ x: FloatRegion, _ w: FloatRegion, scratch: FloatRegion, into y: FloatRegion
    ) throws(ComputeError) {
        let product = batched.product
        let last = batched.batch - 1
        try x.require("left matrices", atLeast: last * batched.strides.x + product.inputCount)
        try w.require("right matrices", atLeast: last * batched.strides.w + product.inner * product.columns)
        try y.require("products", atLeast: last * batched.strides.y + product.outputCount)
        try scratch.require("scratch", atLeast: batched.scratchCount)
        let table = kernels.vision
        let panels = (product.columns + 15) / 16
        eachPart(batched.batch * panels) { index in
            let (matrix, panel) = index.quotientAndRemainder(dividingBy: panels)
            table.pack_product(
                w.base + matrix * batched.strides.w, product.inner, product.columns,
                batched.isTransposed ? 1 : product.columns, batched.isTransposed ? product.inner : 1, panel,
                panel + 1, scratch.base + matrix * product.packedCount)
        }
        eachPart(batched.batch * product.parts.count) { index in
            let (matrix, part) = index.quotientAndRemainder(dividingBy: product.parts.count)
            var kernel = product.kernel
            kernel.x = UnsafePointer(x.base + matrix * batched.strides.x)
            kernel.y = y.base + matrix * batched.strides.y
            kernel.weights = UnsafePointer(scratch.base + matrix * product.packedCount)
            let range = product.parts[part]
            table.multiply(&kernel, range.first_column, range.end_column, range.first_block, range.end_block)
        }
    }

    /// Computes softmax(scale * q k^T + mask) v.
    /// - Parameters:
    ///   - mask: [queries][keys], added to the scores of every head, or one for each (`maskStride`).
    ///   - scratch: `scratchCount` values.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func attend(
        _ shape: AttentionShape, queries: FloatRegion, keys: FloatRegion, values: FloatRegion, mask: FloatRegion? = nil,
        scratch: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        for stride in [shape.queryStride, shape.keyStride, shape.valueStride, shape.outputStride]
        where stride.head < 0 || stride.row < 0 || stride.head > 1 << 36 || stride.row > 1 << 30 {
            throw .shapeMismatch(what: "stride of an attention", expected: 0, found: stride.row)
        }
        guard shape.outputStride.row >= shape.valueWidth else {
            throw .shapeMismatch(
                what: "stride of an attention", expected: shape.valueWidth, found: shape.outputStride.row)
        }
        try queries.require("queries", atLeast: shape.count(shape.queryStride, rows: shape.queries, width: shape.width))
        try keys.require("keys", atLeast: shape.count(shape.keyStride, rows: shape.keys, width: shape.width))
        try values.require("values", atLeast: shape.count(shape.valueStride, rows: shape.keys, width: shape.valueWidth))
        try output.require(
            "attention", atLeast: shape.count(shape.outputStride, rows: shape.queries, width: shape.valueWidth))
        guard shape.maskStride == 0 || shape.maskStride == shape.scores else {
            throw .shapeMismatch(what: "stride of a mask", expected: shape.scores, found: shape.maskStride)
        }
        try mask?.require("mask", atLeast: shape.maskCount)
        try scratch.require("scratch", atLeast: shape.scratchCount)
        let work = AttentionWork(
            vision: kernels.vision, shape: shape, queries: UnsafePointer(queries.base), keys: keys.base,
            values: values.base, mask: mask.map { UnsafePointer($0.base) }, scratch: scratch.base, output: output.base)
        eachPart(shape.heads * work.panels) { work.pack($0) }
        eachPart(shape.heads * work.tiles) { work.attend($0) }
    }

    /// y = function(x), element by element; `output` may be `input`.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func apply(
        _ function: ElementFunction, _ input: FloatRegion, count: Int, into output: FloatRegion
    ) throws(ComputeError) {
        try input.require("input of a function", atLeast: count)
        try output.require("output of a function", atLeast: count)
        let (f, a, b) = function.kernel
        let table = kernels.vision
        let step = 8192
        eachPart((count + step - 1) / step) { index in
            let first = index * step
            table.apply(f, a, b, input.base + first, min(step, count - first), output.base + first)
        }
    }

    /// Applies a function of two tensors; the output may be an input with dense strides.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func combine(
        _ operation: PairOperation, _ x: FloatRegion, _ y: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try x.require("first input of an operation", atLeast: operation.x.highest + 1)
        try y.require("second input of an operation", atLeast: operation.y.highest + 1)
        try output.require("output of an operation", atLeast: operation.count)
        var kernel = operation.kernel
        kernel.x = UnsafePointer(x.base)
        kernel.y = UnsafePointer(y.base)
        kernel.output = output.base
        run(CombineWork(vision: kernels.vision, kernel: kernel, step: operation.walk.step), count: operation.walk.parts)
    }

    /// Softmax over the middle dimension of [outer][count][stride]; `output` may be `input`.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func softmax(
        _ input: FloatRegion, outer: Int, count: Int, stride: Int = 1, into output: FloatRegion
    ) throws(ComputeError) {
        let size = try checkedSize(outer, count, stride)
        try input.require("input of a softmax", atLeast: outer * size)
        try output.require("output of a softmax", atLeast: outer * size)
        let table = kernels.vision
        eachOuter(outer, size: size) { table.softmax(input.base + $0 * size, count, stride, output.base + $0 * size) }
    }

    /// How several values are reduced to one.
    package enum Reduction: Hashable, Sendable, CaseIterable { case sum, mean, maximum, minimum }

    /// Reduces the middle dimension: [outer][count][stride] to [outer][stride].
    /// - Throws: `ComputeError.shapeMismatch`.
    package func reduce(
        _ reduction: Reduction, _ input: FloatRegion, outer: Int, count: Int, stride: Int = 1, into output: FloatRegion
    ) throws(ComputeError) {
        let size = try checkedSize(outer, count, stride)
        try input.require("input of a reduction", atLeast: outer * size)
        try output.require("output of a reduction", atLeast: outer * stride)
        let table = kernels.vision
        let kind = reduction.kernel
        eachOuter(outer, size: size) {
            table.reduce(kind, input.base + $0 * size, count, stride, output.base + $0 * stride)
        }
    }

    /// (x - mean) / sqrt(variance + epsilon) * gain + shift over rows of `count` values; `output` may be `input`.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func normalizeLayers(
        _ input: FloatRegion, rows: Int, count: Int, gain: FloatWeights?, shift: FloatWeights?, epsilon: Float,
        into output: FloatRegion
    ) throws(ComputeError) {
        let size = try checkedSize(rows, count, 1)
        try input.require("input of a layer norm", atLeast: rows * size)
        try output.require("output of a layer norm", atLeast: rows * size)
        try gain?.require("gains of a layer norm", count)
        try shift?.require("shifts of a layer norm", count)
        let table = kernels.vision
        eachOuter(rows, size: size) {
            table.layer_norm(
                input.base + $0 * size, gain?.base, shift?.base, size, epsilon, output.base + $0 * size)
        }
    }

    /// Copies a strided view.
    /// - Throws: `ComputeError.shapeMismatch`.
    package func copy(_ copy: StridedCopy, _ input: FloatRegion, into output: FloatRegion) throws(ComputeError) {
        try input.require("input of a copy", atLeast: copy.input.highest + 1)
        try output.require("output of a copy", atLeast: copy.output.highest + 1)
        var kernel = copy.kernel
        kernel.input = UnsafePointer(input.base) + copy.inputOffset
        kernel.output = output.base + copy.outputOffset
        run(CopyWork(vision: kernels.vision, kernel: kernel, step: copy.walk.step), count: copy.walk.parts)
    }

    private func checkedSize(_ outer: Int, _ count: Int, _ stride: Int) throws(ComputeError) -> Int {
        for size in [outer, count, stride] where size < 1 || size > 1 << 36 {
            throw .shapeMismatch(what: "size of a dimension", expected: 1, found: size)
        }
        let (size, overflow) = count.multipliedReportingOverflow(by: stride)
        guard !overflow, !size.multipliedReportingOverflow(by: outer).overflow else {
            throw .shapeMismatch(what: "values of a tensor", expected: 1 << 36, found: count)
        }
        return size
    }

    /// Runs a body for each outer index; small ones are grouped into parts.
    private func eachOuter(_ outer: Int, size: Int, _ body: (Int) -> Void) {
        let step = max(1, min((outer + 15) / 16, 16384 / size))
        eachPart((outer + step - 1) / step) { part in
            for index in part * step..<min((part + 1) * step, outer) { body(index) }
        }
    }
}

extension Compute.Reduction {
    var kernel: hk_reduction {
        switch self {
        case .sum: HK_REDUCE_SUM
        case .mean: HK_REDUCE_MEAN
        case .maximum: HK_REDUCE_MAX
        case .minimum: HK_REDUCE_MIN
        }
    }
}
