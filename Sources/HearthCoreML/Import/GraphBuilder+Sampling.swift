internal import HearthCoreMLFormat

/// Values of pictures at places that are computed: places are put together out of steps, and taken in pixels.
extension GraphBuilder {
    /// - Parameters:
    ///   - x: [N, C, H, W]
    ///   - places: [N, H', W', 2], column and row of the picture.
    mutating func sample(_ x: TensorID, at places: TensorID, _ sampling: GraphSampling) throws -> TensorID {
        let (picture, target) = (shape(x), shape(places))
        guard picture.count == 4, target.count == 4, target[3] == 2, picture[0] == target[0] else {
            throw invalid("places of shape \(target) in a picture of shape \(picture)")
        }
        return try emit(.sample(sampling), [x, places], [picture[0], picture[1], target[1], target[2]])
    }

    /// Places in pixels, of places in one of the format's modes.
    /// - Parameter isAligned: whether the outermost numbers are the middles of the outermost pixels.
    mutating func pixels(
        _ places: TensorID, of x: TensorID, _ mode: String, aligned isAligned: Bool
    ) throws -> TensorID {
        guard rank(x) == 4 else { throw invalid("a picture of shape \(shape(x))") }
        let sizes = [Float(shape(x)[3]), Float(shape(x)[2])]
        let (scale, offset): ([Float], [Float])
        switch (mode, isAligned) {
        case ("unnormalized", _): return places
        case ("normalized_minus_one_to_one", true):
            (scale, offset) = (sizes.map { ($0 - 1) / 2 }, sizes.map { ($0 - 1) / 2 })
        case ("normalized_minus_one_to_one", false):
            (scale, offset) = (sizes.map { $0 / 2 }, sizes.map { ($0 - 1) / 2 })
        case ("normalized_zero_to_one", true): (scale, offset) = (sizes.map { $0 - 1 }, [0, 0])
        case ("normalized_zero_to_one", false): (scale, offset) = (sizes, [-0.5, -0.5])
        default: throw invalid("the coordinates_mode '\(mode)' does not exist")
        }
        return try binary(.add, try binary(.multiply, places, constant(scale, [2])), constant(offset, [2]))
    }

    /// - Parameter matrix: [N or 1, 6], column and row of the picture as functions of those of the result.
    mutating func affine(
        _ x: TensorID, _ matrix: TensorID, rows: Int, columns: Int, _ mode: String, aligned isAligned: Bool
    ) throws -> TensorID {
        guard rank(x) == 4, shape(matrix) == [shape(x)[0], 6] || shape(matrix) == [1, 6],
            (1...GraphLimits.foldedElements).contains(rows), (1...GraphLimits.foldedElements).contains(columns),
            let count = GraphShape.count([rows, columns, 3])
        else { throw invalid("a transform of shape \(shape(matrix)) of \(shape(x)) to \(rows) × \(columns)") }
        func places(_ count: Int) -> [Float] {
            (0..<count).map { index in
                switch (mode, isAligned) {
                case ("unnormalized", _): Float(index)
                case ("normalized_zero_to_one", true): count > 1 ? Float(index) / Float(count - 1) : 0
                case ("normalized_zero_to_one", false): (Float(index) + 0.5) / Float(count)
                case (_, true): count > 1 ? 2 * Float(index) / Float(count - 1) - 1 : 0
                case (_, false): (2 * Float(index) + 1) / Float(count) - 1
                }
            }
        }
        let (down, across) = (places(rows), places(columns))
        var grid: [Float] = []
        grid.reserveCapacity(count)
        for row in down { for column in across { grid += [column, row, 1] } }
        let batch = shape(x)[0]
        let transform = try reshape(matrix, [shape(matrix)[0], 2, 3])
        var moved = try matmul(
            constant(grid, [1, rows * columns, 3]), transform, transposeX: false, transposeY: true)
        if shape(moved)[0] != batch { moved = try tile(moved, [batch, 1, 1]) }
        let target = try reshape(moved, [batch, rows, columns, 2])
        return try sample(
            x, at: try pixels(target, of: x, mode, aligned: isAligned),
            GraphSampling(isNearest: false, border: .constant(0)))
    }

    /// How boxes are cut out of pictures.
    struct BoxCrop {
        var rows: Int, columns: Int
        var isNormalized: Bool
        var scale: Float
        /// Which numbers a box has, in the format's words.
        var coordinates: String
        /// Where samples are taken in it, in the format's words.
        var sampling: String
        /// The number outside of the picture; nil repeats its border.
        var outside: Float?
    }

