internal import HearthCoreMLFormat

/// `x[mask] = value` and sums over `x[mask]`, as converters write them: the places where the mask holds (`non_zero`), a row
/// for each, and `scatter_nd` or a reduction.
///
/// How many places there are is known only when the model runs, and no shape here may depend on that. But where rows go
/// back to the places that they came from, they can be computed for all places; the mask then decides between old and new.
extension MILImporter {
    /// Lowers an operation that makes or takes such a value; false for every other one.
    mutating func lowerMasked(_ operation: MILOperation) throws -> Bool {
        let result: Value
        if operation.type == "non_zero" {
            let mask = try tensor("x")
            guard !emitter.isConstant(mask), emitter.rank(mask) > 0 else { return false }
            result = .masked(.places(mask: origin(of: mask)))
        } else {
            let takesOne = operation.inputs.contains { $0.value.bindings.contains { masked($0) != nil } }
            guard takesOne else { return false }
            guard operation.outputs.count == 1, let found = try maskedResult(operation) else {
                throw emitter.unsupported("an operation on values whose number is computed from the model's inputs")
            }
            result = found
        }
        for output in operation.outputs {
            if case .tensor(let id) = result { try bind(output, id) } else { values[output.name] = result }
        }
        return true
    }

    /// The mask itself where it was cast: `x[mask] = f(x[mask])` has it in two types.
    private func origin(of mask: GraphBuilder.TensorID) -> GraphBuilder.TensorID {
        guard let step = emitter.graph.steps.last(where: { $0.outputs == [mask] }), case .cast = step.operation,
            let x = step.inputs.first ?? nil, emitter.type(x) == .bool
        else { return mask }
        return x
    }

    private func masked(_ binding: MILBinding) -> MaskedValue? {
        guard case .name(let name) = binding.kind, case .masked(let value)? = values[name] else { return nil }
        return value
    }

    private func masked(_ name: String) -> MaskedValue? {
        operation.inputs[name].flatMap { $0.bindings.count == 1 ? masked($0.bindings[0]) : nil }
    }

    private mutating func maskedResult(_ operation: MILOperation) throws -> Value? {
        switch (operation.type, masked("x")) {
        case ("shape", .places(let mask)?):
            return .masked(.sizes(MaskedSizes(mask: mask, list: [nil, emitter.rank(mask)])))
        case ("shape", .rows(let mask, let all)?):
            let row: [Int?] = Array(emitter.shape(all).dropFirst(emitter.rank(mask)))
            return .masked(.sizes(MaskedSizes(mask: mask, list: [nil] + row)))
        case ("greater_equal", .places?):
            guard let limits = try numbers("y"), limits.allSatisfy({ $0 <= 0 }) else { return nil }
            return .masked(.isNotNegative)
        case ("add", .places?): return .masked(.fromTheEnd)
        case ("tile", _), ("fill", _): return try repeated()
        case ("gather_nd", _): return try gatheredRows()
        case ("scatter_nd", _): return try scatteredRows()
        case ("select", _) where masked("a").map(\.isPlaces) == true:
            guard case .isNotNegative? = masked("cond") else { return nil }
            return masked("a").map { .masked($0) }
        case (let type, .rows(let mask, let all)?) where type.hasPrefix("reduce_"):
            return try reduced(type, all, mask).map { .tensor($0) }
        default:
            return try sizes(operation) ?? rows(operation)
        }
    }

    // MARK: - Rows

    private func isAtPlaces(_ shape: [Int], of mask: GraphBuilder.TensorID) -> Bool {
        shape.starts(with: emitter.shape(mask))
    }

    /// A row that is the same for all places.
    private mutating func repeated() throws -> Value? {
        if operation.type == "fill" {
            guard case .sizes(let sizes)? = masked("shape"), sizes.list.first == .some(nil) else { return nil }
            let rest = sizes.list.dropFirst().compactMap(\.self)
            guard rest.count == sizes.list.count - 1 else { return nil }
            let type = operation.outputs.first?.type.tensor?.dataType ?? .float32
            let all = try emitter.filled(try number("value") ?? 0, ones(sizes.mask) + rest, type)
            return .masked(.rows(mask: sizes.mask, all: all))
        }
        if case .rows(let mask, let all)? = masked("x") {
            guard let counts = try integers("reps"), counts.first == 1 else { return nil }
            return .masked(.rows(mask: mask, all: try emitter.tile(all, ones(mask) + counts.dropFirst())))
        }
        guard case .sizes(let sizes)? = masked("reps"), sizes.list.first == .some(nil) else { return nil }
        let (x, counts) = (try tensor("x"), sizes.list.dropFirst().compactMap(\.self))
        let shape = emitter.shape(x)
        guard shape.first == 1, counts.count == sizes.list.count - 1 else { return nil }
        let row = try emitter.reshape(x, ones(sizes.mask) + shape.dropFirst())
        return .masked(.rows(mask: sizes.mask, all: try emitter.tile(row, ones(sizes.mask) + counts)))
    }

