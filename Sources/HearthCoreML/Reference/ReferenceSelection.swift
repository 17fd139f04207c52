/// What picks elements by values that are computed, puts them in order, or sums them up one after the other.
extension ReferenceExecutor {
    package func gathered(_ operation: GraphOperation, _ operands: Operands, _ shape: [Int]) throws -> CoreMLTensor {
        let (x, indices) = (operands[0], operands[1])
        switch operation {
        case .gather(let axis):
            let inner = x.shape[(axis + 1)...].reduce(1, *)
            let places = indices.values.map { Self.place($0, x.shape[axis]) }
            var values: [Float] = []
            values.reserveCapacity(shape.reduce(1, *))
            var checkpoint = Checkpoint(of: inner * places.count, isStopped)
            for block in 0..<x.shape[..<axis].reduce(1, *) {
                try checkpoint.pass()
                for place in places {
                    let start = (block * x.shape[axis] + place) * inner
                    values.append(contentsOf: x.values[start..<start + inner])
                }
            }
            return CoreMLTensor(shape: shape, values: values)
        case .gatherAlongAxis(let axis):
            let inner = shape[(axis + 1)...].reduce(1, *)
            var checkpoint = Checkpoint(of: 1, isStopped)
            let values = try indices.values.enumerated().map { index, value in
                try checkpoint.pass()
                let outer = index / inner / shape[axis]
                return x.values[(outer * x.shape[axis] + Self.place(value, x.shape[axis])) * inner + index % inner]
            }
            return CoreMLTensor(shape: shape, values: values)
        case .gatherND:
            let depth = indices.shape[indices.shape.count - 1]
            let strides = GraphShape.strides(x.shape)
            let inner = x.shape[depth...].reduce(1, *)
            var values: [Float] = []
            values.reserveCapacity(shape.reduce(1, *))
            var checkpoint = Checkpoint(of: inner, isStopped)
            for entry in stride(from: 0, to: indices.count, by: max(depth, 1)) {
                try checkpoint.pass()
                let start = (0..<depth).reduce(0) {
                    $0 + Self.place(indices.values[entry + $1], x.shape[$1]) * strides[$1]
                }
                values.append(contentsOf: x.values[start..<start + inner])
            }
            return CoreMLTensor(shape: shape, values: values)
        default: return x
        }
    }

    /// An index that counts from the end where it is negative, kept inside whatever it says.
    package static func place(_ value: Float, _ size: Int) -> Int {
        guard value.isFinite else { return 0 }
        let index = Int(max(min(value, 0x1p31), -0x1p31))
        return min(max(index < 0 ? index + size : index, 0), size - 1)
    }

    package func topK(_ x: CoreMLTensor, _ axis: Int, _ ascending: Bool, _ shape: [Int]) throws -> [CoreMLTensor] {
        let strides = GraphShape.strides(x.shape)
        let inner = strides[axis]
        var (values, places) = (CoreMLTensor(shape: shape), CoreMLTensor(shape: shape))
        for row in 0..<x.count / x.shape[axis] {
            // Sorting takes longer than anything else that is done with an element.
            try checkCancellation()
            let start = row / inner * inner * x.shape[axis] + row % inner
            // NaN comes last.
            let keys = (0..<x.shape[axis]).map { index -> Float in
                let value = x.values[start + index * inner]
                return value.isNaN ? .infinity : ascending ? value : -value
            }
            let order = keys.indices.sorted { keys[$0] == keys[$1] ? $0 < $1 : keys[$0] < keys[$1] }
            let target = row / inner * inner * shape[axis] + row % inner
            for (index, place) in order.prefix(shape[axis]).enumerated() {
                values.values[target + index * inner] = x.values[start + place * inner]
                places.values[target + index * inner] = Float(place)
            }
        }
        return [values, places]
    }

    package func cumulativeSum(_ x: CoreMLTensor, _ axis: Int, exclusive: Bool, reverse: Bool) throws -> CoreMLTensor {
        var rows = try layout.rows(x, along: [axis])
        var checkpoint = Checkpoint(of: rows.length, isStopped)
        for range in rows.ranges {
            try checkpoint.pass()
            var sum = 0.0
            for offset in 0..<range.count {
                let index = reverse ? range.upperBound - 1 - offset : range.lowerBound + offset
                let before = sum
                sum += Double(rows.values[index])
                rows.values[index] = Float(exclusive ? before : sum)
            }
        }
        return CoreMLTensor(shape: x.shape, values: try rows.restored)
    }

    package func resized(_ x: CoreMLTensor, _ resize: GraphResize, _ shape: [Int]) throws -> CoreMLTensor {
        let (height, width) = (x.shape[x.shape.count - 2], x.shape[x.shape.count - 1])
        let (rows, columns) = (shape[shape.count - 2], shape[shape.count - 1])
        func taps(_ count: Int, _ size: Int, _ axis: Int) -> [(first: Int, second: Int, share: Double)] {
            (0..<count).map { index in
                let at = resize.offset[axis] + Double(index) * resize.spacing[axis]
                let place = min(max(at, 0), Double(size - 1))
                let first = Int(place.rounded(.down))
                let share = resize.kind == .nearest ? 0 : place - Double(first)
                return (first, min(first + 1, size - 1), share)
            }
        }
        let (down, across) = (taps(rows, height, 0), taps(columns, width, 1))
        var values: [Float] = []
        values.reserveCapacity(shape.reduce(1, *))
        var checkpoint = Checkpoint(of: columns, isStopped)
        for plane in stride(from: 0, to: x.count, by: max(height * width, 1)) {
            for row in down {
                try checkpoint.pass()
                let (upper, lower) = (plane + row.first * width, plane + row.second * width)
                for column in across {
                    func between(_ start: Int) -> Double {
                        let (a, b) = (Double(x.values[start + column.first]), Double(x.values[start + column.second]))
                        return column.share == 0 ? a : a + (b - a) * column.share
                    }
                    let top = between(upper)
                    values.append(Float(row.share == 0 ? top : top + (between(lower) - top) * row.share))
                }
            }
        }
        return CoreMLTensor(shape: shape, values: values)
    }
}
