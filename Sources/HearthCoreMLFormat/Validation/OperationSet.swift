package import HearthSystem

/// The operations of ML Programs: which exist, and which Hearth's engine computes.
package enum OperationSet {
    /// Operations that the engine computes: those of networks for pictures, sound and text.
    package static let vision: Set<String> = Set(
        """
        const constexpr_lut_to_dense constexpr_affine_dequantize constexpr_blockwise_shift_scale constexpr_sparse_to_dense
        constexpr_cast constexpr_lut_to_sparse constexpr_sparse_blockwise_shift_scale
        conv conv_transpose batch_norm layer_norm instance_norm l2_norm local_response_norm linear matmul
        scaled_dot_product_attention softmax max_pool avg_pool l2_pool
        relu relu6 sigmoid tanh silu softplus softplus_parametric softsign exp exp2 log sqrt rsqrt inverse erf abs square
        floor ceil round sign clip threshold leaky_relu elu thresholded_relu prelu sigmoid_hard linear_activation
        scaled_tanh clamped_relu gelu sin cos tan asin acos atan sinh cosh atanh
        add sub mul real_div floor_div mod maximum minimum pow
        equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor logical_not select
        reduce_mean reduce_sum reduce_max reduce_min reduce_prod reduce_sum_square reduce_l1_norm reduce_l2_norm
        reduce_log_sum reduce_log_sum_exp reduce_argmax reduce_argmin cumsum
        reshape transpose squeeze expand_dims flatten2d concat stack split slice_by_index slice_by_size reverse crop pad
        tile depth_to_space space_to_depth pixel_shuffle pixel_unshuffle
        gather gather_along_axis gather_nd scatter scatter_along_axis scatter_nd topk argsort one_hot non_maximum_suppression
        upsample_nearest_neighbor upsample_bilinear resize_nearest_neighbor resize_bilinear resize
        shape range_1d fill fill_like cast identity classify
        lstm gru rnn einsum band_part non_zero reverse_sequence slice_update sliding_windows space_to_batch batch_to_space
        reshape_like quantize dequantize crop_resize affine resample
        random_bernoulli random_categorical random_normal random_uniform
        cond while_loop make_list list_length list_write list_read list_gather list_scatter
        read_state write_state coreml_update_state
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Further operations that Core ML defines (coremltools 9.0, iOS 15 to iOS 18).
    package static let others: Set<String> = Set(
        """
        conv_quantized
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Whether Core ML defines the operation.
    package static func isDefined(_ type: String) -> Bool { vision.contains(type) || others.contains(type) }
}

extension CoreMLPackage {
    /// How many there are of each operation, of all blocks of the function that runs, nested ones included.
    package var operationCounts: [String: Int] {
        var counts: [String: Int] = [:]
        if case .neuralNetwork(let network) = model.kind {
            for layer in network.layers { counts[layer.kindName, default: 0] += 1 }
        }
        for stage in stages { counts.merge(stage.operationCounts, uniquingKeysWith: +) }
        switch model.kind {
        case .suppression, .tabular: counts[model.kindName, default: 0] += 1
        default: break
        }
        body?.forEachOperation { operation, _ in counts[operation.type, default: 0] += 1 }
        return counts
    }

    /// Operations that Core ML does not define, each as its type and place.
    package var unknownOperations: [String] { operations { !OperationSet.isDefined($0) } }

    /// Operations that exist and are not computed.
    package var operationsBeyondVision: [String] {
        operations { OperationSet.isDefined($0) && !OperationSet.vision.contains($0) }
    }

    /// Fails where the program holds operations that Core ML does not define, and lists them all.
    package func requireDefinedOperations() throws(FileError) {
        let unknown = unknownOperations
        guard unknown.isEmpty else {
            throw .unknownOperations(.init(file: modelPath, field: "mlProgram.operations"), operations: unknown)
        }
    }

    private func operations(_ isMeant: (String) -> Bool) -> [String] {
        var found: [String] = []
        body?.forEachOperation { operation, place in
            if isMeant(operation.type) { found.append("\(operation.label) at \(place())") }
        }
        return found
    }
}

extension MILBlock {
    /// Every operation, nested ones after the one that holds them.
    package func forEachOperation(_ body: (MILOperation, () -> String) -> Void) {
        walk("", body)
    }

    private func walk(_ prefix: String, _ body: (MILOperation, () -> String) -> Void) {
        for (index, operation) in operations.enumerated() {
            body(operation) { "\(prefix)operations[\(index)]" }
            for (number, block) in operation.blocks.enumerated() {
                block.walk("\(prefix)operations[\(index)].blocks[\(number)].", body)
            }
        }
    }
}