    private func ones(_ mask: GraphBuilder.TensorID) -> [Int] { [Int](repeating: 1, count: emitter.rank(mask)) }

    private mutating func gatheredRows() throws -> Value? {
        guard case .places(let mask)? = masked("indices"), try integer("batch_dims") ?? 0 == 0 else { return nil }
        let x = try tensor("x")
        guard isAtPlaces(emitter.shape(x), of: mask) else { return nil }
        return .masked(.rows(mask: mask, all: x))
    }

    private mutating func scatteredRows() throws -> Value? {
        guard case .places(let mask)? = masked("indices"), case .rows(mask, let all)? = masked("updates") else {
            return nil
        }
        let data = try tensor("data")
        let shape = emitter.shape(data)
        let pairs: [String: GraphBinary] = [
            "add": .add, "sub": .subtract, "mul": .multiply, "div": .divide, "max": .maximum, "min": .minimum,
        ]
        let mode = try text("mode") ?? "add"
        let new = try pairs[mode].map { try emitter.binary($0, data, all) } ?? all
        guard mode == "update" || pairs[mode] != nil, isAtPlaces(shape, of: mask), emitter.rank(all) == shape.count,
            GraphShape.broadcast(emitter.shape(new), shape) == shape
        else { return nil }
        return .tensor(try emitter.emit(.select, [try condition(mask, new), new, data], shape, emitter.type(data)))
    }

    /// A mask as the condition for tensors that have axes behind those of the mask.
    private mutating func condition(
        _ mask: GraphBuilder.TensorID, _ rows: GraphBuilder.TensorID
    ) throws -> GraphBuilder.TensorID {
        let rest = [Int](repeating: 1, count: emitter.rank(rows) - emitter.rank(mask))
        let column = try emitter.reshape(mask, emitter.shape(mask) + rest)
        if emitter.type(mask) == .bool { return column }
        return try emitter.binary(.notEqual, column, emitter.constant([0], []), type: .bool)
    }

    /// An operation of each element, with the rows of one mask and with what is the same for each row.
    private mutating func rows(_ operation: MILOperation) throws -> Value? {
        guard let lowering = Self.elementwiseLowerings[operation.type],
            !["prelu", "softplus_parametric"].contains(operation.type)
        else { return nil }
        var found: (mask: GraphBuilder.TensorID, rank: Int)?
        var replaced: [String: Value] = [:]
        let bindings = operation.inputs.flatMap(\.value.bindings)
        for case .name(let name) in bindings.map(\.kind) {
            guard case .masked(let value)? = values[name] else { continue }
            guard case .rows(let mask, let all) = value else { return nil }
            let own = (mask: mask, rank: emitter.rank(all))
            guard found.map({ $0 == own }) ?? true else { return nil }
            found = own
            replaced[name] = .tensor(all)
        }
        guard let found else { return nil }
        // Other operands have the row's axes at most, and no rows of their own.
        let rank = found.rank - emitter.rank(found.mask) + 1
        for name in ["x", "y", "cond", "a", "b"] where has(name) && masked(name) == nil {
            guard let id = try optionalTensor(name) else { return nil }
            let shape = emitter.shape(id)
            guard shape.count < rank || shape.count == rank && shape[0] == 1 else { return nil }
        }
        let before = values
        values.merge(replaced) { $1 }
        let result = try lowering(&self)[0]
        values = before
        guard emitter.rank(result) == found.rank, let output = operation.outputs.first?.type.tensor else { return nil }
        emitter.name(result, "", output.dataType)
        return .masked(.rows(mask: found.mask, all: result))
    }

    /// What is left of rows along their first axis, and perhaps others.
    private mutating func reduced(
        _ type: String, _ all: GraphBuilder.TensorID, _ mask: GraphBuilder.TensorID
    ) throws -> GraphBuilder.TensorID? {
        let kinds: [String: (GraphReduction, Float)] = [
            "reduce_sum": (.sum, 0), "reduce_mean": (.sum, 0), "reduce_max": (.max, -.infinity),
            "reduce_min": (.min, .infinity),
        ]
        let own = emitter.rank(mask)
        let rank = emitter.rank(all) - own + 1
        let axes = try integers("axes").map { try emitter.axes($0, rank: rank) } ?? Array(0..<rank)
        guard let (kind, neutral) = kinds[type], axes.first == 0 else { return nil }
        let shape = emitter.shape(mask) + emitter.shape(all).dropFirst(own)
        let condition = try condition(mask, all)
        let other = emitter.constant([neutral], [], emitter.type(all))
        let kept = try emitter.emit(.select, [condition, all, other], shape, emitter.type(all))
        let places = Array(0..<own) + axes.dropFirst().map { $0 + own - 1 }
        var result = try emitter.reduce(kept, kind, axes: places, keepsDimensions: false)
        if type == "reduce_mean" {
            let marks = try emitter.emit(.cast(.float32), [condition], emitter.shape(condition), .float32)
            let count = try emitter.reduce(marks, .sum, axes: nil, keepsDimensions: false)
            let others = Float(axes.dropFirst().map { shape[$0 + own - 1] }.reduce(1, *))
            let total = try emitter.binary(.multiply, count, emitter.constant([others], []))
            result = try emitter.binary(.divide, result, total)
        }
        guard try flag("keep_dims", or: false) else { return result }
        let rows = [1] + shape.dropFirst(own)
        return try emitter.reshape(result, rows.indices.map { axes.contains($0) ? 1 : rows[$0] })
    }

