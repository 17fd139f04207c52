import HearthCoreMLFormat

/// What picks elements, makes pictures larger or smaller, or makes constants out of shapes.
extension MILImporter {
    static let selectionLowerings: [String: Lowering] = [
        "gather": { try [$0.gather()] },
        "gather_along_axis": { try [$0.gatherAlongAxis()] },
        "gather_nd": { try [$0.gatherND()] },
        "topk": { try $0.topK() },
        "argsort": { try [$0.argsort()] },
        "cumsum": { try [$0.cumulativeSum()] },
        "one_hot": { try [$0.oneHot()] },
        "non_maximum_suppression": { try $0.suppression() },
        "upsample_nearest_neighbor": { try [$0.upsample(.nearest)] },
        "upsample_bilinear": { try [$0.upsample(.linear)] },
        "resize_nearest_neighbor": { try [$0.resizeToTarget(.nearest)] },
        "resize_bilinear": { try [$0.resizeToTarget(.linear)] },
        "resize": { try [$0.resize()] },
        "shape": { builder in
            let shape = builder.emitter.shape(try builder.tensor("x"))
            return [builder.emitter.constant(shape.map(Float.init), [shape.count], .int32)]
        },
        "range_1d": { try [$0.range()] },
        "fill": { try [$0.fill($0.requiredIntegers("shape"), "value")] },
        "fill_like": { try [$0.fill($0.emitter.shape($0.tensor("ref_tensor")), "value")] },
    ]

    /// Indices that are known must lie inside; others are kept inside when the model runs.
    private func requireInside(_ indices: GraphBuilder.TensorID, _ size: Int) throws {
        guard emitter.isConstant(indices), GraphShape.count(emitter.shape(indices), limit: 1 << 20) != nil else {
            return
        }
        for index in try emitter.values(indices).values where !(index >= -Float(size) && index < Float(size)) {
            throw emitter.invalid("the index \(index) of \(size)")
        }
    }

    private mutating func gather() throws -> GraphBuilder.TensorID {
        let (x, indices) = (try tensor("x"), try tensor("indices"))
        let shape = emitter.shape(x)
        let axis = try emitter.axis(try integer("axis") ?? 0, rank: shape.count)
        try requireInside(indices, shape[axis])
        return try emitter.gathered(x, indices, axis: axis, batch: try integer("batch_dims") ?? 0)
    }

    private mutating func gatherAlongAxis() throws -> GraphBuilder.TensorID {
        let (x, indices) = (try tensor("x"), try tensor("indices"))
        let (shape, result) = (emitter.shape(x), emitter.shape(indices))
        let axis = try emitter.axis(try integer("axis") ?? 0, rank: shape.count)
        guard result.count == shape.count, shape.indices.allSatisfy({ $0 == axis || shape[$0] == result[$0] }) else {
            throw emitter.invalid("indices of shape \(result) for a tensor of shape \(shape)")
        }
        try requireInside(indices, shape[axis])
        return try emitter.emit(.gatherAlongAxis(axis: axis), [x, indices], result)
    }

    private mutating func gatherND() throws -> GraphBuilder.TensorID {
        let (x, indices) = (try tensor("x"), try tensor("indices"))
        return try emitter.gatheredPlaces(x, indices, batch: try integer("batch_dims") ?? 0)
    }

    private mutating func topK() throws -> [GraphBuilder.TensorID] {
        let x = try tensor("x")
        var shape = emitter.shape(x)
        let axis = try emitter.axis(try integer("axis") ?? -1, rank: shape.count)
        let count = try integer("k") ?? 1
        guard count >= 1, count <= shape[axis] else { throw emitter.invalid("\(count) of \(shape[axis]) elements") }
        shape[axis] = count
        let results = try emitter.emit(
            .topK(axis: axis, ascending: try flag("ascending", or: false)), [x], [shape, shape],
            [emitter.type(x), .int32])
        return try flag("return_indices", or: true) ? results : [results[0]]
    }

