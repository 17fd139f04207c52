internal import CHearthKernels

/// Elementwise arithmetic between rows, for parallel residual streams, side paths and gates.
extension Compute {
    /// `out = x`, row by row.
    package func copy(_ x: Rows, into out: Rows) {
        assert(x.width == out.width && x.count <= out.count)
        eachRow(x.count) { row in out.pointer(row).update(from: x.pointer(row), count: x.width) }
    }

    /// Row `i` of `out` is the mean of the rows `ranges[i]` of `x`; no range may be empty.
    package func mean(_ x: Rows, of ranges: [Range<Int>], into out: Rows) {
        assert(x.width == out.width && ranges.count <= out.count && ranges.allSatisfy { !$0.isEmpty })
        eachRow(ranges.count) { [table] row in
            let rows = ranges[row], sum = out.pointer(row)
            sum.update(from: x.pointer(rows.lowerBound), count: x.width)
            for other in rows.dropFirst() { table.add(sum, x.pointer(other), x.width) }
            table.scale(sum, 1 / Float(rows.count), x.width)
        }
    }

    /// `x = x * factor`.
    package func scale(_ x: Rows, by factor: Float) {
        eachRow(x.count) { [table] row in table.scale(x.pointer(row), factor, x.width) }
    }

    /// `out = x * gain`, element by element; `gain` is a single row, and `out` may be `x`.
    package func multiply(_ x: Rows, elements gain: Rows, into out: Rows) {
        assert(x.width == gain.width && x.width == out.width && x.count <= out.count)
        eachRow(x.count) { [table] row in
            table.multiply_each(x.pointer(row), gain.pointer(0), x.width, out.pointer(row))
        }
    }

    /// Rescales each row of `x` to the root mean square of the same row of `target`.
    /// - Parameter floor: lower bound for the mean square of `x`.
    package func match(_ x: Rows, toSizeOf target: Rows, floor: Float) {
        assert(x.width == target.width && x.count <= target.count)
        eachRow(x.count) { [table] row in
            table.match_rms(x.pointer(row), target.pointer(row), x.width, floor)
        }
    }

    /// `x = max(0, x − (mean + deviations · standard deviation))` for each row, with the population's standard deviation.
    package func cut(_ x: Rows, belowDeviations deviations: Float) {
        eachRow(x.count) { [table] row in table.cut_below(x.pointer(row), x.width, deviations) }
    }

    /// `out[i] = x[i] + sum over j of factors[i · n + j] · x[j]` for the n streams concatenated in a row.
    package func mix(_ x: Rows, factors: Rows, streams n: Int, into out: Rows) {
        assert(x.width == out.width && x.width % n == 0 && factors.width == n * n)
        let width = x.width / n
        eachRow(x.count) { [table] row in
            let source = x.pointer(row), result = out.pointer(row), factor = factors.pointer(row)
            for i in 0..<n {
                let stream = result + i * width
                stream.update(from: source + i * width, count: width)
                for j in 0..<n { table.add_scaled(stream, source + j * width, factor[i * n + j], width) }
            }
        }
    }

    /// `out[i] = x[i] + (1 + factors[i]) · change` for the n streams concatenated in a row.
    package func add(_ change: Rows, factors: Rows, toStreams x: Rows, into out: Rows) {
        let n = factors.width, width = change.width
        assert(x.width == n * width && out.width == n * width)
        eachRow(x.count) { [table] row in
            for i in 0..<n {
                let stream = out.pointer(row) + i * width
                stream.update(from: x.pointer(row) + i * width, count: width)
                table.add_scaled(stream, change.pointer(row), 1 + factors.pointer(row)[i], width)
            }
        }
    }

    /// `h = h + factor · x`, row by row.
    package func add(_ x: Rows, times factor: Float, to h: Rows) {
        assert(x.width == h.width && x.count <= h.count)
        eachRow(x.count) { [table] row in table.add_scaled(h.pointer(row), x.pointer(row), factor, x.width) }
    }

    /// Column ranges of rows of an embedding table, times a scale; tokens outside the table use its first row.
    ///
    /// Only the bytes of these columns are read.
    /// - Parameter columns: whole blocks of the table's format.
    package func embed(
        _ tokens: ArraySlice<Int32>, columns: Range<Int>, from embedding: WeightMatrix, scale: Float, into out: Rows
    ) {
        let block = embedding.format.blockElements
        assert(columns.lowerBound % block == 0 && columns.count % block == 0 && columns.upperBound <= embedding.columns)
        assert(out.width >= columns.count && out.count >= tokens.count)
        let offset = columns.lowerBound / block * embedding.format.blockBytes
        // Neither generic over collections nor with iterators: both would allocate for every token.
        for row in 0..<tokens.count {
            let token = Int(tokens[tokens.startIndex + row])
            let source = embedding.base + (token < embedding.rows ? token : 0) * embedding.rowBytes + offset
            table.dequantize(embedding.format.kernelFormat, source, columns.count, out.pointer(row))
            table.scale(out.pointer(row), scale, columns.count)
        }
    }
}