    // MARK: - Sizes

    /// Sizes that a parameter holds, or numbers that are known.
    private mutating func sizes(
        _ binding: MILBinding
    ) throws -> (list: [Int?], mask: GraphBuilder.TensorID?, isScalar: Bool)? {
        if let value = masked(binding) {
            guard case .sizes(let sizes) = value else { return nil }
            return (sizes.list, sizes.mask, sizes.isScalar)
        }
        guard case .tensor(let id) = try value(binding, operation.type), emitter.isConstant(id) else { return nil }
        return (try integers(of: id, operation.type), nil, emitter.rank(id) == 0)
    }

    private mutating func sizes(_ operation: MILOperation) throws -> Value? {
        let takesSizes = operation.inputs.contains { input in
            input.value.bindings.contains { if case .sizes? = masked($0) { true } else { false } }
        }
        guard takesSizes else { return nil }
        let result: MaskedSizes?
        switch operation.type {
        case "slice_by_index", "squeeze", "expand_dims", "cast", "identity":
            guard case .sizes(let x)? = masked("x") else { return nil }
            result = try moved(x)
        case "concat": result = try joined(operation.inputs["values"]?.bindings ?? [])
        case "equal", "mul", "real_div", "floor_div": result = try combined(["x", "y"])
        case "select": result = try combined(["cond", "a", "b"])
        default: return nil
        }
        guard let result else { return nil }
        let known = result.list.compactMap(\.self)
        guard known.count == result.list.count else { return .masked(.sizes(result)) }
        let type = operation.outputs.first?.type.tensor?.dataType ?? .int32
        return .tensor(emitter.constant(known.map(Float.init), result.isScalar ? [] : [known.count], type))
    }

    /// A part of sizes, or the same ones as a number or a list.
    private mutating func moved(_ x: MaskedSizes) throws -> MaskedSizes? {
        var result = x
        switch operation.type {
        case "slice_by_index":
            let dropped = try flags("squeeze_mask", count: 1)
            let cut = PythonSlice(
                shape: [x.list.count], begin: try requiredIntegers("begin"), end: try requiredIntegers("end"),
                step: try integers("stride") ?? [1], isBeginOpen: try flags("begin_mask", count: 1),
                isEndOpen: try flags("end_mask", count: 1), isDropped: dropped)
            guard let cut, !x.isScalar, cut.sizes[0] > 0 else { return nil }
            let places = (0..<cut.sizes[0]).map { cut.first[0] + $0 * cut.step[0] }
            guard places.allSatisfy(x.list.indices.contains) else { return nil }
            result.list = places.map { x.list[$0] }
            result.isScalar = dropped[0]
        case "squeeze": result.isScalar = x.list.count == 1
        case "expand_dims":
            guard x.isScalar else { return nil }
            result.isScalar = false
        default: break
        }
        return result
    }

    private mutating func joined(_ bindings: [MILBinding]) throws -> MaskedSizes? {
        var result: MaskedSizes?
        var list: [Int?] = []
        for binding in bindings {
            guard let part = try sizes(binding) else { return nil }
            list += part.list
            guard let mask = part.mask else { continue }
            guard result.map({ $0.mask == mask }) ?? true else { return nil }
            result = MaskedSizes(mask: mask, list: [])
        }
        result?.list = list
        return result
    }

    private mutating func combined(_ names: [String]) throws -> MaskedSizes? {
        var parts: [(list: [Int?], mask: GraphBuilder.TensorID?, isScalar: Bool)] = []
        for name in names {
            guard let part = try operation.inputs[name]?.bindings.first.flatMap({ try sizes($0) }) else { return nil }
            parts.append(part)
        }
        let masks = Set(parts.compactMap(\.mask))
        let count = parts.map(\.list.count).max() ?? 0
        guard let mask = masks.first, masks.count == 1, parts.allSatisfy({ [1, count].contains($0.list.count) }) else {
            return nil
        }
        var list: [Int?] = []
        for index in 0..<count {
            let items = parts.map { $0.list[$0.list.count == 1 ? 0 : index] }
            if operation.type == "select" {
                guard let condition = items[0] else { return nil }
                list.append(condition != 0 ? items[1] : items[2])
            } else {
                guard let item = MaskedSizes.pair(operation.type, items[0], items[1]) else { return nil }
                list.append(item)
            }
        }
        return MaskedSizes(mask: mask, list: list, isScalar: parts.allSatisfy(\.isScalar))
    }
}
