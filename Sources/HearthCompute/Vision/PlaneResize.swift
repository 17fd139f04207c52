/// Planes enlarged or made smaller: each element lies between the four of the input around its place, in proportion.
package struct PlaneResize: Sendable {
    /// What an element is made of along one axis: the second one has this share, the first one the rest.
    struct Tap: Sendable {
        var first, second: Int
        var share: Float
    }

    /// Values at each place of a plane: one, or the channels of a block.
    package enum Width: Int, Sendable { case single = 1, block = 16 }

    let planes, inner: Int
    /// Rows and columns of the input.
    let height, width: Int
    /// For each row and each column of the output.
    let down, across: [Tap]
    /// Values of the input and of the output.
    let inputCount, count: Int

    /// - Parameters:
    ///   - input: rows and columns.
    ///   - output: rows and columns.
    ///   - offset: where the first row and the first column of the output lie in the input; places outside are its edge.
    ///   - spacing: from each to the next one.
    ///   - isNearest: whether an element is the one before its place instead.
    /// - Throws: `ComputeError.shapeMismatch` for sizes and places that cannot be.
    package init(
        planes: Int, inner: Width, input: (rows: Int, columns: Int), output: (rows: Int, columns: Int),
        offset: (rows: Double, columns: Double), spacing: (rows: Double, columns: Double), isNearest: Bool
    ) throws(ComputeError) {
        func taps(_ count: Int, of size: Int, _ offset: Double, _ spacing: Double) throws(ComputeError) -> [Tap] {
            // A place is then finite, too.
            guard abs(offset) < 0x1p60, abs(spacing) < 0x1p60 else {
                throw .shapeMismatch(what: "places of a resize", expected: 1, found: 0)
            }
            return (0..<count).map { index in
                let place = min(max(offset + Double(index) * spacing, 0), Double(size - 1))
                let first = Int(place)
                let share = isNearest ? 0 : Float(place - Double(first))
                return Tap(first: first, second: min(first + 1, size - 1), share: share)
            }
        }
        self.planes = planes
        self.inner = inner.rawValue
        inputCount = try [planes, input.rows, input.columns, inner.rawValue].product("size of a plane to be resized")
        count = try [planes, output.rows, output.columns, inner.rawValue].product("size of a plane to be resized")
        (height, width) = input
        down = try taps(output.rows, of: input.rows, offset.rows, spacing.rows)
        across = try taps(output.columns, of: input.columns, offset.columns, spacing.columns)
    }

    /// Rows of the output, counted over all planes.
    fileprivate func compute(_ lines: Range<Int>, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>) {
        let length = width * inner
        withUnsafeTemporaryAllocation(of: Float.self, capacity: length) { between in
            guard let between = between.baseAddress else { return }
            for line in lines {
                let (plane, row) = line.quotientAndRemainder(dividingBy: down.count)
                let tap = down[row]
                let upper = x + (plane * height + tap.first) * length
                let lower = x + (plane * height + tap.second) * length
                let output = y + line * across.count * inner
                // What has no share is not even multiplied by 0: it may be infinite.
                guard tap.share != 0 else {
                    spread(upper, output)
                    continue
                }
                for index in 0..<length { between[index] = upper[index] + (lower[index] - upper[index]) * tap.share }
                spread(between, output)
            }
        }
    }

    /// One row, to the columns of the output.
    private func spread(_ row: UnsafePointer<Float>, _ output: UnsafeMutablePointer<Float>) {
        across.withUnsafeBufferPointer { taps in
            if inner == 1 {
                for column in taps.indices {
                    let tap = taps[column]
                    let left = row[tap.first]
                    output[column] = tap.share == 0 ? left : left + (row[tap.second] - left) * tap.share
                }
                return
            }
            let source = UnsafeRawPointer(row), target = UnsafeMutableRawPointer(output)
            let stride = Width.block.rawValue * MemoryLayout<Float>.stride
            for column in taps.indices {
                let tap = taps[column]
                var values = source.loadUnaligned(fromByteOffset: tap.first * stride, as: SIMD16<Float>.self)
                if tap.share != 0 {
                    let right = source.loadUnaligned(fromByteOffset: tap.second * stride, as: SIMD16<Float>.self)
                    values += (right - values) * tap.share
                }
                target.storeBytes(of: values, toByteOffset: column * stride, as: SIMD16<Float>.self)
            }
        }
    }
}

extension Compute {
    /// - Throws: `ComputeError.shapeMismatch`.
    package func resize(
        _ resize: PlaneResize, _ x: FloatRegion, into output: FloatRegion
    ) throws(ComputeError) {
        try x.require("input of a resize", atLeast: resize.inputCount)
        try output.require("output of a resize", atLeast: resize.count)
        let lines = resize.planes * resize.down.count
        // Values of a part: 8192.
        let together = max(1, 8192 / (resize.across.count * resize.inner))
        eachPart((lines + together - 1) / together) { part in
            resize.compute(part * together..<min((part + 1) * together, lines), x.base, output.base)
        }
    }
}
