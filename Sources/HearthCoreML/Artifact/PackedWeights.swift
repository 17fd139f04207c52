package import HearthCompute

/// The weights of a plan in one block of memory, packed as the kernels read them.
package struct PackedWeights {
    private let region: FloatRegion

    /// - Parameters:
    ///   - requests: what goes where.
    ///   - graph: has the constants.
    /// - Throws: `CoreMLError` for weights that are not of their shape, `ComputeError.outOfMemory`, `CancellationError`.
    package init(
        _ plan: CoreMLPlan, _ requests: [PackRequest], _ graph: CoreMLGraph, isCancelled: () -> Bool = { false }
    ) throws {
        region = try FloatRegion(count: plan.weightCount)
        for request in requests {
            if isCancelled() { throw CancellationError() }
            let target = try region.part(request.target.offset, request.target.count)
            try Self.pack(try request.form.source(graph), request.form, into: target)
        }
    }

    /// As kernels take them.
    package var floats: FloatWeights { FloatWeights(region) }

    /// All of them, for a file.
    func withValues<R>(_ body: (UnsafeBufferPointer<Float>) throws -> R) rethrows -> R {
        try region.withValues { values in try values.withUnsafeBufferPointer { try body($0) } }
    }

    /// The weights of one request, filled up to whole rows of 16.
    func rows(_ request: PackRequest) throws -> [Float] {
        try region.part(request.target.offset, MemoryPlan.aligned(request.target.count)).values
    }

    /// Elements of a constant where the packed form has them, zeros where it is filled up.
    static func pack(_ values: [Float], _ form: PackRequest.Form, into target: FloatRegion) throws {
        switch form {
        case .values, .plain: target.set(values)
        case .convolution(_, let shape):
            try values.withUnsafeBufferPointer { from in
                try target.withMutableBuffer { try shape.pack(from, into: $0) }
            }
        case .transposed(_, let filters, let shape):
            try filters.weights(values).withUnsafeBufferPointer { from in
                try target.withMutableBuffer { try shape.pack(from, into: $0) }
            }
        case .bytes(_, let shape):
            try target.withMutableBuffer { try shape.pack(values.map { Int8($0) }, into: $0) }
        case .matrix(_, let inputs, let outputs):
            let kernels = try KernelSet.selected(by: nil)
            try values.withUnsafeBufferPointer { from in
                try target.withMutableBuffer { to in
                    try MatrixProduct.pack(from, inner: inputs, columns: outputs, kernels: kernels, into: to)
                }
            }
        }
    }
}

extension PackRequest.Form {
    /// The constant that is packed, where it is one of the graph's.
    var constant: CoreMLGraph.TensorID? {
        switch self {
        case .convolution(let id, _), .transposed(let id, _, _), .matrix(let id, _, _), .bytes(let id, _),
            .plain(let id):
            id
        case .values: nil
        }
    }

    /// The elements before they are packed.
    fileprivate func source(_ graph: CoreMLGraph) throws -> [Float] {
        if case .values(let values) = self { return values }
        guard let id = constant else { return [] }
        if case .bytes(_, let shape) = self {
            guard let weights = try ByteWeights(id, outputs: shape.outputChannels, graph, values: true) else {
                throw CoreMLError.invalid(
                    .init(file: graph.file, field: graph.tensors[id].name), problem: "no codes of 8 bits")
            }
            return weights.values
        }
        let values = try graph.values(of: id) ?? []
        guard values.count == graph.tensors[id].count else {
            throw CoreMLError.invalid(
                .init(file: graph.file, field: graph.tensors[id].name),
                problem: "\(values.count) values are not those of the shape \(graph.tensors[id].shape)")
        }
        return values
    }
}

extension FloatRegion {
    fileprivate func withMutableBuffer<R>(_ body: (UnsafeMutableBufferPointer<Float>) throws -> R) throws -> R {
        try withMutableValues { span in try span.withUnsafeMutableBufferPointer { try body($0) } }
    }
}
