internal import HearthCoreMLFormat

/// Operations of programs that put elements in other places by rules of their own, and codes of eight bits.
extension MILImporter {
    static let arrangementLowerings: [String: Lowering] = [
        "band_part": {
            try [
                $0.emitter.bandPart($0.tensor("x"), lower: $0.integer("lower") ?? -1, upper: $0.integer("upper") ?? -1)
            ]
        },
        "sliding_windows": {
            try [
                $0.emitter.slidingWindows(
                    $0.tensor("x"), axis: $0.requiredInteger("axis"), size: $0.requiredInteger("size"),
                    stride: $0.integer("stride") ?? 1)
            ]
        },
        "reverse_sequence": {
            try [
                $0.emitter.reverseSequences(
                    $0.tensor("x"), lengths: $0.tensor("lengths"), sequenceAxis: $0.integer("seq_axis") ?? 0,
                    batchAxis: $0.integer("batch_axis") ?? 0)
            ]
        },
        "space_to_batch": {
            try [
                $0.emitter.spaceToBatch(
                    $0.tensor("x"), block: $0.requiredIntegers("block_shape"), pads: $0.requiredIntegers("paddings"))
            ]
        },
        "batch_to_space": {
            try [
                $0.emitter.batchToSpace(
                    $0.tensor("x"), block: $0.requiredIntegers("block_shape"), crops: $0.requiredIntegers("crops"))
            ]
        },
        "einsum": { builder in
            guard let equation = try builder.text("equation") else { throw builder.emitter.invalid("no equation") }
            return try [builder.emitter.einsum(equation, builder.tensors("values"))]
        },
        "reshape_like": { try [$0.reshapeLike()] },
        "non_zero": { try [$0.nonZero()] },
        "quantize": { try [$0.quantize()] },
        "dequantize": { try [$0.dequantize()] },
        "slice_update": { try [$0.sliceUpdate()] },
    ]

    private mutating func reshapeLike() throws -> GraphBuilder.TensorID {
        let (x, references) = (try tensor("x"), try tensors("ref_tensors"))
        let (begins, ends) = (try tensors("begins"), try tensors("ends"))
        let masks = try tensors("end_masks")
        guard [begins.count, ends.count, masks.count].allSatisfy({ $0 == references.count }) else {
            throw emitter.invalid("\(references.count) tensors with \(begins.count) begins and \(ends.count) ends")
        }
        var target: [Int] = []
        for index in references.indices {
            let shape = emitter.shape(references[index])
            func number(_ id: GraphBuilder.TensorID, _ name: String) throws -> Int {
                let place = try integers(of: id, name).first ?? 0
                return min(max(place < 0 ? place + shape.count : place, 0), shape.count)
            }
            let begin = try number(begins[index], "begins")
            let isOpen = try integers(of: masks[index], "end_masks").first ?? 0 != 0
            let end = isOpen ? shape.count : try number(ends[index], "ends")
            if begin < end { target += shape[begin..<end] }
        }
        return try emitter.reshape(x, target)
    }

    /// How many there are is part of the shape: it has to be known before the model runs.
    private mutating func nonZero() throws -> GraphBuilder.TensorID {
        let x = try tensor("x")
        guard emitter.isConstant(x) else {
            throw emitter.unsupported("non_zero of values that are computed from the model's inputs")
        }
        let tensor = try emitter.values(x)
        let strides = GraphShape.strides(tensor.shape)
        var places: [Float] = []
        for (index, value) in tensor.values.enumerated() where value != 0 {
            for axis in tensor.shape.indices { places.append(Float(index / strides[axis] % tensor.shape[axis])) }
        }
        let rank = max(tensor.shape.count, 1)
        guard !places.isEmpty else { throw emitter.unsupported("non_zero without a result") }
        return emitter.constant(places, [places.count / rank, rank], .int32)
    }

    /// Scale and zero point as they meet the input.
    private mutating func code(
        _ x: GraphBuilder.TensorID
    ) throws -> (scale: GraphBuilder.TensorID, zero: GraphBuilder.TensorID?) {
        let axis = try integer("axis")
        let scale = try emitter.spread(try tensor("scale"), along: axis, of: x)
        return (scale, try optionalTensor("zero_point").map { try emitter.spread($0, along: axis, of: x) })
    }

