internal import HearthCoreMLFormat

/// Elements put in other places by rules of their own: parts of matrices, windows, sequences of different lengths.
extension GraphBuilder {
    /// The middle band of the innermost matrices, zero elsewhere; a negative count keeps a whole side.
    mutating func bandPart(_ x: TensorID, lower: Int, upper: Int) throws -> TensorID {
        let shape = shape(x)
        guard shape.count >= 2, let rows = shape.dropLast().last, let columns = shape.last,
            GraphShape.count([rows, columns], limit: GraphLimits.foldedElements * 16) != nil
        else { throw invalid("a band of a tensor of shape \(shape)") }
        var mask = [Float](repeating: 0, count: rows * columns)
        for row in 0..<rows {
            for column in 0..<columns where (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper)
            {
                mask[row * columns + column] = 1
            }
        }
        let zero = constant([0], [], type(x))
        return try emit(.select, [constant(mask, [rows, columns], .bool), x, zero], shape, type(x))
    }

    /// All windows of `size` elements along an axis, which becomes two: windows, and elements of a window.
    mutating func slidingWindows(_ x: TensorID, axis: Int, size: Int, stride: Int) throws -> TensorID {
        let axis = try self.axis(axis, rank: rank(x))
        let length = shape(x)[axis]
        guard size > 0, stride > 0, size <= length else { throw invalid("windows of \(size) of \(length) elements") }
        let count = (length - size) / stride + 1
        guard GraphShape.count([count, size], limit: GraphLimits.foldedElements * 16) != nil else {
            throw invalid("\(count) windows of \(size)")
        }
        let places = (0..<count).flatMap { window in (0..<size).map { Float(window * stride + $0) } }
        return try gathered(x, constant(places, [count, size], .int32), axis: axis)
    }

    /// Elements along an axis by index; the axis becomes the shape of the indices.
    mutating func gathered(_ x: TensorID, _ indices: TensorID, axis: Int) throws -> TensorID {
        let shape = shape(x)
        let axis = try self.axis(axis, rank: shape.count)
        return try emit(.gather(axis: axis), [x, indices], shape[..<axis] + self.shape(indices) + shape[(axis + 1)...])
    }

    /// As `gathered`, with indices for each of the first `batch` dimensions by itself.
    mutating func gathered(_ x: TensorID, _ indices: TensorID, axis: Int, batch: Int) throws -> TensorID {
        let (input, places) = (shape(x), shape(indices))
        let axis = try self.axis(axis, rank: input.count)
        guard batch > 0 else { return try gathered(x, indices, axis: axis) }
        guard batch <= axis, batch <= places.count, input[..<batch] == places[..<batch] else {
            throw invalid("indices of shape \(places) for a tensor of shape \(input) with \(batch) batch dimensions")
        }
        // The axis behind the batch, and both one.
        let order = Array(0..<batch) + [axis] + (batch..<input.count).filter { $0 != axis }
        let moved = try transpose(x, order)
        let count = input[..<batch].reduce(1, *)
        let rest = order.dropFirst(batch + 1).map { input[$0] }
        let flat = try reshape(moved, [count * input[axis]] + rest)
        let inner = Array(places[batch...])
        let positive = try nonNegative(try reshape(indices, [count] + inner), input[axis])
        let starts = (0..<count).map { Float($0 * input[axis]) }
        let offset = constant(starts, [count] + inner.map { _ in 1 }, .int32)
        let picked = try gathered(flat, try binary(.add, positive, offset), axis: 0)
        let shaped = try reshape(picked, input[..<batch] + inner + rest)
        // The indices' dimensions to where the axis was.
        let front = axis - batch
        let ahead = Array(batch + inner.count..<batch + inner.count + front)
        let own = Array(batch..<batch + inner.count)
        let behind = Array(batch + inner.count + front..<rank(shaped))
        return try transpose(shaped, Array(0..<batch) + ahead + own + behind)
    }

    /// Indices that count from the end, as ones that count from the beginning.
    mutating func nonNegative(_ indices: TensorID, _ size: Int) throws -> TensorID {
        let isNegative = try binary(.less, indices, constant([0], [], .int32), type: .bool)
        let shifted = try unary(.linear(alpha: 1, beta: Float(size)), indices)
        return try emit(.select, [isNegative, shifted, indices], shape(indices), .int32)
    }

