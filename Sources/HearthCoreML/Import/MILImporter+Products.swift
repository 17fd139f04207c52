/// Products, normalisation and reductions of programs.
extension MILImporter {
    static let productLowerings: [String: Lowering] = [
        "linear": { try [$0.emitter.linear($0.tensor("x"), $0.tensor("weight"), $0.optionalTensor("bias"))] },
        "matmul": {
            try [
                $0.emitter.matmul(
                    $0.tensor("x"), $0.tensor("y"), transposeX: $0.flag("transpose_x", or: false),
                    transposeY: $0.flag("transpose_y", or: false))
            ]
        },
        "scaled_dot_product_attention": {
            try [
                $0.emitter.attention(
                    $0.tensor("query"), $0.tensor("key"), $0.tensor("value"), mask: $0.optionalTensor("attn_mask"))
            ]
        },
        "softmax": { try [$0.emitter.softmax($0.tensor("x"), axis: $0.integer("axis") ?? -1)] },
        "batch_norm": {
            try [
                $0.emitter.batchNorm(
                    $0.tensor("x"), mean: $0.tensor("mean"), variance: $0.tensor("variance"),
                    gamma: $0.optionalTensor("gamma"), beta: $0.optionalTensor("beta"),
                    epsilon: $0.number("epsilon") ?? 1e-5)
            ]
        },
        "layer_norm": {
            let x = try $0.tensor("x")
            return try [
                $0.emitter.layerNorm(
                    x, axes: $0.integers("axes") ?? Array(0..<$0.emitter.rank(x)), gamma: $0.optionalTensor("gamma"),
                    beta: $0.optionalTensor("beta"), epsilon: $0.number("epsilon") ?? 1e-5)
            ]
        },
        "instance_norm": {
            try [
                $0.emitter.instanceNorm(
                    $0.tensor("x"), gamma: $0.optionalTensor("gamma"), beta: $0.optionalTensor("beta"),
                    epsilon: $0.number("epsilon") ?? 1e-5)
            ]
        },
        "l2_norm": {
            let x = try $0.tensor("x")
            let shape = $0.emitter.shape(x)
            guard shape.count >= 3 else { throw $0.emitter.invalid("an input of shape \(shape)") }
            return try [$0.emitter.emit(.l2Norm(epsilon: $0.number("epsilon") ?? 1e-6), [x], shape)]
        },
        "local_response_norm": {
            try [
                $0.emitter.localResponseNorm(
                    $0.tensor("x"), size: $0.requiredInteger("size"), alpha: $0.number("alpha") ?? 1e-4,
                    beta: $0.number("beta") ?? 0.75, k: $0.number("k") ?? 1)
            ]
        },
        "reduce_mean": { try [$0.reduce(.mean)] },
        "reduce_sum": { try [$0.reduce(.sum)] },
        "reduce_max": { try [$0.reduce(.max)] },
        "reduce_min": { try [$0.reduce(.min)] },
        "reduce_prod": { try [$0.reduce(.product)] },
        "reduce_sum_square": { try [$0.reduce(.sumOfSquares)] },
        "reduce_l2_norm": { try [$0.reduce(.l2Norm)] },
        "reduce_log_sum_exp": { try [$0.reduce(.logSumExp)] },
        "reduce_l1_norm": { try [$0.reduce(.sum, of: .abs)] },
        "reduce_log_sum": { builder in
            let sum = try builder.reduce(.sum)
            return try [builder.emitter.unary(.log(epsilon: 0), sum)]
        },
        "reduce_argmax": { try [$0.place(.argMax)] },
        "reduce_argmin": { try [$0.place(.argMin)] },
    ]

    private mutating func reduce(_ kind: GraphReduction, of function: GraphFunction? = nil) throws
        -> GraphBuilder.TensorID
    {
        var x = try tensor("x")
        if let function { x = try emitter.unary(function, x) }
        return try emitter.reduce(
            x, kind, axes: try integers("axes"), keepsDimensions: try flag("keep_dims", or: false))
    }

    private mutating func place(_ kind: GraphReduction) throws -> GraphBuilder.TensorID {
        try emitter.reduce(
            tensor("x"), kind, axes: [try integer("axis") ?? -1], keepsDimensions: try flag("keep_dims", or: false))
    }
}
