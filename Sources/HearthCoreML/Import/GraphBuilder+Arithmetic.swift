internal import HearthCoreMLFormat

/// Operations that compute: their shapes are computed and checked here.
extension GraphBuilder {
    /// A function of each element.
    mutating func unary(_ function: GraphFunction, _ x: TensorID) throws -> TensorID {
        try emit(.unary(function), [x], shape(x))
    }

    /// Two tensors, element by element, repeated where one of them has a single one.
    mutating func binary(_ kind: GraphBinary, _ x: TensorID, _ y: TensorID, type: MILDataType? = nil) throws -> TensorID
    {
        guard let result = GraphShape.broadcast(shape(x), shape(y)) else {
            throw invalid("shapes \(shape(x)) and \(shape(y)) do not go together")
        }
        return try emit(.binary(kind), [x, y], result, type)
    }

    /// x · Wᵀ + b over the last axis.
    mutating func linear(_ x: TensorID, _ weight: TensorID, _ bias: TensorID?) throws -> TensorID {
        let filter = shape(weight)
        guard filter.count == 2, let depth = shape(x).last, filter[1] == depth else {
            throw invalid("a weight of shape \(filter) for an input of shape \(shape(x))")
        }
        if let bias, shape(bias) != [filter[0]] {
            throw invalid("a bias of shape \(shape(bias)) for \(filter[0]) results")
        }
        return try emit(.linear, [x, weight, bias], shape(x).dropLast() + [filter[0]])
    }

    /// A product of matrices; leading axes broadcast, and a vector is a row or a column.
    mutating func matmul(_ x: TensorID, _ y: TensorID, transposeX: Bool, transposeY: Bool) throws -> TensorID {
        var (left, right) = (x, y)
        let (isRow, isColumn) = (rank(x) == 1, rank(y) == 1)
        if isRow { left = try reshape(x, [1] + shape(x)) }
        if isColumn { right = try reshape(y, shape(y) + [1]) }
        let (a, b) = (shape(left), shape(right))
        guard a.count >= 2, b.count >= 2 else { throw invalid("a product of numbers") }
        let transposeX = transposeX && !isRow, transposeY = transposeY && !isColumn
        let (rows, depth) = transposeX ? (a[a.count - 1], a[a.count - 2]) : (a[a.count - 2], a[a.count - 1])
        let (height, columns) = transposeY ? (b[b.count - 1], b[b.count - 2]) : (b[b.count - 2], b[b.count - 1])
        guard depth == height, let batch = GraphShape.broadcast(Array(a.dropLast(2)), Array(b.dropLast(2))) else {
            throw invalid("a product of tensors of shapes \(shape(x)) and \(shape(y))")
        }
        var result = try emit(
            .matmul(transposeX: transposeX, transposeY: transposeY), [left, right], batch + [rows, columns])
        if isRow { result = try reshape(result, batch + [columns]) }
        if isColumn { result = try reshape(result, isRow ? batch : batch + [rows]) }
        return result
    }

