/// Writing into a copy of a tensor.
extension ReferenceExecutor {
    /// Updates are taken in their order: of several for one place the last one stays, or all are added up.
    package func scattered(
        _ data: CoreMLTensor, _ indices: CoreMLTensor, _ updates: CoreMLTensor, _ scatter: GraphScatter
    ) throws -> CoreMLTensor {
        var y = data
        let combine = Self.function(scatter.mode)
        func write(_ source: Int, _ target: Int, _ count: Int) {
            for offset in 0..<count {
                let value = combine(Double(y.values[target + offset]), Double(updates.values[source + offset]))
                y.values[target + offset] = Float(value)
            }
        }
        switch scatter.target {
        case .slices(let axis):
            let (size, inner) = (data.shape[axis], data.shape[(axis + 1)...].reduce(1, *))
            var checkpoint = Checkpoint(of: inner, isStopped)
            for outer in 0..<data.shape[..<axis].reduce(1, *) {
                for (index, value) in indices.values.enumerated() {
                    try checkpoint.pass()
                    let target = (outer * size + Self.place(value, size)) * inner
                    write((outer * indices.count + index) * inner, target, inner)
                }
            }
        case .elements(let axis):
            let (size, inner) = (data.shape[axis], data.shape[(axis + 1)...].reduce(1, *))
            var checkpoint = Checkpoint(of: 1, isStopped)
            for index in 0..<updates.count {
                try checkpoint.pass()
                let outer = index / inner / updates.shape[axis]
                let target = (outer * size + Self.place(indices.values[index], size)) * inner + index % inner
                write(index, target, 1)
            }
        case .places:
            let depth = indices.shape[indices.shape.count - 1]
            let strides = GraphShape.strides(data.shape)
            let inner = data.shape[depth...].reduce(1, *)
            var checkpoint = Checkpoint(of: inner, isStopped)
            for entry in 0..<indices.count / depth {
                try checkpoint.pass()
                let target = (0..<depth).reduce(0) {
                    $0 + Self.place(indices.values[entry * depth + $1], data.shape[$1]) * strides[$1]
                }
                write(entry * inner, target, inner)
            }
        }
        return y
    }

    private static func function(_ mode: GraphScatter.Mode) -> (Double, Double) -> Double {
        switch mode {
        case .add: { $0 + $1 }
        case .sub: { $0 - $1 }
        case .mul: { $0 * $1 }
        case .div: { $0 / $1 }
        case .max: { max($0, $1) }
        case .min: { min($0, $1) }
        case .update: { $1 }
        }
    }
}
