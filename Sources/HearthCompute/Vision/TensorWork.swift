internal import CHearthKernels

/// The two phases of an attention: packing the keys and values of every head, then computing each tile of queries of a head
/// from scores to results while they are in the cache.
struct AttentionWork: @unchecked Sendable {
    // Sendable: used for one operation only, whose parts write different values.
    let vision: hk_vision_kernels
    let shape: AttentionShape
    let queries: UnsafePointer<Float>
    let keys, values: UnsafeMutablePointer<Float>
    let mask: UnsafePointer<Float>?
    let scratch, output: UnsafeMutablePointer<Float>

    private var keyPanels: Int { (shape.keys + 15) / 16 }
    private var valuePanels: Int { (shape.valueWidth + 15) / 16 }
    private var packedValues: UnsafeMutablePointer<Float> { scratch + shape.heads * shape.keyPanels }
    private var scores: UnsafeMutablePointer<Float> { packedValues + shape.heads * shape.valuePanels }
    /// Number of parts of the first phase, per head.
    var panels: Int { keyPanels + valuePanels }
    /// Number of parts of the second phase, per head.
    var tiles: Int { (shape.queries + AttentionShape.tile - 1) / AttentionShape.tile }

    func pack(_ index: Int) {
        let (head, panel) = index.quotientAndRemainder(dividingBy: panels)
        if panel < keyPanels {
            vision.pack_product(
                keys + head * shape.keyStride.head, shape.width, shape.keys, 1, shape.keyStride.row, panel, panel + 1,
                scratch + head * shape.keyPanels)
        } else {
            let panel = panel - keyPanels
            vision.pack_product(
                values + head * shape.valueStride.head, shape.keys, shape.valueWidth, shape.valueStride.row, 1, panel,
                panel + 1, packedValues + head * shape.valuePanels)
        }
    }

    func attend(_ index: Int) {
        let (head, tile) = index.quotientAndRemainder(dividingBy: tiles)
        let first = tile * AttentionShape.tile
        let end = min(first + AttentionShape.tile, shape.queries)
        let scores = scores + head * shape.scores
        let none = hk_epilogue(
            bias: nil, residual: mask.map { $0 + head * shape.maskStride }, residual_after: false,
            function: HK_IDENTITY, a: 0, b: 0)
        var score = hk_product(
            x: queries + head * shape.queryStride.head, weights: scratch + head * shape.keyPanels, coded: nil,
            y: scores,
            epilogue: none, inner: shape.width, columns: shape.keys, x_row: shape.queryStride.row, x_inner: 1,
            y_row: shape.keys, scale: shape.scale)
        vision.multiply(&score, first, end, 0, keyPanels)
        for row in first..<end {
            vision.softmax(scores + row * shape.keys, shape.keys, 1, scores + row * shape.keys)
        }
        var result = hk_product(
            x: scores, weights: packedValues + head * shape.valuePanels, coded: nil,
            y: output + head * shape.outputStride.head,
            epilogue: hk_epilogue(
                bias: nil, residual: nil, residual_after: false, function: HK_IDENTITY, a: 0, b: 0),
            inner: shape.keys, columns: shape.valueWidth, x_row: shape.keys, x_inner: 1,
            y_row: shape.outputStride.row, scale: 1)
        vision.multiply(&result, first, end, 0, valuePanels)
    }
}

/// Parts of a combination: ranges of the outermost dimension.
struct CombineWork: ParallelWork {
    let vision: hk_vision_kernels
    let kernel: hk_combination
    let step: Int

    func run(_ index: Int) {
        withUnsafePointer(to: kernel) { combination in
            vision.combine(combination, index * step, min((index + 1) * step, combination.pointee.size.0))
        }
    }
}

/// Parts of a copy: ranges of the outermost dimension.
struct CopyWork: ParallelWork {
    let vision: hk_vision_kernels
    let kernel: hk_copy
    let step: Int

    func run(_ index: Int) {
        withUnsafePointer(to: kernel) { copy in
            vision.copy(copy, index * step, min((index + 1) * step, copy.pointee.size.0))
        }
    }
}