    /// Elements at places of the first dimensions behind `batch` ones, which x and indices share.
    mutating func gatheredPlaces(_ x: TensorID, _ indices: TensorID, batch: Int) throws -> TensorID {
        let (input, places) = (shape(x), shape(indices))
        guard let depth = places.last, depth >= 1, batch >= 0, batch + depth <= input.count,
            batch < places.count, input[..<batch] == places[..<batch]
        else { throw invalid("indices of shape \(places) for a tensor of shape \(input)") }
        var full = indices
        if batch > 0 {
            var columns: [TensorID] = []
            for axis in 0..<batch {
                var sizes = [Int](repeating: 1, count: places.count)
                sizes[axis] = places[axis]
                let column = try reshape(try range(places[axis], .int32), sizes)
                columns.append(try tile(column, zip(places.dropLast() + [1], sizes).map { $0 / $1 }))
            }
            full = try concat(columns + [indices], axis: places.count - 1)
        }
        return try emit(.gatherND, [x, full], places.dropLast() + input[(batch + depth)...])
    }

    /// The first `lengths[i]` elements of each sequence backwards, the rest as it is.
    mutating func reverseSequences(
        _ x: TensorID, lengths: TensorID, sequenceAxis: Int, batchAxis: Int
    ) throws -> TensorID {
        let shape = shape(x)
        let (sequence, batch) = (try axis(sequenceAxis, rank: shape.count), try axis(batchAxis, rank: shape.count))
        guard sequence != batch, self.shape(lengths) == [shape[batch]] else {
            throw invalid("lengths of shape \(self.shape(lengths)) for axis \(batch) of \(shape)")
        }
        func along(_ axis: Int) -> [Int] { shape.indices.map { $0 == axis ? shape[axis] : 1 } }
        let places = try reshape(try range(shape[sequence], .int32), along(sequence))
        let ends = try reshape(lengths, along(batch))
        let mirrored = try binary(.subtract, try unary(.linear(alpha: 1, beta: -1), ends), places)
        let isInside = try binary(.less, places, ends, type: .bool)
        let sizes = GraphShape.broadcast(along(sequence), along(batch)) ?? shape
        let index = try emit(.select, [isInside, mirrored, places], sizes, .int32)
        let full = try tile(index, zip(shape, sizes).map { $0 / $1 })
        return try emit(.gatherAlongAxis(axis: sequence), [x, full], shape)
    }

    /// Blocks of a picture to the batch.
    mutating func spaceToBatch(_ x: TensorID, block: [Int], pads: [Int]) throws -> TensorID {
        guard rank(x) == 4, block.count == 2, block.allSatisfy({ (1...1 << 15).contains($0) }), pads.count == 4 else {
            throw invalid("blocks of \(block) with pads of \(pads) in \(shape(x))")
        }
        let padded = try pad(x, before: [0, 0, pads[0], pads[2]], after: [0, 0, pads[1], pads[3]], .constant(0))
        let s = shape(padded)
        guard s[2] % block[0] == 0, s[3] % block[1] == 0 else { throw invalid("blocks of \(block) in \(s)") }
        let cut = try reshape(padded, [s[0], s[1], s[2] / block[0], block[0], s[3] / block[1], block[1]])
        let moved = try transpose(cut, [3, 5, 0, 1, 2, 4])
        return try reshape(moved, [s[0] * block[0] * block[1], s[1], s[2] / block[0], s[3] / block[1]])
    }

    /// Parts of the batch to blocks of a picture.
    mutating func batchToSpace(_ x: TensorID, block: [Int], crops: [Int]) throws -> TensorID {
        let s = shape(x)
        guard s.count == 4, block.count == 2, block.allSatisfy({ (1...1 << 15).contains($0) }), crops.count == 4,
            crops.allSatisfy({ (0...GraphLimits.elements).contains($0) }), s[0] % (block[0] * block[1]) == 0
        else { throw invalid("blocks of \(block) with crops of \(crops) in \(s)") }
        let batch = s[0] / block[0] / block[1]
        let cut = try reshape(x, [block[0], block[1], batch, s[1], s[2], s[3]])
        let moved = try transpose(cut, [2, 3, 4, 0, 5, 1])
        let whole = try reshape(moved, [batch, s[1], s[2] * block[0], s[3] * block[1]])
        let sizes = [batch, s[1], s[2] * block[0] - crops[0] - crops[1], s[3] * block[1] - crops[2] - crops[3]]
        return try slice(whole, begin: [0, 0, crops[0], crops[2]], step: [1, 1, 1, 1], sizes: sizes)
    }

