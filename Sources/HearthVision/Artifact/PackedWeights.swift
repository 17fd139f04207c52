internal import HearthCompute

/// The weights of a plan in one block of memory, packed as the kernels read them.
struct PackedWeights {
    private let region: FloatRegion

    /// - Parameters:
    ///   - requests: what goes where.
    ///   - graph: has the constants.
    /// - Throws: `VisionError` for weights that are not of their shape, `ComputeError.outOfMemory`, `CancellationError`.
    init(
        _ plan: VisionPlan, _ requests: [PackRequest], _ graph: VisionGraph, isCancelled: () -> Bool = { false }
    ) throws {
        region = try FloatRegion(count: plan.weightCount)
        for request in requests {
            if isCancelled() { throw CancellationError() }
            let target = try region.part(request.target.offset, request.target.count)
            try Self.fill(target, request.form, graph)
        }
    }

    /// As kernels take them.
    var floats: FloatWeights { FloatWeights(region) }

    /// All of them, for a file.
    func withValues<R>(_ body: (UnsafeBufferPointer<Float>) throws -> R) rethrows -> R {
        try region.withValues { values in try values.withUnsafeBufferPointer { try body($0) } }
    }

    private static func fill(_ target: FloatRegion, _ form: PackRequest.Form, _ graph: VisionGraph) throws {
        func constant(_ id: VisionGraph.TensorID) throws -> [Float] {
            let values = try graph.values(of: id) ?? []
            guard values.count == graph.tensors[id].count else {
                throw VisionError.invalid(
                    .init(file: "weights", field: graph.tensors[id].name),
                    problem: "\(values.count) values are not those of the shape \(graph.tensors[id].shape)")
            }
            return values
        }
        switch form {
        case .values(let values): target.set(values)
        case .plain(let id): target.set(try constant(id))
        case .convolution(let id, let shape):
            let values = try constant(id)
            try values.withUnsafeBufferPointer { from in
                try target.withMutableBuffer { try shape.pack(from, into: $0) }
            }
        case .matrix(let id, let inputs, let outputs):
            let values = try constant(id)
            let kernels = try KernelSet.selected(by: nil)
            try values.withUnsafeBufferPointer { from in
                try target.withMutableBuffer { to in
                    try MatrixProduct.pack(from, inner: inputs, columns: outputs, kernels: kernels, into: to)
                }
            }
        }
    }
}

extension FloatRegion {
    fileprivate func withMutableBuffer<R>(_ body: (UnsafeMutableBufferPointer<Float>) throws -> R) throws -> R {
        try withMutableValues { span in try span.withUnsafeMutableBufferPointer { try body($0) } }
    }
}
