internal import CHearthKernels

/// y = epilogue(scale * x w + bias) for rows x of `inner` values and weights of `inner` x `columns` values, packed in
/// panels of 16 columns.
package struct MatrixProduct: @unchecked Sendable {
    // Sendable: the descriptors' pointers are null, or refer to constant weights.
    /// Number of rows of x and y.
    package let rows: Int
    /// Number of values per row of x.
    package let inner: Int
    /// Number of values per row of y.
    package let columns: Int
    /// Applied to the sums.
    package let epilogue: Epilogue
    /// Strides of x in floats, between rows and between the values of a row.
    package let inputStride: (row: Int, value: Int)
    /// Stride of the rows of y in floats.
    package let outputStride: Int
    package let bias: FloatWeights?
    /// Factor of the sums.
    package var scale: Float { kernel.scale }
    /// Keeps the codes alive while the kernel refers to them.
    let coded: CodedWeights?
    let kernel: hk_product
    let parts: [hk_part]

    /// - Parameters:
    ///   - inputStride: nil for (inner, 1); (1, rows) reads x transposed.
    ///   - bias: `columns` values, padded to whole panels (`padded`).
    ///   - scale: factor for the sums.
    ///   - weights: the codes to multiply by, if `takesCoded(inner:)`.
    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        rows: Int, inner: Int, columns: Int, inputStride: (row: Int, value: Int)? = nil, outputStride: Int? = nil,
        scale: Float = 1, bias: FloatWeights? = nil, epilogue: Epilogue = Epilogue(), weights: CodedWeights? = nil
    ) throws(ComputeError) {
        for size in [rows, inner, columns] where size < 1 || size > 1 << 30 {
            throw .shapeMismatch(what: "size of a matrix product", expected: 1, found: size)
        }
        let stride = inputStride ?? (inner, 1)
        guard stride.row > 0, stride.value > 0, stride.row < 1 << 30, stride.value < 1 << 30,
            (outputStride ?? columns) >= columns, (outputStride ?? columns) < 1 << 30
        else { throw .shapeMismatch(what: "stride of a matrix product", expected: columns, found: outputStride ?? 0) }
        try bias?.require("values of a bias", Self.padded(columns))
        guard weights == nil || Self.takesCoded(inner: inner) else {
            throw .shapeMismatch(what: "inner size of a product with codes", expected: Int(HK_PANEL) / 16, found: inner)
        }
        self.rows = rows
        self.inner = inner
        self.columns = columns
        self.epilogue = epilogue
        self.inputStride = stride
        self.outputStride = outputStride ?? columns
        self.bias = bias
        let (function, a, b) = epilogue.function.kernel
        var kernel = hk_product(
            x: nil, weights: nil, coded: weights.map { UnsafePointer($0.kernel) }, y: nil,
            epilogue: hk_epilogue(
                bias: bias?.base, residual: nil, residual_after: epilogue.residual == .afterFunction,
                function: function, a: a, b: b),
            inner: inner, columns: columns, x_row: stride.row, x_inner: stride.value, y_row: self.outputStride,
            scale: scale)
        coded = weights
        self.kernel = kernel
        parts = plannedParts { parts, capacity in hk_plan_product(&kernel, rows, parts, capacity) }
    }

    /// Whether coded weights with this many values per row can be expanded during the multiplication.
    package static func takesCoded(inner: Int) -> Bool { padded(inner) * 16 <= Int(HK_PANEL) }
    /// Number of packed weights.
    package static func packedCount(inner: Int, columns: Int) -> Int { padded(inner) * padded(columns) }
    /// Number of packed weights.
    package var packedCount: Int { Self.packedCount(inner: inner, columns: columns) }
    /// A number of columns rounded up to whole panels, which is also the number of bias values.
    package static func padded(_ count: Int) -> Int { (count + 15) / 16 * 16 }
    /// Number of values from the first to the last one of x.
    package var inputCount: Int { (rows - 1) * inputStride.row + (inner - 1) * inputStride.value + 1 }
    /// Number of values from the first to the last one of y.
    package var outputCount: Int { (rows - 1) * outputStride + columns }
    /// Number of multiply-adds per run.
    package var products: Int { rows * inner * columns }

    /// Packs the weights of a linear layer, stored as [columns][inner] (`isTransposed`, as in models) or [inner][columns].
    /// - Throws: `ComputeError.shapeMismatch`.
    package static func pack(
        _ weights: UnsafeBufferPointer<Float>, inner: Int, columns: Int, isTransposed: Bool = true, kernels: KernelSet,
        into packed: UnsafeMutableBufferPointer<Float>
    ) throws(ComputeError) {
        guard inner > 0, columns > 0, inner < 1 << 30, columns < 1 << 30, let from = weights.baseAddress,
            weights.count == inner * columns
        else { throw .shapeMismatch(what: "weights of a matrix", expected: inner * columns, found: weights.count) }
        guard let to = packed.baseAddress, packed.count >= packedCount(inner: inner, columns: columns) else {
            throw .shapeMismatch(
                what: "packed weights", expected: packedCount(inner: inner, columns: columns), found: packed.count)
        }
        kernels.vision.pack_product(
            from, inner, columns, isTransposed ? 1 : columns, isTransposed ? inner : 1, 0, (columns + 15) / 16, to)
    }
}

/// Products of many pairs of matrices that are both computed at run time: y[b] = scale * x[b] w[b].
package struct BatchedProduct: Sendable {
    /// Number of pairs.
    package let batch: Int
    /// The product of one pair; its residual is not used.
    package let product: MatrixProduct
    /// Strides between matrices in floats; 0 to use the same matrix for all.
    package let strides: (x: Int, w: Int, y: Int)
    /// Whether w is [columns][inner] instead of [inner][columns].
    package let isTransposed: Bool

    /// - Throws: `ComputeError.shapeMismatch`.
    package init(
        batch: Int, product: MatrixProduct, strides: (x: Int, w: Int, y: Int)? = nil, isTransposed: Bool = false
    ) throws(ComputeError) {
        let strides =
            strides ?? (product.rows * product.inner, product.inner * product.columns, product.rows * product.columns)
        guard batch > 0, batch < 1 << 24, strides.x >= 0, strides.w >= 0,
            strides.y >= product.outputCount || batch == 1,
            max(strides.x, strides.w, strides.y) < 1 << 36
        else { throw .shapeMismatch(what: "matrices of a batch", expected: 1, found: batch) }
        self.batch = batch
        self.product = product
        self.strides = strides
        self.isTransposed = isTransposed
    }

    /// Number of scratch values that a run needs.
    package var scratchCount: Int { batch * product.packedCount }
}
