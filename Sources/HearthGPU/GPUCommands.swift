/// Records the commands of one submission.
package struct GPUCommands {
    let device: GPUDevice
    /// Changes of the matrices that are multiplied; nil for none.
    package var adaptation: GPUAdaptation?
    private static let group = 64

    init(device: GPUDevice) { self.device = device }

    /// Number of tokens that the product shader processes together, for a given number of tokens.
    package static func productTokens(_ count: Int) -> UInt32 { count == 1 ? 1 : 8 }
    /// Number of rows that a group of the product shader computes together: a thread has two, which it shares with seven others.
    private static let productRows = 16

    package static func productKey(_ format: GPUMatrix.Format, tokens: Int) -> GPUPipelineKey {
        GPUPipelineKey(.product, [format.rawValue, productTokens(tokens)])
    }
    package static func embedKey(_ format: GPUMatrix.Format) -> GPUPipelineKey {
        GPUPipelineKey(.embed, [format.rawValue])
    }

    /// The next command does not wait for the one before it: neither needs what the other writes.
    package func beside() { device.driver.beside() }

    package func copy(_ from: GPUBuffer, _ offset: Int, to: GPUBuffer, _ toOffset: Int, byteCount: Int) {
        device.driver.copy(from.memory, offset, to: to.memory, toOffset, byteCount: byteCount)
    }

    /// Looks up rows of `table`, times `scale`.
    /// - Parameter tokens: ids as 32-bit integers.
    package func embed(
        _ tokens: GPUPlace, count: Int, from table: GPUMatrix, scale: Float, into out: GPURows
    ) throws(GPUError) {
        var a = Arguments()
        a.add(table.place, tokens, out.place)
        a.add(table.columns / 8, table.rowBytes, out.stride, table.rows)
        a.add(scale)
        try run(Self.embedKey(table.format), a, Self.groups(table.columns / 8), count)
    }

    /// `y = scale * W x` for each row x, or that added to y, with an optional soft cap; 0 for none.
    /// - Parameter x: rows at multiples of 16 bytes.
    package func multiply(
        _ weights: GPUMatrix, _ x: GPURows, count: Int, into y: GPURows, scale: Float = 1, adds: Bool = false,
        cap: Float = 0
    ) throws(GPUError) {
        precondition(
            weights.place.address % 16 == 0 && x.place.address % 16 == 0 && x.stride % 4 == 0,
            "products read 16 bytes at once")
        var a = Arguments()
        a.add(weights.place, x.place, y.place)
        a.add(weights.rows, weights.columns / 8, weights.rowBytes, x.stride, y.stride, count, adds ? 1 : 0)
        a.add(scale, cap)
        let key = Self.productKey(weights.format, tokens: count)
        let groups = (weights.rows + Self.productRows - 1) / Self.productRows
        let tile = Int(Self.productTokens(count))
        try run(key, a, min(groups, 65_535), (count + tile - 1) / tile)
    }

    /// The products of several matrices with the same rows, concatenated in `y`, and of what the adaptation changes in them.
    package func multiply(
        _ matrices: [GPUMatrix], _ x: GPURows, count: Int, into y: GPURows, cap: Float = 0
    ) throws(GPUError) {
        var column = 0
        for matrix in matrices {
            if column > 0 { beside() }
            let isChanged = adaptation?.changes(matrix) == true
            try multiply(
                matrix, x, count: count, into: y.columns(from: column), cap: isChanged ? 0 : cap)
            column += matrix.rows
        }
        try adaptation?.add(to: y, matrices, x, count: count, cap: cap, self)
    }

    /// `y = x / rms(x) * gain` for each of the `heads` groups of `width` values in a row.
    package func normalize(
        _ x: GPURows, count: Int, heads: Int = 1, width: Int, gain: GPUPlace?, epsilon: Float, into y: GPURows
    ) throws(GPUError) {
        try norm(x, count, heads, width, gain, epsilon, y, adds: false)
    }

    /// `y += x`, or with a gain `y += x / rms(x) * gain`, for each of the `heads` groups of `width` values in a row.
    package func add(
        _ x: GPURows, count: Int, heads: Int = 1, width: Int, normalizedBy gain: GPUPlace?, epsilon: Float,
        to y: GPURows
    ) throws(GPUError) {
        try norm(x, count, heads, width, gain, epsilon, y, adds: true)
    }

    private func norm(
        _ x: GPURows, _ count: Int, _ heads: Int, _ width: Int, _ gain: GPUPlace?, _ epsilon: Float, _ y: GPURows,
        adds: Bool
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x.place, gain, y.place)
        a.add(width, x.stride, y.stride, adds ? 1 : 0)
        a.add(epsilon)
        try run(GPUPipelineKey(.norm), a, heads, count)
    }

    /// Rotates each head of `x` by the angles of its row: cosines, then sines.
    package func rotate(
        _ x: GPURows, count: Int, heads: Int, width: Int, angles: GPUPlace
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x.place, angles)
        a.add(heads, width, x.stride)
        try run(GPUPipelineKey(.rotary), a, Self.groups(heads * width / 2), count)
    }

    /// `gate = gelu(gate) * up`.
    package func gate(_ gate: GPURows, up: GPURows, count: Int, width: Int) throws(GPUError) {
        var a = Arguments()
        a.add(gate.place, up.place)
        a.add(width, gate.stride, up.stride)
        try run(GPUPipelineKey(.gate), a, Self.groups(width), count)
    }

    /// `y = scale * x * gain + kept * y`, value by value; `y` is not read if nothing of it is kept.
    package func blend(
        _ x: GPURows, count: Int, width: Int, scale: Float = 1, gain: GPUPlace? = nil, kept: Float = 0, into y: GPURows
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x.place, gain, y.place)
        a.add(width, x.stride, y.stride)
        a.add(scale, kept)
        try run(GPUPipelineKey(.blend), a, Self.groups(width), count)
    }

    /// `x = max(0, x - (mean + deviations * standard deviation))` for each row.
    package func cut(_ x: GPURows, count: Int, width: Int, belowDeviations deviations: Float) throws(GPUError) {
        var a = Arguments()
        a.add(x.place)
        a.add(width, x.stride)
        a.add(deviations)
        try run(GPUPipelineKey(.cut), a, 1, count)
    }

    /// Rescales each row of `x` to the root mean square of the same row of `target`.
    /// - Parameter floor: lower bound for the mean square of `x`.
    package func match(
        _ x: GPURows, count: Int, width: Int, toSizeOf target: GPURows, floor: Float
    ) throws(GPUError) {
        var a = Arguments()
        a.add(x.place, target.place)
        a.add(width, x.stride, target.stride)
        a.add(floor)
        try run(GPUPipelineKey(.match), a, 1, count)
    }

    /// Parallel residual streams, concatenated in each row, and what their factors are made of.
    package struct Streams {
        /// Their number, at most `GPUCommands.mostStreams`.
        package var count: Int
        /// Width of one stream.
        package var width: Int
        /// The stream that passes through the layers.
        package var active: Int
        /// `count` values of each row; the factors are a matrix of float32 times these.
        package var routed: GPURows

        package init(count: Int, width: Int, active: Int, routed: GPURows) {
            (self.count, self.width, self.active, self.routed) = (count, width, active, routed)
        }
    }

    /// Maximum number of parallel streams that there is a shader for.
    package static let mostStreams = 8

    /// `y[i] = x[i] + sum over j of f[i, j] x[j]`, with the factors f given by `weights` of `count * count` rows.
    package func predict(
        _ x: GPURows, rows: Int, _ streams: Streams, weights: GPUPlace, into y: GPURows
    ) throws(GPUError) {
        try mix(x, rows, streams, weights, nil, y)
    }

    /// `y[i] = x[i] + (1 + f[i]) (h - x[active])`, with the factors f given by `weights` of `count` rows.
    package func correct(
        _ x: GPURows, rows: Int, _ streams: Streams, weights: GPUPlace, by h: GPURows, into y: GPURows
    ) throws(GPUError) {
        try mix(x, rows, streams, weights, h, y)
    }

    private func mix(
        _ x: GPURows, _ rows: Int, _ streams: Streams, _ weights: GPUPlace, _ h: GPURows?, _ y: GPURows
    ) throws(GPUError) {
        precondition(x.stride == y.stride && streams.count <= Self.mostStreams)
        var a = Arguments()
        a.add(x.place, weights, streams.routed.place, h?.place, y.place)
        a.add(streams.count, streams.width, x.stride, streams.routed.stride, h?.stride ?? 0, streams.active)
        try run(GPUPipelineKey(.streams), a, Self.groups(streams.width), rows)
    }

    static func groups(_ threads: Int) -> Int { (threads + group - 1) / group }

    func run(_ key: GPUPipelineKey, _ arguments: Arguments, _ x: Int, _ y: Int) throws(GPUError) {
        device.driver.dispatch(try device.pipeline(key), arguments.words, x, y)
    }

    /// Push constants; addresses come first, so that no padding is needed.
    struct Arguments {
        var words: [UInt32] = []

        mutating func add(_ places: GPUPlace?...) {
            for place in places {
                let address = place?.address ?? 0
                words += [UInt32(truncatingIfNeeded: address), UInt32(truncatingIfNeeded: address >> 32)]
            }
        }
        mutating func add(_ numbers: Int...) { for number in numbers { words.append(UInt32(number)) } }
        mutating func add(signed number: Int) { words.append(UInt32(bitPattern: Int32(number))) }
        mutating func add(_ values: Float...) { for value in values { words.append(value.bitPattern) } }
    }
}