    /// softmax(q·kᵀ / √E + mask) · value
    mutating func attention(_ query: TensorID, _ key: TensorID, _ value: TensorID, mask: TensorID?) throws -> TensorID {
        let (q, k, v) = (shape(query), shape(key), shape(value))
        guard q.count >= 3, k.count == q.count, v.count == q.count, let width = q.last, k.last == width,
            k[k.count - 2] == v[v.count - 2],
            let pairs = GraphShape.broadcast(Array(q.dropLast(2)), Array(k.dropLast(2))),
            let batch = GraphShape.broadcast(pairs, Array(v.dropLast(2))), pairs == batch
        else { throw invalid("queries of shape \(q), keys of \(k) and values of \(v)") }
        let scores = batch + [q[q.count - 2], k[k.count - 2]]
        if let mask, GraphShape.broadcast(shape(mask), scores) != scores {
            throw invalid("a mask of shape \(shape(mask)) for scores of \(scores)")
        }
        guard let count = GraphShape.count(scores), count > 0 else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "scores of an attention",
                claimed: GraphShape.count(scores, limit: .max) ?? .max, limit: GraphLimits.elements)
        }
        let operands = try [query, key, value].map { try broadcast($0, to: batch + shape($0).suffix(2)) }
        return try emit(
            .attention(scale: 1 / Float(width).squareRoot()),
            operands + [try mask.map { try additive($0, scores) }], batch + [q[q.count - 2], v[v.count - 1]])
    }

    /// A mask as numbers that are added to the scores: one for each score of one head or of all.
    ///
    /// What a mask of truth values keeps out gets −10³⁰, not −∞: of a row that is kept out as a whole, as padding often is, remains
    /// a mean then and not a division by zero. Every other row is the same.
    private mutating func additive(_ mask: TensorID, _ scores: [Int]) throws -> TensorID {
        var mask = mask
        if type(mask) == .bool {
            let single = [Int](repeating: 1, count: rank(mask))
            mask = try emit(
                .select, [mask, constant([0], single), constant([-1e30], single)], shape(mask), .float32)
        }
        let isShared = shape(mask).dropLast(2).allSatisfy { $0 == 1 }
        return try broadcast(
            mask, to: (isShared ? scores.indices.dropLast(2).map { _ in 1 } : scores.dropLast(2)) + scores.suffix(2))
    }

    /// The tensor as large as `target`, to which its shape broadcasts.
    private mutating func broadcast(_ x: TensorID, to target: [Int]) throws -> TensorID {
        let shape = [Int](repeating: 1, count: target.count - rank(x)) + shape(x)
        return try tile(reshape(x, shape), zip(target, shape).map { $0 / $1 })
    }

    /// One number for all elements along some axes.
    mutating func reduce(_ x: TensorID, _ kind: GraphReduction, axes: [Int]?, keepsDimensions: Bool) throws -> TensorID
    {
        let input = shape(x)
        let axes = try axes.map { try self.axes($0, rank: input.count) } ?? Array(input.indices)
        let result = input.indices.compactMap { axis in
            axes.contains(axis) ? keepsDimensions ? 1 : nil : input[axis]
        }
        if kind == .argMax || kind == .argMin {
            guard axes.count == 1 else { throw invalid("a place along \(axes.count) axes") }
            return try emit(.reduce(kind, axes: axes), [x], result, .int32)
        }
        return try emit(.reduce(kind, axes: axes), [x], result)
    }

    /// Fails unless operands that are one a channel have that shape.
    func requireChannels(_ operands: [(String, TensorID?)], _ x: TensorID) throws {
        guard rank(x) >= 2 else { throw invalid("an input of shape \(shape(x)) has no channels") }
        for case (let name, let operand?) in operands where shape(operand) != [shape(x)[1]] {
            throw invalid("\(name) of shape \(shape(operand)) for an input of shape \(shape(x))")
        }
    }

    /// Normalisation by given moments.
    mutating func batchNorm(
        _ x: TensorID, mean: TensorID, variance: TensorID, gamma: TensorID?, beta: TensorID?, epsilon: Float
    ) throws -> TensorID {
        try requireChannels([("mean", mean), ("variance", variance), ("gamma", gamma), ("beta", beta)], x)
        return try emit(.batchNorm(epsilon: epsilon), [x, mean, variance, gamma, beta], shape(x))
    }

    /// Normalisation along axes.
    mutating func layerNorm(
        _ x: TensorID, axes: [Int], gamma: TensorID?, beta: TensorID?, epsilon: Float
    ) throws -> TensorID {
        let axes = try self.axes(axes, rank: rank(x))
        let expected = axes.map { shape(x)[$0] }
        for case (let name, let operand?) in [("gamma", gamma), ("beta", beta)] where shape(operand) != expected {
            throw invalid("\(name) of shape \(shape(operand)) for axes of \(expected)")
        }
        return try emit(.layerNorm(axes: axes, epsilon: epsilon), [x, gamma, beta], shape(x))
    }

    /// Normalisation of each channel of each picture.
    mutating func instanceNorm(_ x: TensorID, gamma: TensorID?, beta: TensorID?, epsilon: Float) throws -> TensorID {
        try requireChannels([("gamma", gamma), ("beta", beta)], x)
        guard rank(x) >= 3 else { throw invalid("an input of shape \(shape(x))") }
        return try emit(.instanceNorm(epsilon: epsilon), [x, gamma, beta], shape(x))
    }

    /// Normalisation over neighbouring channels.
    mutating func localResponseNorm(_ x: TensorID, size: Int, alpha: Float, beta: Float, k: Float) throws -> TensorID {
        guard rank(x) >= 3, size > 0 else { throw invalid("\(size) channels of an input of shape \(shape(x))") }
        let size = min(size, 2 * shape(x)[1] + 1)
        return try emit(.localResponseNorm(size: size, alpha: alpha, beta: beta, k: k), [x], shape(x))
    }

    /// Shares that add up to 1 along an axis.
    mutating func softmax(_ x: TensorID, axis: Int) throws -> TensorID {
        guard rank(x) > 0 else { throw invalid("a single number has no axis") }
        return try emit(.softmax(axis: try self.axis(axis, rank: rank(x))), [x], shape(x))
    }
}
