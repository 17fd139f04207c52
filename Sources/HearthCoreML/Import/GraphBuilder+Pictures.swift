internal import HearthCoreMLFormat

/// Pictures of other sizes, blocks of them as channels, and indices as vectors.
extension GraphBuilder {
    /// Where samples of an axis are taken, as Core ML's sampling modes define it (coremltools, resize_bilinear).
    private func grid(
        _ mode: String, _ kind: GraphResize.Kind, _ size: Int, _ count: Int
    ) throws -> (spacing: Double, offset: Double) {
        let (input, output) = (Double(size), Double(count))
        var (spacing, offset) = (0.0, 0.0)
        switch mode {
        case "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS":
            spacing = count > 1 ? (input - 1) / (output - 1) : 0
            offset = count == 1 && mode == "ALIGN_CORNERS" ? (input - 1) / 2 : 0
        case "DEFAULT": spacing = count > 1 ? (input - input / output) / (output - 1) : 0
        case "OFFSET_CORNERS":
            spacing = max(1, input - 1) / output
            offset = spacing / 2
        case "UNALIGN_CORNERS":
            spacing = input / output
            offset = spacing / 2 - 0.5
        default: throw invalid("the sampling_mode '\(mode)' does not exist")
        }
        // Rounded down the place is the nearest one, or that of the cell; the smallest part more keeps quotients whole.
        if kind == .nearest { offset += (mode == "DEFAULT" ? 0 : 0.5) + 1e-9 }
        return (spacing, offset)
    }

    /// The last two axes in another size.
    mutating func resized(
        _ x: TensorID, _ kind: GraphResize.Kind, rows: Int, columns: Int, _ mode: String
    ) throws -> TensorID {
        var shape = self.shape(x)
        guard shape.count >= 2, rows > 0, columns > 0 else {
            throw invalid("a picture of shape \(shape) as one of \(rows) × \(columns)")
        }
        let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
        let (down, across) = (try grid(mode, kind, height, rows), try grid(mode, kind, width, columns))
        shape[shape.count - 2] = rows
        shape[shape.count - 1] = columns
        return try emit(
            .resize(
                GraphResize(
                    kind: kind, spacing: [down.spacing, across.spacing], offset: [down.offset, across.offset])), [x],
            shape)
    }

    /// One-hot encoding along a new axis: one number at the index, another elsewhere.
    mutating func oneHot(_ indices: TensorID, _ count: Int, axis: Int, on: Float, off: Float) throws -> TensorID {
        guard (1...GraphLimits.foldedElements).contains(count) else { throw invalid("\(count) classes") }
        var shape = self.shape(indices)
        let axis = try self.axis(axis, rank: shape.count + 1)
        shape.insert(1, at: axis)
        let classes = try reshape(
            try range(count, .int32), [count] + [Int](repeating: 1, count: shape.count - 1 - axis))
        let matches = try binary(.equal, try reshape(indices, shape), classes)
        return try unary(.linear(alpha: on - off, beta: off), matches)
    }

    /// Channels become blocks of a picture. The places in a block are the slower part of the channels, or the faster one.
    mutating func depthToSpace(_ x: TensorID, _ block: Int, blockFirst: Bool) throws -> TensorID {
        let s = shape(x)
        guard s.count == 4, (1...1 << 15).contains(block), s[1] % (block * block) == 0 else {
            throw invalid("blocks of \(block) in \(s)")
        }
        let channels = s[1] / block / block
        let parts = try reshape(
            x, blockFirst ? [s[0], block, block, channels, s[2], s[3]] : [s[0], channels, block, block, s[2], s[3]])
        let moved = try transpose(parts, blockFirst ? [0, 3, 4, 1, 5, 2] : [0, 1, 4, 2, 5, 3])
        return try reshape(moved, [s[0], channels, s[2] * block, s[3] * block])
    }

    /// Blocks of a picture become channels.
    mutating func spaceToDepth(_ x: TensorID, _ block: Int, blockFirst: Bool) throws -> TensorID {
        let s = shape(x)
        guard s.count == 4, (1...1 << 15).contains(block), s[2] % block == 0, s[3] % block == 0 else {
            throw invalid("blocks of \(block) in \(s)")
        }
        let parts = try reshape(x, [s[0], s[1], s[2] / block, block, s[3] / block, block])
        let moved = try transpose(parts, blockFirst ? [0, 3, 5, 1, 2, 4] : [0, 1, 3, 5, 2, 4])
        return try reshape(moved, [s[0], s[1] * block * block, s[2] / block, s[3] / block])
    }
}
