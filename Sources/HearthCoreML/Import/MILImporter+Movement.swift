internal import HearthCoreMLFormat

/// What moves elements in programs.
extension MILImporter {
    static let movementLowerings: [String: Lowering] = [
        "reshape": { try [$0.reshape()] },
        "transpose": { try [$0.emitter.transpose($0.tensor("x"), $0.requiredIntegers("perm"))] },
        "squeeze": { try [$0.squeeze()] },
        "expand_dims": { try [$0.expand()] },
        "flatten2d": { try [$0.flatten()] },
        "concat": {
            try [
                $0.emitter.concat(
                    $0.tensors("values", mayBeEmpty: true), axis: $0.requiredInteger("axis"),
                    interleaved: $0.flag("interleave", or: false))
            ]
        },
        "stack": { try [$0.stack()] },
        "split": { try $0.split() },
        "slice_by_index": { try [$0.sliceByIndex()] },
        "slice_by_size": { try [$0.sliceBySize()] },
        "reverse": { try [$0.reverse()] },
        "crop": { try [$0.crop()] },
        "pad": { try [$0.pad()] },
        "tile": { try [$0.emitter.tile($0.tensor("x"), $0.requiredIntegers("reps"))] },
        "depth_to_space": {
            try [$0.emitter.depthToSpace($0.tensor("x"), $0.requiredInteger("block_size"), blockFirst: true)]
        },
        "pixel_shuffle": {
            try [$0.emitter.depthToSpace($0.tensor("x"), $0.requiredInteger("upscale_factor"), blockFirst: false)]
        },
        "space_to_depth": {
            try [$0.emitter.spaceToDepth($0.tensor("x"), $0.requiredInteger("block_size"), blockFirst: true)]
        },
        "pixel_unshuffle": {
            try [$0.emitter.spaceToDepth($0.tensor("x"), $0.requiredInteger("downscale_factor"), blockFirst: false)]
        },
    ]