    /// - Parameters:
    ///   - x: [B, C, H, W]
    ///   - boxes: [N, 1, 4, 1, 1], or [N, 1, 5, 1, 1] with the place of a picture first.
    /// - Returns: [N, B, C, rows, columns], or [N, 1, C, …].
    mutating func crops(_ x: TensorID, _ boxes: TensorID, _ crop: BoxCrop) throws -> TensorID {
        let picture = shape(x)
        guard picture.count == 4, rank(boxes) == 5, let count = shape(boxes).first,
            let numbers = [4, 5].first(where: { shape(boxes) == [count, 1, $0, 1, 1] }), crop.rows > 0, crop.columns > 0
        else { throw invalid("boxes of shape \(shape(boxes)) in a picture of shape \(picture)") }
        var corners = try reshape(boxes, [count, numbers])
        var source = x
        var repeats = picture[0]
        if numbers == 5 {
            let parts = try split(corners, axis: 1, sizes: [1, 4])
            corners = parts[1]
            source = try emit(
                .gather(axis: 0), [x, try reshape(parts[0], [count])], [count] + picture.dropFirst(), type(x))
            repeats = 1
        } else {
            // Every box of every picture.
            source = try tile(try reshape(x, [1] + picture), [count, 1, 1, 1, 1])
            source = try reshape(source, [count * picture[0]] + picture.dropFirst())
        }
        let isWide = crop.coordinates.hasSuffix("WIDTH_FIRST")
        let parts = try split(corners, axis: 1, sizes: [1, 1, 1, 1])
        let modes = [
            "CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST",
        ]
        guard modes.contains(crop.coordinates) else {
            throw invalid("the box_coordinate_mode '\(crop.coordinates)' does not exist")
        }
        func axis(_ place: Int, _ size: Int, _ samples: Int) throws -> TensorID {
            var (first, last) = (parts[place], parts[place + 2])
            if crop.coordinates.hasPrefix("CENTER") {
                let half = try unary(.linear(alpha: 0.5, beta: 0), last)
                (first, last) = (try binary(.subtract, first, half), try binary(.add, first, half))
            }
            let scale = crop.scale * (crop.isNormalized ? Float(size - 1) : 1)
            if scale != 1 {
                first = try unary(.linear(alpha: scale, beta: 0), first)
                last = try unary(.linear(alpha: scale, beta: 0), last)
            }
            let places = try boxSamples(first, last, samples, crop.sampling)
            guard crop.outside == nil else { return places }
            return try unary(.clip(low: 0, high: Float(size - 1)), places)
        }
        let down = try axis(isWide ? 1 : 0, picture[2], crop.rows)
        let across = try axis(isWide ? 0 : 1, picture[3], crop.columns)
        let rows = try tile(try reshape(down, [count, crop.rows, 1, 1]), [1, 1, crop.columns, 1])
        let columns = try tile(try reshape(across, [count, 1, crop.columns, 1]), [1, crop.rows, 1, 1])
        var places = try concat([columns, rows], axis: 3)
        if repeats > 1 {
            places = try tile(try reshape(places, [count, 1] + shape(places).dropFirst()), [1, repeats, 1, 1, 1])
            places = try reshape(places, [count * repeats, crop.rows, crop.columns, 2])
        }
        let border: GraphSampling.Border = crop.outside.map { .outside($0) } ?? .replicate
        let result = try sample(source, at: places, GraphSampling(isNearest: false, border: border))
        return try reshape(result, [count, repeats, picture[1], crop.rows, crop.columns])
    }

    /// [N, 1] and [N, 1], the first and last place of a box along an axis, to the places of its samples [N, samples].
    private mutating func boxSamples(
        _ first: TensorID, _ last: TensorID, _ samples: Int, _ mode: String
    ) throws -> TensorID {
        let count = Float(samples)
        let reach = try binary(.subtract, last, first)
        let size = try unary(.linear(alpha: 1, beta: 1), reach)
        let steps = try range(samples, .float32)
        /// first + shift + i · spacing
        func grid(_ spacing: TensorID, _ start: TensorID) throws -> TensorID {
            try binary(.add, try binary(.multiply, spacing, steps), start)
        }
        switch mode {
        case "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS":
            guard samples > 1 else {
                let middle = try binary(.add, first, try unary(.linear(alpha: 0.5, beta: 0), reach))
                return mode == "ALIGN_CORNERS" ? middle : first
            }
            return try grid(try unary(.linear(alpha: 1 / (count - 1), beta: 0), reach), first)
        case "DEFAULT":
            guard samples > 1 else { return first }
            let spacing = try unary(.linear(alpha: (1 - 1 / count) / (count - 1), beta: 0), size)
            return try grid(spacing, first)
        case "OFFSET_CORNERS":
            let spacing = try unary(
                .linear(alpha: 1 / count, beta: 0), try unary(.clip(low: 1, high: .greatestFiniteMagnitude), reach))
            return try grid(spacing, try binary(.add, first, try unary(.linear(alpha: 0.5, beta: 0), spacing)))
        case "UNALIGN_CORNERS":
            let spacing = try unary(.linear(alpha: 1 / count, beta: 0), size)
            return try grid(spacing, try binary(.add, first, try unary(.linear(alpha: 0.5, beta: -0.5), spacing)))
        default: throw invalid("the sampling_mode '\(mode)' does not exist")
        }
    }
}
