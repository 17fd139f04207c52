internal import HearthFormats

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
        guard try (integer("batch_dims") ?? 0) == 0 else { throw emitter.unsupported("gather with batch_dims") }
        let axis = try emitter.axis(try integer("axis") ?? 0, rank: shape.count)
        try requireInside(indices, shape[axis])
        return try emitter.emit(
            .gather(axis: axis), [x, indices], shape[..<axis] + emitter.shape(indices) + shape[(axis + 1)...])
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
        let (shape, places) = (emitter.shape(x), emitter.shape(indices))
        guard try (integer("batch_dims") ?? 0) == 0 else { throw emitter.unsupported("gather_nd with batch_dims") }
        guard let depth = places.last, depth >= 1, depth <= shape.count else {
            throw emitter.invalid("indices of shape \(places) for a tensor of shape \(shape)")
        }
        return try emitter.emit(.gatherND, [x, indices], places.dropLast() + shape[depth...])
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

    /// One where an index stands and zero elsewhere, or two other values.
    private mutating func oneHot() throws -> GraphBuilder.TensorID {
        let indices = try tensor("indices")
        let count = try requiredInteger("one_hot_vector_size")
        guard (1...GraphLimits.foldedElements).contains(count) else { throw emitter.invalid("\(count) classes") }
        var shape = emitter.shape(indices)
        let axis = try emitter.axis(try integer("axis") ?? -1, rank: shape.count + 1)
        shape.insert(1, at: axis)
        let classes = try emitter.reshape(
            try emitter.range(count, .int32), [count] + [Int](repeating: 1, count: shape.count - 1 - axis))
        let (on, off) = (try number("on_value") ?? 1, try number("off_value") ?? 0)
        let matches = try emitter.binary(.equal, try emitter.reshape(indices, shape), classes)
        return try emitter.unary(.linear(alpha: on - off, beta: off), matches)
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

    /// Where samples of an axis are taken, as Core ML's sampling modes define it (coremltools, resize_bilinear).
    private func grid(
        _ mode: String, _ kind: GraphResize.Kind, _ size: Int, _ count: Int
    ) throws -> (spacing: Double, offset: Double) {
        let (input, output) = (Double(size), Double(count))
        var (spacing, offset) = (0.0, 0.0)
        switch mode {
        case "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS":
            spacing = count > 1 ? (input - 1) / (output - 1) : 0
            offset = count == 1 && mode == "ALIGN_CORNERS" ? (input - 1) / 2 : 0
        case "DEFAULT": spacing = count > 1 ? (input - input / output) / (output - 1) : 0
        case "OFFSET_CORNERS":
            spacing = max(1, input - 1) / output
            offset = spacing / 2
        case "UNALIGN_CORNERS":
            spacing = input / output
            offset = spacing / 2 - 0.5
        default: throw emitter.invalid("the sampling_mode '\(mode)' does not exist")
        }
        // Rounded down the place is the nearest one, or that of the cell; the smallest part more keeps quotients whole.
        if kind == .nearest { offset += (mode == "DEFAULT" ? 0 : 0.5) + 1e-9 }
        return (spacing, offset)
    }

    private mutating func resize(
        _ x: GraphBuilder.TensorID, _ kind: GraphResize.Kind, rows: Int, columns: Int, _ mode: String
    ) throws -> GraphBuilder.TensorID {
        var shape = emitter.shape(x)
        guard shape.count >= 2, rows > 0, columns > 0 else {
            throw emitter.invalid("a picture of shape \(shape) as one of \(rows) × \(columns)")
        }
        let (height, width) = (shape[shape.count - 2], shape[shape.count - 1])
        let (down, across) = (try grid(mode, kind, height, rows), try grid(mode, kind, width, columns))
        shape[shape.count - 2] = rows
        shape[shape.count - 1] = columns
        return try emitter.emit(
            .resize(
                GraphResize(
                    kind: kind, spacing: [down.spacing, across.spacing], offset: [down.offset, across.offset])), [x],
            shape)
    }

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
        return try resize(x, kind, rows: rows, columns: columns, mode)
    }

    private mutating func resizeToTarget(_ kind: GraphResize.Kind) throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let mode = try kind == .nearest ? "DEFAULT" : text("sampling_mode") ?? "DEFAULT"
        return try resize(
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
        return try resize(
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