    private mutating func reshape() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let input = emitter.shape(x)
        var target = try requiredIntegers("shape")
        // A zero stands for a dimension of the input, counted from the last one; for none of them it is 1 (iOS 17).
        for (index, size) in target.enumerated() where size == 0 {
            let place = index + input.count - target.count
            target[index] = input.indices.contains(place) ? input[place] : 1
        }
        return try emitter.reshape(x, emitter.resolved(target, of: x))
    }

    private mutating func squeeze() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let axes =
            try integers("axes").map { try emitter.axes($0, rank: shape.count) }
            ?? shape.indices.filter { shape[$0] == 1 }
        guard axes.allSatisfy({ shape[$0] == 1 }) else { throw emitter.invalid("axes \(axes) of \(shape) go") }
        return try emitter.reshape(x, shape.indices.filter { !axes.contains($0) }.map { shape[$0] })
    }

    private mutating func expand() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let list = try requiredIntegers("axes")
        let axes = try emitter.axes(list, rank: emitter.rank(x) + list.count)
        var rest = emitter.shape(x)[...]
        let shape = (0..<emitter.rank(x) + axes.count).map { axes.contains($0) ? 1 : rest.removeFirst() }
        return try emitter.reshape(x, shape)
    }

    private mutating func flatten() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let given = try integer("axis") ?? 1
        guard (-shape.count...shape.count).contains(given) else { throw emitter.invalid("axis \(given) of \(shape)") }
        let axis = given < 0 ? given + shape.count : given
        return try emitter.reshape(x, [shape[..<axis].reduce(1, *), shape[axis...].reduce(1, *)])
    }

    private mutating func stack() throws -> GraphBuilder.TensorID {
        let parts = try tensors("values")
        guard let first = parts.first else { throw emitter.invalid("nothing to stack") }
        let axis = try emitter.axis(try requiredInteger("axis"), rank: emitter.rank(first) + 1)
        let layers = try parts.map { part in
            guard emitter.shape(part) == emitter.shape(first) else {
                throw emitter.invalid("shapes \(emitter.shape(first)) and \(emitter.shape(part)) are not stacked")
            }
            var shape = emitter.shape(part)
            shape.insert(1, at: axis)
            return try emitter.reshape(part, shape)
        }
        return try emitter.concat(layers, axis: axis)
    }

    private mutating func split() throws -> [GraphBuilder.TensorID] {
        let x = try tensor("x")
        let axis = try emitter.axis(try requiredInteger("axis"), rank: emitter.rank(x))
        if let sizes = try integers("split_sizes") { return try emitter.split(x, axis: axis, sizes: sizes) }
        let (count, size) = (try requiredInteger("num_splits"), emitter.shape(x)[axis])
        guard count > 0, size % count == 0, count <= GraphLimits.parameters else {
            throw emitter.invalid("\(count) parts of \(size)")
        }
        return try emitter.split(x, axis: axis, sizes: [Int](repeating: size / count, count: count))
    }

    /// A part whose beginning is known when the model runs: its sizes are those that the program declares.
    private mutating func sliceFrom(
        _ x: GraphBuilder.TensorID, _ begin: GraphBuilder.TensorID, isOpen: [Bool], _ sizes: [Int]
    ) throws -> GraphBuilder.TensorID {
        let shape = emitter.shape(x)
        guard emitter.shape(begin) == [shape.count], sizes.count == shape.count,
            zip(sizes, shape).allSatisfy({ (1...$1).contains($0) })
        else { throw emitter.invalid("a slice of \(sizes) of \(shape)") }
        var result = x
        for axis in shape.indices where sizes[axis] < shape[axis] {
            let steps = try emitter.range(sizes[axis], .int32)
            guard !isOpen[axis] else {
                result = try emitter.gathered(result, steps, axis: axis)
                continue
            }
            let first = try emitter.slice(begin, begin: [axis], step: [1], sizes: [1])
            let positive = try emitter.nonNegative(first, shape[axis])
            result = try emitter.gathered(result, try emitter.binary(.add, positive, steps), axis: axis)
        }
        return result
    }

    private mutating func sliceByIndex() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let (beginning, ending) = (try tensor("begin"), try tensor("end"))
        if !emitter.isConstant(beginning) || !emitter.isConstant(ending) {
            let dropped = try flags("squeeze_mask", count: shape.count)
            guard try integers("stride")?.allSatisfy({ $0 == 1 }) ?? true,
                var rest = operation.outputs.first?.type.tensor?.shape.map({ $0[...] }),
                rest.count == dropped.count(where: { !$0 })
            else { throw emitter.unsupported("a slice whose size is computed from the model's inputs") }
            let sizes = dropped.map { $0 ? 1 : rest.removeFirst() }
            let slice = try sliceFrom(x, beginning, isOpen: try flags("begin_mask", count: shape.count), sizes)
            return try emitter.reshape(slice, sizes.indices.filter { !dropped[$0] }.map { sizes[$0] })
        }
        let (begins, ends) = (try requiredIntegers("begin"), try requiredIntegers("end"))
        let steps = try integers("stride") ?? [Int](repeating: 1, count: shape.count)
        let openBegins = try flags("begin_mask", count: shape.count)
        let openEnds = try flags("end_mask", count: shape.count)
        let dropped = try flags("squeeze_mask", count: shape.count)
        let cut = PythonSlice(
            shape: shape, begin: begins, end: ends, step: steps, isBeginOpen: openBegins, isEndOpen: openEnds,
            isDropped: dropped)
        guard let cut else {
            throw emitter.invalid("a slice from \(begins) to \(ends) of \(shape) in steps of \(steps)")
        }
        let slice = try emitter.slice(x, begin: cut.first, step: cut.step, sizes: cut.sizes)
        return try emitter.reshape(slice, cut.remaining)
    }

    private mutating func sliceBySize() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let beginning = try tensor("begin")
        if !emitter.isConstant(beginning) {
            let sizes = try requiredIntegers("size").map { size -> Int in
                guard size != -1 else {
                    throw emitter.unsupported("a slice whose size is computed from the model's inputs")
                }
                return size
            }
            return try sliceFrom(x, beginning, isOpen: shape.map { _ in false }, sizes)
        }
        let (begins, list) = (try requiredIntegers("begin"), try requiredIntegers("size"))
        guard begins.count == shape.count, list.count == shape.count else {
            throw emitter.invalid("a slice of \(list) from \(begins) of \(shape)")
        }
        let first = shape.indices.map { begins[$0] < 0 ? begins[$0] + shape[$0] : begins[$0] }
        let sizes = shape.indices.map { list[$0] == -1 ? shape[$0] - first[$0] : list[$0] }
        return try emitter.slice(x, begin: first, step: [Int](repeating: 1, count: shape.count), sizes: sizes)
    }

    private mutating func reverse() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let axes = try integers("axes").map { try emitter.axes($0, rank: shape.count) } ?? Array(shape.indices)
        return try emitter.slice(
            x, begin: shape.indices.map { axes.contains($0) ? shape[$0] - 1 : 0 },
            step: shape.indices.map { axes.contains($0) ? -1 : 1 }, sizes: shape)
    }

    /// Rows and columns off the border of a picture.
    private mutating func crop() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let shape = emitter.shape(x)
        let (rows, columns) = (try requiredIntegers("crop_height"), try requiredIntegers("crop_width"))
        guard shape.count >= 3, rows.count == 2, columns.count == 2, (rows + columns).allSatisfy({ $0 >= 0 }) else {
            throw emitter.invalid("a crop of \(rows) and \(columns) off \(shape)")
        }
        var (begin, sizes) = ([Int](repeating: 0, count: shape.count), shape)
        for (axis, amounts) in [(shape.count - 2, rows), (shape.count - 1, columns)] {
            begin[axis] = amounts[0]
            sizes[axis] -= amounts[0] + amounts[1]
        }
        return try emitter.slice(x, begin: begin, step: [Int](repeating: 1, count: shape.count), sizes: sizes)
    }

    private mutating func pad() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        let (rank, pads) = (emitter.rank(x), try requiredIntegers("pad"))
        guard pads.count % 2 == 0, pads.count / 2 <= rank else {
            throw emitter.invalid("\(pads.count) pads for \(rank) axes")
        }
        // Pairs are for the last axes.
        let missing = [Int](repeating: 0, count: rank - pads.count / 2)
        let before = missing + stride(from: 0, to: pads.count, by: 2).map { pads[$0] }
        let after = missing + stride(from: 1, to: pads.count, by: 2).map { pads[$0] }
        let mode: GraphPadMode
        switch try text("mode") ?? "constant" {
        case "constant": mode = .constant(try number("constant_val") ?? 0)
        case "reflect": mode = .reflect
        case "replicate": mode = .replicate
        case let other: throw emitter.invalid("the mode '\(other)' does not exist")
        }
        return try emitter.pad(x, before: before, after: after, mode)
    }
}