    private mutating func quantize() throws -> GraphBuilder.TensorID {
        let x = try tensor("input")
        let (scale, zero) = try code(x)
        let types: [String: (MILDataType, Float, Float)] = ["uint8": (.uint8, 0, 255), "int8": (.int8, -128, 127)]
        guard let (type, low, high) = types[try text("output_dtype") ?? ""] else {
            throw emitter.invalid("the output_dtype '\(try text("output_dtype") ?? "")' does not exist")
        }
        var codes = try emitter.unary(.round, try emitter.binary(.divide, x, try divisor(scale)))
        if let zero { codes = try emitter.binary(.add, codes, zero) }
        return try emitter.emit(.unary(.clip(low: low, high: high)), [codes], emitter.shape(codes), type)
    }

    /// What codes are divided by. Converters give an activation that never changes a scale of 0, or one so small that its inverse
    /// is infinite: `dequantize` makes 0 of every code then, and nothing is divided by it.
    private mutating func divisor(_ scale: GraphBuilder.TensorID) throws -> GraphBuilder.TensorID {
        guard emitter.isConstant(scale) else { return scale }
        let scales = try emitter.values(scale)
        guard scales.values.contains(where: { abs($0) < .leastNormalMagnitude }) else { return scale }
        let usable = scales.values.map { $0 == 0 ? 1 : abs($0) < .leastNormalMagnitude ? .leastNormalMagnitude : $0 }
        return emitter.constant(usable, scales.shape, emitter.type(scale))
    }

    private mutating func dequantize() throws -> GraphBuilder.TensorID {
        var x = try tensor("input")
        let (scale, zero) = try code(x)
        if let zero { x = try emitter.binary(.subtract, x, zero, type: .float32) }
        return try emitter.binary(.multiply, x, scale, type: emitter.type(scale))
    }

    private mutating func sliceUpdate() throws -> GraphBuilder.TensorID {
        let (x, update) = (try tensor("x"), try tensor("update"))
        let shape = emitter.shape(x)
        let steps = try integers("stride") ?? [Int](repeating: 1, count: shape.count)
        let openBegins = try flags("begin_mask", count: shape.count)
        let openEnds = try flags("end_mask", count: shape.count)
        let dropped = try flags("squeeze_mask", count: shape.count)
        var begin = try tensor("begin")
        var sizes: [Int]
        if emitter.isConstant(begin), let end = try optionalTensor("end"), emitter.isConstant(end) {
            let cut = PythonSlice(
                shape: shape, begin: try requiredIntegers("begin"), end: try requiredIntegers("end"), step: steps,
                isBeginOpen: openBegins, isEndOpen: openEnds, isDropped: dropped)
            guard let cut, emitter.shape(update) == cut.remaining else {
                throw emitter.invalid("an update of shape \(emitter.shape(update)) for a slice of \(shape)")
            }
            sizes = cut.sizes
            begin = emitter.constant(cut.first.map(Float.init), [shape.count], .int32)
        } else {
            // Where it begins is known when the model runs; how long it is, the update says.
            var rest = emitter.shape(update)[...]
            sizes = try shape.indices.map { axis in
                if dropped[axis] { return 1 }
                guard let size = rest.popFirst() else { throw emitter.invalid("an update of too few dimensions") }
                return size
            }
            guard rest.isEmpty, emitter.shape(begin) == [shape.count] else {
                throw emitter.invalid("an update of shape \(emitter.shape(update)) for a tensor of shape \(shape)")
            }
            if openBegins.contains(true) {
                let kept = emitter.constant(openBegins.map { $0 ? 0 : 1 }, [shape.count], .int32)
                begin = try emitter.binary(.multiply, begin, kept)
            }
        }
        guard steps.count == shape.count,
            zip(sizes, zip(shape, steps)).allSatisfy({ $0 > 0 && $1.1 != 0 && ($0 - 1) * abs($1.1) < $1.0 })
        else { throw emitter.invalid("an update of \(sizes) elements in steps of \(steps) for \(shape)") }
        let whole = try emitter.reshape(update, sizes)
        return try emitter.emit(.sliceUpdate(step: steps), [x, whole, begin], shape, emitter.type(x))
    }
}
