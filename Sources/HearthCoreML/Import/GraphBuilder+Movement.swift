/// Operations that move elements: their shapes are computed and checked here.
extension GraphBuilder {
    /// An axis that may count from the end, as one that counts from the beginning.
    func axis(_ axis: Int, rank: Int, _ name: String = "axis") throws -> Int {
        guard axis >= -rank, axis < rank else { throw invalid("\(name) \(axis) of \(rank) dimensions") }
        return axis < 0 ? axis + rank : axis
    }

    /// Axes, each once, in ascending order.
    func axes(_ axes: [Int], rank: Int) throws -> [Int] {
        let positive = try axes.map { try axis($0, rank: rank, "axes:") }
        guard Set(positive).count == positive.count else { throw invalid("axes \(axes) name one axis twice") }
        return positive.sorted()
    }

    /// A tensor in another shape of as many elements; itself where the shape is its own.
    mutating func reshape(_ x: TensorID, _ target: [Int]) throws -> TensorID {
        guard let count = GraphShape.count(target), count == GraphShape.count(shape(x)) else {
            throw invalid("a tensor of shape \(shape(x)) as one of \(target)")
        }
        return target == shape(x) ? x : try emit(.reshape, [x], target)
    }

    /// A tensor with its dimensions in another order.
    mutating func transpose(_ x: TensorID, _ permutation: [Int]) throws -> TensorID {
        let rank = rank(x)
        let order = try permutation.map { try axis($0, rank: rank, "perm:") }
        guard order.count == rank, Set(order).count == rank else {
            throw invalid("a permutation \(permutation) of \(rank) dimensions")
        }
        if order == Array(0..<rank) { return x }
        return try emit(.transpose(permutation: order), [x], order.map { shape(x)[$0] })
    }

    /// The full shape of a target with one open dimension (−1).
    func resolved(_ target: [Int], of x: TensorID) throws -> [Int] {
        guard let open = target.firstIndex(of: -1) else { return target }
        let input = shape(x)
        var result = target
        result[open] = 1
        guard let rest = GraphShape.count(result), rest > 0, let count = GraphShape.count(input), count % rest == 0
        else { throw invalid("the shape \(target) with an open axis \(open) for \(input)") }
        result[open] = count / rest
        return result
    }

    /// Tensors one after the other along an axis, or in turn. Single numbers make a vector: that is how files put shapes
    /// together; a part without elements, as the sizes behind the last dimension are, adds nothing.
    mutating func concat(_ parts: [TensorID], axis: Int, interleaved: Bool = false) throws -> TensorID {
        guard let first = parts.first else { throw invalid("nothing to join") }
        if parts.allSatisfy({ rank($0) == 0 }) {
            let vectors = try parts.map { try reshape($0, [1]) }
            return try concat(vectors, axis: axis)
        }
        let axis = try self.axis(axis, rank: rank(first))
        var result = shape(first)
        for part in parts.dropFirst() {
            var other = shape(part)
            guard other.count == result.count else { throw invalid("shapes \(result) and \(other) are not joined") }
            if interleaved, other != shape(first) {
                throw invalid("shapes \(shape(first)) and \(other) do not alternate")
            }
            let size = other[axis]
            other[axis] = result[axis]
            guard other == result else { throw invalid("shapes \(shape(first)) and \(shape(part)) are not joined") }
            let (sum, overflow) = result[axis].addingReportingOverflow(size)
            guard !overflow else { throw invalid("the joined size overflows") }
            result[axis] = sum
        }
        let parts = parts.filter { !shape($0).contains(0) }
        guard let first = parts.first else { throw invalid("'values' has no elements") }
        if parts.count == 1 { return first }
        return try emit(.concat(axis: axis, interleaved: interleaved), parts, result)
    }

    /// A tensor cut into parts of given sizes.
    mutating func split(_ x: TensorID, axis: Int, sizes: [Int]) throws -> [TensorID] {
        let axis = try self.axis(axis, rank: rank(x))
        guard sizes.count <= GraphLimits.parameters else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "parts", claimed: sizes.count, limit: GraphLimits.parameters)
        }
        guard !sizes.isEmpty, sizes.allSatisfy({ $0 > 0 && $0 <= shape(x)[axis] }), sizes.reduce(0, +) == shape(x)[axis]
        else { throw invalid("parts of \(sizes) out of \(shape(x)[axis])") }
        let shapes = sizes.map { size in
            var shape = shape(x)
            shape[axis] = size
            return shape
        }
        return try emit(.split(axis: axis), [x], shapes, shapes.map { _ in type(x) })
    }

    /// A slice of a tensor, with strides.
    mutating func slice(_ x: TensorID, begin: [Int], step: [Int], sizes: [Int]) throws -> TensorID {
        let input = shape(x)
        for axis in input.indices {
            guard sizes[axis] > 0 else { throw invalid("a slice of \(sizes) elements") }
            let last = begin[axis] + (sizes[axis] - 1) * step[axis]
            guard (0..<input[axis]).contains(begin[axis]), (0..<input[axis]).contains(last) else {
                throw invalid("elements \(begin[axis]) to \(last) of \(input[axis])")
            }
        }
        if sizes == input, step.allSatisfy({ $0 == 1 }) { return x }
        return try emit(.slice(begin: begin, step: step), [x], sizes)
    }

    /// A tensor with a border.
    mutating func pad(_ x: TensorID, before: [Int], after: [Int], _ mode: GraphPadMode) throws -> TensorID {
        let input = shape(x)
        for axis in input.indices {
            let most = mode == .reflect ? input[axis] - 1 : GraphLimits.elements
            guard (0...most).contains(before[axis]), (0...most).contains(after[axis]) else {
                throw invalid("pads of \(before[axis]) and \(after[axis]) for an axis of \(input[axis])")
            }
        }
        if (before + after).allSatisfy({ $0 == 0 }) { return x }
        return try emit(
            .pad(before: before, after: after, mode), [x], input.indices.map { input[$0] + before[$0] + after[$0] })
    }

    /// A tensor that is repeated along each axis.
    mutating func tile(_ x: TensorID, _ counts: [Int]) throws -> TensorID {
        guard counts.count == rank(x), counts.allSatisfy({ $0 > 0 }) else {
            throw invalid("repetitions \(counts) of a tensor of shape \(shape(x))")
        }
        let result = try zip(shape(x), counts).map { size, count in
            let (product, overflow) = size.multipliedReportingOverflow(by: count)
            guard !overflow else { throw invalid("repetitions \(counts)") }
            return product
        }
        return result == shape(x) ? x : try emit(.tile, [x], result)
    }
}
