internal import HearthCoreMLFormat

/// Puts a graph together: tensors, constants and steps, each checked against the limits, and folded where all that it needs
/// is known. What a file's operations and layers mean is up to the builders.
package struct GraphBuilder {
    package typealias TensorID = CoreMLGraph.TensorID

    /// The file, for errors.
    let file: String
    /// The graph so far.
    private(set) var graph = CoreMLGraph()
    /// The operation or layer that is being built, for errors and steps.
    var place = ""
    private var foldingWork = GraphLimits.foldingWork
    private var work = 0

    init(file: String) {
        self.file = file
        graph.file = file
    }

    /// An error at the place that is being built.
    func invalid(_ problem: String) -> CoreMLError { .invalid(.init(file: file, field: place), problem: problem) }

    /// An error about a form that is not computed.
    func unsupported(_ what: String) -> CoreMLError { .unsupported(.init(file: file, field: place), what: what) }

    /// The dimensions of a tensor.
    func shape(_ id: TensorID) -> [Int] { graph.tensors[id].shape }

    /// The number of dimensions of a tensor.
    func rank(_ id: TensorID) -> Int { graph.tensors[id].shape.count }

    /// The declared type of a tensor.
    func type(_ id: TensorID) -> MILDataType { graph.tensors[id].type }

    /// Whether the elements are known before the model runs.
    func isConstant(_ id: TensorID) -> Bool { graph.constants[id] != nil }

    // Tensors

    /// An input of the model.
    mutating func input(_ name: String, _ shape: [Int], _ type: MILDataType) throws -> TensorID {
        try check(shape)
        let id = define(name, shape, type)
        graph.inputs.append(id)
        return id
    }

    /// A constant of the file.
    mutating func constant(_ name: String, _ shape: [Int], _ type: MILDataType, _ content: GraphConstant) -> TensorID {
        let id = define(name, shape, type)
        graph.constants[id] = content
        return id
    }

    /// A constant that the builder needs.
    mutating func constant(_ values: [Float], _ shape: [Int], _ type: MILDataType = .float32) -> TensorID {
        constant("", shape, type, .values(values))
    }

    /// A constant of one value, as far as constants may go that stand in no file.
    mutating func filled(_ value: Float, _ shape: [Int], _ type: MILDataType) throws -> TensorID {
        try check(shape)
        let count = GraphShape.count(shape) ?? .max
        guard count <= foldingWork else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "elements of constants that are computed", claimed: count,
                limit: foldingWork)
        }
        foldingWork -= count
        return constant([Float](repeating: value, count: count), shape, type)
    }

    /// A constant of the numbers 0, 1, 2 … below `count`.
    mutating func range(_ count: Int, _ type: MILDataType) throws -> TensorID {
        let id = try filled(1, [count], type)
        graph.constants[id] = .values((0..<count).map(Float.init))
        return id
    }

    /// Gives a result the name and the type that the file has for it.
    mutating func name(_ id: TensorID, _ name: String, _ type: MILDataType) {
        if graph.tensors[id].name.isEmpty { graph.tensors[id].name = name }
        if graph.constants[id] == nil, !graph.inputs.contains(id) { graph.tensors[id].type = type }
    }

    /// The results of the model.
    mutating func setOutputs(_ ids: [TensorID]) { graph.outputs = ids }

    private mutating func define(_ name: String, _ shape: [Int], _ type: MILDataType) -> TensorID {
        graph.tensors.append(GraphTensor(name: name, shape: shape, type: type))
        return graph.tensors.count - 1
    }

    private func check(_ shape: [Int]) throws {
        guard shape.count <= CoreMLLimits.rank else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "dimensions", claimed: shape.count, limit: CoreMLLimits.rank)
        }
        guard shape.allSatisfy({ $0 > 0 }) else { throw invalid("a result would have the shape \(shape)") }
        guard GraphShape.count(shape) != nil else {
            let claimed = GraphShape.count(shape, limit: .max) ?? .max
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "elements of a tensor", claimed: claimed,
                limit: GraphLimits.elements)
        }
    }

    // Steps

    /// A step with one result.
    mutating func emit(
        _ operation: GraphOperation, _ inputs: [TensorID?], _ shape: [Int], _ type: MILDataType? = nil
    ) throws -> TensorID {
        try emit(
            operation, inputs, [shape], [type ?? inputs.compactMap { $0 }.first.map { self.type($0) } ?? .float32])[0]
    }

    /// A step with any number of results.
    mutating func emit(
        _ operation: GraphOperation, _ inputs: [TensorID?], _ shapes: [[Int]], _ types: [MILDataType]
    ) throws -> [TensorID] {
        for shape in shapes { try check(shape) }
        guard inputs.allSatisfy({ id in id.map { !shape($0).contains(0) } ?? true }) else {
            throw invalid("an operand has no elements")
        }
        let cost = operation.work(inputs.map { $0.map { shape($0) } }, shapes)
        guard cost <= GraphLimits.work - work else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "multiplications and additions of a pass",
                claimed: cost > Int.max - work ? .max : cost + work, limit: GraphLimits.work)
        }
        if let values = try folded(operation, inputs, shapes, cost) {
            return zip(values, types).map { constant($0.values, $0.shape, $1) }
        }
        guard graph.steps.count < GraphLimits.steps else {
            throw CoreMLError.tooLarge(
                .init(file: file, field: place), what: "steps", claimed: graph.steps.count + 1, limit: GraphLimits.steps
            )
        }
        work += cost
        let results = zip(shapes, types).map { define("", $0, $1) }
        graph.steps.append(GraphStep(place: place, operation: operation, inputs: inputs, outputs: results))
        return results
    }

    /// The results, where all operands are small constants: shapes are computed that way in many programs.
    private mutating func folded(
        _ operation: GraphOperation, _ inputs: [TensorID?], _ shapes: [[Int]], _ cost: Int
    ) throws -> [CoreMLTensor]? {
        // Numbers that are drawn are others in each pass.
        if case .random = operation { return nil }
        let operands = inputs.compactMap { $0 }
        let isSmall = (operands.map { shape($0) } + shapes).allSatisfy {
            GraphShape.count($0, limit: GraphLimits.foldedElements) != nil
        }
        guard isSmall, cost <= foldingWork, operands.allSatisfy({ isConstant($0) }) else { return nil }
        foldingWork -= cost
        return try ReferenceExecutor.stoppedByTask.run(
            operation, try inputs.map { try $0.map { try values($0) } }, shapes: shapes)
    }

    /// The elements of a constant; empty for anything else.
    func values(_ id: TensorID) throws -> CoreMLTensor {
        CoreMLTensor(shape: shape(id), values: try graph.constants[id]?.floats() ?? [])
    }
}
