internal import HearthCompute

/// Steps that pick what they are told to, put elements in order, or sum them up one after the other.
extension StepPreparation {
    /// - Returns: the shapes of the operands; nil for one that was left out.
    /// - Throws: `CoreMLError.invalid` with the step's place, where an operation cannot have these shapes.
    @discardableResult
    func check(_ operation: GraphOperation, _ step: PlanStep) throws -> [[Int]?] {
        let shapes = try step.inputs.map { try $0.map { try tensor($0).shape } }
        if let problem = operation.problem(shapes, try step.outputs.map { try tensor($0).shape }) {
            throw CoreMLError.invalid(.init(file: file, field: step.place), problem: problem)
        }
        return shapes
    }

    /// Elements of one of two tensors, as a third one says.
    func select(_ step: PlanStep) throws -> PreparedStep.Work {
        let shapes = try check(.select, step).compactMap(\.self)
        guard shapes.count == 3 else {
            throw ComputeError.shapeMismatch(what: "operands", expected: 3, found: shapes.count)
        }
        return .select(
            try Choice(condition: shapes[0], shapes[1], shapes[2]), condition: try region(step.inputs[0]),
            try region(step.inputs[1]), try region(step.inputs[2]))
    }

    /// Slices of a tensor, or of a table among the weights.
    func gather(_ axis: Int, _ step: PlanStep) throws -> PreparedStep.Work {
        try check(.gather(axis: axis), step)
        let table = try tensor(step.inputs[0])
        let lookup = try Lookup(
            outer: table.shape[..<axis].reduce(1, *), size: table.shape[axis],
            inner: table.shape[(axis + 1)...].reduce(1, *), indices: try tensor(step.inputs[1]).count)
        let values =
            table.isConstant
            ? try weights.floats(PlanWeights(offset: table.offset, count: table.storedCount))
            : FloatWeights(try region(step.inputs[0]))
        return .gather(lookup, values, indices: try region(step.inputs[1]))
    }

    func runningSum(_ axis: Int, isExclusive: Bool, isReversed: Bool, _ step: PlanStep) throws -> PreparedStep.Work {
        try check(.cumulativeSum(axis: axis, exclusive: isExclusive, reverse: isReversed), step)
        return .runningSum(
            try AxisShape(tensor(step.inputs[0]).shape, axis: axis), isExclusive: isExclusive, isReversed: isReversed,
            try region(step.inputs[0]))
    }

    func order(_ axis: Int, isAscending: Bool, _ step: PlanStep) throws -> PreparedStep.Work {
        try check(.topK(axis: axis, ascending: isAscending), step)
        let order = try AxisOrder(
            AxisShape(tensor(step.inputs[0]).shape, axis: axis), kept: tensor(step.outputs[0]).shape[axis],
            isAscending: isAscending)
        return .order(order, try region(step.inputs[0]))
    }

    /// Rows and columns of plain tensors or of blocked ones.
    func resize(_ resize: GraphResize, _ step: PlanStep) throws -> PreparedStep.Work {
        try check(.resize(resize), step)
        let (x, y) = (try tensor(step.inputs[0]), try tensor(step.outputs.first))
        let isBlocked = x.layout == .blocked
        try expect("layouts of a resize", x.layout == y.layout && x.layout != .codes ? 1 : 0, 1)
        guard let (rows, columns) = x.plane, let (newRows, newColumns) = y.plane, x.shape.count > (isBlocked ? 3 : 1)
        else { throw ComputeError.shapeMismatch(what: "dimensions of a resize", expected: 4, found: x.shape.count) }
        let inner = isBlocked ? PlaneResize.Width.block : .single
        let planes = x.storedCount / max(rows * columns * inner.rawValue, 1)
        try expect("elements of a resize", y.storedCount, planes * newRows * newColumns * inner.rawValue)
        return .resize(
            try PlaneResize(
                planes: planes, inner: inner, input: (rows, columns), output: (newRows, newColumns),
                offset: (resize.offset[0], resize.offset[1]), spacing: (resize.spacing[0], resize.spacing[1]),
                isNearest: resize.kind == .nearest), try region(step.inputs[0]))
    }
}

extension PlanTensor {
    /// Its last two dimensions.
    fileprivate var plane: (rows: Int, columns: Int)? {
        shape.count > 1 ? (shape[shape.count - 2], shape[shape.count - 1]) : nil
    }
}