    /// A product of two tensors, or one tensor summed up, by letters of their axes (`bij,bjk->bik`).
    mutating func einsum(_ equation: String, _ operands: [TensorID]) throws -> TensorID {
        let text = equation.filter { !$0.isWhitespace }
        let sides = text.components("->")
        let inputs = sides[0].components(",").map(Array.init)
        guard (1...2).contains(sides.count), inputs.count == operands.count, (1...2).contains(operands.count),
            zip(inputs, operands).allSatisfy({ $0.count == rank($1) && Set($0).count == $0.count }),
            inputs.joined().allSatisfy({ $0.isLetter })
        else {
            throw unsupported(
                "the equation '\(equation.prefix(60))' for tensors of shapes \(operands.map { shape($0) })")
        }
        let all = inputs.flatMap { $0 }
        let result = sides.count == 2 ? Array(sides[1]) : Set(all).filter { c in all.count { $0 == c } == 1 }.sorted()
        guard Set(result).count == result.count, result.allSatisfy(all.contains) else {
            throw unsupported("the equation '\(equation.prefix(60))'")
        }
        // Axes of one operand that are not in the result are summed first.
        var (parts, letters) = (operands, inputs)
        for index in parts.indices {
            let others = result + letters.enumerated().filter { $0.offset != index }.flatMap(\.element)
            let gone = letters[index].indices.filter { !others.contains(letters[index][$0]) }
            if gone.isEmpty { continue }
            parts[index] = try reduce(parts[index], .sum, axes: gone, keepsDimensions: false)
            letters[index] = letters[index].indices.filter { !gone.contains($0) }.map { letters[index][$0] }
        }
        guard parts.count == 2 else { return try transpose(parts[0], result.compactMap(letters[0].firstIndex)) }
        let shared = letters[0].filter(letters[1].contains)
        let batch = shared.filter(result.contains)
        let inner = shared.filter { !result.contains($0) }
        let rows = letters[0].filter { !letters[1].contains($0) }
        let columns = letters[1].filter { !letters[0].contains($0) }
        let left = try transpose(parts[0], (batch + rows + inner).compactMap(letters[0].firstIndex))
        let right = try transpose(parts[1], (batch + inner + columns).compactMap(letters[1].firstIndex))
        let (a, b) = (shape(left), shape(right))
        let edges = (a.dropFirst(batch.count).prefix(rows.count), b.suffix(columns.count))
        let depths = [a.suffix(inner.count), b.dropFirst(batch.count).prefix(inner.count)].map { $0.reduce(1, *) }
        let sizes = GraphShape.broadcast(Array(a.prefix(batch.count)), Array(b.prefix(batch.count)))
        guard depths[0] == depths[1], let sizes else {
            throw invalid("the equation '\(equation.prefix(60))' for tensors of shapes \(operands.map { shape($0) })")
        }
        let product = try matmul(
            try reshape(left, a.prefix(batch.count) + [edges.0.reduce(1, *), depths[0]]),
            try reshape(right, b.prefix(batch.count) + [depths[0], edges.1.reduce(1, *)]), transposeX: false,
            transposeY: false)
        let whole = try reshape(product, sizes + edges.0 + edges.1)
        let order = batch + rows + columns
        return try transpose(whole, result.compactMap(order.firstIndex))
    }

    /// Numbers that are one for all, or one for each element along an axis, as they meet a tensor.
    mutating func spread(_ numbers: TensorID, along axis: Int?, of x: TensorID) throws -> TensorID {
        guard rank(numbers) == 1, shape(numbers) != [1] || axis != nil else { return numbers }
        let axis = try self.axis(axis ?? 0, rank: rank(x))
        guard shape(numbers)[0] == shape(x)[axis] || shape(numbers)[0] == 1 else {
            throw invalid("\(shape(numbers)[0]) numbers for axis \(axis) of \(shape(x))")
        }
        return try reshape(numbers, shape(x).indices.map { $0 == axis ? shape(numbers)[0] : 1 })
    }
}

extension String {
    /// The parts between a text's occurrences.
    fileprivate func components(_ separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}
