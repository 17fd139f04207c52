/// The operations of ML Programs: which exist, and which Hearth's engine for pictures is made for.
public enum OperationSet {
    /// Operations found in image classifiers, which are what the engine computes.
    public static let vision: Set<String> = Set(
        """
        const constexpr_lut_to_dense constexpr_affine_dequantize constexpr_blockwise_shift_scale constexpr_sparse_to_dense
        constexpr_cast
        conv batch_norm layer_norm linear matmul scaled_dot_product_attention max_pool avg_pool
        relu relu6 sigmoid tanh silu softplus softsign exp log sqrt rsqrt erf abs square floor sign clip leaky_relu elu
        thresholded_relu prelu sigmoid_hard linear_activation scaled_tanh clamped_relu gelu softmax
        add sub mul real_div maximum minimum pow reduce_mean reduce_sum reduce_max reduce_min
        reshape transpose squeeze expand_dims concat split slice_by_index pad gather tile select equal cast identity
        classify
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Further operations that Core ML defines (coremltools 9.0, iOS 15 to iOS 18).
    public static let others: Set<String> = Set(
        """
        constexpr_lut_to_sparse constexpr_sparse_blockwise_shift_scale
        conv_transpose conv_quantized instance_norm l2_norm local_response_norm l2_pool softplus_parametric
        cond while_loop make_list list_length list_write list_read list_gather list_scatter
        floor_div greater greater_equal less less_equal logical_and logical_or logical_xor logical_not mod not_equal
        acos asin atan atanh ceil cos cosh exp2 inverse round sin sinh tan threshold
        upsample_nearest_neighbor upsample_bilinear resize_bilinear resize_nearest_neighbor resize crop_resize crop affine
        resample random_bernoulli random_categorical random_normal random_uniform gru lstm rnn
        reduce_argmax reduce_argmin reduce_l1_norm reduce_l2_norm reduce_log_sum reduce_log_sum_exp reduce_prod
        reduce_sum_square einsum
        scatter gather_along_axis scatter_along_axis gather_nd scatter_nd
        band_part cumsum fill fill_like non_maximum_suppression non_zero one_hot range_1d argsort topk flatten2d shape stack
        depth_to_space space_to_depth reverse reverse_sequence slice_by_size slice_update pixel_shuffle pixel_unshuffle
        sliding_windows space_to_batch batch_to_space reshape_like quantize dequantize read_state write_state
        coreml_update_state
        """.split(whereSeparator: \.isWhitespace).map(String.init))

    /// Whether Core ML defines the operation.
    public static func isDefined(_ type: String) -> Bool { vision.contains(type) || others.contains(type) }
}

extension CoreMLPackage {
    /// How many there are of each operation, of all blocks of the function that runs, nested ones included.
    public var operationCounts: [String: Int] {
        var counts: [String: Int] = [:]
        if case .neuralNetwork(let network) = model.kind {
            for layer in network.layers { counts[layer.kindName, default: 0] += 1 }
        }
        body?.forEachOperation { operation, _ in counts[operation.type, default: 0] += 1 }
        return counts
    }

    /// Operations that Core ML does not define, each as its type and place.
    public var unknownOperations: [String] { operations { !OperationSet.isDefined($0) } }

    /// Operations that exist and are not among those found in image classifiers.
    public var operationsBeyondVision: [String] {
        operations { OperationSet.isDefined($0) && !OperationSet.vision.contains($0) }
    }

    /// Fails where the program holds operations that Core ML does not define, and lists them all.
    public func requireDefinedOperations() throws(FormatError) {
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
    func forEachOperation(_ body: (MILOperation, () -> String) -> Void) {
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
