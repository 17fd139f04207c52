internal import HearthCoreMLFormat

/// Values of pictures at places that are computed, and numbers that are drawn.
extension MILImporter {
    static let samplingLowerings: [String: Lowering] = [
        "resample": { try [$0.resample()] },
        "affine": { try [$0.affine()] },
        "crop_resize": { try [$0.cropAndResize()] },
        "random_uniform": { builder in
            let (low, high) = (try builder.number("low") ?? 0, try builder.number("high") ?? 1)
            return try [builder.random(.uniform(low: low, high: high))]
        },
        "random_normal": { builder in
            let (mean, deviation) = (try builder.number("mean") ?? 0, try builder.number("stddev") ?? 1)
            return try [builder.random(.normal(mean: mean, deviation: deviation))]
        },
        "random_bernoulli": { try [$0.random(.bernoulli(probability: $0.number("prob") ?? 0.5))] },
        "random_categorical": { try [$0.categorical()] },
    ]

    private mutating func resample() throws -> GraphBuilder.TensorID {
        let (x, places) = (try tensor("x"), try tensor("coordinates"))
        let value = try number("padding_value") ?? 0
        let borders: [String: GraphSampling.Border] = [
            "constant": .constant(value), "border": .replicate, "reflection": .reflect, "symmetric": .symmetric,
        ]
        let border = try text("padding_mode")?.lowercased() ?? "constant"
        guard let known = borders[border] else { throw emitter.invalid("the padding_mode '\(border)' does not exist") }
        let mode = try text("sampling_mode")?.lowercased() ?? "bilinear"
        guard ["bilinear", "nearest"].contains(mode) else {
            throw emitter.invalid("the sampling_mode '\(mode)' does not exist")
        }
        let pixels = try emitter.pixels(
            places, of: x, try text("coordinates_mode")?.lowercased() ?? "unnormalized",
            aligned: try flag("align_corners", or: true))
        return try emitter.sample(x, at: pixels, GraphSampling(isNearest: mode == "nearest", border: known))
    }

    private mutating func affine() throws -> GraphBuilder.TensorID {
        let (x, matrix) = (try tensor("x"), try tensor("transform_matrix"))
        let (rows, columns) = (try requiredInteger("output_height"), try requiredInteger("output_width"))
        let isAligned = try flag("align_corners", or: true)
        guard try number("padding_value") ?? 0 == 0, try text("padding_mode") ?? "constant" == "constant" else {
            throw emitter.unsupported("an affine transform with a border other than 0")
        }
        let mode = try text("coordinates_mode")?.lowercased() ?? "normalized_minus_one_to_one"
        return try emitter.affine(x, matrix, rows: rows, columns: columns, mode, aligned: isAligned)
    }

    private mutating func cropAndResize() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let crop = GraphBuilder.BoxCrop(
            rows: try integer("target_height") ?? 1, columns: try integer("target_width") ?? 1,
            isNormalized: try flag("normalized_coordinates", or: false), scale: try number("spatial_scale") ?? 1,
            coordinates: try text("box_coordinate_mode") ?? "CORNERS_HEIGHT_FIRST",
            sampling: try text("sampling_mode") ?? "DEFAULT",
            outside: package.model.specificationVersion >= 7 ? try number("pad_value") ?? 0 : nil)
        guard let boxes = try optionalTensor("boxes") else { return try emitter.crops(x, try tensor("roi"), crop) }
        // From iOS 17 on, boxes [N, 4] and the places of their pictures are apart, and the result is [N, C, rows, columns].
        let (shape, pictures) = (emitter.shape(boxes), emitter.shape(x).first ?? 0)
        guard shape.count == 2, shape[1] == 4 else { throw emitter.invalid("boxes of shape \(shape)") }
        var places: GraphBuilder.TensorID
        if let given = try optionalTensor("box_indices") {
            guard emitter.shape(given) == [shape[0]] else {
                throw emitter.invalid("box_indices of shape \(emitter.shape(given)) for boxes of shape \(shape)")
            }
            places = try emitter.emit(.cast(.float32), [given], [shape[0]], .float32)
        } else {
            guard shape[0] <= pictures else { throw emitter.invalid("\(shape[0]) boxes for \(pictures) pictures") }
            places = emitter.constant((0..<shape[0]).map(Float.init), [shape[0]])
        }
        places = try emitter.reshape(places, [shape[0], 1])
        let joined = try emitter.concat([places, boxes], axis: 1)
        let crops = try emitter.crops(x, try emitter.reshape(joined, [shape[0], 1, 5, 1, 1]), crop)
        let sizes = emitter.shape(crops)
        return try emitter.reshape(crops, [sizes[0]] + sizes.dropFirst(2))
    }

    // Numbers that are drawn

    private mutating func seed() throws -> UInt64? {
        guard let seed = try integer("seed"), seed >= 0 else { return nil }
        return UInt64(seed)
    }

    private mutating func random(_ distribution: GraphRandom.Distribution) throws -> GraphBuilder.TensorID {
        let type = operation.outputs.first?.type.tensor?.dataType ?? .float32
        return try emitter.emit(
            .random(GraphRandom(distribution: distribution, seed: try seed())), [], try requiredIntegers("shape"), type)
    }

    private mutating func categorical() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let (mode, count) = (try text("mode") ?? "logits", try integer("size") ?? 1)
        guard ["logits", "probs"].contains(mode), count > 0, emitter.rank(x) > 0 else {
            throw emitter.invalid("\(count) draws of the mode '\(mode)' from \(emitter.shape(x))")
        }
        let random = GraphRandom(distribution: .categorical(isLogarithm: mode == "logits"), seed: try seed())
        return try emitter.emit(.random(random), [x], emitter.shape(x).dropLast() + [count])
    }
}
