internal import CHearthKernels

/// How the input rows of a matrix product are prepared. This happens row by row in the phase that quantizes them: the row is
/// still in the processor's cache, and one thread synchronisation is saved.
package enum RowPreparation: Sendable {
    /// The rows are used as they are.
    case none
    /// The rows become `source / rms(source) * gain`; `source` may be the input itself. A gain of nil is 1.
    case normalizing(source: Rows, gain: Rows?, epsilon: Float)
    /// The rows become `gelu(row) * up` with the tanh form of GELU (Gemma's GeGLU).
    case gating(up: Rows)
}

extension Compute {
    /// `y[t] = [W0 x[t], W1 x[t], ...]` for the matrices of `group`.
    /// - Parameters:
    ///   - x: [tokens × group.columns]; overwritten with the prepared rows.
    ///   - y: [tokens × group.rows].
    package func multiply(
        _ group: MatrixGroup, _ x: Rows, into y: Rows, preparing preparation: RowPreparation = .none
    ) {
        assert(x.width == group.columns && y.width >= group.rows && x.count <= y.count)
        let rounding = group.isQuantized ? scratch : nil
        let table = group.takesWords ? kernels.wordTable : kernels.table
        switch preparation {
        case .none:
            if let rounding { run(RowsToRound(table: table, x: x, rounded: rounding), count: x.count) }
        case .normalizing(let source, let gain, let epsilon):
            assert(source.width == x.width && x.count <= source.count && (gain?.width ?? x.width) == x.width)
            run(
                RowsToNormalize(
                    rows: RowsToRound(table: table, x: x, rounded: rounding), source: source, gain: gain,
                    epsilon: epsilon),
                count: x.count)
        case .gating(let up):
            assert(up.width == x.width && x.count <= up.count)
            run(
                RowsToGate(rows: RowsToRound(table: table, x: x, rounded: rounding), up: up), count: x.count)
        }
        group.withPieces(tokens: x.count) { pieces in
            withExtendedLifetime((x, y)) {
                run(
                    MultiplyPieces(
                        multiply: table.pointee.multiply, pieces: pieces, columns: group.columns,
                        tokens: x.count, floats: x.pointer(0), stride: x.stride, quantized: scratch.start,
                        quantizedStride: scratch.stride, stepStride: scratch.stepStride(rows: x.count),
                        y: y.pointer(0), yStride: y.stride),
                    count: pieces.count)
            }
        }
        adaptation?.add(to: y, group: group, x, by: self)
    }
}

/// Quantizes rows to integers if the product needs it.
private struct RowsToRound: ParallelWork {
    let table: UnsafePointer<hk_kernels>
    let x: Rows
    let rounded: QuantizedRows?

    func run(_ index: Int) {
        guard let rounded else { return }
        table.pointee.quantize(
            x.pointer(index), x.width, rounded.start + index * rounded.stride * table.pointee.pair_bytes,
            rounded.stepStride(rows: x.count))
    }
}

private struct RowsToNormalize: ParallelWork {
    let rows: RowsToRound
    let source: Rows
    let gain: Rows?
    let epsilon: Float

    func run(_ index: Int) {
        rows.table.pointee.rms_norm(
            source.pointer(index), gain?.pointer(0), source.width, epsilon, rows.x.pointer(index))
        rows.run(index)
    }
}

private struct RowsToGate: ParallelWork {
    let rows: RowsToRound
    let up: Rows

    func run(_ index: Int) {
        let row = rows.x.pointer(index)
        rows.table.pointee.gated_gelu(row, up.pointer(index), up.width, row)
        rows.run(index)
    }
}

/// The arguments of a product, without references that would be counted.
private struct MultiplyPieces: ParallelWork {
    let multiply: MultiplyKernel
    let pieces: UnsafeBufferPointer<MatrixGroup.Piece>
    let columns: Int
    let tokens: Int
    let floats: UnsafeRawPointer
    let stride: Int
    let quantized: UnsafeRawPointer
    let quantizedStride: Int
    let stepStride: Int
    let y: UnsafeMutablePointer<Float>
    let yStride: Int

    func run(_ index: Int) {
        let piece = pieces[index]
        multiply(
            piece.format, piece.weights, piece.rowBytes, piece.rowCount, columns,
            piece.isQuantized ? quantized : floats,
            piece.isQuantized ? quantizedStride : stride, stepStride, tokens, y + piece.column, yStride)
    }
}

/// `multiply` of a kernel table.
private typealias MultiplyKernel =
    @convention(c) (
        hk_format, UnsafeRawPointer?, Int, Int, Int, UnsafeRawPointer?, Int, Int, Int, UnsafeMutablePointer<Float>?, Int
    ) -> Void
