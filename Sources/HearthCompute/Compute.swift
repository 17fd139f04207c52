internal import CHearthKernels
internal import Synchronization

/// The operations of a transformer on rows of activations, distributed to a thread pool.
///
/// A `Compute` belongs to one session and runs one operation at a time. Operations check their shapes with assertions only,
/// because the model's shapes are validated once, when it is loaded. Operations do not allocate.
///
/// Cancelling makes every operation return early with incomplete results; the caller checks `isCancelled` after a step and
/// discards it.
package final class Compute: Sendable {
    /// The kernel set in use.
    package let kernels: KernelSet
    package let pool: WorkerPool
    let scratch: QuantizedRows
    private let cancelled = Atomic<Bool>(false)
    // Set and read between operations by the session that runs them.
    /// What is added to products of the weights from now on; nil for nothing.
    nonisolated(unsafe) package var adaptation: LowRankAdaptation?

    /// - Parameters:
    ///   - maximumRows: maximum number of rows in one `multiply`.
    ///   - maximumColumns: maximum input width of a quantized matrix.
    /// - Throws: `ComputeError.outOfMemory`, `.threadsUnavailable`.
    package init(
        kernels: KernelSet, threads: Int, maximumRows: Int, maximumColumns: Int
    ) throws(ComputeError) {
        self.kernels = kernels
        self.pool = try WorkerPool(threads: threads)
        self.scratch = try QuantizedRows(rows: maximumRows, columns: maximumColumns, kernels: kernels)
    }

    /// Number of threads, including the caller's.
    package var threads: Int { pool.threads }

    /// Whether `cancel` was called since the last `resume`.
    package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
    /// Makes the operation in progress and all later ones return immediately. May be called from any thread.
    package func cancel() { cancelled.store(true, ordering: .relaxed) }
    /// Ends the effect of `cancel`.
    package func resume() { cancelled.store(false, ordering: .relaxed) }

    var table: hk_kernels { kernels.table.pointee }

    func run<Work: ParallelWork>(_ work: Work, count: Int) {
        if isCancelled { return }
        pool.run(Guarded(work: work, compute: Unmanaged.passUnretained(self)), count: count)
    }

    /// `out = x / rms(x) * gain`, row by row; `out` may be `x`. A gain of nil is 1.
    package func normalize(_ x: Rows, gain: Rows?, epsilon: Float, into out: Rows) {
        assert(x.width == out.width && x.count <= out.count && (gain?.width ?? x.width) == x.width)
        eachRow(x.count) { [table] row in
            table.rms_norm(x.pointer(row), gain?.pointer(0), x.width, epsilon, out.pointer(row))
        }
    }

    /// Normalises each group of `width` values of a row separately: the per-head norm of queries, keys and values. A gain of
    /// nil is 1.
    package func normalizeHeads(_ x: Rows, width: Int, gain: Rows?, epsilon: Float) {
        assert(x.width % width == 0 && (gain?.width ?? width) == width)
        eachRow(x.count) { [table] row in
            for start in stride(from: 0, to: x.width, by: width) {
                let head = x.pointer(row) + start
                table.rms_norm(head, gain?.pointer(0), width, epsilon, head)
            }
        }
    }

    /// `h += x`, or with a gain `h += x / rms(x) * gain`, row by row.
    package func add(_ x: Rows, normalizedBy gain: Rows?, epsilon: Float, to h: Rows) {
        assert(x.width == h.width && x.count <= h.count)
        eachRow(x.count) { [table] row in
            if let gain {
                table.add_rms_norm(h.pointer(row), x.pointer(row), gain.pointer(0), x.width, epsilon)
            } else {
                table.add(h.pointer(row), x.pointer(row), x.width)
            }
        }
    }

    /// `x = cap * tanh(x / cap)`.
    package func softCap(_ x: Rows, cap: Float) {
        eachRow(x.count) { [table] row in table.soft_cap(x.pointer(row), x.width, cap) }
    }

    /// Rotates every head of `x` by the angles of its row in `angles` (RoPE, half-split pairing).
    /// - Parameter firstRow: the row of angles for the first row of `x`.
    package func rotate(_ x: Rows, by angles: RotaryTable, firstRow: Int = 0, headWidth: Int) {
        assert(x.width % headWidth == 0 && angles.width == headWidth && firstRow + x.count <= angles.capacity)
        eachRow(x.count) { [table] row in
            for start in stride(from: 0, to: x.width, by: headWidth) {
                table.rotate(
                    x.pointer(row) + start, angles.cosines(firstRow + row), angles.sines(firstRow + row), headWidth / 2)
            }
        }
    }

    /// Rotates each group of `width` values by an orthonormal Hadamard matrix, which spreads values that stand out and keeps
    /// products of two rotated groups. Rotating twice gives the values back.
    package func spread(_ x: Rows, width: Int) {
        assert(x.width % width == 0)
        eachRow(x.count) { [table] row in
            for start in stride(from: 0, to: x.width, by: width) { table.hadamard(x.pointer(row) + start, width) }
        }
    }

    /// Looks up rows of an embedding table, times a scale.
    ///
    /// - Parameter tokens: ids below the table's number of rows.
    package func embed(_ tokens: ArraySlice<Int32>, from embedding: WeightMatrix, scale: Float, into out: Rows) {
        embed(tokens, columns: 0..<embedding.columns, from: embedding, scale: scale, into: out)
    }

    /// Runs a body for each row; with only a few rows on the calling thread, since waking others would take longer.
    func eachRow(_ count: Int, _ body: (Int) -> Void) {
        if isCancelled { return }
        if count < 4 || pool.threads == 1 {
            for row in 0..<count { body(row) }
        } else {
            eachPart(count, body)
        }
    }
}

/// Skips the remaining iterations of a loop once its compute is cancelled.
private struct Guarded<Work: ParallelWork>: ParallelWork {
    let work: Work
    let compute: Unmanaged<Compute>

    func run(_ index: Int) {
        if !compute._withUnsafeGuaranteedRef({ $0.isCancelled }) { work.run(index) }
    }
}