    private mutating func argsort() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let axis = try emitter.axis(try integer("axis") ?? -1, rank: shape.count)
        return try emitter.emit(
            .topK(axis: axis, ascending: try flag("ascending", or: false)), [x], [shape, shape],
            [emitter.type(x), .int32])[1]
    }

    private mutating func cumulativeSum() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let axis = try emitter.axis(try integer("axis") ?? 0, rank: emitter.rank(x))
        return try emitter.emit(
            .cumulativeSum(
                axis: axis, exclusive: try flag("exclusive", or: false), reverse: try flag("reverse", or: false)), [x],
            emitter.shape(x))
    }

    private mutating func oneHot() throws -> GraphBuilder.TensorID {
        let indices = try tensor("indices")
        return try emitter.oneHot(
            indices, try requiredInteger("one_hot_vector_size"), axis: try integer("axis") ?? -1,
            on: try number("on_value") ?? 1, off: try number("off_value") ?? 0)
    }

    /// From iOS 17 on boxes and scores have the boxes in their last dimension, and no count comes out.
    private mutating func suppression() throws -> [GraphBuilder.TensorID] {
        let isOlder = package.model.specificationVersion < 8
        var (boxes, scores) = (try tensor("boxes"), try tensor("scores"))
        guard emitter.rank(boxes) == 3, emitter.rank(scores) == 3 else {
            throw emitter.invalid("boxes of shape \(emitter.shape(boxes)) with scores of \(emitter.shape(scores))")
        }
        if !isOlder {
            boxes = try emitter.transpose(boxes, [0, 2, 1])
            scores = try emitter.transpose(scores, [0, 2, 1])
        }
        let (places, marks) = (emitter.shape(boxes), emitter.shape(scores))
        guard places[2] == 4, places[0] == marks[0], places[1] == marks[1] else {
            throw emitter.invalid("boxes of shape \(emitter.shape(boxes)) with scores of \(emitter.shape(scores))")
        }
        let count = try requiredInteger("max_boxes")
        guard (1...1 << 20).contains(count) else { throw emitter.invalid("max_boxes is \(count)") }
        let suppression = GraphSuppression(
            intersectionOverUnion: try required("iou_threshold"),
            score: isOlder ? try required("score_threshold") : -.infinity,
            perClass: try flag("per_class_suppression", or: false))
        var results = try emitter.emit(
            .nonMaximumSuppression(suppression), [boxes, scores],
            [[places[0], count, 4], [places[0], count, marks[2]], [places[0], count], [places[0]]],
            [emitter.type(boxes), emitter.type(scores), .int32, .int32])
        if !isOlder { for index in 0..<2 { results[index] = try emitter.transpose(results[index], [0, 2, 1]) } }
        return results
    }

    // Pictures of other sizes

    private mutating func upsample(_ kind: GraphResize.Kind) throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        guard shape.count >= 3 else { throw emitter.invalid("a picture of shape \(shape)") }
        func scaled(_ size: Int, _ factor: Float) throws -> Int {
            let result = (Double(size) * Double(factor)).rounded(.down)
            guard result >= 1, result <= Double(GraphLimits.elements) else {
                throw emitter.invalid("a factor of \(factor)")
            }
            return Int(result)
        }
        let rows = try scaled(shape[shape.count - 2], try number("scale_factor_height") ?? 1)
        let columns = try scaled(shape[shape.count - 1], try number("scale_factor_width") ?? 1)
        let aligned = try kind == .linear && flag("align_corners", or: true)
        let centered = try flag("half_pixel_centers", or: !aligned)
        guard !(aligned && centered) else { throw emitter.unsupported("aligned corners of centered pixels") }
        let isPlain = kind == .nearest || !aligned && !centered
        let mode = isPlain ? "DEFAULT" : aligned ? "STRICT_ALIGN_CORNERS" : "UNALIGN_CORNERS"
        return try emitter.resized(x, kind, rows: rows, columns: columns, mode)
    }

    private mutating func resizeToTarget(_ kind: GraphResize.Kind) throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let mode = try kind == .nearest ? "DEFAULT" : text("sampling_mode") ?? "DEFAULT"
        return try emitter.resized(
            x, kind, rows: try integer("target_size_height") ?? 1, columns: try integer("target_size_width") ?? 1, mode)
    }

    private mutating func resize() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let (target, count) = (try requiredIntegers("shape"), try requiredInteger("resized_dims"))
        guard (0...2).contains(count), count <= target.count, shape.count >= 2 else {
            throw emitter.unsupported("a resize of \(count) dimensions")
        }
        let sizes = zip(target.suffix(count), shape.suffix(count)).map { $0 == 0 ? $1 : $0 }
        let kinds = ["LINEAR": GraphResize.Kind.linear, "NEAREST_NEIGHBOR": .nearest]
        guard let kind = kinds[try text("interpolation_mode") ?? "LINEAR"] else {
            throw emitter.invalid("the interpolation_mode does not exist")
        }
        let full = shape.suffix(2).prefix(2 - count) + sizes
        return try emitter.resized(
            x, kind, rows: full[full.startIndex], columns: full[full.startIndex + 1],
            try text("sampling_mode") ?? "DEFAULT")
    }

    // Constants

    private mutating func range() throws -> GraphBuilder.TensorID {
        let (start, end, step) = (try required("start"), try required("end"), try required("step"))
        let count = ((Double(end) - Double(start)) / Double(step)).rounded(.up)
        guard count >= 1, count <= Double(GraphLimits.foldedElements) else {
            throw emitter.invalid("a range from \(start) to \(end) in steps of \(step)")
        }
        let type = operation.outputs.first?.type.tensor?.dataType ?? .int32
        return try emitter.unary(.linear(alpha: step, beta: start), try emitter.range(Int(count), type))
    }

    private mutating func fill(_ shape: [Int], _ name: String) throws -> GraphBuilder.TensorID {
        let type = operation.outputs.first?.type.tensor?.dataType ?? .float32
        return try emitter.filled(try number(name) ?? 0, shape, type)
    }
}
