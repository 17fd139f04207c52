/// Convolutions and pooling of programs.
extension MILImporter {
    static let windowLowerings: [String: Lowering] = [
        "conv": { try [$0.convolution()] },
        "conv_transpose": { try [$0.transposedConvolution()] },
        "max_pool": { try [$0.pool(.max)] },
        "avg_pool": { try [$0.pool(.average)] },
        "l2_pool": { try [$0.pool(.l2)] },
    ]

    /// What `pad_type` and `pad` say. `pad` counts for `custom` only, and is written down elsewhere too.
    private mutating func padding(_ rank: Int) throws -> GraphBuilder.Padding {
        guard rank > 0 else { throw emitter.invalid("an input without spatial dimensions") }
        let zeros = [Int](repeating: 0, count: rank)
        switch try text("pad_type") ?? "valid" {
        case "valid": return .numbers(before: zeros, after: zeros)
        case "same": return .same(oddBefore: false)
        case "same_lower": return .same(oddBefore: true)
        case "custom":
            let pads = try integers("pad") ?? zeros + zeros
            guard pads.count == 2 * rank else { throw emitter.invalid("\(pads.count) pads for \(rank) dimensions") }
            let places = Array(0..<rank)
            return .numbers(before: places.map { pads[2 * $0] }, after: places.map { pads[2 * $0 + 1] })
        case let other: throw emitter.invalid("the pad_type '\(other)' does not exist")
        }
    }

    private mutating func convolution() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        return try emitter.convolution(
            x, try tensor("weight"), try optionalTensor("bias"), strides: try integers("strides"),
            dilations: try integers("dilations"), padding: try padding(emitter.rank(x) - 2),
            groups: try integer("groups") ?? 1)
    }

    private mutating func transposedConvolution() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let rank = emitter.rank(x) - 2
        var target = try integers("output_shape")
        if let shape = target, shape.count == rank + 2, rank > 0 {
            guard shape[0] == emitter.shape(x)[0] else { throw emitter.invalid("an output of shape \(shape)") }
            target = Array(shape[2...])
        }
        return try emitter.transposedConvolution(
            x, try tensor("weight"), try optionalTensor("bias"), strides: try integers("strides"),
            dilations: try integers("dilations"), padding: try padding(rank), groups: try integer("groups") ?? 1,
            target: target)
    }

    private mutating func pool(_ kind: GraphPooling.Kind) throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        return try emitter.pool(
            x, kind, kernel: try requiredIntegers("kernel_sizes"), strides: try integers("strides"),
            padding: try padding(emitter.rank(x) - 2), ceil: try flag("ceil_mode", or: false),
            countsPadding: !(try flag("exclude_padding_from_average", or: false)))
    }
}
